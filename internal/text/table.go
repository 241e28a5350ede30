package text

import (
	"bytes"
	"io"
	"reflect"
	"text/tabwriter"
	"text/template"
)

// mostRows is the largest number of rows of a table of a Table; documents have all.
const mostRows = 12

// Table reads a template of tables with tabs between the cells. Its functions are first and
// more, which cut a list to 12 rows or a given number and tell how many are left, those of this
// package that format figures, and own ones.
func Table(page string, own template.FuncMap) *template.Template {
	most := func(n []int) int { return append(n, mostRows)[0] }
	return template.Must(template.New("table").Funcs(template.FuncMap{
		"first": func(list any, n ...int) any {
			v := reflect.ValueOf(list)
			return v.Slice(0, min(v.Len(), most(n))).Interface()
		},
		"more":    func(list any, n ...int) int { return max(reflect.ValueOf(list).Len()-most(n), 0) },
		"seconds": PlainDuration,
		"plain":   Plain,
		"amount":  Amount,
		"clock":   Clock,
		"count":   Count,
		"percent": func(part float64) float64 { return 100 * part },
		"change":  SignedPercent,
		"signed":  func(part float64) string { return Signed(100*part, 1) },
		"fixed":   func(part float64) string { return Fixed(100*part, 0) },
		"set":     func(s *string) string { return Or(s, "not set") },
	}).Funcs(own).Parse(page))
}

// PrintTable writes what a template makes of a value, with its columns aligned.
func PrintTable(w io.Writer, t *template.Template, v any) error {
	tw := New(w)
	if err := t.Execute(tw, v); err != nil {
		return err
	}
	return tw.Flush()
}

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
