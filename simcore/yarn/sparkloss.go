package yarn

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn/spark"
)

// The loss of executors of a Spark application.

// lost handles the loss of an executor's container, preempted or with its node. The
// driver sees the connection close, stops its offers, and requests the reason;
// the executor's tasks wait for the answer. An executor that the next call was to release is
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
			a.tasks.RemoveExecutor(e)
			a.step(max(until, s.now), stepLost, e)
		}
		if x.state != execLaunching {
			x.state = execGone
		}
		a.ended++
		k.needCall(a)
		k.arm(j, a)
	} else if a != nil && e <= 0 {
		a.ungive(sl)
	}
	s.releaseAtExit(sl, c, until)
}

// ungive removes a container from the list of those that the next call releases, and reports
// whether it was there.
func (a *sparkApp) ungive(sl int32) bool {
	i := slices.Index(a.giving, sl)
	if i >= 0 {
		a.giving = slices.Delete(a.giving, i, i+1)
	}
	return i >= 0
}

// loseExecutor returns the tasks of an executor to their stages and, without the shuffle service,
// drops its output, when the AM's call has brought the reason of its loss.
//
// Free executors are not offered these tasks: offers are revived when the executor is lost and
// the reason is not known yet (TaskSchedulerImpl.executorLost). The next end of a task, or the
// offer to all once a second, starts them.
func (k *sparkMaster) loseExecutor(j int32, a *sparkApp, e int32) {
	s := k.s
	a.execs[e].state = execGone
	a.monitor.Remove(e)
	runs := a.runsOf(e)
	for i := range runs {
		if runs[i].set < 0 {
			continue
		}
		r := runs[i]
		runs[i] = freeRun
		k.tellTask(j, a, SparkTaskEnd, e, &r)
		a.tasks.End(r.set, r.task, e, !a.done[a.plan.taskBase[r.stage]+r.task])
		a.manager.Finish(s.now, r.set, r.task, r.copied, spark.Lost)
		s.rec.Ended(simcore.JobID(j), simcore.Map, kernel.Killed, s.now-r.from, r.loc)
		s.rec.Pending(simcore.JobID(j), 1)
	}
	for b := range a.block { // cached blocks go with their executor
		if a.block[b] == e {
			a.block[b] = 0
		}
	}
	if !a.set.ShuffleService {
		k.loseOutput(j, a, e)
	}
	if !a.closed {
		k.revive(a)
	}
}

// loseOutput drops the shuffle output of an executor. Tasks of a running stage
// run again in it; a complete stage runs again for the lost
// part, and a stage that still reads it fails.
func (k *sparkMaster) loseOutput(j int32, a *sparkApp, e int32) {
	s := k.s
	for i := range a.stages {
		run, st := &a.stages[i], &a.plan.app.Stages[i]
		if !st.ShuffleWrite || run.tries == 0 {
			continue
		}
		base := a.plan.taskBase[i]
		for t := range st.Tasks {
			if a.output[base+t] != e {
				continue
			}
			a.output[base+t], a.done[base+t] = 0, false
			if run.state == stageRuns {
				run.left++
				a.tasks.Lose(run.set, t)
				a.manager.Finish(s.now, run.set, t, false, spark.Resubmitted)
				s.rec.Pending(simcore.JobID(j), 1)
			} else {
				run.missing++
			}
		}
		if run.missing > 0 {
			k.failReaders(j, a, int32(i))
		}
	}
}

// failReaders fails the running stages that have yet to read a stage's output.
func (k *sparkMaster) failReaders(j int32, a *sparkApp, i int32) {
	for c := range a.stages {
		run := &a.stages[c]
		if run.state != stageRuns || run.set < 0 || a.tasks.Unlaunched(run.set) == 0 ||
			!slices.Contains(a.plan.app.Stages[c].Parents, i) {
			continue
		}
		k.s.rec.Pending(simcore.JobID(j), -a.tasks.Unlaunched(run.set))
		k.closeSet(a, run)
		k.queueStage(j, a, int32(c), k.s.now)
	}
}
