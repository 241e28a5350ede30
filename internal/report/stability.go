package report

import (
	"fmt"
	"io"
	"slices"

	"schedtune/internal/study"
	"schedtune/internal/text"
)

// printStability writes the table of studies with other seeds.
func printStability(w io.Writer, st *study.Stability) {
	fmt.Fprintf(w, "\nstability: %d studies with other seeds and workloads, %d with a proven gain\n", st.Studies,
		st.Recommended)
	fmt.Fprintf(w, "expected gains from %s\n", gainRange(st))
	if len(st.Changes) == 0 {
		return
	}
	fmt.Fprintf(w, "%-42s %25s %9s  %s\n", "change", "without it (90 % CI)", "kept in", "values")
	for _, c := range st.Changes {
		name := c.Setting
		if !c.Here {
			name = "(" + name + ")" // not in this study's file
		}
		fmt.Fprintf(w, "%-42s %25s %9s  %s\n", text.End(name, 42), stableText(&c), keptText(&c, st), valuesText(c.Values))
	}
}

// gainRange is the least and the largest gain that a study expects.
func gainRange(st *study.Stability) string {
	return fmt.Sprintf("%s to %s %%", text.Fixed(100*slices.Min(st.Gains), 1), text.Fixed(100*slices.Max(st.Gains), 1))
}

func keptText(c *study.StabilityChange, st *study.Stability) string {
	return fmt.Sprintf("%d of %d", c.Kept, st.Studies)
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

// valuesText lists values once each, in order.
func valuesText(values []string) string {
	text, seen := "", map[string]bool{}
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			if text != "" {
				text += ", "
			}
			text += v
		}
	}
	return text
}
