package yarn

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn/spark"
)

// The program of a Spark driver: jobs, stages and their ends (DAGScheduler of Spark
// 3.5.5).

// do carries out a step of the driver.
func (k *sparkMaster) do(j int32, a *sparkApp, st futureStep) {
	s := k.s
	switch st.what {
	case stepContext:
		a.waiting = true
		if k.enough(a) {
			k.begin(j, a)
			return
		}
		wait := a.born + a.set.MaxRegisteredWait
		if a.recorded.Ready > 0 {
			wait = a.recorded.Ready
		}
		a.step(max(wait, s.now), stepReady, 0)
	case stepReady:
		k.begin(j, a)
	case stepJob:
		k.beginJob(j, a, st.i)
	case stepStage:
		k.submitStage(j, a, st.i)
	case stepOffer:
		a.tasks.Release(st.i)
		k.launch(j, a, a.tasks.OfferAll(s.now))
		k.revive(a)
	case stepRun:
		if a.execs[st.i].outlives {
			k.endTasks(j, a, st.i)
		}
	case stepNote:
		k.note(j, a)
	case stepAccept:
		k.accept(j, a, st.i)
	case stepCheck:
		a.stages[st.i].checkAt = simcore.Never
		k.checkStage(j, a, st.i)
	case stepGive:
		a.give(st.i)
	case stepGone:
		a.monitor.Remove(st.i)
		k.dropData(j, a, st.i)
		k.wakeCall(j, a)
	case stepFinish:
		k.stop(j, a, false)
	case stepLost:
		if x := &a.execs[st.i]; x.state == execGone && !x.missed {
			x.missed, x.outlives = true, false
			a.tasks.RemoveExecutor(st.i)
			k.launch(j, a, a.tasks.OfferAll(s.now))
			a.questions++
			k.wakeCall(j, a)
		}
	case stepRemove:
		k.loseExecutor(j, a, st.i)
	}
}

// The driver's scheduler backend starts backendEarlier before the AM registers; the wait for the
// first executors counts from there. The driver checks every readyPoll whether enough have
// registered (TaskSchedulerImpl.waitBackendReady).
const (
	backendEarlier = 200 * simcore.Millisecond
	readyPoll      = 100 * simcore.Millisecond
)

// enough reports whether enough of the first executors have registered for the user's code to
// continue.
func (k *sparkMaster) enough(a *sparkApp) bool {
	return float64(a.registered) >= float64(a.set.Start())*a.set.MinRegistered
}

// begin lets the user's code continue.
func (k *sparkMaster) begin(j int32, a *sparkApp) {
	if a.ready {
		return
	}
	a.ready = true
	if a.jobsLeft == 0 {
		k.stop(j, a, false)
		return
	}
	for i := range a.jobs {
		if a.jobs[i].before == 0 {
			a.step(k.s.now+a.plan.app.Jobs[i].Delay, stepJob, int32(i))
		}
	}
}

// beginJob submits a job.
func (k *sparkMaster) beginJob(j int32, a *sparkApp, i int32) {
	job := &a.plan.app.Jobs[i]
	for _, set := range job.Unpersist {
		if int(set) < len(a.plan.blockBase)-1 {
			a.monitor.Unpersist(set)
			clear(a.block[a.plan.blockBase[set]:a.plan.blockBase[set+1]])
		}
	}
	if job.Stages == 0 {
		k.endJob(j, a, i)
		return
	}
	a.monitor.UseShuffles(a.plan.shuffles[i], 1)
	for st := job.FirstStage; st < job.FirstStage+job.Stages; st++ {
		if a.stages[st].parents == 0 {
			k.queueStage(j, a, st, k.s.now)
		}
	}
}

// queueStage schedules a stage's submission.
func (k *sparkMaster) queueStage(j int32, a *sparkApp, st int32, from simcore.Time) {
	a.stages[st].state = stageQueued
	gap := k.draw(j, k.cal.StageGap, drawJobs+uint64(st)<<8+uint64(a.stages[st].tries))
	if r := a.recordedStage(st, a.stages[st].tries); r != nil {
		gap = or(r.Gap, gap)
	}
	a.step(from+gap, stepStage, st)
}

