package accuracy

import (
	_ "embed"
	"io"
	"reflect"
	"text/template"

	"schedtune/internal/text"
)

// doctorMostRows bounds the tables for people; JSON has everything.
const doctorMostRows = 40

//go:embed doctor.tmpl
var doctorPage string

var doctorTemplate = template.Must(template.New("doctor").Funcs(template.FuncMap{
	"row":     func(name string, f ClusterFigure) any { return map[string]any{"Name": name, "F": f} },
	"list":    func(title string, lines []string) any { return map[string]any{"Title": title, "Lines": lines} },
	"begin":   func(s string) string { return text.Begin(s, 34) },
	"percent": func(part float64) string { return text.Fixed(part*100, 1) },
	"hundred": func(part float64) float64 { return part * 100 },
	"known":   func(f ClusterFigure) bool { return f != ClusterFigure{} },
	"more":    func(list any) int { return reflect.ValueOf(list).Len() - doctorMostRows },
}).Parse(doctorPage))

// Print writes the report for people.
func (r *ClusterReport) Print(w io.Writer) error { return doctorTemplate.Execute(w, r) }
