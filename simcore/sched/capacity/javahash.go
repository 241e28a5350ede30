package capacity

import (
	"cmp"
	"slices"

	"schedtune/internal/javahash"
)

// Some decisions of the original follow the iteration order of Java's hash
// tables. The order is a function of the keys' hash codes, so it can be had
// here too.

// hash is ContainerId.hashCode.
func (c *container) hash() uint32 { return javahash.Container(c.id, c.app.hash) }

// hashOrder sorts containers as a hash table that has held most of them at a
// time is walked: by bucket, and in a bucket by time of entry.
func hashOrder(cs []*container, most, threshold int) []*container {
	size := javahash.TableSize(most, threshold)
	slices.SortFunc(cs, func(a, b *container) int {
		return cmp.Or(cmp.Compare(javahash.Bucket(a.hash(), size), javahash.Bucket(b.hash(), size)), cmp.Compare(a.seq, b.seq))
	})
	return cs
}
