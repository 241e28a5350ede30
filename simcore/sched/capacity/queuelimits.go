package capacity

// The limit of a queue, and what of it a parent hands down to its children during a
// walk (ResourceLimits).

// limits is what a parent hands to a child during a walk. The names in brackets are those
// of ResourceLimits.
type limits struct {
	limit     res  // what the queue may use in all (limit)
	headroom  res  // limit less what is used; before the first test the limit itself (headroom)
	unreserve res  // the application at hand must give back at least this much reserved space (amountNeededUnreserve)
	blocked   res  // headroom of starving children, not to be used by their siblings (blockedHeadroom)
	kill      bool // proposals may kill (isAllowPreemption)
}

// newLimits are the limits of a queue that may use so much.
func newLimits(limit res) limits { return limits{limit: limit, headroom: limit} }

// start makes limits new; what kill says is for leaves to set.
func (l *limits) start(limit res) {
	l.limit, l.headroom, l.unreserve, l.blocked = limit, limit, res{}, res{}
}

// limitBelow is what a child may use of a partition where so much is left of its parent's
// limit: that, and what the child uses already
// (AbstractParentQueue.getResourceLimitsOfChild). A walk finds what is left but once for all
// children, and takes the headroom blocked by earlier ones off it (assignToChildren).
func (s *Scheduler) limitBelow(free res, child *queuePart) res {
	limit := free.Add(child.used)
	if s.rules.CutAtChild {
		limit = s.smaller(limit, child.most)
	}
	return s.roundDown(limit)
}

// belowLimit is what is left of a queue's limit in a partition, containers that may be
// killed among it. Except by the rules of Hadoop 3.3 it first cuts the limit at the queue's
// maximum.
func (s *Scheduler) belowLimit(at *queuePart, lim *limits) res {
	if !s.rules.CutAtChild {
		lim.limit = s.smaller(lim.limit, at.eff.Max)
	}
	return lim.limit.Sub(at.used).Add(at.killable)
}

// assignable tests the queue's limit in the partition at hand
// (AbstractCSQueue.canAssignToThisQueue): used must stay below the smaller of its maximum
// and the limit handed down; where idle resources are shared, below what the partition has.
// With continue-looking on, what could be unreserved counts as free. It leaves the queue's
// headroom in lim.
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
