package yarn

import (
	"math"
	"math/bits"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Which regular heartbeats of nodes are simulated.
//
// Left out: all but those of nodes with a reservation, and of the nodes with room that of
// one at a time: of the node whose heartbeat comes first among those that could change
// anything. When it has come, or when the scheduler's state has changed, the next one is
// chosen (chooseIdle); so a change costs one heartbeat where limits stop every node, not
// one of each.
//
// Why the history is the same:
//
//  1. A heartbeat for which Scheduler.Pending is false changes nothing; that is what
//     Pending promises. Hinter.Waiting says cheaply that it is false for all nodes without
//     a reservation.
//  2. The first heartbeat that could change anything is simulated at its time. Those
//     before it are of nodes for which Pending is false now, and stay so, since nothing
//     changes before it: else chooseIdle is called again (wakeNodes, after whatever changes
//     the scheduler's state).
//  3. A full node has room again only after something on it has ended, which its own
//     heartbeat tells, or when freed or widen says so.
//  4. Regular heartbeats come on a grid from the last one that was simulated (nextBeat),
//     whether those between were or not: reports at once (report) begin a new grid, as in a
//     NodeManager.
//
// Runs whose heartbeats are recorded, and schedulers that give no hints, ask every node
// instead (wakeEach); RunConfig.Eager leaves nothing out. The tests TestLazyEqualsEager…
// compare histories with those of runs that make every heartbeat.

// idleNodes are the nodes with room, in the order in which their regular heartbeats come round: by
// phase within the period, then by number. They are kept in buckets of phases, each a sorted list:
// nodes on which tasks end together have one phase from then on, and may be all in one bucket.
type idleNodes struct {
	count   int         // nodes in the set
	shift   uint        // a phase's bucket is the phase without so many bits
	nodes   []nodeState // all nodes: their phase is the set's
	buckets [][]int64   // keys, ascending
	filled  []uint64    // bucket has nodes, one bit each
}

// idleKey is a node's place in the order. A period is at most an hour, less than 2^32 µs.
func idleKey(phase simcore.Time, n int32) int64 { return int64(phase)<<31 | int64(n) }

// reset prepares an empty set for nodes, whose phase is -1, with heartbeats at a
// period.
func (l *idleNodes) reset(nodes []nodeState, period simcore.Time) {
	l.nodes, l.count, l.shift = nodes, 0, 0
	for int(period>>l.shift) >= len(nodes)+64 {
		l.shift++
	}
	n := int(period>>l.shift) + 1
	for i := range l.buckets {
		l.buckets[i] = l.buckets[i][:0]
	}
	for len(l.buckets) < n {
		l.buckets = append(l.buckets, nil)
	}
	l.filled = kernel.Zeroed(l.filled, (len(l.buckets)+63)/64)
}

// has reports whether a node is in the set.
func (l *idleNodes) has(n int32) bool { return l.nodes[n].phase >= 0 }

// find returns the bucket of a place in the order, and where in it the first node from there on is.
func (l *idleNodes) find(phase simcore.Time, n int32) (bucket, at int) {
	bucket = int(phase >> l.shift)
	key, list := idleKey(phase, n), l.buckets[bucket]
	for to := len(list); at < to; {
		if mid := (at + to) / 2; list[mid] < key {
			at = mid + 1
		} else {
			to = mid
		}
	}
	return bucket, at
}

// add puts a node with a phase into the set, or moves it there.
func (l *idleNodes) add(n int32, phase simcore.Time) {
	if l.nodes[n].phase == phase {
		return
	}
	l.remove(n)
	b, at := l.find(phase, n)
	l.buckets[b] = slices.Insert(l.buckets[b], at, idleKey(phase, n))
	l.filled[b>>6] |= 1 << (b & 63)
	l.nodes[n].phase = phase
	l.count++
}

// remove takes a node out, if it is in the set.
func (l *idleNodes) remove(n int32) {
	nd := &l.nodes[n]
	if nd.phase < 0 {
		return
	}
	b, at := l.find(nd.phase, n)
	if l.buckets[b] = slices.Delete(l.buckets[b], at, at+1); len(l.buckets[b]) == 0 {
		l.filled[b>>6] &^= 1 << (b & 63)
	}
	nd.phase = -1
	l.count--
}

// from returns the first node whose phase is later than the given one, or equal
// with a number of at least n; the very first if there is none. The set is not
// empty.
func (l *idleNodes) from(phase simcore.Time, n int32) int32 {
	b, at := l.find(phase, n)
	if at < len(l.buckets[b]) {
		return int32(l.buckets[b][at] & math.MaxInt32)
	}
	b++
	for w, mask := b>>6, ^uint64(0)<<(b&63); ; w, mask = w+1, ^uint64(0) {
		if w == len(l.filled) {
			w = 0
		}
		if word := l.filled[w] & mask; word != 0 {
			return int32(l.buckets[w<<6+bits.TrailingZeros64(word)][0] & math.MaxInt32)
		}
	}
}

// next is the node after n, the very first after the last.
func (l *idleNodes) next(n int32) int32 {
	return l.from(l.nodes[n].phase, n+1)
}

// chooseIdle gives the first idle node whose heartbeat could change anything that heartbeat,
// and takes it from the one that had it.
func (s *Sim) chooseIdle() {
	n := int32(-1)
	if s.idle.count > 0 && s.hinter.Waiting() {
		n = s.firstUseful()
	}
	if n == s.chosenIdle {
		return
	}
	if old := s.chosenIdle; old >= 0 && !s.nodes[old].lost && !s.nodes[old].dead {
		s.tree.Set(s.nodeLeaf(old), s.nodes[old].soonest)
	}
	if s.chosenIdle = n; n >= 0 {
		nd := &s.nodes[n]
		nd.beat = s.nextBeat(n)
		if leaf := s.nodeLeaf(n); nd.beat < s.tree.When(leaf) {
			s.tree.Set(leaf, nd.beat)
		}
		if s.prefetcher != nil {
			s.prefetchBeats(n)
		}
	}
}

// firstUseful is the first idle node from now on for which Pending holds, -1 if
// there is none.
func (s *Sim) firstUseful() int32 {
	// A node whose leaf comes after the event at hand may still have its
	// heartbeat at this instant.
	start := s.idle.from(s.now%s.nodePeriod, max(0, s.leaf-s.firstNode+1))
	for n := start; ; {
		if s.sched.Pending(s.nodes[n].id) {
			return n
		}
		if n = s.idle.next(n); n == start {
			return -1
		}
	}
}

// unidle takes a node out of the idle ones, if it is one.
func (s *Sim) unidle(n int32) {
	s.idle.remove(n)
	if s.chosenIdle == n {
		s.chosenIdle = -1
	}
}
