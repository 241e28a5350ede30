package fileio

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"unicode"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Mark is the byte order mark that editors and spreadsheets of Windows put
// before a text.
var Mark = []byte("\xef\xbb\xbf")

const (
	bufferSize    = 1 << 16
	largestWindow = 128 << 20 // of zstd: what a file may make a reader allocate
)

// others are forms that are named and not read.
var others = []struct{ magic, what string }{{"\xfd7zXZ\x00", "packed with xz"}, {"BZh", "packed with bzip2"},
	{"PK\x03\x04", "packed with zip"}, {"ZV\x00", "packed with LZF"}, {"ZV\x01", "packed with LZF"},
	{"\x04\x22\x4d\x18", "packed with lz4"}, {"PAR1", "in Parquet's format"},
	{"\xff\xfe", "text in UTF-16"}, {"\xfe\xff", "text in UTF-16"}}

// Open unpacks gzip, zstd and what Spark packs with (LZ4, Snappy), told by their
// first bytes, and passes over a byte order mark. An error of reading the first bytes comes with the text.
func OpenText(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, bufferSize)
	head, _ := b.Peek(len(lz4Magic))
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.magic)) {
			return nil, fmt.Errorf("the file is %s: must be plain text in UTF-8, or that packed with gzip or zstd", o.what)
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte(lz4Magic)):
		b = bufio.NewReaderSize(newLZ4(b), bufferSize)
	case bytes.HasPrefix(head, []byte(snappyMagic)):
		b = bufio.NewReaderSize(newSnappy(b), bufferSize)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		b = bufio.NewReaderSize(z, bufferSize)
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(largestWindow))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		b = bufio.NewReaderSize(z, bufferSize)
	}
	if mark, _ := b.Peek(len(Mark)); bytes.Equal(mark, Mark) {
		if _, err := b.Discard(len(Mark)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// OpenTable is OpenText of what can only be text.
func OpenTable(r io.Reader) (*bufio.Reader, error) {
	b, err := OpenText(r)
	if err != nil {
		return nil, err
	}
	head, _ := b.Peek(512)
	if bytes.ContainsFunc(head, func(c rune) bool { return c < ' ' && !unicode.IsSpace(c) }) {
		what := "binary"
		if bytes.Contains(head, []byte("ustar")) {
			what = "a tar archive"
		}
		return nil, fmt.Errorf("the file is %s: must be plain text in UTF-8, or that packed with gzip or zstd", what)
	}
	return b, nil
}

// EachRow reads a CSV text: it calls head with the header and row with each line below it. The cells
// are good until the next call. Errors are *FileError; those of head and row get file and line.
func EachRow(file string, r io.Reader, head func(cells []string) error,
	row func(line int64, cells []string) error) error {
	c := csv.NewReader(r)
	c.ReuseRecord, c.TrimLeadingSpace = true, true
	for n := 0; ; n++ {
		cells, err := c.Read()
		switch {
		case err == io.EOF && n > 0:
			return nil
		case err == io.EOF:
			return &FileError{File: file, Err: errors.New("the file is empty: must have a header")}
		case err != nil:
			return CSVError(file, err)
		}
		at, _ := c.FieldPos(0)
		if n == 0 {
			err = head(cells)
		} else {
			err = row(int64(at), cells)
		}
		if err != nil {
			var known *FileError
			if !errors.As(err, &known) {
				known = &FileError{Err: err}
			}
			if known.File == "" {
				known.File, known.Line = file, int64(at)
			}
			return known
		}
	}
}

// CSVError is an error of encoding/csv as "FILE:LINE: what".
func CSVError(file string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return &FileError{File: file, Line: int64(p.StartLine), Err: p.Err}
	}
	return In(file, err)
}
