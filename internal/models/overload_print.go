package models

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"schedtune/classify/modelfile"
	"schedtune/internal/report/svg"
	"schedtune/internal/text"
)

// Print writes the summary for people.
func (r *OverloadResult) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s, decisions: %d with a known outcome, %d unknown, %d still open, %s\n",
		text.Count(int(r.Intake.Rows), "row"), r.Decisions, r.Unlabelled, r.Unresolved,
		text.Count(int(r.Intake.BadRows), "unreadable row"))
	how := "each assignment is predicted first and learned afterwards"
	if r.Frozen {
		how = "predicted with the saved model, which learns nothing"
	}
	fmt.Fprintf(w, "overloaded: %s; %s\n\n", r.Label, how)
	tw := text.New(w)
	fmt.Fprintln(tw, "learner\taccuracy\tbase rate\tbalanced\tF1 (bad)\tkappa\taccuracy at the end\t")
	for _, l := range r.Learners {
		last := text.Num(math.NaN())
		if n := len(l.Curve); n > 0 {
			last = text.Num(l.Curve[n-1].Accuracy)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Name, text.Percent(l.Accuracy), text.Percent(l.BaseRate),
			text.Percent(l.Balanced), text.Three(l.F1), text.Three(l.Kappa), text.Percent(last), l.Note)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if r.Compared > 0 {
		fmt.Fprintf(w, "golearn's learners are fitted anew for each window, on the first %d decisions\n", r.Compared)
	}
	if err := r.printFrozen(w); err != nil {
		return err
	}
	if r.Worth != nil {
		fmt.Fprintf(w, "\n%s\n", r.Worth)
	}
	r.printChosen(w)
	return nil
}

// printFrozen prints what the learners are worth without learning on.
func (r *OverloadResult) printFrozen(w io.Writer) error {
	first := r.Learners[0].Frozen
	switch {
	case first == nil:
		return nil
	case r.Frozen:
		fmt.Fprintln(w)
	default:
		fmt.Fprintf(w, "\nHold-out: learned until line %d, then %s predicted without learning:\n",
			first.FirstLine, text.Count(first.Decisions, "decision"))
	}
	tw := text.New(w)
	fmt.Fprintln(tw, "learner\taccuracy\tbalanced\tF1 (bad)\tAUC\tAP\tBrier\tECE\trecalibrated (exact)")
	for _, l := range r.Learners {
		z := l.Frozen
		if z == nil {
			continue
		}
		row := []string{l.Name, text.Percent(z.Accuracy), text.Percent(z.Balanced),
			text.Three(z.F1), text.Three(z.AUC), text.Three(z.Average), "-", "-", "-"}
		if c := z.Raw; c != nil {
			row[6], row[7] = text.Three(c.Brier), text.Three(c.ECE)
		}
		if c := z.Calibrated; c != nil {
			row[8] = fmt.Sprintf("%s (%s)", text.Three(c.ECE), text.Three(c.Exact))
		}
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, l := range r.Learners {
		if l.Frozen != nil && l.Frozen.Shuffled > 0 {
			fmt.Fprintf(w, "%s depends on the order of rows:\nbalanced accuracy %s in one pass, %s with --passes %d\n",
				l.Name, text.Percent(l.Frozen.Balanced), text.Percent(l.Frozen.Shuffled), shufflePasses)
		}
	}
	return nil
}

// printChosen prints what is known of the saved learner: its confusion matrix,
// its learning curve and the influence of the features.
func (r *OverloadResult) printChosen(w io.Writer) {
	l := &r.Learners[slices.IndexFunc(r.Learners, func(l LearnerScore) bool { return l.Name == r.Saved })]
	if r.Saved != r.Learner {
		fmt.Fprintf(w, "\nThe model holds the average of the perceptron's weights, which is better on the hold-out.\n")
	}
	fmt.Fprintf(w, "\n%s, confusion matrix (bad = overloaded):\n%14s %14s %14s\n", l.Name, "", "predicted bad",
		"predicted good")
	for i, name := range []string{"bad", "good"} {
		fmt.Fprintf(w, "%14s %14.0f %14.0f\n", name, l.Confusion[i][0], l.Confusion[i][1])
	}
	fmt.Fprintf(w, "\n%s, accuracy per window of decisions:\n", l.Name)
	step := (len(l.Curve) + 7) / 8
	for i, p := range l.Curve {
		if (i+1)%step == 0 || i == len(l.Curve)-1 {
			bar := max(0, int(50*p.Accuracy+0.5))
			fmt.Fprintf(w, "%10d  %-50s %s\n", p.Decisions, strings.Repeat("#", bar), text.Percent(text.Num(p.Accuracy)))
		}
	}
	unit := map[string]string{"naive-bayes": "mutual information with the outcome, bits",
		"gaussian": "share of variance between the outcomes"}[r.Saved]
	if unit == "" {
		unit = "weight times root mean square"
	}
	order := slices.Clone(r.Features)
	slices.SortStableFunc(order, func(a, b modelfile.Feature) int { return cmp.Compare(b.Influence, a.Influence) })
	lost := ",\nand the balanced accuracy that shuffling its values on the hold-out costs"
	if l.Frozen == nil || r.Frozen { // no hold-out
		lost = ""
	}
	fmt.Fprintf(w, "\n%s, influence of the features (%s)%s:\n", l.Name, unit, lost)
	for i, f := range order {
		if i == 10 {
			fmt.Fprintf(w, "  … %d more\n", len(order)-i)
			break
		}
		fmt.Fprintf(w, "  %-24s %-10.4g", f.Name, float64(f.Influence))
		if lost != "" {
			fmt.Fprint(w, " ", text.Percent(f.Permuted))
		}
		fmt.Fprintln(w)
	}
}

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
