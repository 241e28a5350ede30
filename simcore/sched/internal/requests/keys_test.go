package requests

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Keys that are found or inserted one by one are those of a set, in order; a key whose
// memory was used before begins empty, with that memory.
func TestKeysAreASortedSet(t *testing.T) {
	type key struct {
		priority int32
		alloc    int64
		rows     []int
	}
	id := func(k *key) (int32, int64) { return k.priority, k.alloc }
	rapid.Check(t, func(t *rapid.T) {
		var keys []key
		model := map[[2]int64]bool{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.IntRange(0, 9).Draw(t, "over") == 0 { // the application is over, its memory another's
				keys = keys[:0]
				clear(model)
			}
			p, a := int32(rapid.IntRange(-1, 3).Draw(t, "priority")), int64(rapid.IntRange(-1, 2).Draw(t, "allocation id"))
			i, found := FindKey(keys, p, a, id)
			if found != model[[2]int64{int64(p), a}] {
				t.Fatalf("key %d, %d found: %v among %v", p, a, found, keys)
			}
			if !found {
				keys = InsertKey(keys, i, func(spare key) key { return key{rows: spare.rows[:0]} })
				if k := &keys[i]; len(k.rows) > 0 {
					t.Fatalf("a new key has %v", k.rows)
				}
				keys[i].priority, keys[i].alloc, keys[i].rows = p, a, append(keys[i].rows, len(model))
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
