package study

import (
	"fmt"
	"strings"
	"testing"

	"schedtune/tune"
)

// Present files for which a space once proposed what Hadoop refuses, or none could be
// made: every point must be a file that loads. validation/conformance/accept has the original load
// such files.
func TestSpacesOfOddFiles(t *testing.T) {
	for _, c := range []struct {
		name, only string
		stays      bool // the shares do, and the study says so
		properties []string
	}{
		{"a percentage of 0 beside a weight", "*", true, []string{"root.queues=prod,batch,adhoc,reports",
			"root.prod.capacity=0", "root.batch.capacity=2w", "root.adhoc.capacity=1w", "root.reports.capacity=3w"}},
		{"a weight beside a percentage of 0", "*", true, []string{"root.queues=prod,batch,adhoc,reports",
			"root.prod.capacity=2w", "root.batch.capacity=0", "root.adhoc.capacity=1w", "root.reports.capacity=3w"}},
		{"maxima at the capacities", "capacity", true, []string{"root.queues=prod,batch,adhoc,reports",
			"root.prod.capacity=40", "root.batch.capacity=30", "root.adhoc.capacity=20", "root.reports.capacity=10",
			"root.prod.maximum-capacity=40", "root.batch.maximum-capacity=30", "root.adhoc.maximum-capacity=20",
			"root.reports.maximum-capacity=10"}},
		{"absolute maxima at the capacities", "capacity", true, []string{"root.queues=prod,batch,adhoc,reports",
			"root.prod.capacity=[memory=40961,vcores=4]", "root.batch.capacity=[memory=30723,vcores=3]",
			"root.adhoc.capacity=[memory=20482,vcores=2]", "root.reports.capacity=[memory=10242,vcores=1]",
			"root.prod.maximum-capacity=[memory=40961,vcores=4]", "root.batch.maximum-capacity=[memory=30723,vcores=3]",
			"root.adhoc.maximum-capacity=[memory=20482,vcores=2]", "root.reports.maximum-capacity=[memory=10242,vcores=1]"}},
		{"maxima of weights at their parts", "capacity", true, []string{"root.queues=prod,batch,adhoc,reports",
			"root.prod.capacity=1w", "root.batch.capacity=1w", "root.adhoc.capacity=1w", "root.reports.capacity=1w",
			"root.prod.maximum-capacity=25", "root.batch.maximum-capacity=25", "root.adhoc.maximum-capacity=25",
			"root.reports.maximum-capacity=25"}},
		{"absolute maxima without legacy rules", "*", false, []string{"legacy-queue-mode.enabled=false",
			"root.queues=prod,batch,adhoc,reports", "root.prod.capacity=[memory=65536,vcores=32]",
			"root.batch.capacity=[memory=32768,vcores=16]",
			"root.adhoc.capacity=[memory=16384,vcores=8]", "root.reports.capacity=[memory=8192,vcores=4]",
			"root.prod.maximum-capacity=[memory=70000,vcores=40]", "root.adhoc.maximum-capacity=[memory=20000,vcores=9]"}},
		{"the same, which stay", "capacity", false, []string{"legacy-queue-mode.enabled=false",
			"root.queues=prod,batch,adhoc,reports", "root.prod.capacity=[memory=65536,vcores=32]",
			"root.batch.capacity=[memory=32768,vcores=16]",
			"root.adhoc.capacity=[memory=16384,vcores=8]", "root.reports.capacity=[memory=8192,vcores=4]",
			"root.prod.maximum-capacity=[memory=70000,vcores=40]", "root.adhoc.maximum-capacity=[memory=20000,vcores=9]"}},
		{"absolute maxima at the capacities without legacy rules", "capacity", true,
			[]string{"legacy-queue-mode.enabled=false", "root.queues=prod,batch,adhoc,reports",
				"root.prod.capacity=[memory=40961,vcores=4]", "root.batch.capacity=[memory=30723,vcores=3]",
				"root.adhoc.capacity=[memory=20482,vcores=2]", "root.reports.capacity=[memory=10242,vcores=1]",
				"root.prod.maximum-capacity=[memory=40961,vcores=4]", "root.batch.maximum-capacity=[memory=30723,vcores=3]",
				"root.adhoc.maximum-capacity=[memory=20482,vcores=2]", "root.reports.maximum-capacity=[memory=10242,vcores=1]"}},
		{"fewer vcores than the children's, memory the larger share", "*", false,
			[]string{"resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
				"root.queues=a,reports", "root.a.queues=prod,b", "root.a.b.queues=batch,adhoc",
				"root.a.capacity=[memory=163840,vcores=10]", "root.reports.capacity=[memory=40960,vcores=8]",
				"root.a.prod.capacity=[memory=80000,vcores=5]", "root.a.b.capacity=[memory=80000,vcores=1]",
				"root.a.b.batch.capacity=[memory=40000,vcores=1]", "root.a.b.adhoc.capacity=[memory=39000,vcores=1]",
				"queue-mappings=u:%user:root.a.prod", "queue-mappings-override.enable=true"}},
		{"absolute resources in different proportions without legacy rules", "*", false,
			[]string{"resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
				"legacy-queue-mode.enabled=false", "root.queues=prod,batch,adhoc,reports",
				"root.prod.capacity=[memory=65536,vcores=4]", "root.batch.capacity=[memory=32768,vcores=16]",
				"root.adhoc.capacity=[memory=16384,vcores=8]", "root.reports.capacity=[memory=8192,vcores=4]",
				"root.prod.maximum-capacity=[memory=80000,vcores=60]", "root.adhoc.maximum-capacity=[memory=20000,vcores=9]"}},
		{"percentages above 100 together without legacy rules", "*", false, []string{"legacy-queue-mode.enabled=false",
			"root.queues=prod,batch,adhoc,reports", "root.prod.capacity=60", "root.batch.capacity=40", "root.adhoc.capacity=40",
			"root.reports.capacity=40"}},
		{"percentages of a label above 100 together without legacy rules", "*", false,
			[]string{"legacy-queue-mode.enabled=false", "root.queues=prod,batch,adhoc,reports", "root.prod.capacity=40",
				"root.batch.capacity=30", "root.adhoc.capacity=20", "root.reports.capacity=10",
				"root.prod.accessible-node-labels.gpu.capacity=60", "root.batch.accessible-node-labels.gpu.capacity=40",
				"root.adhoc.accessible-node-labels.gpu.capacity=40"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := tunedCase(t, c.properties)
			if c.name == "percentages of a label above 100 together without legacy rules" {
				made = labelledCase(t, c.properties)
			}
			s, notes, err := NewSpace(made, []string{c.only, "user-limit-factor"})
			if err != nil {
				t.Fatal(err)
			}
			if stay := strings.Contains(strings.Join(notes, "\n"), "capacities below root"); stay != c.stays {
				t.Errorf("told that capacities stay: %v, want %v: %q", stay, c.stays, notes)
			}
			ps := points(s, 50)
			for end := range 2 {
				all := make(tune.Point, s.Dim())
				for i := range all {
					all[i] = float64(end)
					p := s.Present()
					p[i] = float64(end)
					ps = append(ps, p)
				}
				ps = append(ps, all)
			}
			for k, p := range ps {
				changes, _ := s.Changes(s.Decode(p))
				doc, err := made.Doc.EditValid(changes)
				if err != nil {
					t.Fatalf("point %d: %v: %v", k, fmt.Sprint(changes), err)
				}
				for _, e := range made.RefusedRefresh(made.Doc, doc) {
					t.Fatalf("point %d: %v: a refresh is refused: %v", k, fmt.Sprint(changes), e)
				}
			}
		})
	}
}
