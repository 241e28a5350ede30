package sched

import (
	"math"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// Hadoop's native scheduler (JobQueueTaskScheduler of 0.20; learning paper,
// section III): FIFO with fixed limits of tasks per node.
//
// On a heartbeat, the node may fill up to its share of the cluster's load:
//
//	map load  = remaining maps of all jobs / map slots of the cluster
//	capacity  = min(ceil(map load * slots of the node), slots of the node)
//
// and likewise for reduces, of which one is assigned per heartbeat. After a
// map without local data the node gets no further map in that heartbeat.
type native struct {
	slowstart float64
	limit     int32 // most tasks of a kind on a node; 0 = its slots
	beat      int64
	node      simcore.NodeID
	maps      bool // no further map in this heartbeat
	reduces   bool // a reduce was assigned in this heartbeat
}

func newNative(_ Options, p Values) (mr1.Scheduler, error) {
	return &native{slowstart: p.float("slowstart"), limit: int32(p.int("limit")), beat: -1}, nil
}

func (*native) Name() string { return "native" }

// Ready spares the kernel heartbeats before the first reduce is due.
func (s *native) Ready(v *mr1.View, k simcore.Kind) bool { return anyDue(v, k, s.slowstart) }

func (s *native) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	if v.Beat() != s.beat || n != s.node {
		s.beat, s.node, s.maps, s.reduces = v.Beat(), n, false, false
	}
	if !s.maps && s.room(v, n, simcore.Map) {
		if j := first(v, simcore.Map, s.slowstart); j != simcore.None {
			l, _ := v.Locality(j, n)
			s.maps = l == simcore.OffSwitch
			return anyTask(j, simcore.Map), true
		}
	}
	if !s.reduces && s.room(v, n, simcore.Reduce) {
		if j := first(v, simcore.Reduce, s.slowstart); j != simcore.None {
			s.reduces = true
			return anyTask(j, simcore.Reduce), true
		}
	}
	return simcore.Task{}, false
}

// room reports whether the node is below its share of the cluster's load.
func (s *native) room(v *mr1.View, n simcore.NodeID, k simcore.Kind) bool {
	if v.Free(n, k) == 0 {
		return false
	}
	slots, total := s.slots(v, n, k), 0
	for m := range v.Nodes() {
		total += int(s.slots(v, simcore.NodeID(m), k))
	}
	load := float64(v.TotalPending(k)+v.TotalRunning(k)) / float64(max(total, 1))
	return v.RunningOn(n, k) < min(int32(math.Ceil(load*float64(slots))), slots)
}

func (s *native) slots(v *mr1.View, n simcore.NodeID, k simcore.Kind) int32 {
	if s.limit > 0 {
		return min(s.limit, v.Slots(n, k))
	}
	return v.Slots(n, k)
}
