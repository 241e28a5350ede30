package requests

import (
	"cmp"
	"slices"
	"sort"
)

// FindKey returns the index at which the key of a priority and an allocation id is among
// those of an application, or where it would have to be inserted. Keys are sorted by
// priority, then allocation id (SchedulerRequestKey.compareTo); id names one's.
func FindKey[K any](keys []K, priority int32, alloc int64, id func(*K) (priority int32, alloc int64)) (i int,
	found bool) {
	return sort.Find(len(keys), func(i int) int {
		p, a := id(&keys[i])
		return cmp.Or(cmp.Compare(priority, p), cmp.Compare(alloc, a))
	})
}

// InsertKey makes room for a key at index i of the keys of an application. Where the memory
// of an earlier one lies behind the end, the new key is what empty makes of it, so that its
// lists are used again; else it is the zero value.
func InsertKey[K any](keys []K, i int, empty func(spare K) K) []K {
	if len(keys) == cap(keys) {
		var k K
		return slices.Insert(keys, i, k)
	}
	keys = keys[:len(keys)+1]
	spare := keys[len(keys)-1]
	copy(keys[i+1:], keys[i:])
	keys[i] = empty(spare)
	return keys
}
