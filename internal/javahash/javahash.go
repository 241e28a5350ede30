// Package javahash knows in which order Java's hash tables are walked. Some
// decisions of Hadoop follow it, so it can be followed too: the order is a
// function of the keys' hash codes and of the size of the table.
package javahash

import (
	"cmp"
	"slices"
	"unicode/utf16"
)

// String is String.hashCode.
func String(s string) uint32 {
	var h uint32
	for _, c := range s {
		if hi, lo := utf16.EncodeRune(c); c > 0xFFFF {
			h, c = 31*h+uint32(hi), lo
		}
		h = 31*h + uint32(c)
	}
	return h
}

// Bucket is the table index of a hash code in a table of size entries, a power
// of two.
func Bucket(hash uint32, size int) uint32 { return (hash ^ hash>>16) & uint32(size-1) }

// TableSize is the size of a table that has held at most n entries; it starts
// with 16 and doubles when it holds more than threshold (12 in a HashMap), which
// doubles with it.
func TableSize(n, threshold int) int {
	size := 16
	for n > threshold {
		size, threshold = 2*size, 2*threshold
	}
	return size
}

// Sort sorts items as a HashMap that has held most of them at a time is walked:
// by bucket, and in a bucket by time of entry. The key tells an item's hash code
// and when it was entered.
func Sort[T any](items []T, most, threshold int, key func(T) (hash uint32, entered uint64)) {
	size := TableSize(most, threshold)
	slices.SortFunc(items, func(a, b T) int {
		ha, ea := key(a)
		hb, eb := key(b)
		return cmp.Or(cmp.Compare(Bucket(ha, size), Bucket(hb, size)), cmp.Compare(ea, eb))
	})
}

// SortBy sorts items in the order of a HashMap whose keys are the strings name
// returns, entered in the order given.
func SortBy[T any](items []T, name func(T) string) {
	size := TableSize(len(items), 12)
	slices.SortStableFunc(items, func(a, b T) int {
		return int(Bucket(String(name(a)), size)) - int(Bucket(String(name(b)), size))
	})
}
