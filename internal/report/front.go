package report

import (
	"fmt"
	"io"
	"strings"

	"schedtune/internal/cli"
	"schedtune/internal/report/html"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
)

// printFront writes the Pareto front.
func (sum *Summary) printFront(w io.Writer) {
	if len(sum.Front) < 2 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", cli.Wrap(fmt.Sprintf("Pareto front of %s: %d configurations, none better than another in all "+
		"objectives; * is the compromise, which the confirmation measured. Means of the front's own runs. summary.json has "+
		"the settings of each (front[].settings)", strings.Join(sum.Objectives, " and "), len(sum.Front)), columns))
	tw := text.New(w)
	fmt.Fprintf(tw, "\t%s\n", strings.Join(sum.Objectives, "\t"))
	row := func(mark string, c *Configuration) {
		fmt.Fprint(tw, mark)
		for _, o := range sum.Objectives {
			v, _ := metric(c.Metrics, o)
			fmt.Fprintf(tw, "\t%s", text.Amount(v, simcore.MetricOf(o).Unit))
		}
		fmt.Fprintln(tw)
	}
	if sum.FrontPresent != nil {
		row("current", sum.FrontPresent)
	}
	for i := range sum.Front {
		mark := ""
		if sum.confirmedPoint(i) {
			mark = "*"
		}
		row(mark, &sum.Front[i])
	}
	tw.Flush()
}

// confirmedPoint reports whether a point of the front is the one that was confirmed.
func (sum *Summary) confirmedPoint(i int) bool { return sum.Knee != nil && *sum.Knee == i }

// reportFront is the front of the first two objectives and the current settings on the same
// runs; nil with one.
func reportFront(s *study.Study, sum *Summary) *html.Front {
	if len(s.Problem.Objectives) < 2 || len(sum.Front) == 0 || sum.FrontPresent == nil {
		return nil
	}
	a, b := s.Problem.Objectives[0], s.Problem.Objectives[1]
	point := func(c *Configuration) (p [2]float64, ok bool) {
		x, okx := metric(c.Metrics, a.Metric)
		y, oky := metric(c.Metrics, b.Metric)
		return [2]float64{x, y}, okx && oky
	}
	present, ok := point(sum.FrontPresent)
	if !ok {
		return nil
	}
	f := &html.Front{X: objectiveOf(a), Y: objectiveOf(b), Knee: -1, Present: present}
	for i := range sum.Front {
		if p, ok := point(&sum.Front[i]); ok {
			if sum.confirmedPoint(i) {
				f.Knee = len(f.Points)
			}
			f.Points = append(f.Points, p)
		}
	}
	return f
}
