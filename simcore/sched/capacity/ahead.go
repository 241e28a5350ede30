package capacity

import (
	"unsafe"

	"schedtune/internal/prefetch"
	"schedtune/simcore/yarn"
)

var _ yarn.Foreseer = (*Scheduler)(nil)

// Foresee fetches a node and a container that is going to end there, and the
// memory that the container in its place will use.
func (s *Scheduler) Foresee(id yarn.NodeID, d yarn.Container) {
	if int(id) >= len(s.nodes) {
		return
	}
	n := unsafe.Pointer(s.nodes[id])
	var at unsafe.Pointer
	if a := s.lookUp(d.App); a != nil {
		at = unsafe.Pointer(a.container(d.Ordinal))
	}
	prefetch.Lines(n, unsafe.Add(n, 64), at, at)
}
