package yarnfair

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// With an order, a tree set is walked in that order, and no path is longer than
// twice another (red-black trees keep to that).
func TestTreeSetSorts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var want []int
		seen := map[int]bool{}
		for range r.IntN(60) {
			if x := r.IntN(100); !seen[x] {
				seen[x] = true
				want = append(want, x)
			}
		}
		got := treeOrder(want, cmp.Compare[int])
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		var s treeSet[int]
		for i := range 1000 {
			s.put(i, cmp.Compare[int])
		}
		if lo, hi := depths(s.root); hi > 2*lo+1 {
			t.Fatalf("paths of %d to %d members", lo, hi)
		}
	}
}

func depths[T any](m *member[T]) (lo, hi int) {
	if m == nil {
		return 0, 0
	}
	a, b := depths(m.left)
	c, d := depths(m.right)
	return 1 + min(a, c), 1 + max(b, d)
}
