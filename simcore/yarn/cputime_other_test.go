//go:build !unix

package yarn_test

func cpuSeconds() float64 { return 0 }
