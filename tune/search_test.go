package tune

import (
	"context"
	"math"
	"strconv"
	"testing"

	"schedtune/internal/rng"
)

// bowl is a noisy problem with a known optimum: the squared log distance of
// shares to a target plus scalar terms, times lognormal noise of which a part
// is common to a seed.
func bowl(noise float64) Problem {
	sp, err := NewSpace(
		Param{Name: "a.capacity", Kind: Share, Group: "root", Present: "25", Min: 1},
		Param{Name: "b.capacity", Kind: Share, Group: "root", Present: "25", Min: 1},
		Param{Name: "c.capacity", Kind: Share, Group: "root", Present: "25", Min: 1},
		Param{Name: "d.capacity", Kind: Share, Group: "root", Present: "25", Min: 1},
		Param{Name: "a.max", Kind: Ceiling, Of: "a.capacity", Present: "50"},
		Param{Name: "factor", Kind: Logarithmic, Min: 0.25, Max: 8, Present: "1"},
		Param{Name: "delay", Kind: LogInteger, Min: 1, Max: 64, Special: []string{"-1"}, Present: "40"},
		Param{Name: "slowstart", Kind: Linear, Min: 0, Max: 1, Step: 0.05, Present: "0.05"},
		Param{Name: "order", Kind: Category, Choices: []string{"fifo", "fair"}, Present: "fifo"},
	)
	if err != nil {
		panic(err)
	}
	return Problem{
		Name: "bowl", Space: sp, Objectives: []Objective{{Metric: "cost"}},
		Evaluator: Pool(2, func(_ context.Context, it Item) Outcome { return bowlRun(it, noise) }),
	}
}

func bowlRun(it Item, noise float64) Outcome {
	get := func(n string) float64 {
		v, _ := it.Settings.Get(n)
		f, _ := strconv.ParseFloat(v, 64)
		return f
	}
	s := 0.0
	for n, t := range map[string]float64{"a.capacity": 55, "b.capacity": 25} {
		s += math.Pow(math.Log(get(n)/t), 2)
	}
	s += math.Pow(math.Log(get("a.max")/80), 2) + math.Pow(math.Log2(get("factor")/3)/2, 2)
	s += math.Pow(get("slowstart")-0.6, 2)
	if get("delay") == -1 {
		s += 0.5
	} else {
		s += math.Pow(math.Log(get("delay")/8), 2) / 4
	}
	if v, _ := it.Settings.Get("order"); v != "fair" {
		s += 0.2
	}
	k := rng.NewKey(it.Seed, 1)
	own := rng.NewKey(it.Seed, 2)
	for _, e := range it.Settings {
		for _, c := range e.Value {
			own = own.At(uint64(c))
		}
	}
	return Outcome{Metrics: map[string]float64{"cost": (1 + s) * math.Exp(noise*(k.Norm(0)+0.3*own.Norm(0)))}}
}

func TestSearchImproves(t *testing.T) {
	for _, name := range []string{"", "cmaes", "ga", "de", "pso", "random", "sobol"} {
		t.Run(name, func(t *testing.T) {
			p := bowl(0.2)
			// which gives up a part for milder values
			r, err := Search(context.Background(), p, Options{Method: name, Seed: 1, Budget: 1000, Off: PartAblation})
			if err != nil {
				t.Fatal(err)
			}
			f := bowlRun(Item{Settings: r.Best.Settings}, 0).Metrics["cost"]
			t.Logf("%v after %d runs, true cost %.3f, gain %+v", r.Status, r.Runs, f, r.Gain[0].Interval)
			// The current configuration costs 3.6 and the optimum 1; 1000 random points leave
			// about 1.4 to 1.8 after confirmation.
			limit := 1.85
			if name == "cmaes" || name == "" {
				limit = 1.15
			}
			if f > limit || !r.Decision.Recommended {
				t.Errorf("true cost %v, proven %v", f, r.Decision.Recommended)
			}
		})
	}
}
