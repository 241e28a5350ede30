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

const cacheLine = 64

// isWide tells whether the state of nodes and slots is large enough.
func (s *Sim) isWide() bool {
	size := len(s.nodes)*int(unsafe.Sizeof(nodeState{})) + len(s.slots)*int(unsafe.Sizeof(slotState{}))
	return canPrefetch && size > wideState
}

// lookAhead fetches what the second heartbeat after this node's will need.
func (s *Sim) lookAhead(rank int32) {
	r := s.tree.third(rank)
	if r == None {
		return
	}
	first := uintptr(unsafe.Pointer(&s.slots[s.slotAt[r]]))
	prefetch(uintptr(unsafe.Pointer(&s.nodes[r])), first, first+cacheLine, first+2*cacheLine)
	path, leaf := s.tree.keys, s.tree.size+int(r)
	prefetch(uintptr(unsafe.Pointer(&path[leaf])), uintptr(unsafe.Pointer(&path[leaf>>1])),
		uintptr(unsafe.Pointer(&path[leaf>>2])), uintptr(unsafe.Pointer(&path[leaf>>3])))
}

// third returns the leaf whose event comes after the earliest two, of which the
// first is given; None if there are only two. The second is the earliest of the
// subtrees beside the first's path; the third is either the next of those or
// the earliest beside the second's path within its subtree.
func (t *Tree) third(first int32) int32 {
	a, b := noEvent, noEvent
	one := uintptr(t.size + int(first))
	if int(one) >= len(t.keys) {
		return None
	}
	base := unsafe.Pointer(unsafe.SliceData(t.keys)) // as in put
	for at := one; at > 1; at >>= 1 {
		k := *(*uint64)(unsafe.Add(base, (at^1)*8))
		b = min(b, max(a, k))
		a = min(a, k)
	}
	two := uintptr(t.size + int(a&uint64(t.size-1))) // some leaf, if a is none: then b stays none
	for apart := one ^ two; apart > 1; apart >>= 1 {
		b = min(b, *(*uint64)(unsafe.Add(base, (two^1)*8)))
		two >>= 1
	}
	if b == noEvent {
		return None
	}
	return int32(b & uint64(t.size-1))
}
