package sched

import (
	"cmp"
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// Fair, after Hadoop's Fair Scheduler (Zaharia et al., UCB/EECS-2009-55; COSHH
// 8, thesis 2.1.3).
//
// Jobs are in pools, one per user, queue, class or job. Of two pools the one
// below its minimum share goes first; of two below it the one with the smaller
// running/minimum; else the smaller running/weight; ties by arrival. A minimum
// share counts only as far as the pool has demand. Within a pool the job with
// fewer running tasks goes first (mode fair) or the earlier one (mode fifo).
//
// Minimum shares are granted in slots of both kinds; maps and reduces get
// theirs in proportion to the cluster's slots of the kind. With total=true
// (OMO V-A: dynamic containers) maps and reduces count together. A heartbeat
// brings maps and a reduce (perBeat), maps first, as far as the load manager
// (spread) lets the node take them; with dynamic containers
// first=reduce lets a due reduce take the container, as in OMO's table 3.
type fair struct {
	opt       Options
	slowstart float64
	pool      string // user, queue, class, job
	jobsFIFO  bool
	total     bool
	first     simcore.Kind // which kind is tried first

	one   perBeat
	even  spread
	pools []fairPool
	jobs  []simcore.JobID // scratch of order
}

// fairPool is one pool as of the present decision.
type fairPool struct {
	running, demand int
	minShare        float64
	weight          float64
}

func newFair(o Options, p Values) (mr1.Scheduler, error) { return makeFair(o, p), nil }

func makeFair(o Options, p Values) *fair {
	f := &fair{
		opt: o, slowstart: p.float("slowstart"), pool: p["pool"],
		jobsFIFO: p["jobs"] == "fifo", total: p.bool("total"), one: newPerBeat(p), even: spread(p.bool("spread")),
	}
	if p["first"] == "reduce" {
		f.first = simcore.Reduce
	}
	return f
}

func (*fair) Name() string { return "fair" }

// Ready spares the kernel heartbeats before the first reduce is due.
func (f *fair) Ready(v *mr1.View, k simcore.Kind) bool { return anyDue(v, k, f.slowstart) }

func (f *fair) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	return f.one.first(v, n, [2]simcore.Kind{f.first, 1 - f.first}, f.room, f.next)
}

// room reports whether the node has a slot of the kind to give.
func (f *fair) room(v *mr1.View, n simcore.NodeID, k simcore.Kind) bool {
	return f.one.room(v, n, k) && !f.even.full(v, n, k, func(j simcore.JobID) bool { return due(v, j, k, f.slowstart) })
}

// next returns the job that is served next with a task of the kind.
func (f *fair) next(v *mr1.View, k simcore.Kind) simcore.JobID {
	f.count(v, k)
	return f.least(v, k, func(j simcore.JobID) bool { return due(v, j, k, f.slowstart) })
}

// least returns the first in order of the waiting jobs that may be served.
func (f *fair) least(v *mr1.View, k simcore.Kind, may func(simcore.JobID) bool) simcore.JobID {
	best := simcore.JobID(simcore.None)
	for j := range v.Waiting(k) {
		if may(j) && (best == simcore.None || f.compare(v, k, j, best) < 0) {
			best = j
		}
	}
	return best
}

// order returns the jobs with a pending task of the kind that is due, in the
// order in which they are served. The slice is reused by the next call.
func (f *fair) order(v *mr1.View, k simcore.Kind) []simcore.JobID {
	f.count(v, k)
	f.jobs = dueJobs(f.jobs[:0], v, k, f.slowstart)
	slices.SortStableFunc(f.jobs, func(a, b simcore.JobID) int { return f.compare(v, k, a, b) })
	return f.jobs
}

// count fills the pools' running tasks and demand.
func (f *fair) count(v *mr1.View, k simcore.Kind) {
	f.pools = f.pools[:0]
	share := 1.0
	if !f.total {
		share = float64(v.TotalSlots(k)) / float64(max(v.TotalSlots(simcore.Map)+v.TotalSlots(simcore.Reduce), 1))
	}
	for j := v.FirstJob(); j != simcore.None; j = v.NextJob(j) {
		i := int(f.poolOf(v, j))
		for len(f.pools) <= i {
			f.pools = append(f.pools, fairPool{weight: 1})
		}
		p := &f.pools[i]
		p.running += f.running(v, k, j)
		p.demand += f.running(v, k, j) + int(v.Pending(j, k))
		if f.pool == "user" {
			g := f.opt.grant(int32(i))
			p.minShare, p.weight = float64(g.MinShare)*share, g.Weight
		}
	}
}

func (f *fair) running(v *mr1.View, k simcore.Kind, j simcore.JobID) int {
	if f.total {
		return held(v, j)
	}
	return int(v.Running(j, k))
}

func (f *fair) poolOf(v *mr1.View, j simcore.JobID) int32 {
	switch f.pool {
	case "queue":
		return v.Queue(j)
	case "class":
		return max(v.Class(j), 0)
	case "job":
		return int32(j)
	}
	return v.User(j)
}

// compare orders two jobs: by pool, then within the pool, then by arrival.
func (f *fair) compare(v *mr1.View, k simcore.Kind, a, b simcore.JobID) int {
	x, y := f.poolOf(v, a), f.poolOf(v, b)
	if x != y {
		if c := comparePools(&f.pools[x], &f.pools[y], f.opt.ByLack); c != 0 {
			return c
		}
	} else if !f.jobsFIFO {
		if c := cmp.Compare(f.running(v, k, a), f.running(v, k, b)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}

// comparePools is the fair share comparator.
func comparePools(a, b *fairPool, byLack bool) int {
	needyA, needyB := a.needy(), b.needy()
	switch {
	case needyA && !needyB:
		return -1
	case !needyA && needyB:
		return 1
	case needyA && needyB && byLack:
		return cmp.Compare(b.least()-float64(b.running), a.least()-float64(a.running))
	case needyA && needyB:
		return cmp.Compare(float64(a.running)/math.Max(a.least(), 1), float64(b.running)/math.Max(b.least(), 1))
	}
	return cmp.Compare(float64(a.running)/a.weight, float64(b.running)/b.weight)
}

// needy reports whether the pool is below its minimum share and could use it.
func (p *fairPool) needy() bool { return float64(p.running) < p.least() }

// least is the minimum share as far as the pool has demand (FairShareComparator).
func (p *fairPool) least() float64 { return math.Min(p.minShare, float64(p.demand)) }
