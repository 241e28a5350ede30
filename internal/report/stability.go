package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"schedtune/internal/cli"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
)

// printStability writes the table of studies with other seeds.
func printStability(w io.Writer, st *study.Stability) {
	fmt.Fprintf(w, "\nstability: %s\n", stabilityText(st))
	if len(st.Changes) == 0 {
		return
	}
	tw := text.New(w)
	fmt.Fprintln(tw, "change\tgain lost without it (90 % CI)\tkept in\tvalues")
	for _, c := range st.Changes {
		name := c.Setting
		if !c.Here {
			name = "(" + name + ")" // not in this study's file
		}
		fmt.Fprintf(tw, "%s\t%s\t%d of %d\t%s\n", name, stableText(&c), c.Kept, st.Studies, valuesText(c))
	}
	tw.Flush()
}

// stabilityText tells how many of the studies recommend a change, and the range of their gains.
func stabilityText(st *study.Stability) string {
	interrupted := ""
	if st.Studies < st.Wanted {
		interrupted = fmt.Sprintf(" of %d (interrupted)", st.Wanted)
	}
	return fmt.Sprintf("%d%s studies with other seeds and workloads, of which %d recommend a change; expected gains "+
		"from %s to "+
		"%s %%", st.Studies, interrupted, st.Recommended, text.Fixed(100*slices.Min(st.Gains), 1),
		text.Fixed(100*slices.Max(st.Gains), 1))
}

// valuesText are the values that the studies recommend, repeated ones once.
func valuesText(c study.StabilityChange) string {
	return strings.Join(slices.Compact(slices.Clone(c.Values)), ", ")
}

// stableText is what becomes of the gain without a change, over the studies that
// keep it.
func stableText(c *study.StabilityChange) string {
	switch {
	case c.Mean != nil:
		return lostText(c.Mean, c.Low, c.High)
	case len(c.Lost) == 1:
		return lostText(&c.Lost[0], nil, nil)
	}
	return "-"
}

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
