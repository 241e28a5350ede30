package report

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"text/template"

	"schedtune/internal/report/svg"
	"schedtune/internal/text"
)

//go:embed usage.tmpl
var usagePage string

var usageTemplate = text.Table(usagePage, template.FuncMap{
	"hours": func(h float64) string { return text.PlainDuration(h * 3600) },
	"table": func(r *Report, what string, list []Group) any {
		return map[string]any{"Of": r, "What": what, "List": list}
	},
	"used": func(list []Group) bool {
		return slices.ContainsFunc(list, func(g Group) bool { return g.OfMemoryHours > 0 || g.OfVCoreHours > 0 })
	},
	"part": func(of any, all float64) string { // in per cent, empty where there is no whole
		if all <= 0 {
			return ""
		}
		return fmt.Sprintf("%.1f %%", reflect.ValueOf(of).Float()/all*100)
	},
})

// Print writes the tables for people.
func (r *Report) Print(w io.Writer) error { return text.PrintTable(w, usageTemplate, r) }

// of is what the group held in a period.
func (g *Group) of(period int) *Amount {
	if g.Periods == nil {
		return &g.Amount
	}
	return &g.Periods[period]
}

// WriteCSV writes one row per group and period.
func (r *Report) WriteCSV(w io.Writer) error {
	cw := csv.NewWriter(w)
	rows := [][]string{{"kind", "name", "period", "jobs", "memory_gib_hours", "vcore_hours", "waited_hours",
		"caused_hours",
		"used_memory_gib_hours", "of_memory_gib_hours", "used_vcore_hours", "of_vcore_hours"}}
	add := func(kind string, list []Group) {
		for i := range list {
			for p := range r.Periods {
				a := list[i].of(p)
				row := []string{kind, list[i].Name, r.Periods[p].Name, strconv.Itoa(a.Jobs)}
				for _, v := range []float64{a.MemoryHours, a.VCoreHours, a.WaitedHours, a.CausedHours,
					float64(a.UsedMemoryHours), a.OfMemoryHours, float64(a.UsedVCoreHours), a.OfVCoreHours} {
					row = append(row, strconv.FormatFloat(v, 'f', -1, 64))
				}
				rows = append(rows, row)
			}
		}
	}
	add("queue", r.Queues)
	add("user", r.Users)
	return cw.WriteAll(rows)
}

// Picture draws the mean memory held by the largest queues over time.
func (r *Report) Picture() []byte {
	const most = svg.Colours - 1
	c := svg.Chart{Title: "memory held by queue", Desc: "mean memory held in each period, by queue", Stacked: true,
		Width: 800,
		X:     svg.Axis{Label: "time from " + r.Periods[0].Name, Seconds: true}, Y: svg.Axis{Label: "GiB held, mean"}}
	if r.Periods[0].Name == All {
		c.X.Label = "time"
	}
	begin := r.Periods[0].FromMS
	for i := range r.Queues {
		s := svg.Series{Name: cmp.Or(r.Queues[i].Name, "(none)"), Shape: svg.Area}
		if i >= most {
			s.Name = "others"
		}
		for p, x := range r.Periods {
			y := r.Queues[i].of(p).MemoryHours / (float64(x.ToMS-x.FromMS) / msPerHour)
			if i > most {
				c.Series[most].Points[p].Y += y
				continue
			}
			s.Points = append(s.Points, svg.Point{X: float64(x.FromMS-begin) / 1000, Y: y})
		}
		if i <= most {
			c.Series = append(c.Series, s)
		}
	}
	last := len(r.Periods) - 1
	for i := range c.Series {
		s := &c.Series[i]
		s.Points = append(s.Points, svg.Point{X: float64(r.Periods[last].ToMS-begin) / 1000, Y: s.Points[last].Y})
	}
	return c.File()
}
