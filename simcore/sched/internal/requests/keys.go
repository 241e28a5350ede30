package requests

import (
	"cmp"
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
