package scenario

import (
	"strings"
)

// FlagError is a mistake in a flag's value that only the inputs show.
type FlagError struct {
	Flag string
	Err  error
}

func (e *FlagError) Error() string {
	return e.Flag + ": " + strings.TrimPrefix(e.Err.Error(), "tune: ") // the library's name is the program's too
}
func (e *FlagError) Unwrap() error { return e.Err }

// IsUsage marks a mistake on the command line.
func (e *FlagError) IsUsage() {}

// HintError is an error with a line of advice.
type HintError struct {
	Err    error
	Advice string
}

func (e *HintError) Error() string { return e.Err.Error() }
func (e *HintError) Unwrap() error { return e.Err }

// Hint says how to go on.
func (e *HintError) Hint() string { return e.Advice }
