package tune

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// inParallel calls f for 0 to n-1, on so many threads at most. What f sets must not depend on
// the order. If calls panic, the panic of one is passed on when all threads have ended.
func inParallel(threads, n int, f func(i int)) {
	if threads = min(threads, n); threads <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var failed atomic.Pointer[Panic]
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					failed.Store(panicOf(v))
				}
			}()
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
	if p := failed.Load(); p != nil {
		panic(p)
	}
}

// panicOf is a recovered value with the stack of its place, where it has none yet.
func panicOf(v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p
	}
	return &Panic{v, debug.Stack()}
}
