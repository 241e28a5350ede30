package simcore

import (
	"iter"
	"math/bits"
)

// report schedules the heartbeat that tells of the attempt's end.
func (s *Sim) report(i int32, end Time) {
	n := s.nodeOf[i]
	if s.node(n).dead {
		return
	}
	if !s.cfg.OutOfBand {
		end = s.beatAt(n, end)
	}
	if end >= s.tree.Limit() {
		s.err = ErrHorizon
	}
	s.setSlot(i, end)
}

// nodeDue is a node's leaf: attempts on their way to the Exec start, and if
// anything else is due, it is a heartbeat.
func (s *Sim) nodeDue(n NodeID) {
	if s.execOn && !s.startDue(n) {
		s.rekey(n)
		return
	}
	s.heartbeat(n)
}

// startDue starts the node's attempts whose launch latency has passed and
// reports whether something else is due.
func (s *Sim) startDue(n NodeID) bool {
	more := false
	for i := range s.slotsOf(n) {
		if s.slots[i].at != s.now {
			continue
		}
		if s.slots[i].launching {
			s.startExec(i)
		} else {
			more = true
		}
	}
	return more
}

// heartbeat is everything that happens at one heartbeat of a node: ended tasks
// are reported, then its free slots are offered. The node's leaf is written
// once, at the end.
func (s *Sim) heartbeat(n NodeID) {
	node := s.node(n)
	node.lastBeat, s.beating = s.now, n
	if s.execOn {
		s.startDue(n)
	}
	for from, end := s.slotRange(n); from < end; from += 64 {
		for due := s.due(from, min(end, from+64)); due != 0; due &= due - 1 {
			if i := from + int32(bits.TrailingZeros64(due)); s.slots[i].at == s.now {
				s.finish(i)
			}
		}
	}
	if s.beater != nil {
		s.beater.Heartbeat(&s.view, n)
	}
	if s.preempt != nil {
		s.preemption(n)
	}
	s.offer(n)
	s.noteFree(n)
	s.beating = None
	s.rekey(n)
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
func (s *Sim) setSlot(i int32, at Time) {
	s.slots[i].at = at
	if n := s.nodeOf[i]; n != s.beating {
		s.rekey(n)
	}
}

// rekey sets the node's leaf to the earliest event of its slots.
func (s *Sim) rekey(n NodeID) {
	first := Never
	from, end := s.slotRange(n)
	slots := s.slots[from:end]
	for i := range slots {
		first = min(first, slots[i].at)
	}
	s.tree.Set(nodeLeaf+s.idle.rank[n], first)
}

func (s *Sim) slotsOf(n NodeID) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i, end := s.slotRange(n); i < end; i++ {
			if !yield(i) {
				return
			}
		}
	}
}
