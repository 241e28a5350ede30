package fileio

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Encodings says which are read, and what to do with another.
const Encodings = "UTF-8, US-ASCII, ISO-8859-1; iconv -f UTF-16 -t UTF-8 converts it (an encoding named in its " +
	"first line too)"

// UTF16 reports whether a file begins with the byte order mark of UTF-16, which is not read.
func UTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// NewDecoder reads a file in one of Encodings. Offsets of the decoder are those of the
// file: bytes beyond ASCII in a one-byte encoding are shown as '?'. Names and figures that
// count are ASCII.
func NewDecoder(data []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = charset
	return d
}

func charset(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "latin1", "windows-1252", "iso-8859-15":
		return asciiReader{in}, nil
	}
	return nil, fmt.Errorf("encoding %s; use UTF-8, US-ASCII, ISO-8859-1", label)
}

type asciiReader struct{ in io.Reader }

func (r asciiReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	for i := range p[:n] {
		if p[i] >= 0x80 {
			p[i] = '?'
		}
	}
	return n, err
}
