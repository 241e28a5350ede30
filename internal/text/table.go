package text

import (
	"io"
	"reflect"
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
