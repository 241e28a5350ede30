package capacity

import (
	"math/bits"

	"schedtune/simcore/yarn"
)

// The visits of an asynchronous round (CapacityScheduler.schedule, allocateContainersToNode).
//
// Left out: visits of nodes that hold no minimum allocation and no reservation. Nothing
// comes of one (offer), not even an opportunity. asynchronous.open has a bit for each
// position that may hold either; it is cleared where a visit finds a node full, and set
// by everything that gives a node room or a reservation (opened): the end of a container,
// space given back, containers that may be killed, a reservation made or moved. A bit
// that is set without need costs a visit, so nothing else has to clear them. Where late
// nodes are to be passed over every node is asked for, since a round over late nodes does
// not count as one that changed nothing. TestIdleHeartbeatsAreKnown and the histories of
// the runtime cover it.

// roundOfNodes visits all nodes from the start-th on, and the start-th twice, as the
// original does: it goes from there to the end, and then from the first to it.
func (s *Scheduler) roundOfNodes(start, lag int, late func(yarn.NodeID) bool) {
	walk := s.roundOrder()
	s.visitFrom(start, len(walk), lag, late)
	s.visitFrom(0, min(start, len(walk)), lag, late)
	s.endRecord()
	if start < len(walk) {
		s.visit(walk[start], lag, late)
	}
}

// visitFrom visits the nodes from a position of the walk to before another, but for
// full ones without a reservation, unless it matters which are late. Visits are
// recorded where their round is.
func (s *Scheduler) visitFrom(at, to, lag int, late func(yarn.NodeID) bool) {
	a := &s.async
	d := &a.counting
	for ; at < to; at++ {
		if late == nil {
			if at = a.nextOpen(at); at >= to {
				return
			}
		}
		n := a.order[at]
		if !d.on {
			s.visit(n, lag, late)
			continue
		}
		made := a.made
		d.beginVisit(at)
		s.visit(n, lag, late)
		d.endVisit(a.made - made)
	}
}

// opened notes that a node may have room or a reservation.
func (a *asynchronous) opened(n *node) {
	if w := int(n.at >> 6); w < len(a.open) {
		a.open[w] |= 1 << (n.at & 63)
	}
}

// nextOpen is the first position from one on of a node that may have room or a
// reservation, behind all nodes if there is none.
func (a *asynchronous) nextOpen(at int) int {
	w := at >> 6
	if w >= len(a.open) {
		return len(a.order)
	}
	for word := a.open[w] >> (at & 63) << (at & 63); ; word = a.open[w] {
		if word != 0 {
			return w<<6 + bits.TrailingZeros64(word)
		}
		if w++; w == len(a.open) {
			return len(a.order)
		}
	}
}

// visit makes at most one proposal for a node (the body of CapacityScheduler.schedule,
// with shouldSkipNodeSchedule).
func (s *Scheduler) visit(n *node, lag int, late func(yarn.NodeID) bool) {
	if n.draining && !s.rules.VisitsDraining {
		return
	}
	if late != nil && late(n.id) {
		s.async.passed = true
		return
	}
	if n.reserved == nil && (s.quietAll == s.epoch || n.quiet == s.epoch) {
		return
	}
	before := s.epoch
	s.changed, s.limitsMoved, s.nodeMattered = false, false, s.labelled()
	proposals := s.async.made
	s.offer(n)
	if s.changed || s.limitsMoved {
		s.epoch++
		s.async.countOnly++
	}
	if s.epoch == before {
		n.quiet = s.epoch
		if !s.nodeMattered {
			s.quietAll = s.epoch
		}
	}
	if s.async.made != proposals && lag >= 0 {
		s.commitDown(lag)
	}
}

// offer tries the node's reservation and then nothing else, or walks through the queues
// once (CapacityScheduler.allocateContainerOnSingleNode).
func (s *Scheduler) offer(n *node) {
	if n.reserved != nil {
		s.nodeMattered = true
		s.tryReserved(n)
		return
	}
	if !s.roomy(n) {
		s.nodeMattered = true
		s.async.open[n.at>>6] &^= 1 << (n.at & 63)
		return
	}
	if s.walk(n) {
		s.propose(&s.prop)
	}
}
