package capacity

// The walk through the queues as it is mostly made: only memory counts
// (DefaultResourceCalculator), nodes have no labels, nothing may be killed. Each function
// here comes to what its namesake in assign.go or place.go comes to, in numbers
// instead of resources, with all tests of labels, reservations and killing left out: half
// the time of the general walk.
//
// Why the result is the same:
//
//  1. Under the default calculator every comparison, minimum and maximum of resources is
//     that of their memory, so cores decide nothing. Limits that are shown to applications
//     need cores all the same: a limit handed down is rounded, and a rounded amount has one
//     core for any memory (memoryLimit, as Calculator.RoundDown).
//  2. Without labels there is one partition; without containers that may be killed the
//     killable resources are none.
//  3. Leaves that have reserved something go to assignLeaf, and requests with places, or a
//     cluster without nodes, to tryOnNode. So what is reserved, unreserved or moved by
//     continue-looking is no matter here.
//  4. Tests whose outcome is known from earlier ones are left out; a comment says so where
//     that is not plain.
//
// TestMemoryWalk compares with the general walk verb by verb; memoryWalk says when it is used.

// memoryWalk reports whether the walk at hand is one of these.
func (s *Scheduler) memoryWalk() bool {
	return !s.calc.Dominant && len(s.parts) == 1 && !s.mayBeKilled() &&
		!s.conf.MultiNode && s.diagnosis == nil && !s.noShortcuts
}

// memoryBelow is assignParent for a limit handed down, in MiB. Beside the outcome it
// returns the headroom of starving leaves that others may not use (limits.blocked).
func (s *Scheduler) memoryBelow(q *queue, n *node, limit int64) (got outcome, blocked int64) {
	if q.pending.Memory <= 0 {
		return nothing, 0
	}
	if n.free.Memory < s.minAlloc.Memory {
		s.nodeMattered = true
		return nothing, 0
	}
	left := min(limit, q.eff.Max.Memory) - q.used.Memory
	if left <= 0 && (!s.conf.ContinueLooking || left+q.reserved.Memory <= 0) {
		return nothing, 0
	}
	if len(q.stales) > 0 {
		s.refreshOrder(q, &q.queuePart)
	}
	result := nothing
	for _, i := range q.sorted {
		c := q.children[i]
		below := s.floorMemory(left - blocked + c.used.Memory)
		if s.rules.CutAtChild { // left is below the own maximum already
			below = min(below, c.most.Memory)
		}
		var starved int64
		switch {
		case !c.leaf:
			got, starved = s.memoryBelow(c, n, below)
		case c.reserved.Memory == 0:
			got, starved = s.memoryLeaf(c, n, below)
		default:
			lim := &s.limits[0]
			lim.start(memoryLimit(below))
			got = s.assignLeaf(c, n, lim)
			starved = lim.headroom.Memory
		}
		switch got {
		case found:
			return found, 0
		case queueLimit:
			result = queueLimit
			blocked += max(starved, 0)
		}
	}
	return result, blocked
}

// floorMemory is roundDown of an amount of memory.
func (s *Scheduler) floorMemory(m int64) int64 {
	if s.mask >= 0 && m > s.mask {
		return m &^ s.mask
	}
	return s.roundedMemory(m)
}

// roundedMemory stands apart so that floorMemory is short enough to be inlined.
//
//go:noinline
func (s *Scheduler) roundedMemory(m int64) int64 { return s.roundDown(res{Memory: m}).Memory }

// memoryLeaf is assignLeaf for a limit handed down, in MiB, of a leaf that has reserved
// nothing: its limit is tested once for all applications. Beside the outcome it returns the
// leaf's headroom.
func (s *Scheduler) memoryLeaf(q *queue, n *node, limit int64) (got outcome, headroom int64) {
	l := q.most
	if limit < l.Memory {
		l = memoryLimit(limit)
	}
	if l != q.cachedLimit { // as limitLeaf
		q.cachedLimit, s.limitsMoved = l, true
	}
	s.async.counting.limited(q, l)
	if q.pending.Memory <= 0 {
		return nothing, 0
	}
	apps := q.policyOrder()
	if headroom = min(limit, q.eff.Max.Memory) - q.used.Memory; headroom <= 0 {
		return nothing, 0
	}
	s.walked.leaves++
	for i := 0; i < len(apps); i = q.nextAsking(i+1, false, 0) {
		a := apps[i]
		if !s.memoryUser(q, a) || !a.wantsMore(0) {
			continue
		}
		switch got := s.memoryApp(a, n, headroom); got {
		case found:
			return found, 0
		case queueLimit:
			return queueLimit, headroom
		}
	}
	return nothing, 0
}

// memoryLimit is a rounded limit as a resource: one core for any memory.
func memoryLimit(m int64) res {
	if m > 0 {
		return res{Memory: m, VCores: 1}
	}
	return res{Memory: m}
}

// memoryUser is userMay for an application without reservations: a user that may not go on
// may not with any other of its applications either.
func (s *Scheduler) memoryUser(q *queue, a *app) bool {
	sl := a.slot
	v, u := &sl.userVerdict, sl.u
	if v.cached != q.users.version+1 {
		v.cached, v.limit, v.cannot, v.cannotWith = q.users.version+1, res{}, false, res{}
		if v.of = u; u != nil {
			v.limit = s.userLimit(q, u, 0, forActive)
		}
	}
	if u != nil && (q.shownLimit != q.cachedLimit || a.shown != u || s.async.counting.on) {
		s.showCached(q, a, u)
	}
	if v.cannot {
		return false
	}
	v.cannot = u == nil || u.used.Memory > v.limit.Memory
	return !v.cannot
}

// memoryApp is assignApp with checkRequest.
func (s *Scheduler) memoryApp(a *app, n *node, headroom int64) outcome {
	for i := range a.keys {
		k := &a.keys[i]
		if !k.listed || k.Outstanding() <= 0 {
			continue
		}
		if k.Any.Size.Memory > headroom {
			return queueLimit
		}
		switch s.memoryNode(a, k, n, headroom) {
		case keySkipped:
			continue
		case allocates, reserves:
			s.settleOpportunities(k)
			return found
		}
		return skipped
	}
	return skipped
}

// memoryNode is tryOnNode with fit, for a key that asks for any place and has reserved
// nothing: it allocates where the node has room and reserves where it has not.
func (s *Scheduler) memoryNode(a *app, k *reqKey, n *node, headroom int64) verdict {
	if !k.anywhere() || s.liveNodes == 0 {
		lim := &s.limits[0]
		lim.start(res{Memory: headroom})
		lim.kill = false
		return s.tryOnNode(a, k, n, lim, nil)
	}
	s.nodeMattered, s.changed = true, true
	s.walked.keys++
	k.missed++
	s.async.counting.counted(k, countMissed)
	size := k.Any.Size
	if size.Memory > n.total.Memory {
		return appSkipped
	}
	s.begin(a, k, n, nil, size, offSwitch)
	if n.free.Memory >= size.Memory {
		return allocates
	}
	s.prop.reserve = true
	return reserves
}
