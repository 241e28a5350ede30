package capacity

import (
	"schedtune/yarnconf"
)

// res is a resource in the scheduler's own arithmetic.
type res = yarnconf.Resource

// queue is one node of the queue tree. Parents use the first half, leaves all.
type queue struct {
	path     string
	conf     *yarnconf.Queue    // as configured now
	eff      yarnconf.Effective // what that comes to on the present cluster
	parent   *queue
	children []*queue // in the original's list order: it decides ties
	sorted   []int32  // indices of children in assignment order
	index    int32    // among the parent's children
	stale    bool     // its place in the parent's sorted must be looked up again
	stales   []*queue // children with stale set
	height   int32    // levels below
	orphan   bool     // removed by a refresh
	state    yarnconf.State
	leaf     bool

	used, reserved, pending res
	usedShare               float32 // used over guarantee
	absoluteUsedShare       float32 // used over cluster

	apps     int // submitted, below this parent
	runnable int // with their attempt admitted, below this queue

	// Leaves only.
	amUsed        res
	amLimit       res
	active        []*app // in the ordering policy's order
	idle          int    // active[1:idle] are known to be skippable
	waiting       []*app // admitted, AM not yet allowed: by priority, then id
	nonRunnable   []*app // held back by max-parallel-apps, in order of submission
	reorder       []*app // whose cached usage must be brought up to date
	users         userTable
	cachedLimit   res // the last limit handed down, cut at the maximum
	shownLimit    res // the same as the headroom sees it
	shownCluster  res
	lastCluster   res
	minAllocShare float32 // (max - min allocation) / max allocation
}

// addUsed books an allocation or reservation, or with sign -1 its end, in the
// queue and all its parents.
func (s *Scheduler) addUsed(q *queue, r res, sign int64) {
	r = r.Times(sign)
	for ; q != nil; q = q.parent {
		q.used = q.used.Add(r)
		s.updateShares(q)
	}
}

func (q *queue) addReserved(r res, sign int64) {
	r = r.Times(sign)
	for ; q != nil; q = q.parent {
		q.reserved = q.reserved.Add(r)
	}
}

func (q *queue) addPending(r res) {
	for ; q != nil; q = q.parent {
		q.pending = q.pending.Add(r)
	}
}

// updateShares recomputes the ratios that order the queue among its siblings.
func (s *Scheduler) updateShares(q *queue) {
	var used, absolute float32
	if s.calc.Compare(s.cluster, s.cluster, res{}) > 0 {
		guarantee := s.calc.Max(s.cluster, q.eff.Min, s.minAlloc)
		absolute = s.calc.Divide(s.cluster, q.used, s.cluster)
		used = s.calc.Divide(s.cluster, q.used, guarantee)
	}
	if used == q.usedShare && absolute == q.absoluteUsedShare {
		return
	}
	q.usedShare, q.absoluteUsedShare = used, absolute
	q.moved()
}

// moved notes that the queue's place among its siblings may have changed.
func (q *queue) moved() {
	if p := q.parent; p != nil && !q.stale && !q.orphan {
		q.stale = true
		p.stales = append(p.stales, q)
	}
}

// hasPending reports whether anything below the queue asks for more.
func (s *Scheduler) hasPending(q *queue) bool {
	return s.calc.Compare(s.cluster, q.pending, res{}) > 0
}

// assignable tests the queue's limit: used must stay below the smaller of its
// maximum and the limit handed down. With continue-looking on, what could be
// unreserved counts as free. It leaves the queue's headroom in lim.
func (s *Scheduler) assignable(q *queue, lim *limits, unreservable res) bool {
	limit := s.calc.Min(s.cluster, q.eff.Max, lim.limit)
	lim.headroom = limit.Sub(q.used)
	if s.calc.Compare(s.cluster, q.used, limit) < 0 {
		return true
	}
	return s.conf.ContinueLooking &&
		s.calc.Compare(s.cluster, unreservable, res{}) > 0 &&
		s.calc.Compare(s.cluster, q.used.Sub(unreservable), limit) < 0
}

// limits is what a parent hands to a child on the way down.
type limits struct {
	limit     res // usable in all
	headroom  res // limit less what is used; before the first test the limit itself
	unreserve res // the user must give back at least this much reserved space
	blocked   res // headroom of starving children, not to be used by their siblings
}

func newLimits(limit res) limits { return limits{limit: limit, headroom: limit} }

// childLimits computes what child may use: what is left of the parent's limit,
// less blocked headroom, plus what the child uses already.
func (s *Scheduler) childLimits(q, child *queue, lim *limits, net bool) limits {
	lim.limit = s.calc.Min(s.cluster, lim.limit, q.eff.Max)
	limit := lim.limit
	if net {
		limit = limit.Sub(lim.blocked)
	}
	return newLimits(s.calc.RoundDown(limit.Sub(q.used).Add(child.used), s.minAlloc))
}
