package yarn

import (
	"math/bits"

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

// idleNodes are the nodes with room, in the order in which their regular
// heartbeats come round: by phase within the period, then by number. They are
// kept in buckets of phases, each a search tree in that order: nodes on which tasks end
// together have one phase from then on, and may be all in one bucket. It is a treap
// (R. Seidel and C. Aragon, "Randomized Search Trees", Algorithmica 16, 1996) whose
// priorities are a hash of the node's number.
type idleNodes struct {
	count  int         // nodes in the set
	shift  uint        // a phase's bucket is the phase without so many bits
	nodes  []nodeState // all nodes: their phase, less and more are the set's
	first  []int32     // root of the tree by bucket, -1 = none
	filled []uint64    // bucket has nodes, one bit each
	shared []uint64    // bucket may have several
}

// reset prepares an empty set for nodes, whose phase is -1, with heartbeats at a
// period.
func (l *idleNodes) reset(nodes []nodeState, period simcore.Time) {
	n := len(nodes)
	l.nodes, l.count, l.shift = nodes, 0, 0
	for int(period>>l.shift) >= 2*n+64 {
		l.shift++
	}
	buckets := int(period>>l.shift) + 1
	l.first = kernel.Zeroed(l.first, buckets)
	l.filled, l.shared = kernel.Zeroed(l.filled, (buckets+63)/64), kernel.Zeroed(l.shared, (buckets+63)/64)
	for i := range l.first {
		l.first[i] = -1
	}
}

// has reports whether a node is in the set.
func (l *idleNodes) has(n int32) bool { return l.nodes[n].phase >= 0 }

// add puts a node with a phase into the set, or moves it there.
func (l *idleNodes) add(n int32, phase simcore.Time) {
	if l.nodes[n].phase >= 0 {
		if l.nodes[n].phase == phase {
			return
		}
		l.remove(n)
	}
	b := int(phase >> l.shift)
	nd := &l.nodes[n]
	nd.phase = phase
	at := &l.first[b]
	if *at >= 0 {
		l.shared[b>>6] |= 1 << (b & 63)
	}
	for *at >= 0 && idlePriority(*at) > idlePriority(n) {
		at = l.side(*at, phase, n)
	}
	t, less, more := *at, &nd.less, &nd.more
	for *at = n; t >= 0; { // what was below is split
		if o := &l.nodes[t]; o.phase < phase || o.phase == phase && t < n {
			*less, less, t = t, &o.more, o.more
		} else {
			*more, more, t = t, &o.less, o.less
		}
	}
	*less, *more = -1, -1
	l.filled[b>>6] |= 1 << (b & 63)
	l.count++
}

// remove takes a node out, if it is in the set.
func (l *idleNodes) remove(n int32) {
	nd := &l.nodes[n]
	if nd.phase < 0 {
		return
	}
	b := int(nd.phase >> l.shift)
	at := &l.first[b]
	for *at != n {
		at = l.side(*at, nd.phase, n)
	}
	less, more := nd.less, nd.more
	for less >= 0 && more >= 0 { // what was below is joined
		if idlePriority(less) > idlePriority(more) {
			*at, at, less = less, &l.nodes[less].more, l.nodes[less].more
		} else {
			*at, at, more = more, &l.nodes[more].less, l.nodes[more].less
		}
	}
	if *at = less; less < 0 {
		*at = more
	}
	if l.first[b] < 0 {
		l.filled[b>>6] &^= 1 << (b & 63)
		l.shared[b>>6] &^= 1 << (b & 63)
	}
	l.nodes[n].phase = -1
	l.count--
}

// from returns the first node whose phase is later than the given one, or equal
// with a number of at least n; the very first if there is none. The set is not
// empty.
func (l *idleNodes) from(phase simcore.Time, n int32) int32 {
	b := int(phase >> l.shift)
	found := int32(-1)
	for i := l.first[b]; i >= 0; {
		if nd := &l.nodes[i]; nd.phase > phase || nd.phase == phase && i >= n {
			found, i = i, nd.less
		} else {
			i = nd.more
		}
	}
	if found >= 0 {
		return found
	}
	return l.bucketFrom(b + 1)
}

// next is the node after n, the very first after the last.
func (l *idleNodes) next(n int32) int32 {
	return l.from(l.nodes[n].phase, n+1)
}

// side is the link to the part of the tree below node i where a node with a phase is.
func (l *idleNodes) side(i int32, phase simcore.Time, n int32) *int32 {
	if nd := &l.nodes[i]; nd.phase > phase || nd.phase == phase && i > n {
		return &nd.less
	} else {
		return &nd.more
	}
}

// leastIn is the first node of a bucket with nodes. The state of the only one is not
// looked at: it may have to come from memory.
func (l *idleNodes) leastIn(b int) int32 {
	i := l.first[b]
	if l.shared[b>>6]>>(b&63)&1 != 0 {
		for l.nodes[i].less >= 0 {
			i = l.nodes[i].less
		}
	}
	return i
}

// idlePriority is a node's priority in the tree of its bucket; no two have the same.
func idlePriority(n int32) uint32 {
	x := uint32(n) * 0x9e3779b1
	x ^= x >> 15
	return x * 0x85ebca6b
}

// bucketFrom is the first node of the first bucket with nodes from one on.
func (l *idleNodes) bucketFrom(b int) int32 {
	if b < len(l.first) {
		w := b >> 6
		word := l.filled[w] >> (b & 63) << (b & 63)
		for {
			if word != 0 {
				return l.leastIn(w<<6 + bits.TrailingZeros64(word))
			}
			if w++; w == len(l.filled) {
				break
			}
			word = l.filled[w]
		}
	}
	return l.bucketFrom(0)
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
			s.tree.Lower(leaf, nd.beat)
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
