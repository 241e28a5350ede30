package tune

import (
	"context"
	"math"
	"testing"
)

// Where every better configuration breaks the limit on the workload of the confirmation, the
// limit is judged on the best found as well as on the current one, which is recommended.
func TestUnprovenConstraints(t *testing.T) {
	p := Problem{Space: cube(t, 2), Objectives: []Objective{{Metric: "f"}}, Windows: 2, HoldOut: []int{1},
		Constraints: []Constraint{{Metric: "load", Op: "<=", Limit: 0.5}},
		Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
			x, load := math.Abs(value(it, "x0")-0.9), 0.0
			if it.Window == 1 && x < 0.7-1e-9 {
				load = 1
			}
			return Outcome{Metrics: map[string]float64{"f": 1 + x*x, "load": load}}
		})}
	r := search(t, p, Options{Seed: 1, Budget: 200})
	if r.Decision.Recommended || r.Withheld() == nil || r.Found.Feasible {
		t.Fatalf("proven %v, unproven %+v; want what breaks the limit", r.Decision.Recommended, r.Withheld())
	}
	if len(r.Constraints) != 1 || r.Constraints[0].Kept || len(r.PresentConstraints) != 1 ||
		!r.PresentConstraints[0].Kept {
		t.Errorf("the limit on the present %+v, on what was found %+v; want it kept and broken", r.PresentConstraints,
			r.Constraints)
	}
}
