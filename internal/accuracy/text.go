package accuracy

import (
	_ "embed"
	"fmt"
	"io"
	"text/template"

	"schedtune/internal/text"
)

var (
	//go:embed doctor.tmpl
	doctorPage string
	//go:embed verify.tmpl
	verifyPage string

	doctorTable, verifyTable = text.Table(doctorPage, functions), text.Table(verifyPage, functions)
)

// functions are those of both pages. Tables for people are cut; JSON has everything.
var functions = template.FuncMap{
	"figure":  func(name string, f ClusterFigure) any { return map[string]any{"Name": name, "F": f} },
	"list":    func(title string, lines []string) any { return map[string]any{"Title": title, "Lines": lines} },
	"begin":   func(s string) string { return text.Begin(s, 34) },
	"tenth":   func(part float64) string { return text.Fixed(part*100, 1) },
	"known":   func(f ClusterFigure) bool { return f != ClusterFigure{} },
	"row":     func(name string, a, b any) string { return fmt.Sprintf("%-44s %12v %12v", name, a, b) },
	"gain":    (*Gain).text,
	"promise": (*Promise).text,
	"held":    heldText,
	"deref":   func(b *bool) bool { return *b },
	"hours":   func(s Side) string { return text.PlainDuration(s.Hours * 3600) },
	"of": func(s Side, v float64) string { // nothing is known of a period without jobs
		if s.Compared == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", v)
	},
	"before": func(d Difference) string {
		if d.Before == nil {
			return "-"
		}
		return text.SignedPercent(*d.Before)
	},
}

// Print writes the report for people.
func (r *ClusterReport) Print(w io.Writer) error { return doctorTable.Execute(w, r) }

// Print writes the report for people: the advice first.
func (r *ChangeReport) Print(w io.Writer) error { return verifyTable.Execute(w, r) }
