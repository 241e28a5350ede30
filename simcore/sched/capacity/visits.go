package capacity

import (
	"math/bits"

	"schedtune/simcore/yarn"
)

// The visits of an asynchronous round. A full node without a reservation gets none:
// nothing would come of it.

func (s *Scheduler) roundOfNodes(start, lag int, late func(yarn.NodeID) bool) {
	walk := s.walkOrder()
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
	d := &a.steady
	for ; at < to; at++ {
		if late == nil {
			if at = a.nextOpen(at); at >= to {
				return
			}
		}
		n := a.walk[at]
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
		return len(a.walk)
	}
	for word := a.open[w] >> (at & 63) << (at & 63); ; word = a.open[w] {
		if word != 0 {
			return w<<6 + bits.TrailingZeros64(word)
		}
		if w++; w == len(a.open) {
			return len(a.walk)
		}
	}
}

// visit makes at most one proposal for a node.
func (s *Scheduler) visit(n *node, lag int, late func(yarn.NodeID) bool) {
	if n.draining && !s.rules.VisitsDraining {
		return
	}
	if late != nil && late(n.id) {
		s.async.passed = true
		return
	}
	if n.reserved == nil && (s.sealed == s.clock || n.quiet == s.clock) {
		return
	}
	before := s.clock
	s.changed, s.shifted, s.nodeMattered = false, false, s.labelled()
	proposals := s.async.made
	s.offer(n)
	if s.changed || s.shifted {
		s.clock++
		s.async.still++
	}
	if s.clock == before {
		n.quiet = s.clock
		if !s.nodeMattered {
			s.sealed = s.clock
		}
	}
	if s.async.made != proposals && lag >= 0 {
		s.commitDown(lag)
	}
}

// offer tries the node's reservation and then nothing else, or walks the queues
// once.
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
