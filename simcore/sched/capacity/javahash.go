package capacity

import "schedtune/internal/java"

// Some decisions of the original follow the iteration order of Java's hash
// tables. The order is a function of the keys' hash codes, so it can be had
// here too.

// hash is ContainerId.hashCode.
func (c *container) hash() uint32 { return java.HashContainer(int64(c.id), c.app.hash) }

// hashOrder sorts containers as a hash table that has held most of them at a
// time is walked.
func hashOrder(cs []*container, most, threshold int) []*container {
	java.HashSort(cs, most, threshold, func(c *container) (uint32, uint64) { return c.hash(), c.seq })
	return cs
}
