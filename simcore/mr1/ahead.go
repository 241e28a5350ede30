package mr1

import (
	"schedtune/simcore"
	"unsafe"
)

// A cluster of many nodes does not fit a core's own cache, and a heartbeat
// would wait for main memory several times: for the node, its slots and its
// path in the tree. Which nodes come next is known when a heartbeat begins, so
// the lines of the one after the next are asked for then and come while two
// heartbeats are handled; fetching one heartbeat ahead comes too late. Nothing
// hangs on the guess: if another node comes first, some lines were fetched
// early.

// wideState is the size in bytes from which looking ahead pays: what a core's
// own cache holds.
const wideState = 1 << 20

// isWide tells whether the state of nodes and slots is large enough.
func (s *Sim) isWide() bool {
	size := len(s.nodes)*int(unsafe.Sizeof(nodeState{})) + len(s.slots)*int(unsafe.Sizeof(slotState{}))
	return canPrefetch && size > wideState
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
	prefetch(unsafe.Pointer(&s.nodes[r]), unsafe.Pointer(&s.slots[s.slotAt[r]]), leaf, parent)
}
