package fileio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// FileError is what is wrong with a file, and where. It reads
//
//	FILE:LINE: KEY: REASON
type FileError struct {
	File   string // as given by the caller
	Line   int64  // from 1; 0 = not known
	Key    string // property, field, job or other place in the file; may be empty
	Reason string // what is wrong, with the value; empty = the text of Err
	Err    error  // the cause, for errors.Is and errors.As; may be nil
}

// Error returns the error on one line.
func (e *FileError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(oneLine(e.Key) + ": ")
	}
	reason := e.Reason
	if reason == "" && e.Err != nil {
		reason = e.Err.Error()
	}
	if e.Line > 0 { // the cause may have counted lines itself
		reason = strings.TrimPrefix(reason, fmt.Sprintf("line %d: ", e.Line))
	}
	b.WriteString(oneLine(reason))
	return b.String()
}

// Place returns the file and the line, from 1, 0 if it is not known.
func (e *FileError) Place() (file string, line int64) { return e.File, e.Line }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// OpenError returns a *FileError for an error of opening or reading a file; want, if not
// empty, says what the file must be. Other errors are as In
// returns them.
func OpenError(file string, err error, want string) error {
	var known *FileError
	if err == nil || want == "" || errors.As(err, &known) {
		return In(file, err)
	}
	return &FileError{File: file, Reason: Cause(err) + ": must be " + want, Err: err}
}

// In returns an error of reading a file as a *FileError that names it; nil for nil.
func In(file string, err error) error {
	var known *FileError
	switch {
	case err == nil || errors.As(err, &known) && known.File != "":
		return err
	case known != nil:
		known.File = file
		return known
	}
	return &FileError{File: file, Reason: Cause(err), Err: err}
}

// Cause is an error's text without the operation and path that package os puts
// before it; what ends early is truncated.
func Cause(err error) string {
	var p *fs.PathError
	var s *os.SyscallError
	switch {
	case errors.As(err, &p):
		return Cause(p.Err)
	case errors.As(err, &s):
		return Cause(s.Err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the file is truncated: " + err.Error()
	}
	return err.Error()
}

// oneLine bounds the text as well: it may quote a value of any length.
func oneLine(s string) string {
	const most = 1000 // bytes
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "?")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
