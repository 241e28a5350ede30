package capacity

import (
	"unsafe"

	"schedtune/internal/prefetch"
	"schedtune/simcore/yarn"
)

var _ yarn.Foreseer = (*Scheduler)(nil)

// Handle tells where a container lies.
func (s *Scheduler) Handle(d yarn.Container) uint32 {
	if a := s.lookUp(d.App); a != nil {
		if c := a.container(d.Ordinal); c != nil {
			return c.handle
		}
	}
	return 0
}

// Foresee fetches a node and a container that is going to end there.
func (s *Scheduler) Foresee(id yarn.NodeID, d yarn.Container, handle uint32) {
	b, k := int(handle>>8), int(handle&255)
	if int(id) >= len(s.nodes) || int(d.App) >= len(s.apps) || b >= len(s.blocks) || k >= len(s.blocks[b]) {
		return
	}
	n, c := unsafe.Pointer(s.nodes[id]), &s.blocks[b][k]
	ordinal := n
	if list := s.apps[d.App].byOrdinal; int(d.Ordinal) < len(list) {
		ordinal = unsafe.Pointer(&list[d.Ordinal])
	}
	prefetch.Lines(n, unsafe.Add(n, 64), unsafe.Pointer(c), ordinal)
}

// ForeseeBeat fetches the end of a node's list of containers, and the container
// that would be the next to be used.
func (s *Scheduler) ForeseeBeat(id yarn.NodeID) {
	if int(id) >= len(s.nodes) || len(s.freeContainers) == 0 {
		return
	}
	n, c := s.nodes[id], unsafe.Pointer(s.freeContainers[len(s.freeContainers)-1])
	last := c
	if k := len(n.live); k > 0 {
		last = unsafe.Pointer(&n.live[k-1])
	}
	prefetch.Lines(last, c, unsafe.Add(c, 64), c)
}
