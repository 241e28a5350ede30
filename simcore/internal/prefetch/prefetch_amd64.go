package prefetch

import "unsafe"

// Works tells whether the functions of this package do anything.
const Works = true

// Lines fetches the lines of the cache at the addresses and does not wait for
// them. Addresses that are not mapped, nil too, are harmless.
//
//go:noescape
func Lines(a, b, c, d unsafe.Pointer)
