package cli

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Interruptible returns ErrInterrupted as soon as the context ends, without waiting for
// the work under way, which knows no interruption and must have written nothing by then. A
// panic of the work is one of the caller.
func Interruptible[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type answer struct {
		value  T
		err    error
		failed *panicked
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if v := recover(); v != nil {
				a.failed = &panicked{v, stackOf(v)}
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

// panicked is a panic of another goroutine.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprint(p.value) }

// Stack returns the stack of the place.
func (p *panicked) Stack() []byte { return p.stack }

// stackOf is the stack of the place where a value that was just recovered came from: that of
// another goroutine or coroutine, if the value brings one.
func stackOf(recovered any) []byte {
	if p, ok := recovered.(interface{ Stack() []byte }); ok {
		return p.Stack()
	}
	return debug.Stack()
}
