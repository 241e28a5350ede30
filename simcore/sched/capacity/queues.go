package capacity

import (
	"schedtune/yarnconf"
)

// res is a resource in the scheduler's own arithmetic.
type res = yarnconf.Resource

// queue is one node of the queue tree. Parents use the first half, leaves all.
type queue struct {
	path          string
	conf          *yarnconf.Queue    // as configured now
	eff           yarnconf.Effective // what that comes to on the present cluster
	parent        *queue
	children      []*queue // in the original's list order: it decides ties
	sorted        []int32  // indices of children in assignment order
	index         int32    // among the parent's children
	stale         bool     // its shares and its place in the parent's sorted are due
	stales        []*queue // children with stale set
	height        int32    // levels below
	orphan        bool     // removed by a refresh
	eitherMinimum bool     // of children, see compareQueues (YARN-11745)
	state         yarnconf.State
	leaf          bool

	// Figures of eff that the walk needs, see figures.
	guarantee res // at least a minimum allocation
	most      res // maximum, rounded down
	userMost  res // what user-limit-factor leaves one user

	used, reserved, pending res
	usedShare               float32 // used over guarantee; both shares are due while stale is set
	absoluteUsedShare       float32 // used over cluster, where the queue has no capacity

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
func (q *queue) addUsed(r res, sign int64) {
	r = r.Times(sign)
	for ; q != nil; q = q.parent {
		q.used = q.used.Add(r)
		q.moved()
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

// figures derives from the effective figures what assignments need again and
// again.
func (s *Scheduler) figures(q *queue) {
	q.guarantee = s.larger(q.eff.Min, s.minAlloc)
	q.most = s.roundDown(q.eff.Max)
	q.userMost = q.guarantee.Scale(float64(q.conf.UserLimitFactor))
	if q.conf.UserLimitFactor == -1 || q.eff.Min.IsNone() {
		q.userMost = q.most
	}
}

// updateShares recomputes the ratios that order the queue among its siblings.
// The share of the cluster counts only among queues without capacity.
func (s *Scheduler) updateShares(q *queue) {
	q.usedShare, q.absoluteUsedShare = 0, 0
	if !s.more(s.cluster, res{}) {
		return
	}
	q.usedShare = s.calc.Divide(s.cluster, q.used, q.guarantee)
	if q.eff.Absolute == 0 {
		q.absoluteUsedShare = s.calc.Divide(s.cluster, q.used, s.cluster)
	}
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
	if s.calc.Dominant {
		return s.calc.Compare(s.cluster, q.pending, res{}) > 0
	}
	return q.pending.Memory > 0
}

// assignable tests the queue's limit: used must stay below the smaller of its
// maximum and the limit handed down. With continue-looking on, what could be
// unreserved counts as free. It leaves the queue's headroom in lim.
func (s *Scheduler) assignable(q *queue, lim *limits, unreservable res) bool {
	limit := s.smaller(q.eff.Max, lim.limit)
	lim.headroom = limit.Sub(q.used)
	if s.more(limit, q.used) {
		return true
	}
	return s.conf.ContinueLooking && s.more(unreservable, res{}) && s.more(limit, q.used.Sub(unreservable))
}

// limits is what a parent hands to a child on the way down.
type limits struct {
	limit     res // usable in all
	headroom  res // limit less what is used; before the first test the limit itself
	unreserve res // the user must give back at least this much reserved space
	blocked   res // headroom of starving children, not to be used by their siblings
}

func newLimits(limit res) limits { return limits{limit: limit, headroom: limit} }

// childLimit computes what child may use: what is left of the parent's limit,
// less blocked headroom, plus what the child uses already.
func (s *Scheduler) childLimit(q, child *queue, lim *limits, net bool) res {
	lim.limit = s.smaller(lim.limit, q.eff.Max)
	limit := lim.limit
	if net {
		limit = limit.Sub(lim.blocked)
	}
	return s.roundDown(limit.Sub(q.used).Add(child.used))
}
