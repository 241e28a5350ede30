package mr1

import (
	"cmp"
	"math/bits"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// idleRing knows which nodes have free slots and when their next heartbeats
// come. All nodes share one period, so their heartbeats repeat in the order of
// their phases; the next useful one is the next set bit, and heartbeats nobody
// could use are never simulated.
type idleRing struct {
	period simcore.Time
	phase  []simcore.Time   // by rank, ascending
	node   []simcore.NodeID // by rank
	rank   []int32          // by node
	free   [2]rankSet       // nodes with a free slot, by pool of slots
	all    rankSet          // every node
}

func (r *idleRing) reset(period simcore.Time, nodes int, seed uint64) {
	r.period = period
	r.phase, r.rank = kernel.Zeroed(r.phase, nodes), kernel.Zeroed(r.rank, nodes)
	r.node = kernel.Zeroed(r.node, nodes)
	key, at := rng.NewKey(seed, kernel.PurposePhase), make([]simcore.Time, nodes)
	for n := range at {
		at[n] = simcore.Time(key.IntN(uint64(n), int(period)))
		r.node[n] = simcore.NodeID(n)
	}
	slices.SortStableFunc(r.node, func(a, b simcore.NodeID) int { return cmp.Compare(at[a], at[b]) })
	for i, n := range r.node {
		r.phase[i], r.rank[n] = at[n], int32(i)
	}
	r.free[0].reset(nodes)
	r.free[1].reset(nodes)
	r.all.reset(nodes)
	for i := range nodes {
		r.all.set(int32(i))
	}
}

// rankAt returns the first rank whose phase is at or after t's place in its
// period, and the start of that period; the rank may be len(phase).
func (r *idleRing) rankAt(t simcore.Time) (int32, simcore.Time) {
	in := t % r.period
	i, _ := slices.BinarySearch(r.phase, in)
	return int32(i), t - in
}

// next returns the first rank from the given one, in cyclic order, that is in
// one of the sets chosen by mask (bit 0 and 1: free pools, bit 2: all), and
// whether the search wrapped; -1 if there is none.
func (r *idleRing) next(from int32, mask uint8) (rank int32, wrapped bool) {
	if i := r.scan(from, mask); i >= 0 {
		return i, false
	}
	return r.scan(0, mask), true
}

func (r *idleRing) scan(from int32, mask uint8) int32 {
	if mask&4 != 0 {
		return r.all.next(from)
	}
	best := int32(-1)
	for p := range 2 {
		if mask>>p&1 == 0 {
			continue
		}
		if i := r.free[p].next(from); i >= 0 && (best < 0 || i < best) {
			best = i
		}
	}
	return best
}

// rankSet is a set of ranks as bits in two levels.
type rankSet struct {
	word, sum []uint64
	count     int
}

func (b *rankSet) reset(n int) {
	b.word = kernel.Zeroed(b.word, n/64+1)
	b.sum = kernel.Zeroed(b.sum, n/4096+1)
	b.count = 0
}

// set adds rank i and reports whether it was missing.
func (b *rankSet) set(i int32) bool {
	w, m := &b.word[i>>6], uint64(1)<<(i&63)
	if *w&m != 0 {
		return false
	}
	*w |= m
	b.sum[i>>12] |= 1 << (i >> 6 & 63)
	b.count++
	return true
}

// unset removes rank i and reports whether it was there.
func (b *rankSet) unset(i int32) bool {
	w, m := &b.word[i>>6], uint64(1)<<(i&63)
	if *w&m == 0 {
		return false
	}
	*w &^= m
	if *w == 0 {
		b.sum[i>>12] &^= 1 << (i >> 6 & 63)
	}
	b.count--
	return true
}

// next returns the first rank of the set from i on, -1 if there is none.
func (b *rankSet) next(i int32) int32 {
	w := i >> 6
	if int(w) >= len(b.word) {
		return -1
	}
	if m := b.word[w] &^ (1<<(i&63) - 1); m != 0 {
		return w<<6 + int32(bits.TrailingZeros64(m))
	}
	w++
	s := w >> 6
	if int(s) >= len(b.sum) {
		return -1
	}
	m := b.sum[s] &^ (1<<(w&63) - 1)
	for m == 0 {
		if s++; int(s) >= len(b.sum) {
			return -1
		}
		m = b.sum[s]
	}
	w = s<<6 + int32(bits.TrailingZeros64(m))
	return w<<6 + int32(bits.TrailingZeros64(b.word[w]))
}
