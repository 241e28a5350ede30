package requests

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Keys that are inserted where FindKey says are those of a set, in order.
func TestKeysAreASortedSet(t *testing.T) {
	type key struct {
		priority int32
		alloc    int64
	}
	id := func(k *key) (int32, int64) { return k.priority, k.alloc }
	rapid.Check(t, func(t *rapid.T) {
		var keys []key
		model := map[[2]int64]bool{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			p, a := int32(rapid.IntRange(-1, 3).Draw(t, "priority")), int64(rapid.IntRange(-1, 2).Draw(t, "allocation id"))
			i, found := FindKey(keys, p, a, id)
			if found != model[[2]int64{int64(p), a}] {
				t.Fatalf("key %d, %d found: %v among %v", p, a, found, keys)
			}
			if !found {
				keys = slices.Insert(keys, i, key{p, a})
				model[[2]int64{int64(p), a}] = true
			}
			if len(keys) != len(model) || !slices.IsSortedFunc(keys, func(x, y key) int {
				return cmp.Or(cmp.Compare(x.priority, y.priority), cmp.Compare(x.alloc, y.alloc))
			}) {
				t.Fatalf("%d keys, want %d in order: %v", len(keys), len(model), keys)
			}
		}
	})
}
