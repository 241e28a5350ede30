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
		if c := s.container(a, d.Ordinal); c != nil {
			return c.handle
		}
	}
	return 0
}

// ForeseeNode fetches a node.
func (s *Scheduler) ForeseeNode(id yarn.NodeID) {
	if int(id) < len(s.nodes) {
		n := unsafe.Pointer(s.nodes[id])
		prefetch.Lines(n, unsafe.Add(n, 64), n, n)
	}
}

// Foresee fetches a node and a container that is going to end there.
func (s *Scheduler) Foresee(id yarn.NodeID, d yarn.Container, handle uint32) {
	b, k := int((handle-1)>>8), int((handle-1)&255)
	if int(id) >= len(s.nodes) || int(d.App) >= len(s.apps) || b >= len(s.blocks) || k >= len(s.blocks[b]) {
		return
	}
	n, c := unsafe.Pointer(s.nodes[id]), &s.blocks[b][k]
	ordinal := n
	if l, k := &s.apps[d.App].byOrdinal, int(d.Ordinal/pageSize); k < len(l.pages) && l.pages[k].at != noPage {
		ordinal = unsafe.Pointer(&s.ordinals[int(l.pages[k].at)*pageSize+int(d.Ordinal%pageSize)])
	}
	prefetch.Lines(n, unsafe.Add(n, 64), unsafe.Pointer(c), ordinal)
}

// ForeseeStart fetches the container that would be the next to be used.
func (s *Scheduler) ForeseeStart() {
	if k := len(s.freeContainers); k > 0 {
		c := unsafe.Pointer(s.freeContainers[k-1])
		prefetch.Lines(c, unsafe.Add(c, 64), c, c)
	}
}
