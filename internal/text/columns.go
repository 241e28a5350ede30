package text

import (
	"bytes"
	"io"
	"text/tabwriter"
)

// New returns a writer of columns, separated by tabs, two blanks apart, of whose
// lines none ends in blanks. Flush writes them.
func New(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(&trimmer{w: w}, 0, 4, 2, ' ', 0)
}

// trimmer leaves out the blanks before the ends of lines.
type trimmer struct {
	w      io.Writer
	blanks []byte // read and not yet written
}

func (t *trimmer) Write(p []byte) (int, error) {
	out := make([]byte, 0, len(t.blanks)+len(p))
	for rest := p; len(rest) > 0; {
		n := bytes.IndexByte(rest, '\n')
		line := rest
		if n >= 0 {
			line = rest[:n]
		}
		text := bytes.TrimRight(line, " ")
		if len(text) > 0 {
			out = append(append(out, t.blanks...), text...)
			t.blanks = t.blanks[:0]
		}
		if n < 0 {
			t.blanks = append(t.blanks, line[len(text):]...)
			break
		}
		out, t.blanks, rest = append(out, '\n'), t.blanks[:0], rest[n+1:]
	}
	if _, err := t.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
