package capacity

import (
	"schedtune/internal/java"
	"schedtune/simcore/internal/kernel"
)

// Reservations: when one is made, how it is filled, which is given back.

// wantsMore reports whether a key may have one more container or reservation
// (RegularContainerAllocator.shouldAllocOrReserveNewContainer): outstanding asks beyond its
// reservations, or reservations that starve.
func (s *Scheduler) wantsMore(a *app, k *reqKey, size res) bool {
	held := len(k.reservations)
	if held == 0 {
		return k.Outstanding() > 0
	}
	// The larger the container, the fewer reservations for being passed over.
	factor := s.calc.Ratio(size, a.queue.conf.MaxAllocation)
	share := 1 - min(factor, a.queue.minAllocShare)
	most := held - int(k.Outstanding()) // starvation beyond that wants more
	if starvation(k.rereserve, held, share) > most {
		return true
	}
	if share > 0 {
		s.async.counting.renewedBelow(k, share, most)
	}
	return false
}

// starvation is how many more reservations a key may have for the held ones having been
// renewed so often. share is the part of the largest container that a container of the key
// leaves: large ones starve less.
func starvation(renewed, held int, share float32) int {
	return int(float32(renewed) / float32(held) * share)
}

// toUnreserve finds a reservation of the key that is large enough, the first in the
// iteration order of the original's hash table of nodes (FiCaSchedulerApp.findNodeToUnreserve,
// getNodeIdToUnreserve).
func (s *Scheduler) toUnreserve(k *reqKey, give res) *container {
	var best *container
	var at uint32
	for _, c := range k.reservations {
		if !s.calc.Fits(give, c.size) {
			continue
		}
		if b := java.Bucket(c.node.hash, k.reservationTable); best == nil || b < at {
			best, at = c, b
		}
	}
	return best
}

// tryReserved tries to fill a node's reservation, or renews it
// (CapacityScheduler.allocateFromReservedContainer, allocateContainerOnSingleNode). Queue and
// user limits are not tested. Nothing else is tried on the node in this heartbeat.
func (s *Scheduler) tryReserved(n *node) {
	c := n.reserved
	a := c.app
	lim := newLimits(s.parts[0].total) // of nodes without label whatever the node, as in the original
	s.part = n.part
	s.limitLeaf(a.queue, &lim)
	lim.kill = s.mayBeKilled() && s.mayKill(a.queue, n.part)
	k := a.key(c.priority, c.alloc)
	if k.Outstanding() == 0 { // nothing is asked for any more
		if s.rounds() {
			s.wait(proposal{app: a, node: n}, c.priority, c.alloc).release = true
			s.commitAtOnce()
		} else {
			s.epoch++
			s.reportRelease(a, n, c.priority, c.alloc)
			s.dropReservation(c)
		}
		return
	}
	s.async.counting.comesTo(k)
	v := s.tryOnNode(a, k, n, &lim, c)
	if v != allocates && v != reserves {
		return
	}
	if v == reserves { // still no room: the reservation is renewed
		s.async.counting.counted(k, countRenewed)
	}
	if s.rounds() {
		s.propose(&s.prop)
	} else {
		s.commit(&s.prop)
	}
}

// addReservation books a new reservation in application, key and node
// (SchedulerApplicationAttempt.reserve, FiCaSchedulerNode.reserveResource). A reservation
// uses up a container id.
func (s *Scheduler) addReservation(p *proposal) *container {
	a, k := p.app, p.key
	c := s.newContainer()
	a.lastID++
	c.app, c.node, c.priority, c.alloc, c.size, c.id = a, p.node, k.priority, k.alloc, p.size, int32(a.lastID)
	c.reserved, c.ordinal, c.loc, c.label, c.sharedIn = true, -1, p.loc, int16(k.label), 0
	c.am, c.acquired, c.over, c.killable, c.more, c.seq = false, false, false, false, nil, 0
	c.made = s.age(false)
	a.reservations = append(a.reservations, c)
	if len(k.reservations) == 0 {
		k.firstReservation = int64(c.id)
	}
	k.reservations = append(k.reservations, c)
	for len(k.reservations)*4 > k.reservationTable*3 { // a table that is three quarters full doubles
		k.reservationTable *= 2
	}
	at := a.at(p.node.part)
	at.reserved = at.reserved.Add(c.size)
	k.rereserve = 0
	p.node.reserved = c
	s.async.opened(p.node)
	s.async.reservations++
	return c
}

// unbook takes a reservation out of application, key and node, and out of what is reserved
// in the queues; used stays (FiCaSchedulerApp.internalUnreserve).
func (s *Scheduler) unbook(c *container) {
	a := c.app
	k := a.key(c.priority, c.alloc)
	k.reservations = kernel.Remove(k.reservations, c)
	if len(k.reservations) == 0 { // the original drops the table, and makes a new one next time
		k.reservationTable = 16
	}
	k.rereserve = 0
	a.reservations = kernel.Remove(a.reservations, c)
	at := a.at(c.node.part)
	at.reserved = at.reserved.Sub(c.size)
	c.node.reserved = nil
	s.async.reservations--
	a.queue.addReserved(c.node.part, c.size, -1)
}

// dropReservation gives a reservation up: it no longer counts as used
// (FiCaSchedulerApp.unreserve, AbstractLeafQueue.completedContainer).
func (s *Scheduler) dropReservation(c *container) {
	s.forgetKillable(c, nil)
	s.unbook(c)
	s.discharge(c)
	c.over = true
	s.freeContainers = append(s.freeContainers, c)
}

// reservation is the node's reservation if it is this application's with this
// id.
func (n *node) reservation(a *app, id int32) *container {
	if c := n.reserved; c != nil && c.app == a && c.id == id {
		return c
	}
	return nil
}

// commitRelease gives a reservation up. One that has been replaced on its node
// by another of the same key is given up in its place, as in the original, which
// looks it up by key and node.
func (s *Scheduler) commitRelease(w *waitingProposal) {
	s.epoch++
	e := s.reportRelease(w.app, w.node, w.priority, w.alloc)
	e.Proposal = w.number
	if e.Refused = w.app.ended; e.Refused {
		return
	}
	if c := w.node.reserved; c != nil && c.app == w.app && c.priority == w.priority && c.alloc == w.alloc {
		s.dropReservation(c)
	}
}
