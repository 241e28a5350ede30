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

// ending is cli.Interruptible without a value.
func ending(ctx context.Context, f func() error) error {
	_, err := cli.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, f() })
	return err
}
