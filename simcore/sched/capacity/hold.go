package capacity

import "schedtune/simcore/yarn"

// Hold takes free space of a node for a process whose container is over: a container given
// back or killed leaves queue and application at once, its node when the process is gone
// (SchedulerNode.releaseContainer). What is free may fall below nothing.
func (s *Scheduler) Hold(id yarn.NodeID, size yarn.Resource) {
	s.Unhold(id, yarn.Resource{Memory: -size.Memory, VCores: -size.VCores})
}

// Unhold gives it back, as much as was taken. A lost node stays as it is.
func (s *Scheduler) Unhold(id yarn.NodeID, size yarn.Resource) {
	if int(id) >= len(s.nodes) || s.nodes[id].lost {
		return
	}
	s.bookSkipped()
	n := s.nodes[id]
	n.free = n.free.Add(res(size))
	s.async.opened(n)
	for _, p := range n.listedIn {
		if l := s.lists[p]; l.scanning {
			s.freed(l, n)
		}
	}
	s.epoch++
}
