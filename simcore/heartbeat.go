package simcore

import (
	"iter"
	"math/bits"
)

// report schedules the heartbeat that tells of the attempt's end.
func (s *Sim) report(node *nodeState, i int32, end Time) {
	if node.dead {
		return
	}
	if !s.cfg.OutOfBand {
		end = s.beatAt(node, end)
	}
	if end >= s.tree.Limit() {
		s.err = ErrHorizon
	}
	s.setSlot(node, i, end)
}

// nodeDue is a node's leaf in the resource model: attempts on their way to the
// Exec start, and if anything else is due, it is a heartbeat.
func (s *Sim) nodeDue(node *nodeState) {
	s.beating = node // its leaf is written at the end
	more := s.startDue(node)
	s.beating = nil
	if more {
		s.heartbeat(node)
	} else {
		s.rekey(node)
	}
}

// startDue starts the node's attempts whose launch latency has passed and
// reports whether something else is due.
func (s *Sim) startDue(node *nodeState) bool {
	more := false
	for i := node.first; i < node.end; i++ {
		if s.slots[i].at != s.now {
			continue
		}
		if s.slots[i].launching {
			s.startExec(node, i)
		} else {
			more = true
		}
	}
	return more
}

// heartbeat is everything that happens at one heartbeat of a node: ended tasks
// are reported, then its free slots are offered. The node's leaf is written
// once, at the end.
func (s *Sim) heartbeat(node *nodeState) {
	node.lastBeat, s.beating = s.now, node
	if s.execOn {
		s.startDue(node)
	}
	for from := node.first; from < node.end; from += 64 {
		for due := s.due(from, min(node.end, from+64)); due != 0; due &= due - 1 {
			if i := from + int32(bits.TrailingZeros64(due)); s.slots[i].at == s.now {
				s.finish(node, i)
			}
		}
	}
	if s.beater != nil {
		s.beater.Heartbeat(&s.view, node.id)
	}
	if s.preempt != nil {
		s.preemption(node.id)
	}
	s.offer(node)
	if has := node.hasFree(); has != node.has { // noteFree, written out
		s.changeFree(node, has)
	}
	s.beating = nil
	first := Never // rekey, written out
	slots := s.slots[node.first:node.end]
	for i := range slots {
		first = min(first, slots[i].at)
	}
	s.tree.Set(nodeLeaf+node.rank, first)
}

// due tells which of the slots [from, to), at most 64, have their event now,
// as bits.
func (s *Sim) due(from, to int32) uint64 {
	mask, now := uint64(0), s.now
	slots := s.slots[from:to]
	for i := range slots {
		bit := uint64(0)
		if slots[i].at == now { // compiled without a jump
			bit = 1
		}
		mask |= bit << (i & 63)
	}
	return mask
}

// setSlot gives a slot its next event, Never for none.
func (s *Sim) setSlot(node *nodeState, i int32, at Time) {
	s.slots[i].at = at
	if node != s.beating {
		s.rekey(node)
	}
}

// rekey sets the node's leaf to the earliest event of its slots.
func (s *Sim) rekey(node *nodeState) {
	first := Never
	slots := s.slots[node.first:node.end]
	for i := range slots {
		first = min(first, slots[i].at)
	}
	s.tree.Set(nodeLeaf+node.rank, first)
}

func (s *Sim) slotsOf(n NodeID) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i, end := s.node(n).first, s.node(n).end; i < end; i++ {
			if !yield(i) {
				return
			}
		}
	}
}
