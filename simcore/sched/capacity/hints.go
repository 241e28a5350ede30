package capacity

import "schedtune/simcore/yarn"

var _ yarn.Hinter = (*Scheduler)(nil)

// Waiting reports whether any application has an outstanding ask that not every
// node would be refused by limits alone. With placement on several nodes a
// heartbeat of any node also looks after reservations.
func (s *Scheduler) Waiting() bool {
	s.settle()
	if s.conf.MultiNode {
		if s.async.reservations > 0 {
			return true
		}
	} else if s.sealed == s.clock {
		return false
	}
	for p := range s.parts {
		if s.hasPending(s.root.at(int32(p))) {
			return true
		}
	}
	return false
}

// Outlook is what a beat of the node could come to.
func (s *Scheduler) Outlook(id yarn.NodeID) yarn.Outlook {
	if s.rounds() || int(id) >= len(s.nodes) {
		return yarn.NodeFull
	}
	n := s.nodes[id]
	switch {
	case n.reserved != nil:
		return yarn.NodeReserved
	case !n.lost && (s.conf.MultiNode || s.roomy(n)):
		return yarn.NodeRoom
	}
	return yarn.NodeFull
}

// Room reports whether the node holds at least a minimum allocation. With
// placement on several nodes a heartbeat of any may fill another.
func (s *Scheduler) Room(id yarn.NodeID) bool {
	return !s.rounds() && int(id) < len(s.nodes) && !s.nodes[id].lost && (s.conf.MultiNode || s.roomy(s.nodes[id]))
}
