package simcore

import (
	"slices"
	"testing"

	"schedtune/internal/rng"
)

// The third event of a tree is the third of a sorted list of its events.
func TestThirdLeaf(t *testing.T) {
	for seed := range uint64(300) {
		k := rng.NewKey(seed, 1)
		n := 1 + k.IntN(0, 40)
		tree, keys := NewTree(n), []uint64{}
		for leaf := range n {
			if k.IntN(uint64(3*leaf+1), 3) == 0 {
				continue // no event
			}
			at := Time(k.IntN(uint64(3*leaf+2), 20)) // equal times are frequent
			tree.Set(int32(leaf), at)
			keys = append(keys, uint64(at)<<tree.shift|uint64(leaf))
		}
		slices.Sort(keys)
		first, _, ok := tree.Next()
		if !ok {
			continue
		}
		want := int32(None)
		if len(keys) > 2 {
			want = int32(keys[2] & uint64(tree.size-1))
		}
		if got := tree.third(first); got != want {
			t.Errorf("seed %d: third of %d events is leaf %d, want %d", seed, len(keys), got, want)
		}
	}
}
