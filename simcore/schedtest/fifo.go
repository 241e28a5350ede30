// Package schedtest supports tests of the runtimes and of schedulers: a
// plain FIFO, synthetic workloads and clusters, and the conformance kit that
// every scheduler has to pass.
package schedtest

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// FIFO serves jobs in arrival order: maps first, reduces once Slowstart of a
// job's maps are done. It is the reference scheduler for benchmarks of the kernel: its
// cost per pick does not depend on the number of jobs. Priorities are ignored.
type FIFO struct {
	Slowstart float64 // completed-map share before a job's reduces; 0 = at once

	due  []simcore.JobID // jobs whose reduces may start, ascending
	need []int32         // by job: maps that must be done before, -1 without reduces
}

var (
	_ mr1.Gate     = (*FIFO)(nil)
	_ mr1.Observer = (*FIFO)(nil)
	_ mr1.Chooser  = (*FIFO)(nil)
	_ mr1.Starter  = (*FIFO)(nil)
)

// Name returns the scheduler's name.
func (f *FIFO) Name() string { return "fifo-reference" }

// Ready reports whether a task of the kind could be launched anywhere.
func (f *FIFO) Ready(v *mr1.View, k simcore.Kind) bool {
	if k == simcore.Map {
		return v.FirstWaiting(simcore.Map) != simcore.None
	}
	return f.firstDue(v) != simcore.None
}

// Pick returns a task of the first job, maps before reduces.
func (f *FIFO) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	if v.Free(n, simcore.Map) > 0 {
		if j := v.FirstWaiting(simcore.Map); j != simcore.None {
			return simcore.Task{Job: j, Kind: simcore.Map, Index: simcore.AnyTask}, true
		}
	}
	if v.Free(n, simcore.Reduce) > 0 {
		if j := f.firstDue(v); j != simcore.None {
			return simcore.Task{Job: j, Kind: simcore.Reduce, Index: simcore.AnyTask}, true
		}
	}
	return simcore.Task{}, false
}

// firstDue returns the first job with due reduces. It drops served jobs; Observe enters them
// again when a reduce becomes pending again.
func (f *FIFO) firstDue(v *mr1.View) simcore.JobID {
	for len(f.due) > 0 {
		if v.Pending(f.due[0], simcore.Reduce) > 0 {
			return f.due[0]
		}
		f.due = f.due[:copy(f.due, f.due[1:])]
	}
	return simcore.None
}

// Start computes how many maps of each job must be done before its reduces.
func (f *FIFO) Start(v *mr1.View) {
	f.need = make([]int32, v.JobCount())
	for j := range f.need {
		f.need[j] = simcore.SlowstartMaps(f.Slowstart, v.Tasks(simcore.JobID(j), simcore.Map))
		if v.Tasks(simcore.JobID(j), simcore.Reduce) == 0 {
			f.need[j] = -1
		}
	}
}

// Wants returns the kinds of event that matter to Observe.
func (f *FIFO) Wants() uint32 {
	return 1<<mr1.JobReady | 1<<mr1.TaskFinished | 1<<mr1.TaskFailed | 1<<mr1.TaskKilled
}

// Observe enters jobs whose reduces become due.
// A reduce that failed or was killed makes its job due again.
func (f *FIFO) Observe(v *mr1.View, e mr1.Event) {
	j := e.Task.Job
	switch e.Kind {
	case mr1.JobReady:
		if f.need[j] == 0 {
			f.enter(j)
		}
	case mr1.TaskFinished:
		if e.Task.Kind == simcore.Map && v.Done(j, simcore.Map) == f.need[j] {
			f.enter(j)
		}
	case mr1.TaskFailed, mr1.TaskKilled:
		if e.Task.Kind == simcore.Reduce {
			f.enter(j)
		}
	}
}

// enter adds a job to those whose reduces are due, once. Jobs mostly come in order.
func (f *FIFO) enter(j simcore.JobID) {
	i := len(f.due)
	for i > 0 && f.due[i-1] > j {
		i--
	}
	if i == 0 || f.due[i-1] != j {
		f.due = slices.Insert(f.due, i, j)
	}
}
