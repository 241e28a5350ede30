package yarnconf

import (
	"cmp"
	"slices"
	"strings"

	"schedtune/internal/fileio"
)

// Severity tells errors from warnings.
type Severity uint8

// Severities, worst first.
const (
	Error   Severity = iota // a load or refresh fails, or a rule of ours is broken
	Warning                 // accepted, and likely to be regretted
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Problem is something wrong at one place of a file. It is an error value.
type Problem struct {
	Severity Severity // the zero value is an error
	Rule     string   // of a warning; see RuleOf
	File     string   // as given to Parse or Load
	Line     int      // from 1, 0 = not known
	Key      string   // full property name, or empty for the file as a whole
	Reason   string   // what is wrong, with the value and what would be accepted
	Fix      string   // what to do about it where that is more than choosing another value
	Err      error    // why the file cannot be read; nil for all other problems
}

// Unwrap returns why the file cannot be read, such as fs.ErrNotExist.
func (p Problem) Unwrap() error { return p.Err }

// Error gives the problem on one line: FILE:LINE: PROPERTY: what is wrong.
// Properties of the Capacity Scheduler are shown without their common prefix. Warnings are marked as such.
func (p Problem) Error() string {
	if p.Severity == Warning {
		return p.line("warning: ")
	}
	return p.line("")
}

// Place returns the file and the line, from 1, 0 if it is not known.
func (p Problem) Place() (file string, line int64) { return p.File, int64(p.Line) }

// Listed gives the line of a list that holds errors and warnings: as Error,
// with errors marked too.
func (p Problem) Listed() string {
	if p.Severity == Error {
		return p.line("error: ")
	}
	return p.Error()
}

func (p Problem) line(mark string) string {
	e := fileio.FileError{File: p.File, Line: int64(p.Line), Key: strings.TrimPrefix(p.Key, Prefix), Reason: p.Reason}
	if p.Fix != "" {
		e.Reason += " (" + p.Fix + ")"
	}
	if e.Key != "" {
		e.Key = mark + e.Key
	} else {
		e.Reason = mark + e.Reason
	}
	return e.Error()
}

// sortProblems puts errors before warnings, and orders by file, line and property; equal ones
// keep their order.
func sortProblems(ps []Problem) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Key, b.Key))
	})
}
