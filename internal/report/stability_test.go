package report

import (
	"strings"
	"testing"

	"schedtune/internal/study"
)

// The table names the settings that this study's file leaves as they are in brackets.
func TestStabilityTable(t *testing.T) {
	st := &study.Stability{Studies: 3, Recommended: 2, Gains: []float64{0.1, 0, 0.25}, Changes: []study.StabilityChange{
		{Setting: "slowstart", Kept: 2, Values: []string{"0.5", "0.5"}, Here: true}, {Setting: "root.a.capacity", Kept: 1,
			Values: []string{"40"}}}}
	var b strings.Builder
	printStability(&b, st)
	for _, want := range []string{"3 studies with other seeds and workloads, of which 2 recommend a change",
		"from 0.0 to 25.0 %",
		"\nslowstart ", "2 of 3   0.5\n", "\n(root.a.capacity) "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
