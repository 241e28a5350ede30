package capacity

import (
	"schedtune/simcore/yarn"
)

// The commit of a proposal: the last check, then the books.

// commit checks a proposal against the limits once more and books it
// (CapacityScheduler.tryCommit). What the check turns down is reported as refused. In
// synchronous mode nothing has changed since the proposal was made, but the check tests
// more than the walk did: every queue's maximum with the container in it.
func (s *Scheduler) commit(p *proposal) {
	s.epoch++
	renewal := p.reserve && p.from != nil
	// At a heartbeat only placement on several nodes can propose for a node that has got a
	// reservation since; in rounds much may have changed.
	ok := p.number == 0 && (p.node.reserved == p.from || !s.conf.MultiNode) || p.number > 0 && s.upToDate(p)
	ok = ok && !p.node.draining && (renewal || s.accept(p))
	if p.number > 0 && ok {
		ok = p.key.Outstanding() > 0 // an earlier proposal may have answered the last ask
	}
	if ok {
		s.accepted++
	}
	ordinal := int32(-1)
	i := s.report(p, !ok) // the event comes before those of what the books bring about
	switch {
	case !ok:
		s.async.countOnly++
		s.async.counting.spoiled = !s.conf.MultiNode
		s.refusals++
		return
	case renewal:
		s.async.countOnly++
		p.key.rereserve++
		return
	case p.from != nil:
		ordinal = s.fill(p)
		if p.kills {
			s.killNamed(p)
		}
	default:
		ordinal = s.apply(p)
		if len(s.killables) > 0 {
			s.enforceMaximum(p.app.queue, p.part)
		}
	}
	s.out[i].Ordinal = ordinal
}

// accept tests the node's room, the user limit and every queue's maximum as they stand now,
// net of what is given back or killed (FiCaSchedulerApp.accept, AbstractLeafQueue.accept,
// AbstractCSQueue.accept). A reservation that is filled counts as used already, so only the
// node's room is tested for it.
func (s *Scheduler) accept(p *proposal) bool {
	var back res // no longer used once the proposal is carried out
	room := p.node.free
	if p.kills {
		all, here, ok := s.killableFor(p)
		if !ok {
			return false
		}
		back, room = all, room.Add(here)
	}
	if !p.reserve && !s.fits(p.size, room) {
		return false
	}
	if p.from != nil {
		return true
	}
	a, q := p.app, p.app.queue
	u := a.slot.u
	if u == nil {
		return false
	}
	limit := s.limitOf(p, u)
	if p.giveBack != nil {
		back = back.Add(p.giveBack.size)
	}
	if s.more(u.at(p.part).used.Sub(back), limit) {
		return false // as in the walk the limit may be reached and once exceeded
	}
	net := p.size.Sub(back)
	for ; q != nil; q = q.parent {
		at := q.at(p.part)
		most := at.eff.Max
		if p.shared {
			most = s.parts[p.part].total
		}
		if !s.fits(at.used.Add(net), most) {
			return false
		}
	}
	return true
}

// limitOf is the limit of a proposal's user: that of the walk that made the proposal, where
// nothing has changed since (userVerdict).
func (s *Scheduler) limitOf(p *proposal, u *user) res {
	a, q := p.app, p.app.queue
	if v := &a.slot.userVerdict; p.part == 0 && !p.shared && v.of == u && v.cached == q.users.version+1 {
		s.showCached(q, a, u)
		return v.limit
	}
	return s.show(q, a, p.part, p.shared)
}

// apply books a new allocation or reservation (FiCaSchedulerApp.apply,
// AbstractLeafQueue.apply) and returns the container's ordinal, -1 of a reservation.
func (s *Scheduler) apply(p *proposal) (ordinal int32) {
	a, q := p.app, p.app.queue
	ordinal = -1
	var c *container
	if p.reserve {
		c = s.addReservation(p)
	} else {
		c = s.start(p, 0)
		ordinal = c.ordinal
	}
	if p.part != 0 && c.label == 0 { // it has not asked for the node's label
		enterShared(c, p.part)
	}
	if p.kills {
		s.killNamed(p)
	}
	if p.giveBack != nil {
		s.dropReservation(p.giveBack)
	}
	q.addUsed(p.part, p.size, 1)
	s.addUserUsed(a, p.part, p.size, 1)
	q.needsReorder(a)
	if p.reserve {
		q.addReserved(p.part, p.size, 1)
	}
	return ordinal
}

