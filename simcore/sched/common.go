package sched

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/yarnconf"
)

// Options is what a scheduler is given besides its parameters.
type Options struct {
	// Seed keys the scheduler's own draws (ties, peeking).
	Seed uint64
	// Grants holds each user's minimum share (slots, maps and reduces together)
	// and weight, by user index; users beyond it have none. A weight that is not positive
	// and finite counts as 1.
	Grants []simcore.UserShare
	// ByLack orders fair's pools below their minimum share by the slots they
	// lack, most first, instead of by running tasks over minimum share. So did
	// the deficits of Hadoop 0.20, which grow with the lack, and so COSHH's text
	// has it ("small jobs after satisfying the minimum shares of the larger").
	ByLack bool
	// MR1 is the queue configuration of capacity-mr1; nil gives every queue of
	// the workload an equal share and the parameters' settings.
	MR1 *yarnconf.MR1
	// PendingFirst makes capacity-mr1 ask the queue with the most pending tasks first, instead
	// of the one with the fewest running tasks over its capacity. Hadoop has no such setting:
	// the thesis's tables ask for it, where its text does not.
	PendingFirst bool
	// Hints are the resource usages of the job classes that the learning
	// scheduler receives, by class index; classes beyond it have none.
	Hints []simcore.JobHint

	files map[string]any // models that parameters of the spec name
}

// grant returns a user's grant with its weight filled in.
func (o *Options) grant(user int32) simcore.UserShare {
	g := simcore.UserShare{}
	if int(user) < len(o.Grants) {
		g = o.Grants[user]
	}
	if !(g.Weight > 0) || math.IsInf(g.Weight, 0) {
		g.Weight = 1
	}
	return g
}

// Purposes of the schedulers' draws; the kernel's are below 64.
const (
	purposePeek = 64 + iota
	purposeTie
	purposePlace
	purposeError
	purposeCluster
)

func drawKey(o *Options, purpose uint64) rng.Key { return rng.NewKey(o.Seed, purpose) }

// due reports whether a task of the kind of the job may be launched at all: a reduce once enough
// maps of the job have completed (simcore.SlowstartMaps). The job's own slowstart wins over the
// scheduler's.
func due(v *mr1.View, j simcore.JobID, k simcore.Kind, slowstart float64) bool {
	if s := v.Slowstart(j); s >= 0 {
		slowstart = s
	}
	return k == simcore.Map || v.Done(j, simcore.Map) >= simcore.SlowstartMaps(slowstart, v.Tasks(j, simcore.Map))
}

// anyDue reports whether some job has a pending task of the kind that may be
// launched: the gate of every scheduler that follows slowstart.
func anyDue(v *mr1.View, k simcore.Kind, slowstart float64) bool {
	for j := v.FirstWaiting(k); j != simcore.None; j = v.NextWaiting(j, k) {
		if due(v, j, k, slowstart) {
			return true
		}
	}
	return false
}

// dueJobs appends the jobs with a pending task of the kind that may be launched.
func dueJobs(dst []simcore.JobID, v *mr1.View, k simcore.Kind, slowstart float64) []simcore.JobID {
	for j := v.FirstWaiting(k); j != simcore.None; j = v.NextWaiting(j, k) {
		if due(v, j, k, slowstart) {
			dst = append(dst, j)
		}
	}
	return dst
}

// any is a task of the job that the kernel chooses: the nearest pending map,
// the next pending reduce.
func anyTask(j simcore.JobID, k simcore.Kind) simcore.Task {
	return simcore.Task{Job: j, Kind: k, Index: simcore.AnyTask}
}

// held returns how many tasks of both kinds the job runs.
func held(v *mr1.View, j simcore.JobID) int {
	return int(v.Running(j, simcore.Map) + v.Running(j, simcore.Reduce))
}

var kinds = [...]simcore.Kind{simcore.Map, simcore.Reduce}

// sortByPriority orders jobs by descending priority, then by arrival.
func sortByPriority(v *mr1.View, jobs []simcore.JobID) {
	slices.SortStableFunc(jobs, func(a, b simcore.JobID) int {
		return cmp.Or(cmp.Compare(v.Priority(b), v.Priority(a)), cmp.Compare(a, b))
	})
}
