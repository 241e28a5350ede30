package sched

import (
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// perBeat keeps to the tasks that one heartbeat of a node may bring
// (mapred.fairscheduler.assignmultiple of Hadoop's Fair Scheduler):
//
//	slots  as many maps as there are free slots and one reduce
//	each   one map and one reduce: the default of Hadoop 0.21 (HADOOP-4788)
//	one    one task of either kind: the default of Hadoop 0.20
//
// At most one reduce comes with a heartbeat whatever the setting, as under every
// scheduler of Hadoop 0.20: a job's reduces spread over the nodes instead of filling
// the first that asks.
type perBeat struct {
	limit string // of the parameter assign; "" is slots
	beat  int64
	node  simcore.NodeID
	given [2]bool // by kind
}

// newPerBeat reads the parameter assign.
func newPerBeat(p Values) perBeat { return perBeat{limit: p["assign"]} }

// open reports whether the node may still get a task of the kind in this heartbeat.
func (b *perBeat) open(v *mr1.View, n simcore.NodeID, k simcore.Kind) bool {
	if b.beat != v.Beat() || b.node != n {
		return true
	}
	switch {
	case b.limit == "one":
		return !b.given[simcore.Map] && !b.given[simcore.Reduce]
	case b.limit != "each" && k == simcore.Map:
		return true
	}
	return !b.given[k]
}

// give notes a launch in this heartbeat.
func (b *perBeat) give(v *mr1.View, n simcore.NodeID, k simcore.Kind) {
	if b.beat != v.Beat() || b.node != n {
		b.beat, b.node, b.given = v.Beat(), n, [2]bool{}
	}
	b.given[k] = true
}

// launch gives the node a task of the kind of a job; none of no job.
func (b *perBeat) launch(v *mr1.View, n simcore.NodeID, k simcore.Kind, j simcore.JobID) (simcore.Task, bool) {
	if j == simcore.None {
		return simcore.Task{}, false
	}
	b.give(v, n, k)
	return anyTask(j, k), true
}

// first launches a task of the first of two kinds that the node has room for and that next names
// a job of.
func (b *perBeat) first(v *mr1.View, n simcore.NodeID, order [2]simcore.Kind,
	room func(*mr1.View, simcore.NodeID, simcore.Kind) bool,
	next func(*mr1.View, simcore.Kind) simcore.JobID) (t simcore.Task, ok bool) {
	for _, k := range order {
		if ok = room(v, n, k); ok {
			if t, ok = b.launch(v, n, k, next(v, k)); ok {
				break
			}
		}
	}
	return t, ok
}

// room reports whether the node has a slot of the kind to give.
func (b *perBeat) room(v *mr1.View, n simcore.NodeID, k simcore.Kind) bool {
	return v.Free(n, k) > 0 && b.open(v, n, k)
}
