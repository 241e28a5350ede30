package text

import (
	"syscall"
	"time"
	"unsafe"
)

// clockThread is CLOCK_THREAD_CPUTIME_ID (clock_gettime(2)).
const clockThread = 3

// Thread returns the processor time of the calling thread: other processes, other
// goroutines and the collector's own threads do not count. The caller has locked its
// goroutine to the thread.
func Thread() time.Duration {
	var ts syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		return time.Since(began)
	}
	return time.Duration(ts.Nano())
}

var began = time.Now()
