package html

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"schedtune/internal/report/svg"
)

// Bar is one change of the opening picture: of the objective or of a queue's
// completion time, as a part of the present figure; negative is less.
type Bar struct {
	Name              string
	Change, Low, High float64 // NaN ends where there is no interval
}

// Terms are what one queue is granted, as text before and after.
type Terms struct {
	Queue string
	Cells []TermsCell // guaranteed, maximum, a single user, applications
}

// TermsCell is one figure of a queue.
type TermsCell struct {
	Text string
	Less bool // than before
}

// Slice shows the gains of the search over one parameter.
type Slice struct {
	Name          string
	Points        []svg.Point // value, and gain over the current configuration on the same workloads
	Present, Best float64     // values; NaN = not a number
}

// Kept is how often studies with other seeds change a setting.
type Kept struct {
	Setting, Kept, Lost, Values string
	Here                        bool // this study does
}

// leadFigure is what the page opens with.
func (d *Data) leadFigure() figure {
	var s svg.BarSeries
	var names []string
	for _, b := range d.Lead {
		names = append(names, b.Name)
		s.Values, s.Low, s.High = append(s.Values, b.Change), append(s.Low, b.Low), append(s.High, b.High)
	}
	return bars("lead", "Change of "+d.Objective.Name+", and of the mean completion time by queue",
		"Horizontal bars; to the left of zero is less than with the current settings",
		"change from the current configuration",
		names, s)
}

// sliceFigures draw one slice each; gains beyond the range of the search's progress stand on
// its edge.
func (d *Data) sliceFigures(add func(string, figure)) {
	if len(d.Trials) < 2 {
		return
	}
	for i := range d.Slices {
		s := &d.Slices[i]
		title := "Gain by " + s.Name
		add("slices", figure{fmt.Sprintf("slice-%d", i+1), title, func(width int) renderer {
			c := &svg.Chart{Title: title, Desc: "A dot for each configuration tried: its value of the setting and its gain",
				Width: width, Height: 200, X: svg.Axis{Label: s.Name}, Y: d.gainAxis(),
				Series: []svg.Series{{Name: "configuration", Points: s.Points, Shape: svg.Dots, Colour: 8}}}
			for _, m := range []svg.Mark{{Name: "current", At: s.Present, Vertical: true},
				{Name: d.after(), At: s.Best, Vertical: true}} {
				if !math.IsNaN(m.At) && (m.Name == "current" || s.Best != s.Present) {
					c.Marks = append(c.Marks, m)
				}
			}
			return c
		}})
	}
}

// TermsNames are the columns of Terms.
func (d *Data) TermsNames() []string {
	return []string{"Guaranteed", "Maximum", "A single user", "Applications at a time"}
}

// PairsName heads the column of figures before and after.
func (d *Data) PairsName() string {
	return strings.TrimSpace(upper("current → " + d.after() + " " + d.On))
}

// after is what the second run is called.
func (d *Data) after() string { return cmp.Or(d.AfterName, "after") }

// ChangesName heads the column of changes with their intervals.
func (d *Data) ChangesName() string {
	level := fmt.Sprintf(" (%.0f %% interval)", 100*cmp.Or(d.Level, 0.95))
	if d.Of == "" {
		return "Change" + level
	}
	return "Expected change " + d.Of + level
}
