package capacity

import "schedtune/simcore/yarn"

// The walk from root to a leaf and its applications: parents ask their children in order,
// leaves their applications, and the first that has a proposal ends it. place.go goes on
// with an application's keys. assign_memory.go has the same for the usual case.

// outcome is what a look at a queue or application came to (the SkippedType of a
// CSAssignment).
type outcome uint8

const (
	nothing outcome = iota // of a queue: its sibling may; of an application: the leaf's turn is over (NONE)
	skipped                // this application can't; the next may (OTHER)
	// the leaf has not enough left for what an application asks, and keeps it from its siblings (QUEUE_LIMIT)
	queueLimit
	found // the proposal is in walkState.prop
)

// walkState is what one verb that schedules nodes keeps while it lasts: a heartbeat, a
// round, a commit.
type walkState struct {
	// The walk at hand.
	part   int32            // partition of the node, or of the nodes offered together
	shared bool             // it serves asks without label from the partition's idle resources
	limits []limits         // by depth of the tree
	prop   proposal         // what it came to; the memory of every proposal
	kill   []yarn.Container // what that kills for its space (lazy preemption)

	// The verb at hand.
	out         []yarn.Event     // events so far
	unreserved  []yarn.NodeID    // backs Event.Unreserved
	named       []yarn.Container // by the events, see Named
	mastersMade []*container     // masters that have started and are to be handed over
	refusals    int              // proposals refused so far

	diagnosis   *diagnosis // of a copy that Standing looks with, else nil
	noShortcuts bool       // every walk and ask is the general one: for tests that compare shortcuts with it

	demanded []int32 // scratch of demands
}

// proposal is an allocation or reservation to be committed (ContainerAllocationProposal).
type proposal struct {
	app      *app
	key      *reqKey
	node     *node
	size     res
	loc      uint8      // nodeLocal, rackLocal or offSwitch
	reserve  bool       // a reservation is made, or renewed where from is one; else a container starts
	shared   bool       // it takes idle resources of a shared partition
	kills    bool       // it kills what walkState.kill names (lazy preemption)
	part     int32      // of the node when it was made
	from     *container // the reservation that is filled or renewed
	giveBack *container // another reservation given back with it (unreserved for continue-looking)
	number   uint32     // of one made in a round, in order; else 0
}

// walk goes through the queues once for a proposal and reports whether there is one: for
// what is asked of the node's partition, and where that gives nothing and the partition is
// not exclusive, for what is asked without label
// (CapacityScheduler.allocateOrReserveNewContainers).
func (s *Scheduler) walk(n *node) bool { return s.walkPart(n.part, n) }

// walkPart is walk for a partition and one of its nodes, or without one (n nil) for all
// that are offered together.
func (s *Scheduler) walkPart(part int32, n *node) bool {
	s.part = part
	s.walked = walkStats{}
	if s.memoryWalk() && n.reserved == nil {
		got, _ := s.memoryBelow(s.root, n, s.parts[0].total.Memory)
		return got == found
	}
	s.limits[0].start(s.parts[part].total)
	if s.assignParent(s.root, n, s.limits) == found {
		return true
	}
	if part == 0 || s.parts[part].exclusive {
		return false
	}
	s.shared = true
	s.limits[0].start(s.parts[0].total) // as in the original
	got := s.assignParent(s.root, n, s.limits)
	s.shared = false
	return got == found
}

// asking is the partition whose asks the walk serves.
func (s *Scheduler) asking() int32 { return s.askingOn(s.part) }

// askingOn is the partition whose asks the walk serves on a node of a partition.
func (s *Scheduler) askingOn(part int32) int32 {
	if s.shared {
		return 0
	}
	return part
}

// assignParent asks the children in order for one proposal
// (AbstractParentQueue.assignContainers, assignContainersToChildQueues). Its own limits are
// the first of lims, its children's the next. What a starving child has left is kept from
// the children after it.
func (s *Scheduler) assignParent(q *queue, n *node, lims []limits) outcome {
	lim, at := &lims[0], q.at(s.part)
	if !s.shared && !at.accessible || !s.hasPending(q.at(s.asking())) {
		return nothing
	}
	if n != nil && (n.reserved != nil || !s.opens(n.free.Add(n.killable))) {
		s.nodeMattered = true
		return nothing
	}
	if !s.assignable(q, at, lim, q.reserved) {
		s.diagnosis.atQueue(q, s.part, lim)
		return nothing
	}
	result := nothing
	below := &lims[1]
	free := s.belowLimit(at, lim)
	for _, i := range s.inOrder(q, at) {
		c := q.children[i]
		below.start(s.limitBelow(free.Sub(lim.blocked), c.at(s.part)))
		var got outcome
		if c.leaf {
			got = s.assignLeaf(c, n, below)
		} else {
			got = s.assignParent(c, n, lims[1:])
		}
		switch got {
		case found:
			return found
		case queueLimit:
			result = queueLimit
			blocked := below.blocked
			if c.leaf {
				blocked = below.headroom
			}
			lim.blocked = lim.blocked.Add(s.larger(blocked, res{}))
		}
	}
	return result
}

