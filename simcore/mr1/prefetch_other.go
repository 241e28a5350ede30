//go:build !amd64

package mr1

import "unsafe"

const canPrefetch = false

func prefetch(_, _, _, _ unsafe.Pointer) {}
