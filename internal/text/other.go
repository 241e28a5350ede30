//go:build !unix

package text

// Seconds returns 0: it is not known here.
func Seconds() float64 { return 0 }