// assignLeaf tries the applications in the ordering policy's order
// (AbstractLeafQueue.assignContainers). The leaf's limit is tested until an application
// without reservations has passed it: with continue-looking on each could unreserve
// something of its own.
func (s *Scheduler) assignLeaf(q *queue, n *node, lim *limits) outcome {
	s.limitLeaf(q, lim)
	p, at := s.asking(), q.at(s.part)
	lim.kill = s.mayBeKilled() && s.mayKill(q, s.part)
	if ask := q.at(p); !s.shared && !ask.accessible || !s.hasPending(ask) {
		return nothing
	}
	check := true
	s.walked.leaves++
	apps := q.policyOrder()
	for i := 0; i < len(apps); i = q.nextAsking(i+1, check, p) {
		a := apps[i]
		if q.exclusiveParts != 0 && q.group(a.label) != q.group(s.part) {
			s.diagnosis.inOtherGroup(a)
			continue
		}
		if check {
			if !s.assignable(q, at, lim, a.reserved) {
				s.diagnosis.atQueue(q, s.part, lim)
				return nothing
			}
			check = s.conf.ContinueLooking && !a.reserved.IsNone()
		}
		if !s.userMay(q, a, lim) || !a.wantsMore(p) {
			s.diagnosis.passedOver(s, a, p)
			continue
		}
		switch got := s.assignApp(a, n, lim); got {
		case found:
			return found
		case queueLimit, nothing:
			s.diagnosis.turnOver(a)
			return got
		}
	}
	return nothing
}

// nextAsking returns the first index from i on of an application that has to be looked at:
// it passes over those that ask for nothing and have nothing reserved. A look at one of
// them would change nothing: its user's limit is computed when the first that asks comes
// up, and its headroom is shown already. The first in order is never passed over; nor is
// any while the queue's limit must be tested against each (check), or is yet to be shown
// because the users of those before have no object. How far the list is known to ask for
// nothing is kept in leafState.idle, which whatever lets an application ask sets back.
func (q *queue) nextAsking(i int, check bool, p int32) int {
	if check || q.shownLimit != q.cachedLimit {
		return i
	}
	if p != 0 {
		for i < len(q.active) && q.active[i].skippable(p) {
			i++
		}
		return i
	}
	known := i <= q.idle || q.idle == 0 && i == 1
	if known {
		i = max(i, q.idle)
	}
	for i < len(q.active) && q.active[i].skippable(0) {
		i++
	}
	if known {
		q.idle = i
	}
	return i
}

// skippable reports whether a look at an application would change nothing.
func (a *app) skippable(p int32) bool {
	return a.at(p).pending.IsNone() && a.reserved.IsNone() && a.shown != nil && a.shown == a.slot.u
}

// userMay reports whether the user limit lets an application go on. The user's verdict is
// made once in a while: a user that was over its limit is not tested again for another of
// its applications that has no more reserved (AbstractLeafQueue.assignContainers, its
// userLimits and CachedUserLimit), and the limit is that of the users' version.
func (s *Scheduler) userMay(q *queue, a *app, lim *limits) bool {
	t, sl := &q.users, a.slot
	v := &sl.userVerdict
	if s.part != 0 {
		v = s.labelVerdict(sl)
	}
	if v.cached != t.version+1 {
		v.cached, v.limit, v.cannot, v.cannotWith = t.version+1, s.show(q, a, s.part, s.shared), false, res{}
		v.of = sl.u
	} else if sl.u != nil {
		s.showCached(q, a, sl.u)
	}
	if v.cannot && a.reserved.FitsIn(v.cannotWith) {
		return false
	}
	if s.userAssignable(a, v.limit, lim) {
		return true
	}
	if v.cannotWith.FitsIn(a.reserved) {
		v.cannot, v.cannotWith = true, a.reserved
	}
	return false
}

// userAssignable tests the user limit (AbstractLeafQueue.canAssignToUser): used may reach
// it and once exceed it. With continue-looking on, a user that would be below it without
// this application's reservations may go on, but must give some of them back
// (limits.unreserve).
func (s *Scheduler) userAssignable(a *app, limit res, lim *limits) bool {
	u := a.slot.u
	if u == nil {
		return false
	}
	lim.unreserve = res{}
	used := u.at(s.part).used
	if !s.more(used, limit) {
		return true
	}
	if s.conf.ContinueLooking && !s.more(u.used.Sub(a.reserved), limit) {
		lim.unreserve = used.Sub(limit)
		return true
	}
	return false
}

// opens reports whether a parent goes on with a node that has so much free
// (AbstractParentQueue.canAssign).
func (s *Scheduler) opens(free res) bool {
	if s.rules.HeadroomByDominant {
		return s.calc.Compare(s.cluster, free, s.minAlloc) >= 0
	}
	return s.fits(s.minAlloc, free)
}
