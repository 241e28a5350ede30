// Package kernel holds the parts of both runtimes: the event tree, the execution of attempts on
// shared disks, links and cores, task times, and the recorder of a run's metrics.
package kernel

import (
	"math/bits"
	"schedtune/simcore"
	"unsafe"
)

// Tree is a winner tree over owners of events: every owner (a slot, a node, a
// shared resource, the next arrival) has one leaf that holds the time of its
// next event. The earliest leaf stands at the root; equal times are ordered by
// leaf index, so histories do not depend on the order of insertion.
//
// Every parent has four children, which lie in one line of the cache, but for
// the root of a tree of 2, 8, 32 ... leaves, which has two: half the
// levels of a binary tree, and of a walk's minima only one a level waits for
// the level below.
//
// Setting, re-keying and clearing a leaf are the same O(log n) walk of pure
// minima, without branches that depend on the data and without allocation; a
// withdrawn event leaves nothing behind. A key is one 64-bit word, the time in
// the high bits and the leaf in the low ones, so a tree of n leaves holds
// times below Limit() = 2^(64-ceil(log2 n)) - 1 µs: 203 days for 2^20 leaves,
// 4.4 years for 2^17, capped at Never.
type Tree struct {
	keys  []uint64 // leaf i at size+i; the children of i from 4i on, or 2 and 3 those of the root, 1
	size  int
	shift uint
	up    uint // levels from the leaves to those of Rising, times two
	limit simcore.Time
}

const noEvent = ^uint64(0)

// Reset clears the tree and gives it n leaves, reusing its memory.
func (t *Tree) Reset(n int) {
	t.shift = uint(bits.Len(uint(max(n, 1) - 1)))
	t.size = 1 << t.shift
	t.keys = Zeroed(t.keys, 2*t.size)
	for i := range t.keys {
		t.keys[i] = noEvent
	}
	t.limit = min(simcore.Time(noEvent>>max(t.shift, 2))-1, simcore.Never)
	for t.up = 0; t.size>>t.up >= 4*risingFrom; {
		t.up += 2
	}
}

// risingFrom is the least number of smaller subtrees that Rising tells apart, in
// trees of as many leaves.
const risingFrom = 64

// Limit returns the first time the tree cannot hold.
func (t *Tree) Limit() simcore.Time { return t.limit }

// Set gives the leaf its next event; an earlier one is replaced. Times from
// Limit() on read as Never: the caller checks the horizon of its run.
//
// It writes the leaf and the minima above it. Only the leaf's index is checked:
// keys has an even length, divisible by four but for the smallest trees, so
// siblings lie inside with it, and a parent lies below. Checking every step
// would cost as much as the walk.
func (t *Tree) Set(leaf int32, at simcore.Time) {
	k := noEvent
	if at < t.limit {
		k = uint64(at)<<(t.shift&63) | uint64(leaf)
	}
	keys, i := t.keys, uintptr(t.size+int(leaf))
	keys[i] = k
	base := unsafe.Pointer(unsafe.SliceData(keys))
	for i > 3 {
		k = min(k, siblings(base, i))
		i >>= 2
		*(*uint64)(unsafe.Add(base, i*8)) = k
	}
	if i > 1 { // the root has two children
		keys[1] = min(k, keys[i^1])
	}
}

// Clear withdraws the leaf's event, if it has one.
func (t *Tree) Clear(leaf int32) { t.Set(leaf, simcore.Never) }

// siblings returns the earliest of the other three children of i's parent.
func siblings(base unsafe.Pointer, i uintptr) uint64 {
	k := min(*(*uint64)(unsafe.Add(base, (i^1)*8)), *(*uint64)(unsafe.Add(base, (i^2)*8)))
	return min(k, *(*uint64)(unsafe.Add(base, (i^3)*8)))
}

// Next returns the earliest leaf and its time; ok is false when no leaf has an
// event.
func (t *Tree) Next() (leaf int32, at simcore.Time, ok bool) {
	k := t.keys[1]
	if k == noEvent {
		return -1, simcore.Never, false
	}
	return int32(k & uint64(t.size-1)), simcore.Time(k >> (t.shift & 63)), true
}

// When returns the time of the leaf's event, Never if it has none.
func (t *Tree) When(leaf int32) simcore.Time {
	k := t.keys[t.size+int(leaf)]
	if k == noEvent {
		return simcore.Never
	}
	return simcore.Time(k >> (t.shift & 63))
}

// Following returns the first leaf to the right of the given one with an event
// before the time, the given one if there is none. It takes for granted that
// the times of such leaves ascend, as those of nodes do within a period of
// heartbeats: then the first subtree to the right that has one has it. It is
// mostly near, which makes this a quarter of a search for the next times.
func (t *Tree) Following(leaf int32, until simcore.Time) int32 {
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

// Rising returns the earliest leaf of the subtree that a leaf is in, of 64 to 255
// of the tree, and that of one of 4 to 15: after the leaf's event those are among
// the next, the second sooner, though rarely the very next. A subtree without
// events gives -1.
func (t *Tree) Rising(leaf int32) (late, soon int32) {
	i := (t.size + int(leaf)) >> (t.up & 63)
	return t.leafOf(t.keys[i]), t.leafOf(t.keys[i>>4])
}

// leafOf returns the leaf of a key, -1 for that of no event.
func (t *Tree) leafOf(k uint64) int32 {
	if k == noEvent {
		return -1
	}
	return int32(k & uint64(t.size-1))
}

// Keys returns where the leaf's key and its parent's lie, to be fetched ahead.
func (t *Tree) Keys(leaf int32) (own, parent unsafe.Pointer) {
	i := t.size + int(leaf)
	return unsafe.Pointer(&t.keys[i]), unsafe.Pointer(&t.keys[i>>2])
}
