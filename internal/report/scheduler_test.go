package report

import (
	"bytes"
	"strings"
	"testing"

	"schedtune/internal/study"
	"schedtune/tune"
)

// The headline is that of the search for queue files: a loss is called one, a
// tiny gain is not 0.0 %, broken constraints come first, and every objective of a
// front is told of.
func TestHeadline(t *testing.T) {
	gain := func(metric string, mean float64) tune.Gain {
		return tune.Gain{Metric: metric, Interval: tune.Interval{Mean: mean, Low: mean - 0.0001, High: mean + 0.0001,
			Level: 0.95, N: 9}}
	}
	for _, x := range []struct {
		want string
		r    tune.Result
	}{
		{"no proven improvement (what the search had chosen broke a limit or lost work in the confirmation; the figures " +
			"are those of the contender that took its place, by which it was chosen): with the best found makespan gets " +
			"worse by 3.0 %", tune.Result{Gain: []tune.Gain{gain("makespan", -0.03)}, Found: &tune.Summary{},
			ChosenLate: true}},
		{"no proven improvement: with the best found makespan gets worse by 3.0 %",
			tune.Result{Gain: []tune.Gain{gain("makespan", -0.03)}, Found: &tune.Summary{}}},
		{"no proven improvement (what was found breaks “a <= 1” on similar workloads): with the best found makespan " +
			"improves by 10.0 %", tune.Result{Gain: []tune.Gain{gain("makespan", 0.1)}, Found: &tune.Summary{},
			Constraints: []tune.ConstraintResult{
				{Constraint: tune.Constraint{Text: "a <= 1"}}}}},
		{"no proven improvement (what was found breaks 2 of 3 limits on similar workloads): with",
			tune.Result{Gain: []tune.Gain{gain("makespan", 0.1)}, Found: &tune.Summary{},
				Constraints: []tune.ConstraintResult{{}, {Kept: true}, {}}}},
		{"no proven improvement: with the best found makespan improves by 10.0 %",
			tune.Result{Gain: []tune.Gain{gain("makespan", 0.1)}, Found: &tune.Summary{Feasible: true},
				Constraints: []tune.ConstraintResult{{Kept: true}}}},
		{"makespan improves by 0.028 %", tune.Result{Decision: tune.Decision{Recommended: true}, Gain: []tune.Gain{gain("makespan", 0.00028)}}},
		{"; mean-wait improves by 5.0 %", tune.Result{Decision: tune.Decision{Recommended: true}, Gain: []tune.Gain{gain("makespan", 0.1),
			gain("mean-wait", 0.05)}}},
		{"the constraint is NOT kept; makespan", tune.Result{Decision: tune.Decision{Recommended: true}, Gain: []tune.Gain{gain("makespan", 0.1)},
			Constraints: []tune.ConstraintResult{{}}}},
		{"no proven improvement: nothing tried was better", tune.Result{Gain: []tune.Gain{gain("makespan", 0)}}},
	} {
		var b bytes.Buffer
		PrintScheduler(&b, &study.SchedulerSummary{Result: &x.r})
		if line, _, _ := strings.Cut(b.String(), "\n\n"); !strings.Contains(line, x.want) {
			t.Errorf("%q; want %q", line, x.want)
		}
	}
}
