//go:build !unix

package simcore_test

func cpuSeconds() float64 { return 0 }
