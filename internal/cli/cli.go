// Package cli holds what the commands tune and fit share: streams, exit codes, help, the
// format of errors and warnings, JSON output, progress. Results go to standard output,
// everything else to standard error.
package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"schedtune/internal/parallel"
)

// Env holds the streams of a command and the flags that every command has. The zero value
// discards everything.
type Env struct {
	Name           string // program name, first word of every message
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	JSON           bool // --json: exactly one JSON object on standard output
	Quiet          bool // --quiet: no progress, no notes; warnings and errors stay

	progress string         // --progress: text or json
	command  *cobra.Command // that is executed
}

// Flags declares the flags that every command of a tree has. Call it before the
// commands are listed.
func (e *Env) Flags(root *cobra.Command) {
	cobra.EnableCommandSorting = false // commands are listed by purpose
	Group(root.PersistentFlags(), commonGroup, func(fs *pflag.FlagSet) {
		fs.BoolVar(&e.JSON, "json", false, "print one JSON object on standard output")
		fs.BoolVarP(&e.Quiet, "quiet", "q", false, "print no progress and no notes on standard error")
		Choice(fs, &e.progress, "progress", "text", []string{"text", "json"}, "`FORM` of the progress on standard error")
	})
}

// UsageError is a mistake on the command line: exit code 2.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// IsUsage marks a mistake on the command line.
func (e *UsageError) IsUsage() {}

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// ExitError carries an exit code out of a command that has printed its own message.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit %d", e.Code) }

// ErrInterrupted ends a command that was stopped by a signal after it has
// written its results so far.
var ErrInterrupted = &ExitError{ExitInterrupted}

// Hinter is an error with one line of advice.
type Hinter interface{ Hint() string }

// secondSignal is the time after a signal within which another one says nothing new.
const secondSignal = time.Second

// Execute runs a command tree and returns the exit code. Errors are printed
// here and nowhere else, one line each.
func Execute(e *Env, root *cobra.Command, args []string) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a write to a pipe without a reader is an error
	if closedAtStart(e.Stdout) {
		e.Stdout = nil
		return e.report(errors.New("standard output is closed; >/dev/null discards a result"), root.Name(), &resultWriter{})
	}
	// A second signal ends the process at once, but not one that comes with the first:
	// timeout(1) signals its child and then its child's group.
	context.AfterFunc(ctx, func() { time.AfterFunc(secondSignal, stop) })
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetArgs(args)
	stdout := e.Stdout
	out := &resultWriter{w: stdout}
	if terminal(e.Stdout) { // a file gets every byte as it is
		out.w = &cleaner{w: e.Stdout}
	}
	if e.Stdout != nil {
		e.Stdout = out
	}
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetFlagErrorFunc(flagError)
	width := widthOf(stdout)
	var incomplete error // a command line with --json that names no command to run
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if e.JSON && e.command == nil && !c.Runnable() && !c.Flags().Changed("help") {
			incomplete = e.Incomplete(c, nil)
			return
		}
		writeHelp(c.OutOrStdout(), c, width)
	})
	prepare(root)
	e.remember(root)
	strictHelp(root)
	c, err := execute(ctx, root)
	err = cmp.Or(err, incomplete)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) { // whatever was under way when the signal came
		err = ErrInterrupted
	}
	if e.command == nil { // the command line is wrong
		e.command = c
	}
	var exit *ExitError
	if out.err != nil && (err == nil || errors.As(err, &exit)) {
		err = out.err // an unwritten result is a failure
	}
	e.JSON = e.JSON || slices.Contains(args, "--json") // the flags before it may be wrong
	return e.report(err, c.CommandPath(), out)
}

// Incomplete runs a command that only groups others: it prints their help.
func (e *Env) Incomplete(c *cobra.Command, _ []string) error {
	if e.JSON {
		return Usagef("%s: must be followed by one of %s", c.CommandPath(), strings.Join(available(c), ", "))
	}
	return c.Help()
}

// prepare sets what all commands of a tree have in common.
func prepare(c *cobra.Command) {
	c.Flags().SortFlags, c.PersistentFlags().SortFlags = false, false
	completeChoices(c)
	checkGiven(c)
	for _, s := range c.Commands() {
		prepare(s)
	}
}

// strictHelp makes help COMMAND fail for an unknown command; cobra shows the first page.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, h := range root.Commands() {
		if h.Name() != "help" {
			continue
		}
		h.Run = nil
		h.RunE = func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return cmp.Or(unknown(rest, append(available(c), helpTopics(c)...)), err)
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		}
	}
}

// execute runs the tree and returns a panic as an error with its location.
func execute(ctx context.Context, root *cobra.Command) (c *cobra.Command, err error) {
	defer func() {
		if v := recover(); v != nil {
			c, err = root, &internalError{v, parallel.Caught(v).Place}
		}
	}()
	return root.ExecuteContextC(ctx)
}

