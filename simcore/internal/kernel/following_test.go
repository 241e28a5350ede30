package kernel

import (
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// Where leaves have their events at their places in one of the next periods, the
// leaf that follows is the first to the right with one in this period.
func TestFollowingLeaf(t *testing.T) {
	for seed := range uint64(300) {
		k := rng.NewKey(seed, 1)
		n := int32(1 + k.IntN(0, 80))
		tree := newTree(int(n))
		for leaf := range n {
			if period := int32(k.IntN(uint64(leaf)+1, 4)); period < 3 { // else no event
				tree.Set(leaf, simcore.Time(period*n+leaf))
			}
		}
		for leaf := range n {
			want := leaf
			for r := n - 1; r > leaf; r-- {
				if tree.When(r) < simcore.Time(n) {
					want = r
				}
			}
			if got := tree.Following(leaf, simcore.Time(leaf+n)); got != want {
				t.Errorf("seed %d: after leaf %d of %d comes %d, want %d", seed, leaf, n, got, want)
			}
		}
	}
}
