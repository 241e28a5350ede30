package java

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// With a comparison that is an order, heap and tree come out sorted; the tree's
// red nodes have black children and each way down has as many black nodes, so
// its height is at most twice the logarithm.
func TestCollections(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		h := PriorityQueue[int]{Compare: cmp.Compare[int]}
		s := TreeSet[int]{Compare: cmp.Compare[int]}
		want := rnd.Perm(n)
		for _, v := range want {
			h.Add(v)
			s.Add(v)
			s.Add(v) // counts once
		}
		slices.Sort(want)
		if got := s.Items(); !slices.Equal(got, want) {
			t.Fatalf("%d: tree %v", n, got)
		}
		blackHeight(t, s.root)
		for _, v := range want {
			if got := h.Remove(); got != v {
				t.Fatalf("%d: heap gave %d, want %d", n, got, v)
			}
		}
	}
}

func blackHeight(t *testing.T, n *node[int]) int {
	t.Helper()
	if n == nil {
		return 1
	}
	for _, c := range [2]*node[int]{n.l, n.r} {
		if c != nil && (c.parent != n || n.red && c.red) {
			t.Fatalf("at %d", n.item)
		}
	}
	l, r := blackHeight(t, n.l), blackHeight(t, n.r)
	if l != r {
		t.Fatalf("at %d: %d and %d black nodes", n.item, l, r)
	}
	if !n.red {
		l++
	}
	return l
}
