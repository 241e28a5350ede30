package models

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"schedtune/internal/report/svg"
	"schedtune/internal/text"
)

// Print writes the summary for people.
func (r *OverloadResult) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s with a known outcome, %d unlabelled, %d unresolved, %s\n",
		text.Count(int(r.Intake.Rows), "row"), text.Count(int(r.Decisions), "decision"), r.Unlabelled, r.Unresolved,
		text.Count(int(r.Intake.BadRows), "bad row"))
	fmt.Fprintf(w, "overloaded: %s; every decision is judged before its outcome is learned\n\n", r.Label)
	tw := text.New(w)
	fmt.Fprintln(tw, "learner\taccuracy\tbase rate\tF1 (bad)\tkappa\tlast window\t")
	for _, l := range r.Learners {
		last := text.Num(math.NaN())
		if n := len(l.Curve); n > 0 {
			last = l.Curve[n-1].Accuracy
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Name, text.Percent(l.Accuracy), text.Percent(l.BaseRate),
			text.Three(l.F1), text.Three(l.Kappa), text.Percent(last), l.Note)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if r.Worth != nil {
		fmt.Fprintf(w, "\n%s\n", r.Worth)
	}
	r.printChosen(w)
	return nil
}

// printChosen prints what is known of the saved learner: its confusion matrix,
// its learning curve and the influence of the features.
func (r *OverloadResult) printChosen(w io.Writer) {
	l := &r.Learners[slices.IndexFunc(r.Learners, func(l LearnerScore) bool { return l.Name == r.Learner })]
	fmt.Fprintf(w, "\n%s, confusion matrix:\n%14s %10s %10s\n", l.Name, "", "said bad", "said good")
	for i, name := range []string{"was bad", "was good"} {
		fmt.Fprintf(w, "%14s %10.0f %10.0f\n", name, l.Confusion[i][0], l.Confusion[i][1])
	}
	fmt.Fprintf(w, "\naccuracy per window of decisions:\n")
	step := (len(l.Curve) + 11) / 12
	for i, p := range l.Curve {
		if (i+1)%step == 0 || i == len(l.Curve)-1 {
			bar := max(0, int(50*float64(p.Accuracy)+0.5))
			fmt.Fprintf(w, "%10d  %-50s %s\n", p.Decisions, strings.Repeat("#", bar), text.Percent(p.Accuracy))
		}
	}
	fmt.Fprintf(w, "\ninfluence of the features, most first:\n")
	order := slices.Clone(r.Features)
	slices.SortStableFunc(order, func(a, b OverloadFeature) int {
		switch {
		case a.Influence > b.Influence:
			return -1
		case a.Influence < b.Influence:
			return 1
		}
		return 0
	})
	for i, f := range order {
		if i == 10 {
			fmt.Fprintf(w, "  … %d more\n", len(order)-i)
			break
		}
		fmt.Fprintf(w, "  %-24s %.4g\n", f.Name, float64(f.Influence))
	}
}

// Chart draws the learning curves with the base rate.
func (r *OverloadResult) Chart() []byte {
	c := svg.Chart{Title: "Accuracy per window, judged before learning", X: svg.Axis{Label: "decisions"},
		Y: svg.Axis{Label: "accuracy", Percent: true}}
	for _, l := range r.Learners {
		s := svg.Series{Name: l.Name}
		for _, p := range l.Curve {
			s.Points = append(s.Points, svg.Point{X: float64(p.Decisions), Y: float64(p.Accuracy)})
		}
		c.Series = append(c.Series, s)
	}
	base := svg.Series{Name: "base rate"}
	for _, p := range r.Learners[0].Curve {
		base.Points = append(base.Points, svg.Point{X: float64(p.Decisions), Y: float64(p.BaseRate)})
	}
	c.Series = append(c.Series, base)
	return c.File()
}
