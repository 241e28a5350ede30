package fileio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Bounds of a line. Lines that are not used are not held at all.
const (
	firstBuffer = 1 << 18  // lines that fit it are not copied
	headBytes   = 256      // as much of a line as tells whether it is used
	longestLine = 64 << 20 // of a line that is used
)

// ErrLong is returned for a line that was passed over.
var ErrLong = errors.New("the line is longer than 64 MiB")

// Lines cuts a text into lines. Of lines longer than its buffer it holds only those that are
// used.
type Lines struct {
	r      *bufio.Reader
	long   []byte // the last line that did not fit the buffer
	number int64  // of the line returned last
	err    error  // of the reader, io.EOF included
	// unused says from its beginning that a line is not needed.
	unused func(head []byte) bool
	most   int
}

// NewLines returns the lines of r. unused, if not nil, tells from the first 256 bytes of a
// line that it is not needed.
func NewLines(r io.Reader, unused func([]byte) bool) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, firstBuffer), unused: unused, most: longestLine}
}

// Number returns the number of the line returned last, from 1.
func (l *Lines) Number() int64 { return l.number }

// read returns text to the end of the line, as much as fits the buffer.
func (l *Lines) read() (text []byte, full bool) {
	if l.err != nil {
		return nil, false
	}
	text, err := l.r.ReadSlice('\n')
	if full = errors.Is(err, bufio.ErrBufferFull); !full {
		l.err = err
	}
	return text, full
}

// Next returns the next line without its newline, which stays valid until the
// call after. whole is false for text at the end of the source that no newline
// ends. Of a line that is not used only the beginning may come. The error is
// io.EOF after the last line, ErrLong for a line that was passed over.
func (l *Lines) Next() (text []byte, whole bool, err error) {
	text, full := l.read()
	if len(text) == 0 {
		return nil, false, l.err
	}
	l.number++
	if full {
		if l.unused != nil && l.unused(text[:headBytes]) {
			return l.drop(text, nil)
		}
		l.long = append(l.long[:0], text...)
		for full {
			if len(l.long) >= l.most {
				return l.drop(l.long, ErrLong)
			}
			text, full = l.read()
			l.long = append(l.long, text...)
		}
		text = l.long
	}
	text, whole = bytes.CutSuffix(text, []byte{'\n'})
	return text, whole, nil
}

// drop passes over the rest of a line and returns its beginning.
func (l *Lines) drop(text []byte, why error) (head []byte, whole bool, err error) {
	head = bytes.Clone(text[:headBytes])
	for !whole && l.err == nil {
		text, _ = l.read()
		whole = bytes.HasSuffix(text, []byte{'\n'})
	}
	return head, whole, why
}
