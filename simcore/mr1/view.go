package mr1

import (
	"iter"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// View is what a scheduler sees of a run: read-only, valid only during the
// call that got it. All figures are those a JobTracker knows, that is, as of
// the heartbeats received so far.
type View struct{ s *Sim }

// Now returns the present time.
func (v *View) Now() simcore.Time { return v.s.now }

// Beat counts the heartbeats that led to picks; it tells two heartbeats of one
// node apart, for limits per heartbeat.
func (v *View) Beat() int64 { return v.s.beat }

// Period returns the heartbeat interval of a node.
func (v *View) Period() simcore.Time { return v.s.period }

// Jobs iterates over the active jobs (initialised and unfinished) in arrival
// order.
func (v *View) Jobs() iter.Seq[simcore.JobID] {
	return func(yield func(simcore.JobID) bool) {
		for j := v.FirstJob(); j != simcore.None; j = v.NextJob(j) {
			if !yield(j) {
				return
			}
		}
	}
}

// Waiting iterates over the active jobs with a pending task of the kind, in
// arrival order.
func (v *View) Waiting(k simcore.Kind) iter.Seq[simcore.JobID] {
	return func(yield func(simcore.JobID) bool) {
		for j := v.FirstWaiting(k); j != simcore.None; j = v.NextWaiting(j, k) {
			if !yield(j) {
				return
			}
		}
	}
}

// FirstJob returns the first active job in arrival order, None if there is none.
func (v *View) FirstJob() simcore.JobID { return v.s.active.first }

// NextJob returns the active job after j, None after the last.
func (v *View) NextJob(j simcore.JobID) simcore.JobID { return v.s.active.at[j].next }

// FirstWaiting returns the first active job with a pending task of the kind,
// in arrival order, None if there is none.
func (v *View) FirstWaiting(k simcore.Kind) simcore.JobID { return v.s.waiting[k].first }

// NextWaiting returns the job after j with a pending task of the kind, None
// after the last. j must itself have one.
func (v *View) NextWaiting(j simcore.JobID, k simcore.Kind) simcore.JobID {
	return v.s.waiting[k].at[j].next
}

// JobCount returns the number of jobs of the workload; ids are below it.
func (v *View) JobCount() int { return len(v.s.work.Jobs) }

// Job returns the job as described in the workload.
func (v *View) Job(j simcore.JobID) simcore.Job { return v.s.work.Jobs[j] }

// Queue, User and Class return indices into the workload's names; Class is -1
// for a job without class.
func (v *View) Queue(j simcore.JobID) int32 { return v.s.work.Jobs[j].Queue }

// User returns the index of the job's user.
func (v *View) User(j simcore.JobID) int32 { return v.s.work.Jobs[j].User }

// Class returns the index of the job's class, -1 if it has none.
func (v *View) Class(j simcore.JobID) int32 { return v.s.work.Jobs[j].Class }

// Submit returns when the job was submitted.
func (v *View) Submit(j simcore.JobID) simcore.Time { return v.s.work.Jobs[j].Submit }

// QueueNames, UserNames and ClassNames return copies of the workload's names.
func (v *View) QueueNames() []string { return append([]string(nil), v.s.work.Queues...) }

// UserNames returns a copy of the workload's user names.
func (v *View) UserNames() []string { return append([]string(nil), v.s.work.Users...) }

// ClassNames returns a copy of the workload's class names.
func (v *View) ClassNames() []string { return append([]string(nil), v.s.work.Classes...) }

// Tasks returns how many tasks of the kind the job has.
func (v *View) Tasks(j simcore.JobID, k simcore.Kind) int32 { return v.s.taskCount(j, k) }

// Pending returns how many of the job's tasks of the kind wait for a slot.
func (v *View) Pending(j simcore.JobID, k simcore.Kind) int32 { return v.s.jobs[j].of[k].pending }

// Running returns how many of the job's tasks of the kind run.
func (v *View) Running(j simcore.JobID, k simcore.Kind) int32 { return v.s.jobs[j].of[k].running }

// Done returns how many of the job's tasks of the kind have finished.
func (v *View) Done(j simcore.JobID, k simcore.Kind) int32 { return v.s.jobs[j].of[k].done }

// MapShare returns the completed share of the job's maps, 1 for a job without
// maps.
func (v *View) MapShare(j simcore.JobID) float64 {
	if m := v.s.work.Jobs[j].Maps; m > 0 {
		return float64(v.s.jobs[j].of[simcore.Map].done) / float64(m)
	}
	return 1
}

// TotalPending returns the pending tasks of the kind over all active jobs.
func (v *View) TotalPending(k simcore.Kind) int { return int(v.s.totalPending[k]) }

// TotalRunning returns the running attempts of the kind over the cluster.
func (v *View) TotalRunning(k simcore.Kind) int { return int(v.s.totalRunning[k]) }

// MeanTask returns the mean time from launch to end of the job's finished
// tasks of the kind, 0 if none has finished.
func (v *View) MeanTask(j simcore.JobID, k simcore.Kind) simcore.Time {
	s := &v.s.jobs[j].of[k]
	if s.done == 0 {
		return 0
	}
	return s.took / simcore.Time(s.done)
}

// Nodes returns the number of nodes; ids are below it.
func (v *View) Nodes() int { return len(v.s.cluster.Nodes) }

// Racks returns the number of racks.
func (v *View) Racks() int { return len(v.s.cluster.Racks) }

// Node returns the static features of a node.
func (v *View) Node(n simcore.NodeID) simcore.Node { return v.s.cluster.Nodes[n] }

// Rack returns the node's rack.
func (v *View) Rack(n simcore.NodeID) int32 { return v.s.cluster.Nodes[n].Rack }

// Alive reports whether the JobTracker believes the node alive.
func (v *View) Alive(n simcore.NodeID) bool { return !v.s.node(n).lost }

// Pool reports whether slots are containers of one pool that may run either
// kind; Free and Slots then answer the same for both kinds.
func (v *View) Pool() bool { return v.s.cfg.Pool }

// Slots returns how many tasks of the kind the node may run at once.
func (v *View) Slots(n simcore.NodeID, k simcore.Kind) int32 {
	slots := v.s.cluster.Nodes[n].Slots
	if v.s.cfg.Pool {
		return int32(slots[0] + slots[1])
	}
	return int32(slots[k])
}

// TotalSlots returns the slots of the kind over the living nodes.
func (v *View) TotalSlots(k simcore.Kind) int { return int(v.s.totalSlots[v.s.pool(k)]) }

// Free returns the node's free slots for the kind.
func (v *View) Free(n simcore.NodeID, k simcore.Kind) int32 {
	node := v.s.beating // the node asked for, mostly
	if node == nil || node.id != n {
		node = v.s.node(n)
	}
	return node.free[v.s.pool(k)]
}

// TotalFree returns the free slots for the kind over the living nodes.
func (v *View) TotalFree(k simcore.Kind) int { return int(v.s.totalFree[v.s.pool(k)]) }

// RunningOn returns how many attempts of the kind the node runs.
func (v *View) RunningOn(n simcore.NodeID, k simcore.Kind) int32 { return v.s.node(n).running[k] }

// JobOn returns how many attempts of the job's kind the node runs.
func (v *View) JobOn(j simcore.JobID, n simcore.NodeID, k simcore.Kind) int32 {
	c := int32(0)
	for s := range v.s.slotsOf(n) {
		if a := &v.s.slots[s]; a.job == j && a.kind == k {
			c++
		}
	}
	return c
}

// Locality returns how near to the node the nearest pending map of the job
// has its input; ok is false when the job has no pending map. Without data
// placement every map is node-local everywhere.
func (v *View) Locality(j simcore.JobID, n simcore.NodeID) (l simcore.Locality, ok bool) {
	if v.s.jobs[j].of[simcore.Map].pending == 0 {
		return simcore.OffSwitch, false
	}
	_, l = v.s.nearest(j, n)
	return l, true
}

// Distance returns the hops between two nodes of the tree: 0 the same node, 2
// the same rack, 4 across racks.
func (v *View) Distance(a, b simcore.NodeID) int {
	switch {
	case a == b:
		return 0
	case v.Rack(a) == v.Rack(b):
		return 2
	}
	return 4
}

// Output returns the bytes of the job's finished map output on each node; it
// is added to dst, which must have Nodes() entries. The kernel knows where
// output lies only if Config.TrackOutput, or a model that needs it, is on.
func (v *View) Output(j simcore.JobID, dst []int64) {
	s := v.s
	for i := int32(0); len(s.where) > 0 && i < s.work.Jobs[j].Maps; i++ {
		if at := s.jobs[j].task + i; s.task[at] == taskDone {
			dst[s.where[at]] += kernel.MapOutput(s.work, j, i)
		}
	}
}

// Attempts iterates over the attempts the node runs.
func (v *View) Attempts(n simcore.NodeID) iter.Seq[Attempt] {
	return func(yield func(Attempt) bool) {
		for s := range v.s.slotsOf(n) {
			if v.s.slots[s].job != simcore.None && !yield(v.s.attempt(s)) {
				return
			}
		}
	}
}

// Progress estimates an attempt's completed share as a task reports it, 0 to
// 1: a map's is linear in its run; a reduce's is a third copy, a third sort
// and a third reduce, with the copy at most at the share of finished maps.
func (v *View) Progress(a Attempt) float64 { return v.s.progress(a) }

// Left estimates an attempt's remaining time as LATE does, from its progress
// so far: elapsed·(1-p)/p; Never while its progress is 0.
func (v *View) Left(a Attempt) simcore.Time {
	p := v.Progress(a)
	if p <= 0 {
		return simcore.Never
	}
	return simcore.Time(float64(v.s.now-a.Start) * (1 - p) / p)
}

// Load returns the node's dynamic features.
func (v *View) Load(n simcore.NodeID) simcore.NodeLoad {
	node := v.s.node(n)
	l := simcore.NodeLoad{Maps: node.running[simcore.Map], Reduces: node.running[simcore.Reduce]}
	if v.s.execOn {
		return v.s.exec.Load(n, l)
	}
	l.CPU = float64(l.Maps+l.Reduces) / float64(max(v.s.cluster.Nodes[n].Cores, 1))
	return l
}
