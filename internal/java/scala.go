package java

import "math/bits"

// ScalaBucket returns the bucket of a key in a scala.collection.mutable.HashMap of Scala 2.12 that
// has grown to n entries from its first 16 buckets, whose number seeds the hash for good.
// Iteration goes from the last bucket to the first.
func ScalaBucket(hash uint32, n int) uint32 {
	size := 16
	for n > size*3/4 {
		size *= 2
	}
	h := bits.RotateLeft32(bits.ReverseBytes32(hash*0x9e3775cd)*0x9e3775cd, -4)
	return h >> bits.LeadingZeros32(uint32(size-1))
}
