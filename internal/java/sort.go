package java

import (
	"slices"
	"sort"
)

// shortSort is the length below which Java sorts a list of objects by binary
// insertion.
const shortSort = 32

// Sort is java.util.List.sort: stable. Where compare is no order the outcome is
// Java's for lists of less than 32 items; longer ones, which Java merges from
// runs, are sorted stably all the same.
func Sort[T any](list []T, compare func(a, b T) int) {
	if len(list) < 2 {
		return
	}
	if len(list) >= shortSort {
		slices.SortStableFunc(list, compare)
		return
	}
	for i := firstRun(list, compare); i < len(list); i++ {
		x := list[i]
		at := sort.Search(i, func(k int) bool { return compare(x, list[k]) < 0 })
		copy(list[at+1:i+1], list[at:i])
		list[at] = x
	}
}

// firstRun is the length of the ascending run that the list begins with. A
// strictly descending one is reversed.
func firstRun[T any](list []T, compare func(a, b T) int) int {
	n := 2
	if compare(list[1], list[0]) < 0 {
		for n < len(list) && compare(list[n], list[n-1]) < 0 {
			n++
		}
		slices.Reverse(list[:n])
		return n
	}
	for n < len(list) && compare(list[n], list[n-1]) >= 0 {
		n++
	}
	return n
}
