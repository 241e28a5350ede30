package tune

import (
	"context"
	"math"
	"testing"

	"schedtune/internal/rng"
)

// What the limits keep from being recommended is given with what it brings and which
// limit it breaks: x lowers m from 100 to 40 and raises the neighbour's metric n by
// as much as it lowers m; "n at most 5 % above the present" allows x = 1/12 only. The
// search turns away from what breaks a limit, so what it saw is not the optimum beyond.
// Without the limit, or where breaking it brings nothing, nothing is given.
func TestLifted(t *testing.T) {
	problem := func(limit bool, slope float64) Problem {
		p := Problem{Space: mustSpace(t, Param{Name: "x", Max: 1, Step: 0.005, Present: "0"},
			Param{Name: "y", Max: 1, Step: 0.01, Present: "0.5"}),
			Objectives: []Objective{{Metric: "m"}},
			Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
				x, noise := value(it, "x"), 1+0.02*rng.NewKey(it.Seed, 1).Norm(0)
				return Outcome{Metrics: map[string]float64{"m": (100 - slope*x) * noise, "n": (100 + 60*x) * noise}}
			})}
		if limit {
			p.Constraints = []Constraint{{Text: "n <= present + 5 %", Metric: "n", Factor: 1.05}}
		}
		return p
	}
	for seed := range uint64(4) {
		r := search(t, problem(true, 60), Options{Seed: seed, Budget: 300})
		l := r.Lifted
		if l == nil {
			t.Fatalf("seed %d: nothing beyond the limit was seen", seed)
		}
		x := 0.0
		for _, c := range l.Changes {
			if c.Name == "x" {
				x = value(Item{Settings: l.Settings}, "x")
			}
		}
		if x < 0.1 || math.Abs(l.Gain.Mean-0.6*x) > 0.01 || l.With.Mean > 0.06 || len(l.Broken) != 1 ||
			math.Abs(l.Broken[0].Beyond.Mean-(1+0.6*x)/1.05+1) > 0.01 {
			t.Errorf("seed %d: %+v; want x of 0.1 or more, a gain of 0.6 x and the limit broken by as much", seed, l)
		}
		if r := search(t, problem(false, 60), Options{Seed: seed, Budget: 300}); r.Lifted != nil {
			t.Errorf("seed %d: %+v without a limit", seed, r.Lifted)
		}
		if r := search(t, problem(true, -60), Options{Seed: seed, Budget: 300}); r.Lifted != nil {
			t.Errorf("seed %d: %+v, which is worse in both", seed, r.Lifted)
		}
	}
}
