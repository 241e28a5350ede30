package yarn

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn/spark"
)

// A Spark driver's program: jobs, stages and their ends (DAGScheduler of Spark
// 3.5.5).

// do carries out a step of the driver's agenda.
func (k *sparkMaster) do(j int32, a *sparkApp, st sparkStep) {
	s := k.s
	switch st.what {
	case stepContext:
		a.waiting = true
		if k.enough(a) {
			k.begin(j, a)
			return
		}
		a.step(max(a.born+a.set.MaxRegisteredWait, s.now), stepReady, 0)
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
	case stepAccept:
		k.accept(j, a, st.i)
	case stepCheck:
		a.stages[st.i].checkAt = simcore.Never
		k.checkStage(j, a, st.i)
	case stepGone:
		a.monitor.Remove(st.i)
		k.wakeCall(j, a, k.draw(j, k.cal.Wake, drawJobs+uint64(s.now)))
	case stepLost:
		a.questions++
		k.wakeCall(j, a, k.draw(j, k.cal.Wake, drawJobs+uint64(s.now)))
	}
}

// The driver's scheduler backend, from which the wait for the first executors
// counts, comes up that long before the AM registers; whether enough have
// registered is looked at every readyPoll (TaskSchedulerImpl.waitBackendReady).
const (
	backendEarlier = 200 * simcore.Millisecond
	readyPoll      = 100 * simcore.Millisecond
)

// enough reports whether so many of the first executors have registered that
// the user's code goes on.
func (k *sparkMaster) enough(a *sparkApp) bool {
	return float64(a.registered) >= float64(a.set.Start())*a.set.MinRegistered
}

// begin lets the user's code go on.
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

// beginJob is the submission of a job.
func (k *sparkMaster) beginJob(j int32, a *sparkApp, i int32) {
	s := k.s
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
	a.monitor.StartJob(a.plan.shuffles[i])
	for st := job.FirstStage; st < job.FirstStage+job.Stages; st++ {
		if a.stages[st].parents == 0 {
			k.queueStage(j, a, st, s.now)
		}
	}
}

// queueStage puts a stage's submission on the agenda.
func (k *sparkMaster) queueStage(j int32, a *sparkApp, st int32, from simcore.Time) {
	a.stages[st].state = stageQueued
	gap := k.draw(j, k.cal.StageGap, drawJobs+uint64(st)<<8+uint64(a.stages[st].tries))
	if r := k.s.recordedSpark(j); r != nil && int(st) < len(r.StageGap) && r.StageGap[st] >= 0 {
		gap = r.StageGap[st]
	}
	a.step(from+gap, stepStage, st)
}

// submitStage starts an attempt of a stage, or first those of its parents whose
// output is gone.
func (k *sparkMaster) submitStage(j int32, a *sparkApp, i int32) {
	s := k.s
	st := &a.plan.app.Stages[i]
	run := &a.stages[i]
	// Lost output of parents is made first; the stage is submitted again at their end
	// (retryStages).
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
	base := a.plan.taskBase[i]
	job := &a.plan.app.Jobs[st.Job]
	// Of a stage that runs again only the tasks without result are submitted.
	var done func(int32) bool
	if run.left < st.Tasks {
		done = func(t int32) bool { return a.done[base+t] }
	}
	stage := spark.Stage{Job: st.Job, Stage: i, Pool: job.Pool, Tasks: st.Tasks, Profile: a.plan.profile(i)}
	k.preferences(a, i, &stage)
	run.set = a.tasks.Submit(s.now, &stage, done)
	a.sets = append(a.sets, i)
	profile := a.plan.profile(i)
	met := a.manager.Known(profile)
	a.manager.Submit(s.now, profile, run.left, st.Tasks)
	if !met && a.manager.Target(profile) > 0 { // its initial executors are asked for at once
		k.request(j, a)
	}
	s.rec.Pending(simcore.JobID(j), run.left)
	// Its tasks are known to the scheduler and not offered before the step.
	a.tasks.Hold(run.set)
	a.step(s.now+k.toOffer(j, a, i), stepOffer, run.set)
}

// toOffer is how long the driver takes from a stage's submission to offering its
// tasks: it serialises them first.
func (k *sparkMaster) toOffer(j int32, a *sparkApp, i int32) simcore.Time {
	if r := k.s.recordedSpark(j); r != nil && int(i) < len(r.Offer) && r.Offer[i] >= 0 && a.stages[i].tries == 1 {
		return r.Offer[i]
	}
	return k.draw(j, k.cal.StageOffer, drawOffers+uint64(i)<<8+uint64(a.stages[i].tries))
}

// resubmitAfter is how long the driver waits before it runs a failed stage again
// (DAGScheduler.RESUBMIT_TIMEOUT).
const resubmitAfter = 200 * simcore.Millisecond

