package evidence

import (
	"fmt"
	"io"
	"slices"

	"schedtune/internal/study"
)

// printStability writes the table of studies with other seeds.
func printStability(w io.Writer, st *study.Stability) {
	fmt.Fprintf(w, "\nstability: %d studies with other seeds and workloads, %d with a proven gain\n", st.Studies, st.Proven)
	low, high := slices.Min(st.Gains), slices.Max(st.Gains)
	fmt.Fprintf(w, "expected gains from %.1f to %.1f %%\n", 100*low, 100*high)
	if len(st.Changes) == 0 {
		return
	}
	fmt.Fprintf(w, "%-46s %10s  %s\n", "change", "kept in", "values")
	for _, c := range st.Changes {
		name := c.Setting
		if !c.Here {
			name = "(" + name + ")" // not in this study's file
		}
		fmt.Fprintf(w, "%-46s %10s  %s\n", clip(name, 46), fmt.Sprintf("%d of %d", c.Kept, st.Studies), valuesText(c.Values))
	}
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
