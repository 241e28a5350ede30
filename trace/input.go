package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"

	"schedtune/internal/fileio"
)

// Error is what is wrong with a source: its Key is the id of the job concerned.
type Error = fileio.FileError

// ErrEmpty is returned for a source without a single job.
var ErrEmpty = errors.New("no jobs in the trace")

// input is an uncompressed source that knows its line numbers. It keeps the
// offsets of the newlines that were read after the last mark, so the memory it
// needs is bounded by one record.
type input struct {
	name  string
	opt   Options
	r     *bufio.Reader
	off   int64   // bytes handed to the consumer
	base  int64   // newlines before the mark
	lines []int64 // offsets of newlines after the mark
}

// newInput unpacks gzip and zstd and passes over a byte order mark.
func newInput(r io.Reader, name string) (*input, error) {
	plain, err := fileio.OpenText(r)
	if err != nil {
		return nil, &Error{File: name, Err: err}
	}
	return &input{name: name, r: plain}, nil
}

// Read implements io.Reader and notes the newlines that pass.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	for i := 0; i < n; {
		j := bytes.IndexByte(p[i:n], '\n')
		if j < 0 {
			break
		}
		in.lines = append(in.lines, in.off+int64(i+j))
		i += j + 1
	}
	in.off += int64(n)
	if err != nil && err != io.EOF {
		err = unpacking(err)
	}
	return n, err
}

// partJobs is how many jobs are handed on together.
const partJobs = 1 << 14

// pass hands the jobs read so far on to Options.Each, if there are many: those of formats that tell all
// of a job in one place.
func (in *input) pass(t *Trace, n *notes) error {
	if in.opt.Each == nil || len(t.Jobs) < partJobs {
		return nil
	}
	return t.finish(n, in.opt)
}

// mark says that errors will concern text from the offset on.
func (in *input) mark(offset int64) {
	i := sort.Search(len(in.lines), func(i int) bool { return in.lines[i] >= offset })
	in.base += int64(i)
	in.lines = in.lines[:copy(in.lines, in.lines[i:])]
}

// line returns the line of an offset at or after the mark.
func (in *input) line(offset int64) int64 {
	i := sort.Search(len(in.lines), func(i int) bool { return in.lines[i] >= offset })
	return in.base + int64(i) + 1
}

// fail wraps an error with the place of an offset.
func (in *input) fail(offset int64, err error) error {
	return &Error{File: in.name, Line: in.line(offset), Err: err}
}

// unpacking says what reading a packed file has come to.
func unpacking(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the packed file is truncated (%w)", err)
	}
	return fmt.Errorf("unpacking: %w", err)
}

// peek returns up to n bytes without consuming them. Of a packed file that is cut off it
// returns what there is: its reader says where that ends, or reads it so far.
func (in *input) peek(n int) ([]byte, error) {
	head, err := in.r.Peek(min(n, in.r.Size()))
	if err != nil && err != io.EOF && !(errors.Is(err, io.ErrUnexpectedEOF) && len(head) > 0) {
		return nil, &Error{File: in.name, Err: unpacking(err)}
	}
	return head, nil
}

// maxLine bounds the length of one line of a text format.
const maxLine = 16 << 20

// eachLine calls f with the text and the number of every line, without its
// newline. f may keep nothing of the slice.
func (in *input) eachLine(f func(text []byte, line int64) error) error {
	s := bufio.NewScanner(in.r)
	s.Buffer(make([]byte, 0, 1<<16), maxLine)
	var n int64
	for s.Scan() {
		n++
		if err := f(s.Bytes(), n); err != nil {
			if cut := s.Err(); errors.Is(cut, io.ErrUnexpectedEOF) { // the last line is a part of one
				err = unpacking(cut)
			}
			return in.at(n, err)
		}
	}
	if err := s.Err(); errors.Is(err, io.ErrUnexpectedEOF) {
		return in.at(n, unpacking(err))
	} else if err != nil {
		return in.at(n+1, fileio.LongLine(err, maxLine))
	}
	return nil
}

// at wraps an error with a line number, unless it already names its place.
func (in *input) at(line int64, err error) error {
	var e *Error
	if errors.As(err, &e) {
		if e.File == "" {
			e.File, e.Line = in.name, line
		}
		return e
	}
	return &Error{File: in.name, Line: line, Err: err}
}

// jobErr names the job; the reader adds file and line.
func jobErr(job, format string, args ...any) error {
	return &Error{Key: job, Err: fmt.Errorf(format, args...)}
}