// preferences says where a stage's tasks would like to run.
func (k *sparkMaster) preferences(a *sparkApp, i int32, out *spark.Stage) {
	w := k.s.work
	st := &a.plan.app.Stages[i]
	switch {
	case st.Reads >= 0: // the executors that hold the cached blocks
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
	case len(st.Parents) > 0 && a.set.ReducePreference: // the nodes with most of the shuffle's input
		// By task where the record has the sizes of parts, else one list for all tasks.
		k.nodes = k.nodes[:0]
		if p := st.Parents[0]; len(st.Parents) == 1 && len(a.plan.app.Stages[p].Parts) == int(a.plan.app.Stages[p].Tasks)*int(st.Tasks) {
			k.perReducer(a, p, st.Tasks, out)
			return
		}
		for _, p := range st.Parents {
			k.writers(a, p, st.Tasks)
		}
		out.Nodes = k.nodes
	}
}

// perReducer lists by task the nodes of executors that wrote at least a fifth of
// what it reads.
func (k *sparkMaster) perReducer(a *sparkApp, p, reducers int32, out *spark.Stage) {
	st := &a.plan.app.Stages[p]
	if most := a.set.ReducePreferredMaxTasks; st.Tasks >= most || reducers >= most {
		return
	}
	k.hostAt = append(k.hostAt[:0], 0)
	for r := range reducers {
		total := int64(0)
		k.wrote = kernel.Zeroed(k.wrote, len(a.execs))
		for t := range st.Tasks {
			if e := a.output[a.plan.taskBase[p]+t]; e > 0 {
				n := int64(st.Parts[t*reducers+r])
				k.wrote[e] += n
				total += n
			}
		}
		k.addLarge(a, total, len(k.nodes))
		k.hostAt = append(k.hostAt, int32(len(k.nodes)))
	}
	out.HostAt, out.Hosts = k.hostAt, k.nodes
}

// writers adds the nodes of executors that wrote at least a fifth of a parent's
// output (MapOutputTrackerMaster.getPreferredLocationsForShuffle).
func (k *sparkMaster) writers(a *sparkApp, p, reducers int32) {
	st := &a.plan.app.Stages[p]
	if most := a.set.ReducePreferredMaxTasks; st.Tasks >= most || reducers >= most {
		return
	}
	w := k.s.work
	weight := func(t int32) int64 {
		if st.FirstTask >= 0 && len(w.Tasks.Output) > 0 {
			return w.Tasks.Output[st.FirstTask+t]
		}
		return 1
	}
	total := int64(0)
	k.wrote = kernel.Zeroed(k.wrote, len(a.execs))
	for t, base := int32(0), a.plan.taskBase[p]; t < st.Tasks; t++ {
		if e := a.output[base+t]; e > 0 {
			k.wrote[e] += weight(t)
			total += weight(t)
		}
	}
	k.addLarge(a, total, 0)
}

// addLarge adds the nodes of executors that wrote at least ReducePreferredShare of total
// (k.wrote), unless they stand in k.nodes from an index on.
func (k *sparkMaster) addLarge(a *sparkApp, total int64, from int) {
	for e, n := range k.wrote {
		if n > 0 && float64(n) >= a.set.ReducePreferredShare*float64(total) && !slices.Contains(k.nodes[from:], a.execs[e].node) {
			k.nodes = append(k.nodes, a.execs[e].node)
		}
	}
}

// endStage is the end of a stage's last task.
func (k *sparkMaster) endStage(j int32, a *sparkApp, i int32) {
	s := k.s
	run := &a.stages[i]
	run.state = stageDone
	k.closeSet(a, run)
	// Children count a parent's first end only; after a later one they wait to be
	// submitted again.
	if run.complete {
		k.retryStages(j, a)
		return
	}
	run.complete = true
	for _, c := range a.plan.children[i] {
		child := &a.stages[c]
		if child.parents--; child.parents == 0 {
			k.queueStage(j, a, c, s.now)
		}
	}
	job := a.plan.app.Stages[i].Job
	if a.jobs[job].left--; a.jobs[job].left == 0 {
		k.endJob(j, a, job)
	}
}

// retryStages submits stages that waited for lost output to be made again.
func (k *sparkMaster) retryStages(j int32, a *sparkApp) {
	for i := range a.stages {
		if run := &a.stages[i]; run.state == stageIdle && run.tries > 0 && run.left > 0 && run.parents == 0 {
			k.queueStage(j, a, int32(i), k.s.now)
		}
	}
}

// closeSet ends a stage's attempt for scheduler and manager.
func (k *sparkMaster) closeSet(a *sparkApp, run *sparkStage) {
	if run.set >= 0 {
		a.tasks.Close(run.set)
		a.manager.Complete(run.set)
		run.set = -1
	}
}

// endJob is the end of a job; what waits for it goes on.
func (k *sparkMaster) endJob(j int32, a *sparkApp, i int32) {
	if a.plan.app.Jobs[i].Stages > 0 {
		a.monitor.EndJob(a.plan.shuffles[i])
	}
	for _, f := range a.plan.followers[i] {
		if a.jobs[f].before--; a.jobs[f].before == 0 {
			a.step(k.s.now+a.plan.app.Jobs[f].Delay, stepJob, f)
		}
	}
	if a.jobsLeft--; a.jobsLeft == 0 {
		k.stop(j, a, false)
	}
}
