package capacity

import (
	"schedtune/yarnconf"
)

// res is a resource in the scheduler's own arithmetic.
type res = yarnconf.Resource

// queuePart is what a queue has and uses in one partition.
type queuePart struct {
	part    int32 // number of the partition
	reach   bool  // the queue may use the partition
	stale   bool  // its shares and its place in the parent's sorted are due
	byShare bool  // it has a capacity, so that usedShare orders it
	kept    bool  // usedShare stands as it is until usage changes, whatever the guarantee has become

	usedShare               float32 // used over guarantee; both shares are due while stale is set
	absoluteUsedShare       float32 // used over the partition, where the queue has no capacity
	used, reserved, pending res

	// Figures of eff that the walk needs, see figures.
	guarantee res // at least a minimum allocation
	most      res // maximum, rounded down
	userMost  res // what user-limit-factor leaves one user

	sorted   []int32  // indices of children in assignment order
	stales   []*queue // children with stale set
	killable res      // of containers below that proposals may kill

	eff   yarnconf.Effective // what the configuration comes to on the present cluster
	label yarnconf.Label     // as configured

	// Leaves only.
	amUsed   res
	amLimit  res
	shared   []*container // here of asks without label, by application, then id
	template *managed     // of a leaf below a managed parent
}

// queue is one node of the queue tree. Parents use the first half, leaves all.
// It holds itself what it has on nodes without label.
type queue struct {
	queuePart
	path     string
	conf     *yarnconf.Queue // as configured now
	parent   *queue
	children []*queue // in the original's list order: it decides ties
	index    int32    // among the parent's children
	height   int32    // levels below
	orphan   bool     // removed by a refresh
	state    yarnconf.State
	leaf     bool

	eitherMinimum bool // of children, see compareQueues (YARN-11745)

	labels []queuePart // of the other partitions, in order

	apps     int // submitted, below this parent
	runnable int // with their attempt admitted, below this queue

	ticks uint64 // of what changes in this leaf alone, see exchange.go

	lastUsed int64 // when its last application was submitted, see KeepQueues

	managed *managed // of a parent that makes leaves by a template

	// Leaves only.
	entitled      bool   // below a managed parent: has the template's capacity
	active        []*app // in the ordering policy's order
	idle          int    // active[1:idle] are known to be skippable
	waiting       []*app // admitted, AM not yet allowed: by priority, then id
	nonRunnable   []*app // held back by max-parallel-apps, in order of submission
	reorder       []*app // whose cached usage must be brought up to date
	users         userTable
	alone         uint64 // partitions, by bit, that serve only applications submitted with their label (fifo-with-partitions)
	cachedLimit   res    // the last limit handed down, cut at the maximum
	shownLimit    res    // the same as the headroom sees it
	shownCluster  res
	tally         int32 // in steadiness.leaves, if that is this leaf
	madeUp        uint8 // scratch of makeUpLimits
	lastCluster   res
	minAllocShare float32 // (max - min allocation) / max allocation
}

// at returns the queue's figures of a partition.
func (q *queue) at(p int32) *queuePart {
	if p == 0 {
		return &q.queuePart
	}
	return &q.labels[p-1]
}

// addUsed books an allocation or reservation in a partition, or with sign -1 its
// end, in the queue and all its parents.
func (q *queue) addUsed(p int32, r res, sign int64) {
	r = r.Times(sign)
	for ; q != nil; q = q.parent {
		at := q.at(p)
		at.used = at.used.Add(r)
		q.moved(at)
	}
}

func (q *queue) addReserved(p int32, r res, sign int64) {
	r = r.Times(sign)
	for ; q != nil; q = q.parent {
		at := q.at(p)
		at.reserved = at.reserved.Add(r)
	}
}

func (q *queue) addPending(p int32, r res) {
	for ; q != nil; q = q.parent {
		at := q.at(p)
		at.pending = at.pending.Add(r)
	}
}

// figures derives from the effective figures what assignments need again and
// again.
func (s *Scheduler) figures(q *queue, at *queuePart) {
	total := s.parts[at.part].total
	at.guarantee = s.calc.Max(total, at.eff.Min, s.minAlloc)
	at.most = s.roundDown(at.eff.Max)
	at.userMost = at.guarantee.Scale(float64(q.conf.UserLimitFactor))
	if q.conf.UserLimitFactor == -1 && !s.rules.NoUnlimitedFactor || at.eff.Min.IsNone() && !s.rules.UserLimitOfNothing {
		at.userMost = at.most
	}
}

