package capacity

import (
	"slices"

	"schedtune/simcore/yarn"
)

// outcome is what one pass through the tree came to.
type outcome uint8

const (
	nothing    outcome = iota // stop here
	skipped                   // this application can't; the next may
	queueLimit                // the leaf is at its limit and keeps its headroom
	found                     // a proposal stands in Scheduler.prop
)

// proposal is an allocation or reservation to be committed.
type proposal struct {
	app      *app
	key      *reqKey
	node     *node
	size     res
	loc      uint8
	reserve  bool
	shared   bool       // idle resources of a shared partition
	kills    bool       // what Scheduler.kill names (lazy preemption)
	part     int32      // of the node
	from     *container // the reservation that is filled or renewed
	giveBack *container // another reservation given back with it
	number   uint32     // of one that has waited for its commit; else 0
}

// Beat is one heartbeat of a node.
func (s *Scheduler) Beat(id yarn.NodeID, done []yarn.Container, dst []yarn.Event) []yarn.Event {
	if int(id) >= len(s.nodes) || s.nodes[id].lost {
		return dst
	}
	s.settle()
	n := s.nodes[id]
	if len(done) == 1 {
		if c := s.exchangeable(n, done[0]); c != nil {
			return s.beatExchange(c, n, dst)
		}
	}
	for _, d := range done {
		if a := s.lookUp(d.App); a != nil {
			if c := s.container(a, d.Ordinal); c != nil {
				s.complete(c, byFinish)
			}
		}
	}
	if n.draining {
		allocated := n.total.Sub(n.free)
		dst = s.fillNode(n, dst)
		s.shrink(n, allocated)
		return dst
	}
	return s.fillNode(n, dst)
}

// fillNode is the part of a heartbeat that schedules.
func (s *Scheduler) fillNode(n *node, dst []yarn.Event) []yarn.Event {
	if s.refusals = 0; s.rounds() {
		return dst // nodes are scheduled by Round
	}
	if s.conf.MultiNode {
		return s.beatTogether(n, dst)
	}
	if s.sealed == s.clock && n.reserved == nil {
		return dst
	}
	s.unreserv, s.named = s.unreserv[:0], s.named[:0]
	before := s.clock
	s.changed, s.shifted, s.nodeMattered = false, false, s.labelled()
	s.out = dst
	reserved := n.reserved
	s.schedule(n)
	dst, s.out = s.out, nil
	if len(s.mastersMade) > 0 {
		s.masters(n)
	}
	s.endHeadless()
	if s.changed || s.shifted && s.labelled() { // another partition's nodes shift them back
		s.clock++
	}
	if reserved != nil && n.reserved == reserved {
		s.neutral += s.clock - before // renewed at most
		reserved.app.queue.ticks++
	}
	if s.clock == before {
		n.quiet = s.clock
		if !s.nodeMattered {
			s.sealed = s.clock
		}
	}
	return dst
}

// masters hands new AM containers of the node over, the newest first.
func (s *Scheduler) masters(n *node) {
	for _, c := range slices.Backward(s.mastersMade) {
		if c.node == n && c.am && !c.acquired && !c.over {
			s.fetchMaster(c)
		}
	}
	s.mastersMade = s.mastersMade[:0]
}

// fetchMaster hands a new AM container over: the ResourceManager fetches it
// itself, at once, and with it the headroom, whose reckoning brings the user
// limits and the count of users that only wait up to date.
func (s *Scheduler) fetchMaster(c *container) {
	c.acquired = true
	c.app.granted = c.app.granted[:0]
	c.app.master = c
	s.headroom(c.app)
}

// endlessAfter is how many proposals refused in one beat show that it never
// ends. Without a limit of containers a heartbeat (maximum-container-assignments
// -1) the original tries a proposal that its commit refuses again for ever, and
// its ResourceManager hangs. Here the beat ends, and Endless tells.
const endlessAfter = 1000

// schedule fills a node: its reservation first, which ends the beat; else one
// container after the other until a limit of the beat is reached.
func (s *Scheduler) schedule(n *node) {
	s.refusals = 0
	if n.reserved != nil {
		s.nodeMattered = true
		s.tryReserved(n)
		return
	}
	off, count := 0, 0
	for {
		if !s.roomy(n) {
			s.nodeMattered = true
			return
		}
		if !s.walk(n) {
			return
		}
		p := &s.prop
		s.commit(p)
		count++
		if p.loc == offSwitch {
			off++
		}
		if p.reserve || n.reserved != nil || s.refusals >= endlessAfter || s.beatFull(off, count) {
			return
		}
	}
}

