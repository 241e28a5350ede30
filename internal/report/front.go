package report

import (
	"fmt"
	"io"
	"strings"

	"schedtune/internal/cli"
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
