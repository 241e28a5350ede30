package report

import (
	"strings"
	"testing"

	"schedtune/tune"
)

// A table by queue shows what the confirmation measured where it did, in both
// columns or in none.
func TestGroupsShowTheConfirmation(t *testing.T) {
	ms := func(mean float64, names ...string) (out []tune.Metric) {
		for _, n := range names {
			out = append(out, tune.Metric{Name: n, Interval: tune.Interval{Mean: mean}})
		}
		return out
	}
	g := GroupRow{Dimension: "queue", Name: "root.a", Before: GroupFigure{9, 1, 2, 3, 4},
		After: GroupFigure{9, 5, 6, 7, 8}}
	g.confirm(ms(10, "queue.root.a.mean-completion", "queue.root.a.p95-wait", "queue.root.b.mean-wait"),
		ms(20, "queue.root.a.mean-completion", "queue.root.a.mean-wait"))
	if want := (GroupFigure{9, 10, 2, 3, 4}); g.Before != want {
		t.Errorf("before %v, want %v", g.Before, want)
	}
	if want := (GroupFigure{9, 20, 6, 7, 8}); g.After != want {
		t.Errorf("after %v, want %v", g.After, want)
	}
}

// From a mean of 200 no settings get below 50: three quarters are left.
func TestLeftToGain(t *testing.T) {
	sum := &Summary{Objectives: []string{"makespan"}, Bounds: []tune.BoundGap{{Metric: "makespan", Bound: 50, Gap: 0.75}}}
	var out strings.Builder
	sum.Print(&out, View{Verbose: true})
	if want := "optimality gap of makespan: at most 75.0 % (lower bound 50 s)"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
	if b := sum.bound(); b == nil || b.Gap != 0.75 {
		t.Errorf("report: %+v", b)
	}
}
