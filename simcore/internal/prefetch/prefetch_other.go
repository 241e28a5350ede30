//go:build !amd64

package prefetch

import "unsafe"

// Works tells whether the functions of this package do anything.
const Works = false

// Lines fetches the lines of the cache at the addresses and does not wait for
// them, where the processor has an instruction for that.
func Lines(_, _, _, _ unsafe.Pointer) {}
