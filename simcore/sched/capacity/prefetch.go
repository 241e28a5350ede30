package capacity

import (
	"unsafe"

	"schedtune/simcore/internal/prefetch"
	"schedtune/simcore/yarn"
)

var _ yarn.Prefetcher = (*Scheduler)(nil)

// Memory that the runtime expects to be needed soon is asked for ahead (yarn.Prefetcher).
// Nothing but time hangs on it: ids that are not there and handles of containers that are
// over are harmless.

// Handle tells where a container lies, 0 where there is none of that name.
func (s *Scheduler) Handle(d yarn.Container) uint32 {
	if c := s.containerOf(d); c != nil {
		return c.handle
	}
	return 0
}

// PrefetchNode fetches a node.
func (s *Scheduler) PrefetchNode(id yarn.NodeID) {
	if int(id) < len(s.nodes) {
		n := unsafe.Pointer(s.nodes[id])
		prefetch.Lines(n, unsafe.Add(n, 64), n, n)
	}
}

// PrefetchEnd fetches a node, a container that is going to end there, and its entry in the
// application's table.
func (s *Scheduler) PrefetchEnd(id yarn.NodeID, d yarn.Container, handle uint32) {
	b, k := int((handle-1)>>8), int((handle-1)&255)
	if int(id) >= len(s.nodes) || int(d.App) >= len(s.apps) || b >= len(s.blocks) || k >= len(s.blocks[b]) {
		return
	}
	n, c := unsafe.Pointer(s.nodes[id]), &s.blocks[b][k]
	ordinal := n
	if l := s.apps[d.App].handles; int(d.Ordinal) < len(l) {
		ordinal = unsafe.Pointer(&l[d.Ordinal])
	}
	prefetch.Lines(n, unsafe.Add(n, 64), unsafe.Pointer(c), ordinal)
}

// PrefetchStart fetches the container that would be the next to be used.
func (s *Scheduler) PrefetchStart() {
	if k := len(s.freeContainers); k > 0 {
		c := unsafe.Pointer(s.freeContainers[k-1])
		prefetch.Lines(c, unsafe.Add(c, 64), c, c)
	}
}
