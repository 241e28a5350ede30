package fileio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Error is a mistake in a file. It reads
//
//	FILE:LINE: Place: Reason; allowed: Allowed
type FileError struct {
	File    string // as given by the caller
	Line    int64  // from 1; 0 = not known
	Place   string // such as nodes[2].memory; may be empty
	Reason  string // what is wrong, with the value; empty = that of Err
	Allowed string // what would be right; may be empty
	Err     error  // the cause, for errors.Is and errors.As; may be nil
}

// Error gives the mistake on one line.
func (e *FileError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Place != "" {
		b.WriteString(oneLine(e.Place) + ": ")
	}
	reason := e.Reason
	if reason == "" && e.Err != nil {
		reason = e.Err.Error()
	}
	b.WriteString(oneLine(reason))
	if e.Allowed != "" && !strings.Contains(reason, "; allowed: ") {
		b.WriteString("; allowed: " + e.Allowed)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Opening is an error of opening or reading a file, with the file's name once and
// what is allowed there. nil stays nil; what names the file already keeps its words.
func OpenError(file string, err error, allowed string) error {
	var mine *FileError
	if err == nil || errors.As(err, &mine) {
		return err
	}
	return &FileError{File: file, Reason: Cause(err), Allowed: allowed, Err: err}
}

// Cause is an error's text without the operation and path that package os puts
// before it.
func Cause(err error) string {
	var p *fs.PathError
	var s *os.SyscallError
	switch {
	case errors.As(err, &p):
		return Cause(p.Err)
	case errors.As(err, &s):
		return Cause(s.Err)
	}
	return err.Error()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
