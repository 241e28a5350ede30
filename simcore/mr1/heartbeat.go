package mr1

import (
	"iter"
	"math/bits"
	"schedtune/simcore"
)

// report schedules the heartbeat that reports the attempt's end.
func (s *Sim) report(node *nodeState, i int32, end simcore.Time) {
	if !s.cfg.OutOfBand {
		end = s.beatAt(node, end)
	}
	if end >= s.tree.Limit() {
		s.err = ErrHorizon
	}
	s.setDue(node, i, end)
}

// nodeDue is a node's leaf in the resource model: attempts on their way to the
// Exec start, and if anything else is due, it is a heartbeat.
func (s *Sim) nodeDue(rank int32) {
	node := &s.nodes[rank]
	s.beating = node // its leaf is written at the end
	more := s.startDue(node)
	s.beating = nil
	if more {
		s.heartbeat(rank)
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
func (s *Sim) heartbeat(rank int32) {
	node := &s.nodes[rank]
	first, end := s.slotAt[rank], s.slotAt[rank+1] // not from node: both come from far memory at once
	node.lastBeat, s.beating = s.now, node
	if s.execOn {
		s.startDue(node)
	}
	s.soonest, s.recount = simcore.Never, false
	for from := first; from < end; from += 64 {
		for ended := s.endedNow(from, min(end, from+64)); ended != 0; ended &= ended - 1 {
			if i := from + int32(bits.TrailingZeros64(ended)); s.slots[i].at == s.now {
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
	if s.recount {
		s.rekey(node)
	} else {
		s.tree.Set(rank, s.soonest)
	}
}

// endedNow tells which of the slots [from, to), at most 64, have their event
// now, as bits, and takes the others into s.soonest.
func (s *Sim) endedNow(from, to int32) uint64 {
	mask, next := uint64(0), uint64(s.now)+1
	later := uint64(simcore.Never) - next
	slots := s.slots[from:to]
	for i := len(slots) - 1; i >= 0; i-- {
		ahead := uint64(slots[i].at) - next // its highest bit is set where the event is now
		later = min(later, ahead)
		mask = 2*mask + ahead>>63
	}
	s.soonest = min(s.soonest, simcore.Time(later+next))
	return mask
}

// setDue gives a slot its next event, Never for none.
func (s *Sim) setDue(node *nodeState, i int32, at simcore.Time) {
	was := s.slots[i].at
	s.slots[i].at = at
	if node != s.beating {
		s.rekey(node)
		return
	}
	s.soonest, s.recount = min(s.soonest, at), s.recount || at > was
}

// rekey sets the node's leaf to the earliest event of its slots.
func (s *Sim) rekey(node *nodeState) {
	first := simcore.Never
	slots := s.slots[node.first:node.end]
	for i := range slots {
		first = min(first, slots[i].at)
	}
	s.tree.Set(node.rank, first)
}

func (s *Sim) slotsOf(n simcore.NodeID) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i, end := s.node(n).first, s.node(n).end; i < end; i++ {
			if !yield(i) {
				return
			}
		}
	}
}