// submitStage starts an attempt of a stage, or first of its parents whose
// output is lost: the stage is submitted again at their end (retryStages). An attempt after the
// first has only the tasks without a result.
func (k *sparkMaster) submitStage(j int32, a *sparkApp, i int32) {
	s := k.s
	st := &a.plan.app.Stages[i]
	run := &a.stages[i]
	for _, p := range st.Parents {
		q := &a.stages[p]
		if q.missing == 0 {
			continue
		}
		run.state, run.tries = stageIdle, max(run.tries, 1)
		if q.state == stageDone {
			q.state, q.left, q.missing = stageQueued, q.missing, 0
			k.queueStage(j, a, p, s.now+resubmitAfter)
		}
	}
	if run.state != stageQueued {
		return
	}
	run.state = stageRuns
	run.tries++
	if run.tries > a.set.MaxStageAttempts {
		k.stop(j, a, true)
		return
	}
	base, profile := a.plan.taskBase[i], a.plan.profile(i)
	var done func(int32) bool
	run.index = nil
	if run.left < st.Tasks {
		done = func(t int32) bool { return a.done[base+t] }
		next := int32(0)
		for t := range st.Tasks {
			run.index = append(run.index, next)
			if !done(t) {
				next++
			}
		}
	}
	stage := spark.Stage{Job: st.Job, Stage: i, Pool: a.plan.app.Jobs[st.Job].Pool, Tasks: st.Tasks, Profile: profile}
	k.preferences(a, i, &stage)
	stage.Runners = a.runners(i)
	run.set = a.tasks.Submit(s.now, &stage, done)
	a.sets = append(a.sets, i)
	met := a.manager.Known(profile)
	a.manager.Submit(s.now, profile, run.left, st.Tasks)
	if !met && a.manager.Target(profile) > 0 { // the initial executors of a new profile
		k.request(j, a)
	}
	s.rec.Pending(simcore.JobID(j), run.left)
	a.tasks.Hold(run.set) // until the driver has serialised the tasks
	wait := k.draw(j, k.cal.StageOffer, drawOffers+uint64(i)<<8+uint64(run.tries))
	if r := a.recordedStage(i, run.tries-1); r != nil {
		wait = or(r.Offer, wait)
	}
	a.step(s.now+wait, stepOffer, run.set)
}

// resubmitAfter is the time after which the driver runs a failed stage again
// (DAGScheduler.RESUBMIT_TIMEOUT).
const resubmitAfter = 200 * simcore.Millisecond

// preferences sets the places that a stage's tasks prefer. Behind a shuffle these are the nodes
// with most of the input: by task if the sizes of parts are recorded, else one list for all tasks.
func (k *sparkMaster) preferences(a *sparkApp, i int32, out *spark.Stage) {
	w := k.s.work
	st := &a.plan.app.Stages[i]
	switch {
	case st.Reads >= 0: // the executors with the cached blocks
		blocks := a.block[a.plan.blockBase[st.Reads]:a.plan.blockBase[st.Reads+1]]
		out.Executors = make([]int32, st.Tasks)
		for t := range out.Executors {
			out.Executors[t] = -1
			if t < len(blocks) && blocks[t] > 0 {
				out.Executors[t] = blocks[t]
			}
		}
	case a.plan.located[i]: // the hosts of recorded input
		out.HostAt, out.Hosts = w.Tasks.HostAt[st.FirstTask:st.FirstTask+st.Tasks+1], w.Tasks.Hosts
	case len(st.Parents) > 0 && a.set.ReducePreference:
		k.nodes = k.nodes[:0]
		first, most := &a.plan.app.Stages[st.Parents[0]], a.set.ReducePreferredMaxTasks
		byTask := len(st.Parents) == 1 && len(first.Parts) == int(first.Tasks)*int(st.Tasks)
		switch {
		case st.Tasks >= most:
		case byTask && first.Tasks < most:
			k.hostAt = append(k.hostAt[:0], 0)
			for r := range st.Tasks {
				k.addLarge(a, st.Parents[0], len(k.nodes), func(t int32) int64 { return int64(first.Parts[t*st.Tasks+r]) })
				k.hostAt = append(k.hostAt, int32(len(k.nodes)))
			}
			out.HostAt, out.Hosts = k.hostAt, k.nodes
		case !byTask:
			k.writers(a, st.Parents)
			out.Nodes = k.nodes
		}
	}
}

