package yarn

import (
	"math/bits"

	"schedtune/simcore"
)

// Of the nodes with room, only the one whose regular heartbeat comes first among
// those that could change anything has that heartbeat in the event tree. When it
// has come, or when the scheduler's state has changed, the next one is chosen; so
// a change costs one heartbeat where limits stop every node, not one of each.
// Nodes with a reservation have all their heartbeats, full nodes none.

// idleNodes are the nodes with room, in the order in which their regular
// heartbeats come round: by phase within the period, then by number. They are
// kept in buckets of phases, each a list in that order.
type idleNodes struct {
	count  int
	shift  uint
	nodes  []nodeState // their phase and after
	first  []int32     // by bucket
	filled []uint64    // bucket has nodes, one bit each
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
	l.first = grow(l.first, buckets)
	l.filled = grow(l.filled, (buckets+63)/64)
	for i := range l.first {
		l.first[i] = -1
	}
}

func (l *idleNodes) has(n int32) bool { return l.nodes[n].phase >= 0 }

func (l *idleNodes) add(n int32, phase simcore.Time) {
	if l.nodes[n].phase >= 0 {
		if l.nodes[n].phase == phase {
			return
		}
		l.remove(n)
	}
	b := int(phase >> l.shift)
	at := &l.first[b]
	for *at >= 0 && (l.nodes[*at].phase < phase || l.nodes[*at].phase == phase && *at < n) {
		at = &l.nodes[*at].after
	}
	l.nodes[n].phase, l.nodes[n].after, *at = phase, *at, n
	l.filled[b>>6] |= 1 << (b & 63)
	l.count++
}

func (l *idleNodes) remove(n int32) {
	if l.nodes[n].phase < 0 {
		return
	}
	b := int(l.nodes[n].phase >> l.shift)
	at := &l.first[b]
	for *at != n {
		at = &l.nodes[*at].after
	}
	*at = l.nodes[n].after
	if l.first[b] < 0 {
		l.filled[b>>6] &^= 1 << (b & 63)
	}
	l.nodes[n].phase = -1
	l.count--
}

// from returns the first node whose phase is later than the given one, or equal
// with a number of at least n; the very first if there is none. The set is not
// empty.
func (l *idleNodes) from(phase simcore.Time, n int32) int32 {
	b := int(phase >> l.shift)
	for i := l.first[b]; i >= 0; i = l.nodes[i].after {
		if l.nodes[i].phase > phase || l.nodes[i].phase == phase && i >= n {
			return i
		}
	}
	return l.bucketFrom(b + 1)
}

// next is the node after n, the very first after the last.
func (l *idleNodes) next(n int32) int32 {
	if i := l.nodes[n].after; i >= 0 {
		return i
	}
	return l.bucketFrom(int(l.nodes[n].phase>>l.shift) + 1)
}

// bucketFrom is the first node of the first bucket with nodes from one on.
func (l *idleNodes) bucketFrom(b int) int32 {
	if b < len(l.first) {
		w := b >> 6
		word := l.filled[w] >> (b & 63) << (b & 63)
		for {
			if word != 0 {
				return l.first[w<<6+bits.TrailingZeros64(word)]
			}
			if w++; w == len(l.filled) {
				break
			}
			word = l.filled[w]
		}
	}
	return l.bucketFrom(0)
}

// sweep gives the first idle node whose heartbeat could change anything that
// heartbeat, and takes it from the one that had it.
func (s *Sim) sweep() {
	n := int32(-1)
	if s.idle.count > 0 && s.hint.Waiting() {
		n = s.firstUseful()
	}
	if n == s.swept {
		return
	}
	if old := s.swept; old >= 0 && !s.nodes[old].lost && !s.nodes[old].dead {
		nd := &s.nodes[old]
		s.tree.Set(s.nodeLeaf(old), min(nd.soonest, nd.fails))
	}
	if s.swept = n; n >= 0 {
		nd := &s.nodes[n]
		nd.beat = s.nextBeat(n)
		if leaf := s.nodeLeaf(n); nd.beat < s.tree.When(leaf) {
			s.tree.Lower(leaf, nd.beat)
		}
		if s.foreseer != nil {
			s.expectBeats(n)
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

// unidle takes a node out of the idle ones.
func (s *Sim) unidle(n int32) {
	s.idle.remove(n)
	if s.swept == n {
		s.swept = -1
	}
}
