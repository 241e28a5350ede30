package evidence

import (
	"fmt"
	"strings"

	"schedtune/internal/inputs"
)

// levelText says which runs the search was made on; empty for full fidelity.
func (f *StudyFigures) levelText() string {
	if len(f.Levels) == 0 {
		return ""
	}
	var parts []string
	for _, l := range f.Levels {
		if l.Runs == 0 {
			continue
		}
		text := fmt.Sprintf("%s on %s", inputs.Counted(l.Runs, "run"), l.Name)
		if l.Cost == 1 {
			text = inputs.Counted(l.Runs, "whole run")
		}
		if l.Correlation != nil {
			text += fmt.Sprintf(" (rank correlation with whole runs %.2f)", *l.Correlation)
		}
		parts = append(parts, text)
	}
	return fmt.Sprintf("searched on parts of the workload and the cluster, confirmed on the whole: %s; all together cost as much as %.0f whole runs", strings.Join(parts, ", "), f.Cost)
}
