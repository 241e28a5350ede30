package sched

import (
	"math"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// spread is the load manager of Hadoop's Fair Scheduler (CapBasedLoadManager, its
// default in 0.20 and 0.21): while there are fewer runnable tasks of a kind than
// slots, a node takes only its share of them,
//
//	tasks on the node < ceil(its slots * min(1, runnable / slots of the cluster)),
//
// so that tasks lie evenly over the nodes instead of on those that ask first.
// Runnable are the running tasks and the pending ones that may be launched.
type spread bool

// full reports whether the node has its share of the kind; due tells whose pending
// tasks may be launched.
func (s spread) full(v *mr1.View, n simcore.NodeID, k simcore.Kind, due func(simcore.JobID) bool) bool {
	total := v.TotalSlots(k)
	if !s || total == 0 {
		return false
	}
	runnable := v.TotalRunning(k)
	for j := v.FirstWaiting(k); j != simcore.None && runnable < total; j = v.NextWaiting(j, k) {
		if due(j) {
			runnable += int(v.Pending(j, k))
		}
	}
	if runnable >= total {
		return false
	}
	share := math.Ceil(float64(v.Slots(n, k)) * float64(runnable) / float64(total))
	return float64(v.RunningOn(n, k)) >= share
}
