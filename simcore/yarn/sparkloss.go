package yarn

import (
	"cmp"
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn/spark"
)

// The loss of executors of a Spark application.

// lost handles the loss of an executor's container, preempted or with its node. Its process works
// on until its node ends it; then the driver sees the connection close, stops its offers, and
// requests the reason; the executor's tasks wait for the answer. An executor that the next call was to release is
// simply gone.
func (k *sparkMaster) lost(j, sl int32) {
	s := k.s
	c := &s.slots.all[sl]
	m, a := &s.jobs[j], k.apps[j]
	over := c.state == ending || a == nil || a.closed
	until := simcore.Time(0) // its process occupies the node
	if c.task > 0 && c.state != starting {
		until = s.now + k.spanOf(j, c.task, s.recordedSpark(j).Gone, k.cal.LossSeen, 5)
	}
	s.quit(sl, c)
	m.ords[c.ord] = gone | int32(executorContainer)
	if e := c.task; e > 0 && !over {
		x := &a.execs[e]
		k.account(j, a, e)
		if a.ungive(sl) {
			a.step(s.now, stepGone, e)
		} else {
			seen := s.now + or(entry(a.recorded.Seen, e-1), max(until-s.now, 0))
			a.step(seen, stepLost, e)
			x.outlives = x.state == execLive
		}
		if x.state != execLaunching {
			x.state = execGone
		}
		k.armExecutor(a, e)
		a.ended++
		k.needCall(a)
		k.arm(j, a)
	} else if a != nil && e <= 0 {
		a.ungive(sl)
	}
	s.releaseAtExit(sl, c, until)
}

// loseExecutor returns the tasks of an executor to their stages and, without the shuffle service,
// drops its output, when the driver has learned of its loss from the AM. If it had seen the
// connection close before, it has offered all executors then, and does not now
// (TaskSchedulerImpl.executorLost): the next end of a task, or the offer to all once a second,
// starts the tasks.
func (k *sparkMaster) loseExecutor(j int32, a *sparkApp, e int32) {
	s, x := k.s, &a.execs[e]
	x.state, x.outlives = execGone, false
	a.monitor.Remove(e)
	a.tasks.RemoveExecutor(e)
	k.dropData(j, a, e)
	again := []sparkRun{}
	runs := a.runsOf(e)
	for i := range runs {
		if runs[i].set >= 0 {
			again = append(again, runs[i])
			runs[i] = freeRun
		}
	}
	for i := range a.putBackOrder(again) {
		r := &again[i]
		k.tellTask(j, a, SparkTaskEnd, e, r)
		a.tasks.End(r.set, r.task, !a.done[a.plan.taskBase[r.stage]+r.task])
		a.manager.Finish(s.now, r.set, r.task, r.copied, spark.Lost)
		s.rec.Ended(simcore.JobID(j), simcore.Map, kernel.Killed, s.now-r.from, r.loc)
		s.rec.Pending(simcore.JobID(j), 1)
	}
	if a.closed {
		return
	}
	if !x.missed {
		x.missed = true
		k.launch(j, a, a.tasks.OfferAll(s.now))
	}
	k.revive(a)
}

// putBackOrder sorts tasks of a lost executor into the order in which they are put back: that of a
// hash table by their numbers (TaskSetManager.taskInfos).
func (a *sparkApp) putBackOrder(list []sparkRun) []sparkRun {
	if len(list) > 1 {
		slices.SortStableFunc(list, func(x, y sparkRun) int {
			n := a.tasks.Launched(x.set)
			return cmp.Or(cmp.Compare(x.set, y.set),
				cmp.Compare(java.ScalaBucket(uint32(y.id), n), java.ScalaBucket(uint32(x.id), n)), cmp.Compare(y.id, x.id))
		})
	}
	return list
}

// dropData drops the cached blocks of an executor that is gone and, without the shuffle service, its
// output. Tasks of a running stage run again in it; a complete stage runs again for the lost
// part when a stage that reads it fails.
func (k *sparkMaster) dropData(j int32, a *sparkApp, e int32) {
	for b := range a.block {
		if a.block[b] == e {
			a.block[b] = 0
		}
	}
	if a.set.ShuffleService {
		return
	}
	for i := range a.stages {
		run, st := &a.stages[i], &a.plan.app.Stages[i]
		if !st.ShuffleWrite || run.tries == 0 {
			continue
		}
		base := a.plan.taskBase[i]
		var again []sparkRun
		for t := range st.Tasks {
			if a.output[base+t] != e {
				continue
			}
			a.output[base+t], a.done[base+t] = 0, false
			switch run.state {
			case stageRuns:
				again = append(again, sparkRun{id: a.wrote[base+t], set: run.set, task: t})
			case stageDone:
				run.missing++
			default: // it is about to run again
				run.left++
			}
		}
		for _, r := range a.putBackOrder(again) {
			run.left++
			a.tasks.Lose(r.set, r.task)
			a.manager.Finish(k.s.now, r.set, r.task, false, spark.Resubmitted)
			k.s.rec.Pending(simcore.JobID(j), 1)
		}
	}
}

// readsLost reports whether a stage has output of a parent to read that is lost.
func (a *sparkApp) readsLost(st *simcore.SparkStage) bool {
	return slices.ContainsFunc(st.Parents, func(p int32) bool { return a.stages[p].missing > 0 })
}

// failedFetch is how long after its launch a task meets lost output.
const failedFetch = 400 * simcore.Millisecond

// failFetch handles the end of a task that met lost output: its stage fails, and is submitted again
// with the parent that has to run again.
func (k *sparkMaster) failFetch(j int32, a *sparkApp, e int32, r *sparkRun) {
	s, run := k.s, &a.stages[r.stage]
	s.rec.Ended(simcore.JobID(j), simcore.Map, kernel.Failed, s.now-r.from, r.loc)
	s.rec.Pending(simcore.JobID(j), 1)
	a.manager.Finish(s.now, r.set, r.task, r.copied, spark.Lost)
	a.monitor.Finish(s.now, e, -1)
	a.tasks.End(r.set, r.task, true)
	if run.set == r.set && run.state == stageRuns {
		s.rec.Pending(simcore.JobID(j), -a.tasks.Unlaunched(run.set))
		k.closeSet(a, run)
		k.queueStage(j, a, r.stage, s.now)
	}
}