// fill turns a reservation into a running container under the same id and of the same size
// (FiCaSchedulerApp.apply of an allocation from a reserved container). The queues count it
// as used already; a fair leaf does not reorder for it. When the ask changed its size since,
// the application is charged the new size and credited the old one at the end, as in the
// original.
func (s *Scheduler) fill(p *proposal) int32 {
	c := p.from
	id, asked := int64(c.id), p.size
	p.size = c.size
	left := leaveFilled(c) // before unbook, which takes the reservation off all lists
	s.unbook(c)
	c.over = true
	s.freeContainers = append(s.freeContainers, c)
	now := s.start(p, id)
	if left != nil {
		left.more.runs, now.sharedIn = now, left.sharedIn
	}
	at := p.app.at(p.part) // start has charged p.size
	at.used = at.used.Add(asked).Sub(p.size)
	s.forgetKillable(c, now)
	s.filled(now)
	return now.ordinal
}

// start makes a running container under an id (SchedulerNode.allocateContainer,
// FiCaSchedulerApp.allocate); 0 asks for a new one.
func (s *Scheduler) start(p *proposal, id int64) *container {
	c, n := s.newContainer(), p.node
	c.node, c.size, c.reserved, c.over, c.killable = n, p.size, false, false, false
	n.occupy(c)
	n.free = n.free.Sub(c.size)
	s.usageMoved(n)
	p.app.charge(p.part, c.size, 1)
	s.give(c, p, id)
	return c
}

// give makes a container on its node a new one of a proposal's application, under an id; 0
// asks for a new one. Every field is set: the memory has been another container's.
func (s *Scheduler) give(c *container, p *proposal, id int64) {
	a, k, n := p.app, p.key, p.node
	if id == 0 {
		a.lastID++
		id = a.lastID
	}
	c.app, c.priority, c.alloc, c.id, c.loc, c.acquired = a, k.priority, k.alloc, int32(id), p.loc, false
	c.am = a.master == nil && !a.unmanaged
	if c.am {
		s.mastersMade = append(s.mastersMade, c)
	}
	c.more, c.label, c.sharedIn, c.made = nil, int16(k.label), 0, s.age(p.from != nil)
	from := k.From(c.loc, n.place, n.rack)
	if c.loc != offSwitch || k.Any.Strict || k.Any.Size != c.size {
		c.copyRows(&from)
	}
	c.ordinal = int32(len(a.handles))
	a.handles = append(a.handles, c.handle)
	s.sequence++
	c.seq = s.sequence
	a.granted = append(a.granted, c.ordinal)
	s.taken(a, k, &from)
}

// report appends the event of a proposal to walkState.out and returns its index.
func (s *Scheduler) report(p *proposal, refused bool) int {
	s.out = appendEvent(s.out, p, refused)
	at := len(s.out) - 1
	e := &s.out[at]
	if p.kills {
		e.Kills = uint16(len(s.kill))
		s.named = append(s.named, s.kill...)
	}
	if p.giveBack != nil {
		n := len(s.unreserved)
		s.unreserved = append(s.unreserved, p.giveBack.node.id)
		e.Unreserved = s.unreserved[n : n+1 : n+1]
	}
	return at
}

// appendEvent appends the event of a proposal, without what it kills and gives back.
func appendEvent(out []yarn.Event, p *proposal, refused bool) []yarn.Event {
	at := len(out)
	if at < cap(out) {
		out = out[:at+1]
	} else {
		out = append(out, yarn.Event{})
	}
	e := &out[at] // all of it is set: it may be one of an earlier call
	e.Kind, e.Refused, e.FromReservation, e.Locality = yarn.Allocate, refused, !p.reserve && p.from != nil, p.loc
	e.App, e.Node, e.Ordinal, e.Priority, e.AllocID = p.app.id, p.node.id, -1, p.key.priority, p.key.alloc
	e.Size, e.Proposal, e.Partition, e.Shared, e.Kills, e.Unreserved = yarn.Resource(p.size), p.number, p.part, p.shared,
		0, nil
	if p.reserve {
		e.Kind = yarn.Reserve
	}
	return out
}

// reportRelease appends the event of a reservation that is given up.
func (s *Scheduler) reportRelease(a *app, on *node, priority int32, alloc int64) *yarn.Event {
	n := len(s.unreserved)
	s.unreserved = append(s.unreserved, on.id)
	s.out = append(s.out, yarn.Event{Kind: yarn.Release, App: a.id, Node: on.id, Ordinal: -1,
		Priority: priority, AllocID: alloc, Unreserved: s.unreserved[n : n+1 : n+1]})
	return &s.out[len(s.out)-1]
}
