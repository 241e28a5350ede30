package main

import (
	"context"

	"schedtune/internal/cli"
)

// interrupted is the error of work that ended: cli.ErrInterrupted if the context did.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cli.ErrInterrupted
	}
	return err
}

// ending is interruptible without a value.
func ending(ctx context.Context, f func() error) error {
	_, err := interruptible(ctx, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// interruptible returns cli.ErrInterrupted as soon as the context ends, without
// waiting for the simulation under way, which knows no interruption. Nothing
// has been written by then.
func interruptible[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		v, err := f()
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		if ctx.Err() != nil {
			a.err = cli.ErrInterrupted
		}
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, cli.ErrInterrupted
	}
}
