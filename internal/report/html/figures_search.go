package html

import (
	"fmt"
	"math"
	"slices"

	"schedtune/internal/report/svg"
)

func (d *Data) progressFigure() figure {
	title := "Progress of the search"
	return figure{"search", title, func(width int) renderer {
		var tried, broke, best []svg.Point
		for _, t := range d.Trials {
			p := svg.Point{X: float64(t.Runs), Y: t.Score}
			if t.Violation {
				broke = append(broke, p)
			} else {
				tried = append(tried, p)
			}
			best = append(best, svg.Point{X: float64(t.Runs), Y: t.Best})
		}
		low, high := d.scoreRange()
		c := &svg.Chart{Title: title, Desc: "Scores of the trials and the best so far over the runs spent; trials beyond " +
			"the range stand on its edge", Width: width, Height: 240,
			X: svg.Axis{Label: "runs spent"}, Y: svg.Axis{Label: d.Objective.Name, Seconds: d.Objective.Unit == "s",
				Percent: d.Objective.Unit == "share", Min: low, Max: high},
			Series: []svg.Series{{Name: "best so far", Points: best, Shape: svg.Step, Colour: 1},
				{Name: "trial", Points: tried, Shape: svg.Dots, Colour: 8}},
			Marks: []svg.Mark{{Name: "current settings", At: d.Trials[0].Score}}}
		if len(broke) > 0 {
			c.Series = append(c.Series, svg.Series{Name: "breaks a constraint", Points: broke, Shape: svg.Dots, Colour: 5})
		}
		if d.Confirmed > 0 {
			c.Marks = append(c.Marks, svg.Mark{Name: "confirmed on unused seeds", At: d.Confirmed})
		}
		if d.Bound != nil && d.Bound.Value >= low && d.Bound.Value <= high {
			c.Marks = append(c.Marks, svg.Mark{Name: "bound", At: d.Bound.Value})
		}
		return c
	}}
}

// scoreRange reaches from a little beyond the best score to as far behind the
// current settings as the best is before them. Worse trials, which may be worse
// by orders of magnitude, are drawn on the edge.
func (d *Data) scoreRange() (lo, hi float64) {
	first, best := d.Trials[0].Score, d.Trials[len(d.Trials)-1].Best
	if d.Confirmed > 0 {
		best = math.Min(best, d.Confirmed)
		if d.Objective.Higher {
			best = math.Max(d.Trials[len(d.Trials)-1].Best, d.Confirmed)
		}
	}
	if math.IsNaN(first) || math.IsNaN(best) {
		return 0, 1
	}
	span := max(math.Abs(first-best), math.Abs(first)*0.05, 1e-9)
	if d.Objective.Higher {
		return first - span, best + 0.15*span
	}
	return best - 0.15*span, first + span
}

func (d *Data) importanceFigure() figure {
	title := "Share of the spread of scores that a setting explains"
	return figure{"importance", title, func(width int) renderer {
		s := svg.BarSeries{Colour: 1}
		var names []string
		for i, p := range d.Importance {
			if i == 12 {
				break
			}
			names = append(names, p.Name)
			s.Values = append(s.Values, p.Share)
		}
		return &svg.Bars{Title: title, Desc: "Horizontal bars, most important first", Width: width,
			X: svg.Axis{Label: "explained", Percent: true}, Categories: names, Series: []svg.BarSeries{s}}
	}}
}

func (d *Data) shareFigure() (figure, bool) {
	s := svg.BarSeries{Colour: 1}
	var names []string
	measured := false
	for _, c := range d.Changes {
		if math.IsNaN(c.Share) {
			continue
		}
		measured = true
		names = append(names, c.Name)
		s.Values = append(s.Values, c.Share)
		s.Low, s.High = append(s.Low, c.Low), append(s.High, c.High)
	}
	if !measured || len(names) < 2 {
		return figure{}, false
	}
	title := "Share of the gain that each change carries"
	return figure{"changes", title, func(width int) renderer {
		return &svg.Bars{Title: title, Desc: "Horizontal bars with intervals", Width: width,
			X: svg.Axis{Label: "share of the gain", Percent: true}, Categories: names, Series: []svg.BarSeries{s}}
	}}, true
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
		slices.SortFunc(pts, func(a, b svg.Point) int { return cmp(a.X, b.X) })
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
