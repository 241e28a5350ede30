package accuracy

import (
	_ "embed"
	"reflect"
	"strings"
	"text/template"

	"schedtune/internal/text"
)

// doctorMostRows bounds the tables for people; JSON has everything.
const doctorMostRows = 40

//go:embed doctor.tmpl
var doctorText string

// figureRow is a row of the table of figures.
type figureRow struct {
	Name string
	F    ClusterFigure
}

// titled is a list with a title.
type titled struct {
	Title string
	Lines []string
}

var doctorTemplate = template.Must(template.New("doctor").Funcs(template.FuncMap{
	"row":     func(name string, f ClusterFigure) figureRow { return figureRow{name, f} },
	"list":    func(title string, lines []string) titled { return titled{title, lines} },
	"begin":   func(s string) string { return text.Begin(s, 34) },
	"percent": func(part float64) string { return text.Fixed(part*100, 1) },
	"hundred": func(part float64) float64 { return part * 100 },
	"known":   func(f ClusterFigure) bool { return f != ClusterFigure{} },
	"more":    func(list any) int { return reflect.ValueOf(list).Len() - doctorMostRows },
}).Parse(doctorText))

// Text writes the report for people.
func (r *ClusterReport) Text() string {
	var b strings.Builder
	_ = doctorTemplate.Execute(&b, r) // a strings.Builder does not fail
	return b.String()
}
