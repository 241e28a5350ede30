package tune

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A study takes no more runs than its budget, with all of its phases: with and without
// candidates, limits, drawn workloads and the history itself, and
// several objectives. Below tinyRuns the confirmation takes what a verdict needs, whatever
// is left: two configurations on the fewest instances, instead of the 30 % kept for it.
func TestBudgetIsKept(t *testing.T) {
	limit := Constraint{Metric: "cost", Op: "<=", Factor: 1.2, Text: "cost <= present + 20 %"}
	for kind := 0; kind < 32; kind += 2 {
		p := hill(t, 24)
		if kind&2 != 0 {
			for _, v := range []string{"0.25", "0.3", "0.4", "0.5", "0.55", "0.6", "0.8", "0.9"} {
				set := p.Space.PresentSettings()
				for k := range set {
					set[k].Value = v
				}
				p.Candidates = append(p.Candidates, Candidate{fmt.Sprint("all ", v), set})
			}
		}
		if kind&4 != 0 {
			p.Constraints = []Constraint{limit}
		}
		if kind&8 != 0 {
			p.Windows, p.HoldOut, p.Again = 9, []int{4, 5, 6, 7}, []int{8}
			p.Predict = &Prediction{}
		}
		if kind&16 != 0 {
			p.Objectives = append(p.Objectives, Objective{Metric: "other"})
			run := p.Evaluator.(*pool).run
			p.Evaluator = Pool(1, func(ctx context.Context, it Item) Outcome {
				o := run(ctx, it)
				o.Metrics["other"] = value(it, "x0") + 1
				return o
			})
		}
		budgets := []int{20, 50, 100, 200, 299, 300, 301}
		if kind%10 == 0 {
			budgets = append(budgets, 1000)
		}
		if !long() { // of those above 100 one each, dealt so that all meet every setting of each bit
			budgets = append(budgets[:3], budgets[3+(kind^kind>>2^kind>>4)&3])
			if kind == 12 {
				budgets = append(budgets, 1000)
			}
		}
		for _, budget := range budgets {
			r := search(t, p, Options{Seed: uint64(budget), Budget: budget})
			most := budget
			if budget < 100 { // 70 % and twice 16 runs, or 20 with the history
				most = max(budget, budget-budget*3/10+32+kind&8)
			}
			if got := MostRuns(p, Options{Budget: budget}); r.Runs > most || got != most {
				t.Errorf("kind %05b: %d runs of %d, at most %d; want at most %d", kind, r.Runs, budget, got, most)
			}
			if budget >= 300 && r.Runs < budget*6/10 { // where the decision is clear, the rest is left
				t.Errorf("kind %05b: only %d runs of %d", kind, r.Runs, budget)
			}
		}
	}
}

// Fewer runs than any study can begin with are refused; a study without confirmation or
// with a budget in time alone promises nothing else.
func TestMostRuns(t *testing.T) {
	p := hill(t, 5)
	if _, err := NewStudy(p, Options{Budget: 10}); err == nil || !strings.Contains(err.Error(), "20 runs or more") {
		t.Errorf("10 runs: %v", err)
	}
	for _, c := range []struct {
		o    Options
		want int
	}{{Options{Budget: 20}, 46}, {Options{Budget: 20, Off: PartConfirm}, 20}, {Options{Budget: 99}, 102},
		{Options{Budget: 100}, 100},
		{Options{TimeBudget: 1, Clock: func() time.Duration { return 0 }}, 0}, {Options{}, 1000}} {
		if got := MostRuns(p, c.o); got != c.want {
			t.Errorf("%+v: %d runs at most, want %d", c.o, got, c.want)
		}
	}
	p.Windows, p.Again = 2, []int{1}
	if got := MostRuns(p, Options{Budget: 50}); got != 75 || VerdictRuns(p) != 40 {
		t.Errorf("with the history: %d at most, %d for a verdict, want 75 and 40", got, VerdictRuns(p))
	}
}
