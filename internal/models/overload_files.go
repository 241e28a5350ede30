package models

import (
	"bytes"
	"fmt"

	"schedtune/internal/report/svg"
)

// Table returns the numbers of the chart as CSV: learner, decisions, accuracy, base rate.
func (r *OverloadResult) Table() []byte {
	var b bytes.Buffer
	b.WriteString("learner,decisions,accuracy,base_rate\n")
	for _, l := range r.Learners {
		for _, p := range l.Curve {
			fmt.Fprintf(&b, "%s,%d,%g,%g\n", l.Name, p.Decisions, p.Accuracy, p.BaseRate)
		}
	}
	return b.Bytes()
}

// Chart draws the learning curves with the base rate.
func (r *OverloadResult) Chart() []byte {
	c := svg.Chart{Title: "Accuracy per window, predicted before learning", X: svg.Axis{Label: "decisions"},
		Y: svg.Axis{Label: "accuracy", Percent: true}}
	for _, l := range r.Learners {
		s := svg.Series{Name: l.Name}
		for _, p := range l.Curve {
			s.Points = append(s.Points, svg.Point{X: float64(p.Decisions), Y: p.Accuracy})
		}
		c.Series = append(c.Series, s)
	}
	base := svg.Series{Name: "base rate"}
	for _, p := range r.Learners[0].Curve {
		base.Points = append(base.Points, svg.Point{X: float64(p.Decisions), Y: p.BaseRate})
	}
	c.Series = append(c.Series, base)
	return c.File()
}
