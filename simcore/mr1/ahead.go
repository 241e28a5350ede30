package mr1

import (
	"unsafe"

	"schedtune/simcore"
	"schedtune/simcore/internal/prefetch"
)

// A cluster of many nodes does not fit a core's own cache, and a heartbeat
// would wait for main memory several times: for the node, its slots and its
// path in the tree. Which nodes come next is known when a heartbeat begins, so
// the lines of the one after the next are fetched then and arrive while two
// heartbeats are handled; fetching one heartbeat ahead comes too late. A wrong
// guess costs time only.

// wideState is the size in bytes from which fetching ahead saves time: the
// size of a core's own cache.
const wideState = 1 << 20

// isWide reports whether the state of nodes and slots is large enough.
func (s *Sim) isWide() bool {
	size := len(s.nodes)*int(unsafe.Sizeof(nodeState{})) + len(s.slots)*int(unsafe.Sizeof(slotState{}))
	return prefetch.Works && size > wideState
}

// lookAhead fetches what the second heartbeat after this one will need: the
// node, its slots, and the lower levels of its path; the upper are at hand.
// What was expected next before mostly comes next, and then only one node more
// has to be looked for.
func (s *Sim) lookAhead(rank int32, now simcore.Time) {
	until := now + s.period
	if rank != s.expected[0] {
		s.expected[1] = s.tree.Following(rank, until)
	}
	r := s.tree.Following(s.expected[1], until)
	s.expected[0], s.expected[1] = s.expected[1], r
	leaf, parent := s.tree.Keys(r)
	const perLine = 64 / int(unsafe.Sizeof(slotState{}))
	first, last := int(s.slotAt[r]), len(s.slots)-1
	second := unsafe.Pointer(&s.slots[min(first+perLine, last)])
	third := unsafe.Pointer(&s.slots[min(first+2*perLine, last)])
	prefetch.Lines(unsafe.Pointer(&s.nodes[r]), unsafe.Pointer(&s.slots[first]), leaf, parent)
	prefetch.Lines(second, third, second, third)
}
