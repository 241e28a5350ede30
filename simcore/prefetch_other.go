//go:build !amd64

package simcore

import "unsafe"

const canPrefetch = false

func prefetch(_, _, _, _ unsafe.Pointer) {}
