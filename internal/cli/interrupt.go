package cli

import (
	"context"

	"schedtune/internal/parallel"
)

// Interruptible returns ErrInterrupted as soon as the context ends, without waiting for
// the work under way, which knows no interruption and must have written nothing by then. A
// panic of the work is one of the caller.
func Interruptible[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type answer struct {
		value  T
		err    error
		failed *parallel.Panic
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if v := recover(); v != nil {
				a.failed = parallel.Caught(v)
			}
			done <- a
		}()
		a.value, a.err = work()
	}()
	select {
	case a := <-done:
		if a.failed != nil {
			panic(a.failed)
		}
		if ctx.Err() != nil {
			a.err = ErrInterrupted
		}
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ErrInterrupted
	}
}
