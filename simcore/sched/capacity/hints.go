package capacity

import "schedtune/simcore/yarn"

var _ yarn.Hinter = (*Scheduler)(nil)

// Waiting reports whether any application has an outstanding ask.
func (s *Scheduler) Waiting() bool {
	s.settle()
	for p := range s.parts {
		if s.hasPending(s.root.at(int32(p))) {
			return true
		}
	}
	return false
}

// Room reports whether the node holds at least a minimum allocation. With
// placement on several nodes a heartbeat of any may fill another.
func (s *Scheduler) Room(id yarn.NodeID) bool {
	return !s.rounds() && int(id) < len(s.nodes) && !s.nodes[id].lost && (s.conf.MultiNode || s.roomy(s.nodes[id]))
}
