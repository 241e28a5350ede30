package kernel

import "slices"

// Lists that are kept sorted. Where compare is a complete order, so that no two elements are
// equal, any way of sorting gives the same list.

// Insert puts an element at its place in a sorted list.
func Insert[T any](list []T, x T, compare func(a, b T) int) []T {
	at, _ := slices.BinarySearchFunc(list, x, compare)
	return slices.Insert(list, at, x)
}

// Remove takes an element, if it is there, out of a list and keeps the order.
func Remove[T comparable](list []T, x T) []T {
	if i := slices.Index(list, x); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// Move puts the element at an index at its place in a list that is sorted but for it.
func Move[T any](list []T, at int, compare func(a, b T) int) {
	x := list[at]
	switch {
	case at+1 < len(list) && compare(list[at+1], x) < 0: // back
		n, _ := slices.BinarySearchFunc(list[at+2:], x, compare)
		copy(list[at:], list[at+1:at+2+n])
		list[at+1+n] = x
	case at > 0 && compare(x, list[at-1]) < 0: // forward
		to, _ := slices.BinarySearchFunc(list[:at-1], x, compare)
		copy(list[to+1:at+1], list[to:at])
		list[to] = x
	}
}
