package mr1

import "unsafe"

const canPrefetch = true

// prefetch asks the processor to fetch a line of the cache at each of the
// addresses, three lines of the slots, and does not wait for them. Addresses
// that are not mapped are harmless. The language has no such instruction, and a
// load in its place would wait.
//
//go:noescape
func prefetch(node, slots, leaf, parent unsafe.Pointer)