// walk goes through the queues once for a proposal: for what is asked of the
// node's partition, and where that gives nothing and the partition is shared, for
// what is asked without label.
func (s *Scheduler) walk(n *node) bool { return s.walkPart(n.part, n) }

// walkPart is walk for a partition; without a node for all that are offered
// together.
func (s *Scheduler) walkPart(part int32, n *node) bool {
	s.part = part
	s.trail = trail{}
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

// beatFull reports whether a heartbeat has given out all it may.
func (s *Scheduler) beatFull(off, count int) bool {
	if s.conf.Asynchronous {
		return false
	}
	return off >= s.conf.MaxOffSwitch || !s.conf.MultipleAssign || s.conf.MaxAssign != -1 && count >= s.conf.MaxAssign
}

// assignParent asks the children in order for one proposal. Its limits are
// the first of those given, its children's the next.
func (s *Scheduler) assignParent(q *queue, n *node, lims []limits) outcome {
	lim, at := &lims[0], q.at(s.part)
	if !s.shared && !at.reach || !s.hasPending(q.at(s.asking())) {
		return nothing
	}
	if n != nil && (n.reserved != nil || !s.opens(n.free.Add(n.killable))) {
		s.nodeMattered = true
		return nothing
	}
	if !s.assignable(q, at, lim, q.reserved) {
		if s.witness != nil {
			s.witness.atQueue(q, s.part, lim)
		}
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

// assignLeaf tries the applications in the ordering policy's order.
func (s *Scheduler) assignLeaf(q *queue, n *node, lim *limits) outcome {
	s.limitLeaf(q, lim)
	p, at := s.asking(), q.at(s.part)
	lim.kill = len(s.killables) > 0 && s.mayKill(q, s.part)
	if ask := q.at(p); !s.shared && !ask.reach || !s.hasPending(ask) {
		return nothing
	}
	check := true
	s.trail.leaves++
	apps := q.policyOrder()
	for i := 0; i < len(apps); i = q.nextAsking(i+1, check, p) {
		a := apps[i]
		if q.alone != 0 && q.group(a.label) != q.group(s.part) {
			if s.witness != nil {
				s.witness.inOtherGroup(a)
			}
			continue
		}
		if check {
			if !s.assignable(q, at, lim, a.reserved) {
				if s.witness != nil {
					s.witness.atQueue(q, s.part, lim)
				}
				return nothing
			}
			check = s.conf.ContinueLooking && !a.reserved.IsNone()
		}
		if !s.userMay(q, a, lim) || !a.wantsMore(p) {
			if s.witness != nil {
				s.witness.passedOver(s, a, p)
			}
			continue
		}
		switch got := s.assignApp(a, n, lim); got {
		case found:
			return found
		case queueLimit, nothing:
			if s.witness != nil {
				s.witness.turnOver(a)
			}
			return got
		}
	}
	return nothing
}

// nextAsking passes over applications from i on that have nothing to ask and
// nothing reserved. A look at one of them would change nothing: its user's limit
// is computed when the first that asks comes up, and its headroom is shown
// already. The first in order is never passed over; nor is any while the queue's
// limit must be checked against each, or is yet to be shown because the users of
// those before have no object.
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

func (a *app) skippable(p int32) bool {
	return a.at(p).pending.IsNone() && a.reserved.IsNone() && a.shown != nil && a.shown == a.of.u
}

// userMay looks the user's verdict up or makes it.
func (s *Scheduler) userMay(q *queue, a *app, lim *limits) bool {
	t, sl := &q.users, a.of
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

// userAssignable tests the user limit: used may reach it and once exceed it.
// With continue-looking on, a user that would be below it without this
// application's reservations may go on, but must give some of them back.
func (s *Scheduler) userAssignable(a *app, limit res, lim *limits) bool {
	u := a.of.u
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

// opens reports whether a parent goes on with a node that has so much free.
func (s *Scheduler) opens(free res) bool {
	if s.rules.HeadroomByDominant {
		return s.calc.Compare(s.cluster, free, s.minAlloc) >= 0
	}
	return s.fits(s.minAlloc, free)
}
