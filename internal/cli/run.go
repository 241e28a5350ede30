package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/parallel"
	"schedtune/internal/text"
)

// Run is what a result follows from: the same version, options and inputs give the same result.
type Run struct {
	Command string              `json:"command"`
	Version string              `json:"version"` // of the program, with its commit
	Options map[string][]string `json:"options"` // flags as given, without those that do not change the result
	Inputs  []Input             `json:"inputs"`  // files and folders that the command line names
}

// Input is a file or folder that a command read.
type Input struct {
	Name   string  `json:"name"`   // as on the command line
	SHA256 *string `json:"sha256"` // of a folder: of the names and sums of its files; null: of no regular file
}

// without are the groups of flags that do not change a result.
var without = []string{commonGroup, "Output", "Browser", "Worker", "Log", "Cluster"}

// withoutFlags are such flags of other groups.
var withoutFlags = []string{"workers"}

// Run describes the command that is executed. Files are read for it.
func (e *Env) Run() *Run {
	r := &Run{Version: text.Version(), Options: map[string][]string{}, Inputs: []Input{}}
	if e.command == nil {
		return r
	}
	r.Command = e.command.CommandPath()
	add := func(name string) {
		known := slices.ContainsFunc(r.Inputs, func(in Input) bool { return in.Name == name })
		if _, err := os.Stat(name); err == nil && !known {
			r.Inputs = append(r.Inputs, Input{name, sumOf(name)})
		}
	}
	for _, name := range e.command.Flags().Args() {
		add(name)
	}
	e.command.Flags().Visit(func(f *pflag.Flag) {
		group := f.Annotations[groupKey]
		if len(group) > 0 && slices.Contains(without, group[0]) || slices.Contains(withoutFlags, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := valueOf(f).(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		r.Options[f.Name] = values
		for _, v := range values {
			if kind, _ := pflag.UnquoteUsage(f); slices.Contains([]string{"FILE", "DIR", "HISTORY"}, kind) {
				add(v)
			}
		}
	})
	return r
}

// Line returns the command line that gives the result again, quoted for a shell.
func (r *Run) Line() string {
	line := r.Command
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		for _, value := range r.Options[name] {
			line += " --" + name + "=" + ShellWord(value)
		}
	}
	return line
}

// ShellWord quotes what a shell would split or expand.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Differs names what differs from the run that an earlier document is the result of, the
// first thing only; "" if nothing does.
func (r *Run) Differs(document []byte) string {
	var was struct {
		Run *Run `json:"run"`
	}
	if json.Unmarshal(document, &was) != nil || was.Run == nil {
		return "not known which"
	}
	if was.Run.Command != r.Command {
		return was.Run.Command
	}
	both := maps.Clone(was.Run.Options)
	maps.Copy(both, r.Options)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if there, here := strings.Join(was.Run.Options[name], " "), strings.Join(r.Options[name], " "); there != here {
			return fmt.Sprintf("--%s was %s and is %s", name, cmp.Or(there, "not given"), cmp.Or(here, "not given"))
		}
	}
	for i, in := range r.Inputs {
		if i >= len(was.Run.Inputs) || !reflect.DeepEqual(in, was.Run.Inputs[i]) || in.SHA256 == nil {
			return in.Name + " has other contents"
		}
	}
	switch {
	case len(was.Run.Inputs) != len(r.Inputs):
		return "other inputs"
	case was.Run.Version != r.Version:
		return "version " + was.Run.Version
	}
	return ""
}

// sumOf returns the SHA-256 of a file or folder, nil if it can't be read again.
func sumOf(name string) *string {
	all := sha256.New()
	err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(path) // also through a link
		if err != nil || !info.Mode().IsRegular() {
			return fs.ErrInvalid
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if path == name {
			_, err = f.WriteTo(all)
			return err
		}
		one := sha256.New()
		_, err = f.WriteTo(one)
		rel, _ := filepath.Rel(name, path) // path lies below name
		fmt.Fprintf(all, "%x  %s\n", one.Sum(nil), filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return nil
	}
	sum := hex.EncodeToString(all.Sum(nil))
	return &sum
}

// Encode encodes the document of the command, with its Run after the schema.
func (e *Env) Encode(v any) ([]byte, error) {
	doc, err := EncodeJSON(v)
	first, rest, ok := bytes.Cut(doc, []byte(",\n"))
	if err != nil || !ok || bytes.Contains(doc, []byte("\n  \"run\": ")) {
		return doc, err
	}
	var run bytes.Buffer
	text, err := EncodeJSON(e.Run())
	if err == nil {
		err = json.Indent(&run, text, "  ", "  ")
	}
	return slices.Concat(first, []byte(",\n  \"run\": "), bytes.TrimSpace(run.Bytes()), []byte(",\n"), rest), err
}

// marshaler is a type with a form of its own in JSON.
var marshaler = reflect.TypeFor[json.Marshaler]()

// listed replaces lists and maps that are nil by empty ones, so that JSON has [] and not null.
func listed(v reflect.Value) {
	if v.Type().Implements(marshaler) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			listed(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" {
				listed(v.Field(i))
			}
		}
	case reflect.Map:
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Slice:
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			listed(v.Index(i))
		}
	}
}

// remember has the command known to Run.
func (e *Env) remember(root *cobra.Command) {
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		e.command = c
		if e.JSON && c.HasParent() && c.Parent().Name() == "completion" {
			return Usagef("--json: a completion script has no JSON form")
		}
		return nil
	}
}

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
		{ExitChanges, "with --detailed-exitcode: there are changes to make, or changes were made"},
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
		// A write and the close after it may have failed for one reason.
		lines := slices.Compact(strings.Split(strings.TrimRight(err.Error(), "\n"), "\n"))
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
	return InterruptibleAfter(ctx, 0, work)
}

// InterruptibleAfter is Interruptible with a time for the work to end by itself, with what it has.
func InterruptibleAfter[T any](ctx context.Context, wait time.Duration, work func() (T, error)) (T, error) {
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
	over := make(chan struct{})
	defer context.AfterFunc(ctx, func() { time.AfterFunc(wait, func() { close(over) }) })()
	select {
	case a := <-done:
		if a.failed != nil {
			panic(a.failed)
		}
		return a.value, a.err
	case <-over:
		var none T
		return none, ErrInterrupted
	}
}
