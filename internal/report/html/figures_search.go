package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"schedtune/internal/report/svg"
)

func (d *Data) progressFigure() figure {
	title := "Gain over the current configuration, by runs"
	return figure{"search", title, func(width int) renderer {
		dots := [2]svg.Series{{Name: "configuration", Shape: svg.Dots, Colour: 2},
			{Name: "configuration on few workloads", Shape: svg.Dots, Colour: 8}}
		best := svg.Series{Name: "best so far", Shape: svg.Step, Colour: 1}
		for _, t := range d.Trials {
			of := &dots[1]
			if t.Steady {
				of = &dots[0]
			}
			of.Points = append(of.Points, svg.Point{X: float64(t.Runs), Y: t.Gain})
			best.Points = append(best.Points, svg.Point{X: float64(t.Runs), Y: t.Best})
		}
		c := &svg.Chart{Title: title, Desc: "Gains of the configurations tried, each over the current one on the same " +
			"workloads, and the best so far; gains beyond the range stand on its edge", Width: width, Height: 240,
			X: svg.Axis{Label: "simulation runs"}, Y: d.gainAxis(), Series: []svg.Series{best, dots[0], dots[1]},
			Marks: []svg.Mark{{Name: "current configuration"}}}
		if d.Confirmed != 0 {
			c.Marks = append(c.Marks, svg.Mark{Name: "in the confirmation", At: d.Confirmed})
		}
		return c
	}}
}

// gainAxis reaches from a little beyond the best gain to as far below zero. Worse trials, which
// may be worse by orders of magnitude, are drawn on its edge.
func (d *Data) gainAxis() svg.Axis {
	best := max(d.Trials[len(d.Trials)-1].Best, d.Confirmed, 0.05)
	return svg.Axis{Label: "gain", Percent: true, Min: -best, Max: 1.5 * best}
}

// bars is a figure of horizontal bars.
func bars(id, title, desc, axis string, names []string, s svg.BarSeries) figure {
	return figure{id, title, func(width int) renderer {
		return &svg.Bars{Title: title, Desc: desc, Width: width, X: svg.Axis{Label: axis, Percent: true}, Categories: names,
			Series: []svg.BarSeries{s}}
	}}
}

func (d *Data) importanceFigure() figure {
	var s svg.BarSeries
	var names []string
	for _, p := range d.Importance[:min(len(d.Importance), 12)] {
		names = append(names, p.Name)
		s.Values = append(s.Values, p.Share)
	}
	return bars("importance", "Share of the spread of scores that a setting explains",
		"Horizontal bars, most important first",
		"explained", names, s)
}

func (d *Data) shareFigure() (figure, bool) {
	var s svg.BarSeries
	var names []string
	for _, c := range d.Changes {
		if !math.IsNaN(c.Share) {
			names = append(names, c.Name)
			s.Values = append(s.Values, c.Share)
		}
	}
	return bars("changes", "Share of the gain that each change carries", "Horizontal bars",
		"share of the gain",
		names, s), len(names) > 1
}

// frontFigure shows what one objective costs the other.
func (d *Data) frontFigure() figure {
	f := d.Front
	title := fmt.Sprintf("%s against %s, on the front's own runs", upper(f.X.Name), f.Y.Name)
	return figure{"front", title, func(width int) renderer {
		pts := make([]svg.Point, 0, len(f.Points))
		for i, p := range f.Points {
			if i != f.Knee {
				pts = append(pts, svg.Point{X: p[0], Y: p[1]})
			}
		}
		slices.SortFunc(pts, func(a, b svg.Point) int { return cmp.Compare(a.X, b.X) })
		c := &svg.Chart{Title: title, Desc: "The Pareto front of two objectives as dots, with the current settings",
			Width: width, Height: 300,
			X: objectiveAxis(f.X), Y: objectiveAxis(f.Y),
			Series: []svg.Series{{Name: "Pareto front", Points: pts, Shape: svg.Dots, Colour: 1},
				{Name: "current settings", Points: []svg.Point{{X: f.Present[0], Y: f.Present[1]}}, Shape: svg.Dots, Colour: 8}}}
		if f.Knee >= 0 && f.Knee < len(f.Points) {
			k := f.Points[f.Knee]
			c.Series = append([]svg.Series{{Name: "compromise", Points: []svg.Point{{X: k[0], Y: k[1]}}, Shape: svg.Dots,
				Colour: 2}}, c.Series...)
		}
		c.Y.Min, c.Y.Max = frontRange(f, 1)
		c.X.Min, c.X.Max = frontRange(f, 0)
		return c
	}}
}

// frontRange covers the front and the current settings with a margin; the axes
// of trade-offs need not begin at zero.
func frontRange(f *Front, i int) (lo, hi float64) {
	lo, hi = f.Present[i], f.Present[i]
	for _, p := range f.Points {
		lo, hi = min(lo, p[i]), max(hi, p[i])
	}
	pad := max((hi-lo)*0.08, math.Abs(hi)*0.01, 1e-9)
	return lo - pad, hi + pad
}

func objectiveAxis(o Objective) svg.Axis {
	return svg.Axis{Label: o.Name, Seconds: o.Unit == "s", Percent: o.Unit == "share"}
}
