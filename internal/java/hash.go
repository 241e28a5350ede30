// Package java repeats what decisions of Hadoop follow of Java's collections: hash codes
// and the order in which hash tables are walked, which is a function of the keys' codes
// and of the size of the table; sorted sets, priority queues and sorts, step by step, for
// orders that are none.
package java

import (
	"cmp"
	"slices"
	"unicode/utf16"
)

// HashString is String.hashCode.
func HashString(s string) uint32 {
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

// TableSize returns the size of a HashMap that has held at most n entries: it starts with 16
// and doubles when more than three quarters are used.
func TableSize(n int) int {
	size := 16
	for 4*n > 3*size {
		size *= 2
	}
	return size
}

// SortByHash sorts items in the order in which a hash table of a size iterates over them:
// by bucket, and in a bucket as given.
func SortByHash[T any](items []T, size int, hash func(T) uint32) {
	slices.SortStableFunc(items, func(a, b T) int { return cmp.Compare(Bucket(hash(a), size), Bucket(hash(b), size)) })
}

// HashSort sorts items in the order in which a HashMap that has held most of them at a time
// iterates over them: by bucket, and in a bucket by time of entry. key returns an item's
// hash code and the time of entry.
func HashSort[T any](items []T, most int, key func(T) (hash uint32, entered uint64)) {
	size := TableSize(most)
	slices.SortFunc(items, func(a, b T) int {
		ha, ea := key(a)
		hb, eb := key(b)
		return cmp.Or(cmp.Compare(Bucket(ha, size), Bucket(hb, size)), cmp.Compare(ea, eb))
	})
}

// HashSortBy sorts items in the order of a HashMap whose keys are the strings that name
// returns, entered in the order given.
func HashSortBy[T any](items []T, name func(T) string) {
	SortByHash(items, TableSize(len(items)), func(t T) uint32 { return HashString(name(t)) })
}
