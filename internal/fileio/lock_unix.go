//go:build unix && !solaris && !aix

package fileio

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the advisory lock of an open file, which ends with the process,
// however it ends. held is true if another process has it.
func TryLock(f *os.File) (held bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
