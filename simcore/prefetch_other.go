//go:build !amd64

package simcore

const canPrefetch = false

func prefetch(_, _, _, _ uintptr) {}