// updateShares recomputes the ratios that order the queue among its siblings.
// The share of the partition counts only among queues without capacity.
func (s *Scheduler) updateShares(at *queuePart) {
	if at.byShare = at.eff.Absolute > 0; at.kept {
		return
	}
	at.usedShare, at.absoluteUsedShare = 0, 0
	total := s.parts[at.part].total
	if !s.more(total, res{}) {
		return
	}
	guarantee := at.guarantee
	if at.template != nil && at.eff.Absolute == 0 { // a managed leaf without capacity counts with the template's
		guarantee = s.larger(total.Scale(float64(at.template.absolute)), s.minAlloc)
	}
	at.usedShare = s.calc.Divide(total, at.used, guarantee)
	if at.eff.Absolute == 0 {
		at.absoluteUsedShare = s.calc.Divide(total, at.used, total)
	}
}

// moved notes that the queue's shares are due, and with them its place among its
// siblings.
func (q *queue) moved(at *queuePart) {
	at.kept = false
	q.misplaced(at)
}

// misplaced notes that the queue's place among its siblings may have changed.
func (q *queue) misplaced(at *queuePart) {
	if p := q.parent; p != nil && !at.stale && !q.orphan {
		at.stale = true
		up := p.at(at.part)
		up.stales = append(up.stales, q)
	}
}

// hasPending reports whether anything below a queue asks for more of a
// partition.
func (s *Scheduler) hasPending(at *queuePart) bool {
	if s.calc.Dominant {
		return s.calc.Compare(s.cluster, at.pending, res{}) > 0
	}
	return at.pending.Memory > 0
}

// assignable tests the queue's limit in the partition at hand: used must stay
// below the smaller of its maximum and the limit handed down; where idle
// resources are shared, below what the partition has. With continue-looking on, what could be
// unreserved counts as free. It leaves the queue's headroom in lim.
func (s *Scheduler) assignable(q *queue, at *queuePart, lim *limits, unreservable res) bool {
	var limit res
	if s.shared {
		limit = s.parts[s.part].total
	} else {
		limit = s.smaller(at.eff.Max, lim.limit)
	}
	used := at.used
	if !q.leaf { // a leaf can't kill its own
		used = used.Sub(at.killable)
	}
	lim.headroom = limit.Sub(used)
	if s.more(limit, used) {
		return true
	}
	return s.conf.ContinueLooking && s.more(unreservable, res{}) && s.more(limit, used.Sub(unreservable))
}

// limits is what a parent hands to a child on the way down.
type limits struct {
	limit     res  // usable in all
	headroom  res  // limit less what is used; before the first test the limit itself
	unreserve res  // the user must give back at least this much reserved space
	blocked   res  // headroom of starving children, not to be used by their siblings
	kill      bool // proposals may kill
}

func newLimits(limit res) limits { return limits{limit: limit, headroom: limit} }

// start makes limits new; what kill says is for leaves to set.
func (l *limits) start(limit res) {
	l.limit, l.headroom, l.unreserve, l.blocked = limit, limit, res{}, res{}
}

// childLimit computes what child may use: what is left of the parent's limit, net
// of blocked headroom or not, plus what the child uses already.
func (s *Scheduler) childLimit(q, child *queue, lim *limits, net bool, p int32) res {
	free := s.belowLimit(q.at(p), lim)
	if net {
		free = free.Sub(lim.blocked)
	}
	return s.limitBelow(free, child.at(p))
}

// limitBelow is what a child may use of what is left above it.
func (s *Scheduler) limitBelow(free res, child *queuePart) res {
	limit := free.Add(child.used)
	if s.rules.CutAtChild {
		limit = s.smaller(limit, child.most)
	}
	return s.roundDown(limit)
}

// belowLimit is what is left of a queue's limit in a partition, which it cuts at the
// queue's maximum.
func (s *Scheduler) belowLimit(at *queuePart, lim *limits) res {
	if !s.rules.CutAtChild {
		lim.limit = s.smaller(lim.limit, at.eff.Max)
	}
	return lim.limit.Sub(at.used).Add(at.killable)
}
