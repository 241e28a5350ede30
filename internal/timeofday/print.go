package timeofday

import (
	_ "embed"
	"io"
	"strings"
	"text/template"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

//go:embed print.tmpl
var page string

var printed = text.Table(page, template.FuncMap{
	"unit":  func(metric string) string { return simcore.MetricOf(metric).Unit },
	"short": func(property string) string { return strings.TrimPrefix(property, yarnconf.Prefix) },
	"thirds": func(profile [hours]float64) (out []float64) {
		for h := 0; h < hours; h += 3 {
			out = append(out, (profile[h]+profile[h+1]+profile[h+2])/3)
		}
		return out
	},
})

// Print writes the report.
func (r *Report) Print(w io.Writer) error { return text.PrintTable(w, printed, r) }

// String is the days, if not all, and the time.
func (s SwitchOut) String() string { return strings.TrimSpace(s.Days + " " + s.Time) }
