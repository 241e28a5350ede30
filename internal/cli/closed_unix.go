//go:build unix

package cli

import (
	"os"
	"syscall"
)

// closedAtStart reports whether a stream is a standard output that was closed when the process
// began: Go's runtime has then opened /dev/null for reading and writing in its place. A parent that
// discards output may do the same, but mostly opens it once for several streams: then it is not
// counted as closed.
func closedAtStart(w any) bool {
	null, err := os.Stat(os.DevNull)
	info, fault := os.Stdout.Stat()
	if w != os.Stdout || err != nil || fault != nil || !os.SameFile(info, null) {
		return false
	}
	flags := fcntl(os.Stdout, syscall.F_GETFL, 0)
	return flags&(syscall.O_ACCMODE|syscall.O_CLOEXEC) == syscall.O_RDWR && !aliasOf(os.Stdin) && !aliasOf(os.Stderr)
}

// aliasOf reports whether a stream was opened together with standard output: then they have their
// flags in common.
func aliasOf(f *os.File) bool {
	own, before := fcntl(os.Stdout, syscall.F_GETFL, 0), fcntl(f, syscall.F_GETFL, 0)
	fcntl(os.Stdout, syscall.F_SETFL, own^syscall.O_APPEND)
	defer fcntl(os.Stdout, syscall.F_SETFL, own)
	return fcntl(f, syscall.F_GETFL, 0) != before
}

// fcntl returns -1 after an error.
func fcntl(f *os.File, command, arg int) int {
	r, _, _ := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), uintptr(command), uintptr(arg))
	return int(r)
}
