package kernel

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// A list in which single elements are inserted, moved and removed is that which sorting makes.
func TestSortedLists(t *testing.T) {
	type item struct{ rank, id int }
	compare := func(a, b *item) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id)) }
	r := rand.New(rand.NewPCG(1, 2))
	var list []*item
	for step := range 2000 {
		before := slices.Clone(list)
		switch n := r.IntN(5); {
		case n == 0 || len(list) == 0:
			x := &item{r.IntN(20), step}
			list, before = Insert(list, x, compare), append(before, x)
		case n == 1 && len(list) > 3:
			x := list[r.IntN(len(list))]
			list, before = Remove(list, x), slices.DeleteFunc(before, func(y *item) bool { return x == y })
			if got := Remove(list, x); len(got) != len(list) {
				t.Fatalf("step %d: removing what is not there left %d of %d elements", step, len(got), len(list))
			}
		default:
			at := r.IntN(len(list))
			list[at].rank = r.IntN(20)
			Move(list, at, compare)
		}
		slices.SortFunc(before, compare)
		if !slices.Equal(list, before) {
			t.Fatalf("step %d: %v, sorted %v", step, list, before)
		}
	}
}
