package java

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortIsStable: by an order, Sort is any stable sort.
func TestSortIsStable(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		list := make([][2]int, r.IntN(50))
		for i := range list {
			list[i] = [2]int{r.IntN(6), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
		Sort(list, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
		if !slices.Equal(list, want) {
			t.Fatalf("seed %d: %v, want %v", seed, list, want)
		}
	}
}

// TestSortInCircles: items that beat each other in a circle come out as
// java.util.List.sort of JDK 17 leaves them.
func TestSortInCircles(t *testing.T) {
	compare := func(a, b int) int { return [3]int{0, 1, -1}[(a-b+3)%3] }
	for _, c := range [][2][]int{
		{{2, 0, 1, 2, 0}, {2, 0, 1, 2, 0}},
		{{1, 0, 2, 1, 1, 0, 2, 2, 0, 1, 0}, {1, 2, 2, 2, 0, 0, 0, 0, 1, 1, 1}},
		{{2, 1, 0, 2, 1, 0, 0}, {0, 1, 2, 0, 1, 2, 0}},
	} {
		list := slices.Clone(c[0])
		if Sort(list, compare); !slices.Equal(list, c[1]) {
			t.Errorf("%v: %v, want %v", c[0], list, c[1])
		}
	}
}
