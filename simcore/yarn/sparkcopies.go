package yarn

import (
	"cmp"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn/spark"
)

// Speculation inside a Spark application (TaskSetManager.checkSpeculatableTasks
// of Spark 3.5.5): once a share of a stage's tasks has finished, a task that runs
// longer than a multiple of their median gets a second copy on another node.
// The original exempts tasks that process their records fast enough; here
// times are known beforehand.

// speculate checks the running stages. Only the instants matter at which a task becomes slow.
func (k *sparkMaster) speculate(j int32, a *sparkApp) {
	for i := range a.stages {
		if run := &a.stages[i]; run.state == stageRuns && run.set >= 0 {
			k.checkStage(j, a, int32(i))
		}
	}
}

// threshold returns the run time from which a stage's tasks are slow, Never while too
// few have finished.
func (k *sparkMaster) threshold(a *sparkApp, i int32) simcore.Time {
	n, took := a.plan.app.Stages[i].Tasks, a.stages[i].took
	if least := max(int(a.set.SpeculationQuantile*float64(n)), 1); n < 2 || len(took) < least {
		return simcore.Never
	}
	median := float64(took[len(took)/2])
	return max(simcore.Time(a.set.SpeculationMultiplier*median), a.set.SpeculationMinRuntime)
}

// checkStage requests copies of a stage's slow tasks, and sets the next check.
func (k *sparkMaster) checkStage(j int32, a *sparkApp, i int32) {
	s, run := k.s, &a.stages[i]
	slow := k.threshold(a, i)
	if slow == simcore.Never || run.set < 0 || a.closed {
		return
	}
	next, found := simcore.Never, false
	for r := range a.runs {
		x := &a.runs[r]
		if x.set != run.set || !a.tasks.Single(x.set, x.task) {
			continue
		}
		if s.now-x.from <= slow {
			next = min(next, x.from+slow+1)
			continue
		}
		if a.tasks.Speculate(x.set, x.task, a.execs[int32(r)/a.plan.stride].node) {
			a.manager.Speculate(s.now, x.set)
			s.rec.Pending(simcore.JobID(j), 1)
			found = true
		}
	}
	if next < run.checkAt {
		every := a.set.SpeculationInterval
		run.checkAt = a.born + (next-a.born+every-1)/every*every
		a.step(run.checkAt, stepCheck, i)
		k.arm(j, a)
	}
	if found {
		k.launch(j, a, a.tasks.OfferAll(s.now))
	}
}

// finishedOnce records the time of a finished task and ends its other copy.
func (k *sparkMaster) finishedOnce(j int32, a *sparkApp, r *sparkRun) {
	s, run := k.s, &a.stages[r.stage]
	run.took = kernel.Insert(run.took, s.now-r.from, cmp.Compare[simcore.Time])
	if a.tasks.DropCopy(r.set, r.task) {
		a.manager.Unspeculate(r.set)
		s.rec.Pending(simcore.JobID(j), -1)
	}
	for i := range a.runs {
		x := &a.runs[i]
		if x.set != r.set || x.task != r.task {
			continue
		}
		e, other := int32(i)/a.plan.stride, *x
		*x = freeRun
		a.tasks.Free(e)
		a.tasks.End(other.set, other.task, false)
		a.manager.Finish(s.now, other.set, other.task, other.copied, spark.Stopped)
		a.monitor.Finish(s.now, e, -1)
		s.rec.Ended(simcore.JobID(j), simcore.Map, kernel.Killed, s.now-other.from, other.loc)
		if a.execs[e].state == execLive {
			k.launch(j, a, a.tasks.Offer(s.now, e))
			k.armExecutor(a, e)
		}
	}
}
