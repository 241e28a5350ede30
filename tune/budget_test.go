package tune

import (
	"context"
	"fmt"
	"math/bits"
	"testing"
)

// A study takes no more runs than its budget, with all of its phases: with and without
// candidates, limits, drawn workloads and the history itself, and
// several objectives. Where it pays for no confirmation there is none.
func TestBudgetIsKept(t *testing.T) {
	limit := Constraint{Metric: "cost", Op: "<=", Factor: 1.2, Text: "cost <= present + 20 %"}
	for kind := 0; kind < 32; kind += 2 {
		if !long() && bits.OnesCount(uint(kind))%2 != 0 { // half of them: any three of the four in all settings
			continue
		}
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
		if !long() { // of those above 100 one each: a kind and its opposite have the same
			budgets = append(budgets[:3], budgets[3+(kind>>1^kind>>2)&1+(kind>>1^kind>>3)&1*2])
		}
		for _, budget := range budgets {
			r := search(t, p, Options{Seed: uint64(budget), Budget: budget})
			if r.Runs > budget {
				t.Errorf("kind %05b: %d runs of %d", kind, r.Runs, budget)
			}
			if (r.Confirmed > 0) != Confirms(p, Options{Budget: budget}) {
				t.Errorf("kind %05b: budget %d, confirmed on %d instances", kind, budget, r.Confirmed)
			}
		}
	}
}
