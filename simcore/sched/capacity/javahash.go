package capacity

import "unicode/utf16"

// Some decisions of the original follow the iteration order of Java's hash
// tables. The order is a function of the keys' hash codes, so it can be had
// here too.

// javaHash is String.hashCode.
func javaHash(s string) uint32 {
	var h uint32
	for _, c := range utf16.Encode([]rune(s)) {
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
