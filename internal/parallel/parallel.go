// Package parallel does work on several goroutines. A panic of one is one of the caller, with
// the stack of its place.
package parallel

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Each calls f for 0 to n-1, on so many goroutines at most. What f sets must not depend on
// the order. If calls panic, the panic of one is passed on, as a *Panic, when all goroutines
// have ended; no more calls are begun by then.
func Each(workers, n int, f func(i int)) {
	if workers = min(workers, n); workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var failed atomic.Pointer[Panic]
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					failed.Store(Caught(v))
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

// Panic is a panic of another goroutine or coroutine: the value, and the stack of the place,
// which would be lost.
type Panic struct {
	Value any
	Place []byte // as debug.Stack gives it
}

// Error is the value's text.
func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// Stack returns the stack of the place.
func (p *Panic) Stack() []byte { return p.Place }

// Caught is a value that was just recovered, with the stack of the place where it came from:
// that of another goroutine, if the value brings one.
func Caught(v any) *Panic {
	switch p := v.(type) {
	case *Panic:
		return p
	case interface{ Stack() []byte }:
		return &Panic{v, p.Stack()}
	}
	return &Panic{v, debug.Stack()}
}
