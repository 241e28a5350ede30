package sched

import (
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// FIFO, the first scheduler of Hadoop and a baseline of every paper (thesis
// 2.1.3): one queue in order of priority and submission. A job that leaves
// slots free lets the next one in, so that jobs may end out of order. On a
// heartbeat every free map slot is filled, a map on the nearest of its inputs,
// and one reduce slot.
type fifo struct {
	slowstart float64
	one       perBeat
}

func newFIFO(_ Options, p Values) (mr1.Scheduler, error) {
	return &fifo{slowstart: p.float("slowstart")}, nil
}

func (*fifo) Name() string { return "fifo" }

// Ready spares the kernel heartbeats before the first reduce is due.
func (f *fifo) Ready(v *mr1.View, k simcore.Kind) bool { return anyDue(v, k, f.slowstart) }

func (f *fifo) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	return f.one.first(v, n, kinds, f.one.room, f.next)
}

// next returns the job that is served next.
func (f *fifo) next(v *mr1.View, k simcore.Kind) simcore.JobID { return first(v, k, f.slowstart) }

// first returns the job that FIFO serves next: the highest priority, then the
// earliest submission.
func first(v *mr1.View, k simcore.Kind, slowstart float64) simcore.JobID {
	best := simcore.JobID(simcore.None)
	for j := v.FirstWaiting(k); j != simcore.None; j = v.NextWaiting(j, k) {
		if (best == simcore.None || v.Priority(j) > v.Priority(best)) && due(v, j, k, slowstart) {
			best = j
		}
	}
	return best
}
