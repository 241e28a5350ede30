package cli

import (
	"context"
	"errors"
	"testing"
)

// Work that knows no interruption is left when the context ends; a panic of it is one of
// the caller, with its stack.
func TestInterruptible(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	if v, err := Interruptible(ctx, func() (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Error(v, err)
	}
	func() {
		defer func() {
			if p, ok := recover().(interface{ Stack() []byte }); !ok || len(p.Stack()) == 0 {
				t.Errorf("no panic with a stack: %v", p)
			}
		}()
		_, _ = Interruptible(ctx, func() (int, error) { panic("here") })
	}()
	hold := make(chan struct{})
	defer close(hold)
	begun := make(chan struct{})
	go func() { <-begun; stop() }()
	if _, err := Interruptible(ctx, func() (int, error) { close(begun); <-hold; return 0, nil }); !errors.Is(err,
		ErrInterrupted) {
		t.Error(err)
	}
}
