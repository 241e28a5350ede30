package calibrate

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/template"

	"schedtune/internal/report/svg"
	"schedtune/internal/text"
)

//go:embed durations.tmpl
var page string

var printed = text.Table(page, template.FuncMap{
	"share": text.Percent, "three": text.Three, "plural": text.CountAs, "list": list,
	"slow":     func() float64 { return stragglerFactor },
	"law":      func(d DistFit) string { return d.text() },
	"part":     func(names string) []string { return strings.Split(names, ", ") },
	"reversed": func(p Penalty) bool { return p.Factor < 1 && p.Jobs >= enough },
})

// Print writes the summary for people.
func (r *DurationsResult) Print(w io.Writer) error { return text.PrintTable(w, printed, r) }

// FittedValues returns the names of the figures that come from the histories with their values; that of a
// distribution is its median.
func (r *DurationsResult) FittedValues() (out []string) {
	var figures map[string]any
	if data, err := json.Marshal(r.Calibration); err != nil || json.Unmarshal(data, &figures) != nil {
		return r.Fitted
	}
	for _, name := range r.Fitted {
		in, key := figures, name
		if part, rest, ok := strings.Cut(name, "."); ok {
			in, _ = figures[part].(map[string]any)
			key = rest
		}
		switch v := in[key].(type) {
		case float64:
			name += fmt.Sprintf(" %g", v)
		case []any:
			name += fmt.Sprintf(" median %v", v[len(v)/2])
		}
		out = append(out, name)
	}
	return out
}

// list joins names with commas, breaking lines before column 100.
func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	out, line := names[0], len("calibration, default: ")+len(names[0])
	for _, n := range names[1:] {
		between := ", "
		if line += 2 + len(n); line > 96 {
			between, line = ",\n  ", 2+len(n)
		}
		out += between + n
	}
	return out
}

func (d *DistFit) text() string {
	switch d.Family {
	case "exponential":
		return fmt.Sprintf("exponential, mean %.4g", d.A)
	case "lognormal":
		return fmt.Sprintf("lognormal, median %.4g, sigma %.3g", math.Exp(d.A), d.B)
	case "empirical":
		return "empirical quantiles"
	}
	return fmt.Sprintf("constant %.4g", d.A)
}

// Chart draws the distribution of the task times of the classes with most
// tasks.
func (r *DurationsResult) Chart() []byte {
	c := svg.Chart{Title: "Task times", X: svg.Axis{Label: "seconds"}, Y: svg.Axis{Label: "share of tasks", Percent: true}}
	order := slices.Clone(r.Durations)
	slices.SortStableFunc(order, func(a, b ClassDuration) int { return b.N - a.N })
	for _, d := range order[:min(len(order), 6)] {
		s := svg.Series{Name: d.Class + " " + d.Kind}
		top := 2 * math.Max(d.P90, d.Median)
		for i := range 101 {
			x := top * float64(i+1) / 101
			s.Points = append(s.Points, svg.Point{X: x, Y: d.Dist.cdf(x)})
		}
		if d.Dist.Family == "constant" {
			s.Shape = svg.Step
			s.Points = []svg.Point{{X: 0, Y: 0}, {X: d.Dist.A, Y: 1}, {X: top, Y: 1}}
		}
		c.Series = append(c.Series, s)
	}
	return c.File()
}
