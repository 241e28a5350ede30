package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"schedtune/internal/study"
	"schedtune/internal/text"
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