// writers adds the nodes of executors that wrote a large part of a parent's output. Parents with
// too many tasks have none.
func (k *sparkMaster) writers(a *sparkApp, parents []int32) {
	output := k.s.work.Tasks.Output
	for _, p := range parents {
		st := &a.plan.app.Stages[p]
		if st.Tasks >= a.set.ReducePreferredMaxTasks {
			continue
		}
		k.addLarge(a, p, 0, func(t int32) int64 {
			if st.FirstTask >= 0 && len(output) > 0 {
				return output[st.FirstTask+t]
			}
			return 1
		})
	}
}

// addLarge adds the nodes of executors that wrote at least ReducePreferredShare of a stage's
// output, of the given size by task, unless they are in k.nodes from an index on
// (MapOutputTrackerMaster.getPreferredLocationsForShuffle).
func (k *sparkMaster) addLarge(a *sparkApp, stage int32, from int, size func(task int32) int64) {
	total, base := int64(0), a.plan.taskBase[stage]
	k.wrote = kernel.Zeroed(k.wrote, len(a.execs))
	for t, e := range a.output[base:a.plan.taskBase[stage+1]] {
		if e > 0 {
			n := size(int32(t))
			k.wrote[e] += n
			total += n
		}
	}
	for e, n := range k.wrote {
		if n > 0 && float64(n) >= a.set.ReducePreferredShare*float64(total) && !slices.Contains(k.nodes[from:],
			a.execs[e].node) {
			k.nodes = append(k.nodes, a.execs[e].node)
		}
	}
}

// endStage handles the end of a stage's last task. Children count only a parent's first end; after
// a later one they are submitted again.
func (k *sparkMaster) endStage(j int32, a *sparkApp, i int32) {
	run := &a.stages[i]
	run.state = stageDone
	k.closeSet(a, run)
	if run.complete {
		k.retryStages(j, a)
		return
	}
	run.complete = true
	for _, c := range a.plan.children[i] {
		child := &a.stages[c]
		if child.parents--; child.parents == 0 {
			k.queueStage(j, a, c, k.s.now)
		}
	}
	job := a.plan.app.Stages[i].Job
	if a.jobs[job].left--; a.jobs[job].left == 0 {
		k.endJob(j, a, job)
	}
}

// retryStages submits the stages that waited for lost output to be computed again.
func (k *sparkMaster) retryStages(j int32, a *sparkApp) {
	for i := range a.stages {
		if run := &a.stages[i]; run.state == stageIdle && run.tries > 0 && run.left > 0 && run.parents == 0 {
			k.queueStage(j, a, int32(i), k.s.now)
		}
	}
}

// closeSet ends a stage's attempt for the scheduler and the manager.
func (k *sparkMaster) closeSet(a *sparkApp, run *sparkStage) {
	if run.set >= 0 {
		a.tasks.Close(run.set)
		a.manager.Complete(run.set)
		run.set = -1
	}
}

// endJob handles the end of a job, for which others may wait.
func (k *sparkMaster) endJob(j int32, a *sparkApp, i int32) {
	if a.plan.app.Jobs[i].Stages > 0 {
		a.monitor.UseShuffles(a.plan.shuffles[i], -1)
	}
	for _, f := range a.plan.followers[i] {
		if a.jobs[f].before--; a.jobs[f].before == 0 {
			a.step(k.s.now+a.plan.app.Jobs[f].Delay, stepJob, f)
		}
	}
	if a.jobsLeft--; a.jobsLeft == 0 {
		k.s.times[j].LastMap = k.s.now
		a.step(k.s.now+or(entry(k.s.recorded.Commit, j), k.draw(j, k.cal.StageGap, drawStop+drawJobs)), stepFinish, 0)
	}
}
