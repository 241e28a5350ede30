//go:build unix

package text

import "syscall"

// Seconds returns the process's user and system time, 0 where it is unknown.
func Seconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
