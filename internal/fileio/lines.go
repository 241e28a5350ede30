package fileio

import (
	"bytes"
	"errors"
	"io"
)

// Bounds of a line. Lines that are not used are not held at all.
const (
	firstBuffer = 1 << 18
	headBytes   = 256      // as much of a line as tells whether it is used
	longestLine = 64 << 20 // of a line that is used
)

// ErrLong is returned for a line that was passed over.
var ErrLong = errors.New("the line is longer than 64 MiB")

// Lines cuts a text into lines with a buffer that grows only for lines that
// are used.
type Lines struct {
	r        io.Reader
	buf      []byte
	from, to int
	number   int64 // of the line returned last
	err      error // of the reader, io.EOF included
	// unused says from its beginning that a line is not needed.
	unused func(head []byte) bool
	most   int
}

// NewLines returns the lines of r. unused, if not nil, tells from the first 256 bytes of a
// line that it is not needed.
func NewLines(r io.Reader, unused func([]byte) bool) *Lines {
	return &Lines{r: r, buf: make([]byte, firstBuffer), unused: unused, most: longestLine}
}

// Number returns the number of the line returned last, from 1.
func (l *Lines) Number() int64 { return l.number }

// fill reads more text behind what is there, and reports whether some came.
func (l *Lines) fill() bool {
	for l.err == nil {
		n, err := l.r.Read(l.buf[l.to:])
		l.to += n
		if err != nil {
			l.err = err
		}
		if n > 0 {
			return true
		}
	}
	return false
}

// Next returns the next line without its newline, which stays valid until the
// call after. whole is false for text at the end of the source that no newline
// ends. Of a line that is not used only the beginning may come. The error is
// io.EOF after the last line, ErrLong for a line that was passed over.
func (l *Lines) Next() (text []byte, whole bool, err error) {
	seen := l.from
	for {
		if n := bytes.IndexByte(l.buf[seen:l.to], '\n'); n >= 0 {
			text = l.buf[l.from : seen+n]
			l.from = seen + n + 1
			l.number++
			return text, true, nil
		}
		seen = l.to
		if l.to == len(l.buf) {
			if l.from > 0 {
				seen -= l.from
				copy(l.buf, l.buf[l.from:l.to])
				l.from, l.to = 0, seen
			} else if l.unused != nil && l.unused(l.buf[:headBytes]) {
				return l.drop(nil)
			} else if len(l.buf) >= l.most {
				return l.drop(ErrLong)
			} else {
				l.buf = append(l.buf, make([]byte, len(l.buf))...)
			}
		}
		if !l.fill() {
			if l.from == l.to {
				return nil, false, l.err
			}
			text = l.buf[l.from:l.to]
			l.from = l.to
			l.number++
			return text, false, nil
		}
	}
}

// drop passes over the rest of a line that fills the buffer, and returns its
// beginning.
func (l *Lines) drop(why error) (text []byte, whole bool, err error) {
	head := bytes.Clone(l.buf[:headBytes])
	l.number++
	for {
		l.from, l.to = 0, 0
		if !l.fill() {
			return head, false, why
		}
		if n := bytes.IndexByte(l.buf[:l.to], '\n'); n >= 0 {
			l.from = n + 1
			return head, true, why
		}
	}
}
