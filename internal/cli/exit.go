package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"schedtune/internal/parallel"
	"schedtune/internal/text"
)

// Exit codes.
const (
	ExitOK             = 0   // done, "not recommended" included
	ExitFailure        = 1   // the work could not be done
	ExitUsage          = 2   // the command line is wrong
	ExitNotRecommended = 3   // nothing is recommended: tune --fail-if-not-recommended, tune apply
	ExitGate           = 4   // a gate is not passed: tune compare --max-worse
	ExitFindings       = 5   // done, and something is found wrong: tune check, verify, apply, pull
	ExitChanges        = 6   // with --detailed-exitcode: there are changes to make, or they were made
	ExitInterrupted    = 130 // stopped by a signal, with the best so far written
)

// ExitCode is an exit code with its meaning for all commands.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes lists the exit codes, ascending.
func ExitCodes() []ExitCode {
	return []ExitCode{{ExitOK, "done"}, {ExitFailure, "failure: the work could not be done"},
		{ExitUsage, "invalid command line"}, {ExitNotRecommended, "nothing is recommended"},
		{ExitGate, "a limit of --max-worse is not kept, or not shown to be kept"},
		{ExitFindings, "done, and something was found wrong"},
		{ExitChanges, "there are changes to make, or were, with --detailed-exitcode"},
		{ExitInterrupted, "interrupted (SIGINT, SIGTERM, SIGHUP)"}}
}

// ErrorDocument is the document of a command that ended without its own.
type ErrorDocument struct {
	Schema string  `json:"schema"`
	Error  string  `json:"error"` // the lines of standard error
	File   *string `json:"file"`  // in which the error is
	Line   *int64  `json:"line"`  // of the file, from 1
	Hint   *string `json:"hint"`  // what to do
	Exit   int     `json:"exit"`  // code of the process
}

// report prints an error, with --json as an object too unless the command has printed its own,
// and returns the exit code.
func (e *Env) report(err error, path string, out *resultWriter) int {
	if err == nil {
		return ExitOK
	}
	doc := ErrorDocument{Schema: text.SchemaError, Error: "interrupted", Exit: ExitFailure}
	var exit *ExitError
	var usage interface{ IsUsage() }
	var hint Hinter
	switch {
	case errors.As(err, &exit):
		doc.Exit = exit.Code
	case errors.As(err, &usage):
		doc.Exit = ExitUsage
	}
	if exit == nil {
		lines := strings.Split(strings.TrimRight(err.Error(), "\n"), "\n")
		for i, line := range lines {
			lines[i] = clean(strings.TrimPrefix(line, e.Name+": ")) // a package may have the program's name
			fmt.Fprintf(e.Stderr, "%s: %s\n", e.Name, lines[i])
		}
		doc.Error = strings.Join(lines, "\n")
		if errors.As(err, &hint) && hint.Hint() != "" {
			doc.hint(e, clean(hint.Hint()))
		}
	}
	if usage != nil {
		doc.hint(e, path+" -h shows the options and an example")
	}
	var placed interface{ Place() (string, int64) }
	if errors.As(err, &placed) {
		if file, line := placed.Place(); file != "" {
			doc.File = &file
			if line > 0 {
				doc.Line = &line
			}
		}
	}
	if e.JSON && !out.written && out.err == nil && out.w != nil {
		_ = e.WriteJSON(doc) // the exit code tells as well
	}
	return doc.Exit
}

// hint prints advice and adds it to the document.
func (d *ErrorDocument) hint(e *Env, advice string) {
	fmt.Fprintf(e.Stderr, "hint: %s\n", advice)
	if d.Hint == nil {
		d.Hint = &advice
	}
}

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
