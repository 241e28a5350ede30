package simcore

import "unsafe"

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
func (s *Sim) lookAhead(rank int32, now Time) {
	until := now + s.period
	if rank != s.expected[0] {
		s.expected[1] = s.tree.following(rank, until)
	}
	r := s.tree.following(s.expected[1], until)
	s.expected[0], s.expected[1] = s.expected[1], r
	leaf := s.tree.size + int(r)
	prefetch(unsafe.Pointer(&s.nodes[r]), unsafe.Pointer(&s.slots[s.slotAt[r]]),
		unsafe.Pointer(&s.tree.keys[leaf]), unsafe.Pointer(&s.tree.keys[leaf>>2]))
}

// following returns the first leaf to the right of the given one with an event
// before the time, the given one if there is none. It takes for granted that
// the times of such leaves ascend, as those of nodes do within a period of
// heartbeats: then the first subtree to the right that has one has it. It is
// mostly near, which makes this a quarter of a search for the next times.
func (t *Tree) following(leaf int32, until Time) int32 {
	bound := uint64(until) << (t.shift & 63)
	at := uintptr(t.size + int(leaf))
	if int(at) >= len(t.keys) {
		return leaf
	}
	base := unsafe.Pointer(unsafe.SliceData(t.keys)) // as in Set
	for ; at > 1; at >>= 2 {
		for at&3 != 3 {
			at++
			if k := *(*uint64)(unsafe.Add(base, at*8)); k < bound {
				return int32(k & uint64(t.size-1))
			}
		}
	}
	return leaf
}