// internalError is a bug of this program.
type internalError struct {
	value any
	stack []byte
}

func (e *internalError) Error() string { return fmt.Sprintf("internal error: %v", e.value) }

// Hint names the location for a bug report: the first function after the panic.
func (e *internalError) Hint() string {
	_, after, _ := strings.Cut(string(e.stack), "panic(")
	for _, line := range strings.Split(after, "\n")[1:] {
		if at := strings.TrimSpace(line); strings.Contains(at, ".go:") && !strings.Contains(at, "/runtime/") {
			at, _, _ = strings.Cut(at, " ")
			return "this is a bug, at " + at + "; please report it with the command and its input"
		}
	}
	return "this is a bug; please report it with the command and its input"
}

// resultWriter keeps the first error of a write to standard output, so that a full disk
// makes the command fail.
type resultWriter struct {
	w       io.Writer
	written bool
	err     error
}

func (r *resultWriter) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	r.written = r.written || n > 0
	if err != nil && r.err == nil {
		r.err = err
	}
	return n, err
}

// NoArgs returns a usage error that lists the subcommands if there are positional
// arguments.
func NoArgs(c *cobra.Command, args []string) error {
	return unknown(args, available(c))
}

// unknown returns a usage error if there are arguments; names are the valid commands.
func unknown(args, names []string) error {
	switch {
	case len(args) == 0:
		return nil
	case len(names) == 0:
		return Usagef("unexpected argument %q", args[0])
	}
	like := nearest(names, args[0])
	if like != "" {
		like = "; did you mean " + like + "?"
	}
	return Usagef("unknown command %q: must be one of %s%s", args[0], strings.Join(names, ", "), like)
}

// available returns the names of the subcommands.
func available(c *cobra.Command) []string { return below(c, (*cobra.Command).IsAvailableCommand) }

// helpTopics returns the names of the help topics below a command.
func helpTopics(c *cobra.Command) []string {
	return below(c, (*cobra.Command).IsAdditionalHelpTopicCommand)
}

func below(c *cobra.Command, is func(*cobra.Command) bool) (names []string) {
	for _, s := range c.Commands() {
		if is(s) {
			names = append(names, s.Name())
		}
	}
	return names
}

// Args wraps a check of cobra's for positional arguments: a violation is a usage error that
// shows the usage line.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if slices.ContainsFunc(args, empty) {
			return Usagef("an argument is empty; usage: %s", strings.TrimSuffix(c.UseLine(), " [flags]"))
		}
		if err := check(c, args); err != nil {
			given := fmt.Sprintf("%d arguments", len(args))
			if len(args) == 1 {
				given = "1 argument"
			}
			return Usagef("%s given; usage: %s", given, strings.TrimSuffix(c.UseLine(), " [flags]"))
		}
		return nil
	}
}

// Warnf prints a warning line on standard error.
func (e *Env) Warnf(format string, args ...any) {
	fmt.Fprintf(e.Stderr, "%s: warning: %s\n", e.Name, clean(fmt.Sprintf(format, args...)))
}

// Notef prints a line for the person watching; --quiet drops it.
func (e *Env) Notef(format string, args ...any) {
	if !e.Quiet {
		fmt.Fprintf(e.Stderr, "%s: %s\n", e.Name, clean(fmt.Sprintf(format, args...)))
	}
}

// slowAfter is the time after which Slow prints its note.
const slowAfter = 5 * time.Second

// Slow prints a note if a step takes long; the returned function ends the step.
func (e *Env) Slow(format string, args ...any) (over func() bool) {
	return time.AfterFunc(slowAfter, func() { e.Notef(format, args...) }).Stop
}

// Notes prints notes, a line each.
func (e *Env) Notes(notes ...string) {
	for _, n := range notes {
		e.Notef("%s", n)
	}
}

// Warnings prints warnings, a line each.
func (e *Env) Warnings(warnings []string) {
	for _, w := range warnings {
		e.Warnf("%s", w)
	}
}

// EncodeJSON encodes a value for standard output and files: indented, with a final newline.
// Its "schema" field names its documented format.
func EncodeJSON(v any) ([]byte, error) {
	at := reflect.New(reflect.TypeOf(v))
	at.Elem().Set(reflect.ValueOf(v))
	listed(at)
	v = at.Interface()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return b.Bytes(), nil
}

// WriteJSON prints the one JSON object of a --json run.
func (e *Env) WriteJSON(v any) error {
	text, err := e.Encode(v)
	if err == nil {
		_, err = e.Stdout.Write(text)
	}
	return err
}

// terminal reports whether a stream is a terminal.
func terminal(w any) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// Show prints the result of a command: the document with --json, else as print writes it.
func (e *Env) Show(doc any, print func(io.Writer) error) error {
	if e.JSON {
		return e.WriteJSON(doc)
	}
	return print(e.Stdout)
}
