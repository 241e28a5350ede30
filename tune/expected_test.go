package tune

import (
	"context"
	"math"
	"slices"
	"testing"

	"schedtune/internal/rng"
)

// What is expected of a limited metric is said for one further workload: the interval holds nine
// tenths of fresh ones, and nothing is said where few workloads have the metric, of the present
// configuration, or where no other workloads are drawn.
func TestExpectedChange(t *testing.T) {
	p := likeThis(129)
	cost := p.Evaluator.(*pool).run
	slower := func(w int, x float64) float64 { return x * (0.004 + 0.01*rng.NewKey(12, 4).At(uint64(w)).Norm(0)) }
	run := func(ctx context.Context, it Item) Outcome {
		o, x := cost(ctx, it), valueOf(it.Settings, "x")
		o.Metrics["other"] = 10 * math.Exp(slower(it.Window, x))
		if it.Window%16 == 0 {
			o.Metrics["rare"] = 5
		}
		o.Metrics["new"] = x // 0 with the current settings
		return o
	}
	p.Evaluator = Pool(2, run)
	p.Constraints = []Constraint{{Text: "other", Metric: "other", Op: "<=", Factor: 1.05},
		{Text: "rare", Metric: "rare", Op: "<=", Factor: 1.05}, {Text: "new", Metric: "new", Op: "<=", Limit: 20}}
	r, err := Search(context.Background(), p, Options{Seed: 4, Budget: 2000, Patience: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Decision.Recommended || len(r.Constraints) != 3 {
		t.Fatalf("proven %v, constraints %+v", r.Decision.Recommended, r.Constraints)
	}
	e, x := r.Constraints[0].Expected, valueOf(r.Best.Settings, "x")
	if e == nil || e.Level != 0.90 || !(e.Low <= e.Mean && e.Mean <= e.High) {
		t.Fatalf("expected %+v", e)
	}
	inside, n := 0, 400
	for w := range n {
		if change := math.Expm1(slower(1000+w, x)); change >= e.Low && change <= e.High {
			inside++
		}
	}
	if part := float64(inside) / float64(n); part < 0.82 || part > 0.97 {
		t.Errorf("the 90 %% interval %.3f to %.3f of the change holds %.3f of fresh workloads", e.Low, e.High, part)
	}
	if rare := r.Constraints[1]; rare.Expected != nil {
		t.Errorf("expected %+v of a metric that %d of %d workloads have", rare.Expected, rare.Value.N, r.Confirmed)
	}
	if now := r.Constraints[2]; now.Expected != nil {
		t.Errorf("expected %+v of a metric that is 0 now", now.Expected)
	}
	p.Predict = &Prediction{Same: true}
	if r, err = Search(context.Background(), p, Options{Seed: 4, Budget: 500}); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(r.Constraints, func(c ConstraintResult) bool { return c.Expected != nil }) {
		t.Error("a change on other workloads is expected where the same jobs come again")
	}
}
