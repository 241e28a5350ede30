//go:build unix

package cli

import (
	"os"
	"syscall"
)

// closedAtStart reports whether a stream is a standard output that was closed when the process
// began: Go's runtime has then opened /dev/null for reading and writing in its place. A parent that
// discards output may do the same, but mostly with standard input or standard error as well: then
// it is not counted as closed.
func closedAtStart(w any) bool {
	null, err := os.Stat(os.DevNull)
	if w != os.Stdout || err != nil {
		return false
	}
	is := func(f *os.File) bool {
		info, err := f.Stat()
		return err == nil && os.SameFile(info, null)
	}
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, os.Stdout.Fd(), syscall.F_GETFL, 0)
	return errno == 0 && flags&(syscall.O_ACCMODE|syscall.O_CLOEXEC) == syscall.O_RDWR && is(os.Stdout) &&
		!is(os.Stdin) && !is(os.Stderr)
}
