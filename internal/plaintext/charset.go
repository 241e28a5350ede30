package plaintext

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Encodings says which encodings of XML are read, and what to do with another.
const Encodings = "UTF-8, US-ASCII, ISO-8859-1; iconv -f UTF-16 -t UTF-8 converts it (an encoding named in its first line too)"

// UTF16 reports whether a text begins with the byte order mark of UTF-16, which
// is not read.
func UTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// Charset is the CharsetReader of an xml.Decoder. Of one-byte encodings it shows
// bytes beyond ASCII as '?', so that offsets stay those of the file: the names
// and figures that count are ASCII.
func Charset(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "latin1", "windows-1252", "iso-8859-15":
		return asciiReader{in}, nil
	}
	return nil, fmt.Errorf("encoding %s; allowed: UTF-8, US-ASCII, ISO-8859-1", label)
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
