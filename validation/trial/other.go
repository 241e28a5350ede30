//go:build !linux

package trial

import (
	"context"
	"errors"
	"io"
)

// Run returns an error: the trial measures and limits processes as only Linux does.
func Run(context.Context, io.Writer, Options) error {
	return errors.New("the trial runs on Linux only")
}

// Parts returns no names.
func Parts() []string { return nil }
