package tune

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"schedtune/internal/rng"
)

// lossy is a problem whose objective falls the more work is left undone: every
// unit of x beyond keep loses a piece, and on every fourth seed the present loses
// piece 0 too.
func lossy(keep float64, maximize bool) Problem {
	space, err := NewSpace(
		Param{Name: "x", Kind: Linear, Min: 0, Max: 10, Step: 0.25, Present: "1"},
		Param{Name: "y", Kind: Linear, Min: 0, Max: 10, Step: 0.25, Present: "5"},
	)
	if err != nil {
		panic(err)
	}
	run := func(_ context.Context, it Item) Outcome {
		x, y := valueOf(it.Settings, "x"), valueOf(it.Settings, "y")
		noise := float64(rng.NewKey(it.Seed, 3).Uint64(0)%1000) / 1000
		cost := 100 - 5*x + (y-7)*(y-7)/10 + noise
		if maximize {
			cost = 200 - cost
		}
		o := Outcome{Metrics: map[string]float64{"cost": cost}}
		if it.Seed%4 == 0 {
			o.Lost = append(o.Lost, 0)
		}
		for k := int32(1); x > keep+float64(k-1); k++ {
			o.Lost = append(o.Lost, k)
		}
		return o
	}
	return Problem{Space: space, Objectives: []Objective{{Metric: "cost", Maximize: maximize}}, Evaluator: Pool(2, run)}
}

func valueOf(s Settings, name string) float64 {
	text, _ := s.Get(name)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// What gains by leaving work undone is never recommended, whatever the sampler
// and the direction, and the search still finds what gains within that.
func TestNoRecommendationLosesWork(t *testing.T) {
	for _, sampler := range Samplers() {
		for _, maximize := range []bool{false, true} {
			t.Run(fmt.Sprint(sampler.Name, maximize), func(t *testing.T) {
				p := lossy(3, maximize)
				if sampler.Name == "nsga2" {
					p.Objectives = append(p.Objectives, Objective{Metric: "cost", Maximize: maximize})
				}
				r, err := Search(context.Background(), p, Options{Method: sampler.Name, Seed: 5, Budget: 400})
				if err != nil {
					t.Fatal(err)
				}
				if x := valueOf(r.Best.Settings, "x"); x > 3 {
					t.Errorf("x = %v loses work", x)
				}
				if r.Best.NewlyLost != 0 || !r.Decision.Recommended {
					t.Errorf("newly lost %v, proven %v; want a proven gain without losses", r.Best.NewlyLost, r.Decision.Recommended)
				}
				if r.Best.Lost == 0 {
					t.Error("what the present loses too is not counted")
				}
			})
		}
	}
}

// Settings that fall short are never recommended, though every run of them is fine.
func TestNoRecommendationFallsShort(t *testing.T) {
	p := lossy(11, false)
	p.Shortfall = func(s Settings) float64 { return max(0, valueOf(s, "x")-2) }
	r, err := Search(context.Background(), p, Options{Seed: 5, Budget: 400})
	if err != nil {
		t.Fatal(err)
	}
	if x := valueOf(r.Best.Settings, "x"); x > 2 || !r.Decision.Recommended {
		t.Errorf("x = %v, proven %v; want a proven gain with x up to 2", x, r.Decision.Recommended)
	}
}

// The order of scores: work lost counts more than any limit, a failure more than
// both; numbers for methods that take only those keep it.
func TestScoresWithLosses(t *testing.T) {
	ladder := []Score{{Values: []float64{9}}, {Values: []float64{1}, Violation: 1e12}, {Values: []float64{0}, Lost: 0.01},
		{Values: []float64{0}, Lost: 3}, {Values: []float64{0}, Failed: true}}
	for i := 1; i < len(ladder); i++ {
		a, b := ladder[i-1], ladder[i]
		if !a.Less(b) || b.Less(a) || !a.Dominates(b) || b.Dominates(a) || a.cost() >= b.cost() {
			t.Errorf("%+v and %+v are not in order (costs %g, %g)", a, b, a.cost(), b.cost())
		}
	}
}
