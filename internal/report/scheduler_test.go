package report

import (
	"bytes"
	"strings"
	"testing"

	"schedtune/internal/study"
	"schedtune/tune"
)

// The verdict tells whether the best found is recommended, or why not; a loss is called one, broken
// limits come first, and every objective of a front has its figure.
func TestHeadline(t *testing.T) {
	gain := func(metric string, mean float64) tune.Gain {
		return tune.Gain{Metric: metric, Interval: tune.Interval{Mean: mean, Low: mean - 0.0001, High: mean + 0.0001,
			Level: 0.95, N: 9}}
	}
	yes := tune.Decision{Recommended: true}
	broken := tune.ConstraintResult{Constraint: tune.Constraint{Text: "a <= 1"}, Value: tune.Interval{Mean: 7}}
	for _, x := range []struct {
		name, want string
		r          tune.Result
	}{
		{"loss", "best found: makespan 3.0 % longer", tune.Result{Gain: []tune.Gain{gain("makespan", -0.03)},
			Decision: tune.Decision{Reason: tune.ReasonGainUnsure}}},
		{"limit", "not recommended: no configuration found meets the limit “a <= 1” (7 at best on similar workloads); " +
			"best found: makespan 10 % shorter",
			tune.Result{Gain: []tune.Gain{gain("makespan", 0.1)}, Decision: tune.Decision{Reason: tune.ReasonBreaksLimit},
				Constraints: []tune.ConstraintResult{broken}}},
		{"limits", "it breaks 2 of 3 limits, the first “a <= 1” (7 on similar workloads)", tune.Result{
			Present: tune.Summary{Feasible: true}, Gain: []tune.Gain{gain("makespan", 0.1)},
			Decision: tune.Decision{Reason: tune.ReasonBreaksLimit}, Constraints: []tune.ConstraintResult{broken, {Kept: true},
				broken}}},
		{"period", "a similar period gets worse in more than 20 of 100", tune.Result{
			Decision: tune.Decision{Reason: tune.ReasonWorseRisk, Risk: tune.Risk{Worse: 0.2, Queue: 0.15}}}},
		{"queue", "a queue gets slower in more than 15 of 100 similar periods", tune.Result{
			Decision: tune.Decision{Reason: tune.ReasonQueueRisk, Risk: tune.Risk{Worse: 0.2, Queue: 0.15}}}},
		{"front", "; mean-wait 5.0 % shorter", tune.Result{Decision: yes, Gain: []tune.Gain{gain("makespan", 0.1),
			gain("mean-wait", 0.05)}}},
		{"more is better", "utilisation 10 % higher", tune.Result{Decision: yes,
			Gain: []tune.Gain{gain("utilisation", 0.1)}}},
		{"still broken", "recommended: 1 of 1 limit NOT kept; makespan", tune.Result{Decision: yes,
			Gain: []tune.Gain{gain("makespan", 0.1)}, Constraints: []tune.ConstraintResult{{}}}},
		{"no difference", "best found: no difference in makespan", tune.Result{
			Decision: tune.Decision{Reason: tune.ReasonGainUnsure}, Gain: []tune.Gain{gain("makespan", -5.5e-7)}}},
	} {
		t.Run(x.name, func(t *testing.T) {
			x.r.Found = &tune.Summary{}
			var b bytes.Buffer
			PrintScheduler(&b, &study.SchedulerSummary{Result: &x.r})
			line, _, _ := strings.Cut(b.String(), "\n\n")
			if got := strings.ReplaceAll(line, "\n", " "); !strings.Contains(strings.ToLower(got), strings.ToLower(x.want)) {
				t.Errorf("%q; want %q", got, x.want)
			}
		})
	}
	if got := Verdict(&tune.Result{}); !strings.Contains(got, "nothing tried was better") {
		t.Error(got)
	}
}

// The risk is given in numbers of 100 similar periods, of the queues in danger the two that are most in
// it, with the number of recorded periods where they are few.
func TestRiskText(t *testing.T) {
	part := func(p float64) *float64 { return &p }
	d := tune.Decision{Better: part(0.94), Worse: part(0.004), Periods: 1, Protected: []tune.Protected{
		{Metric: "queue.root.a.mean-completion", Worse: part(0.01)}, {Metric: "queue.root.b.mean-completion"},
		{Metric: "queue.root.c.mean-completion", Worse: part(0.03)}, {Metric: "queue.root.d.mean-completion",
			Worse: part(0.002)}}}
	gains := []tune.Gain{{Metric: "makespan"}}
	want := "shorter in 94 of 100 similar periods, more than 2 % longer in fewer than 1 of 100; queue root.c more " +
		"than 10 % " +
		"slower in 3 of 100; queue root.a more than 10 % slower in 1 of 100; estimated from one recorded period"
	if got := riskText(&d, gains); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	d.Periods, d.Protected = 3, nil
	if got := riskText(&d, gains); strings.Contains(got, "recorded") || strings.Contains(got, "queue") {
		t.Error(got)
	}
	if d.Better = nil; riskText(&d, gains) != "" {
		t.Error("probabilities that nothing reports")
	}
}
