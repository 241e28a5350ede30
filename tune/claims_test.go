package tune

import (
	"context"
	"math"
	"testing"

	"schedtune/internal/rng"
	"schedtune/validation/testdata"
)

// The current configuration is the optimum: a recommendation other than it is
// a false claim. The confirmation's one-sided error is 2.5 %; of n repeats more
// than 0.025 n + 4 sqrt(0.025 n) + 1 false claims do not happen by chance. The
// required limit is 5 %.
func TestNeverWorseThanPresent(t *testing.T) {
	repeats := testdata.Cases(120)
	p := bowl(0.2)
	p.Space = mustSpace(t, []Param{
		{Name: "a.capacity", Kind: Share, Group: "root", Present: "55", Min: 1},
		{Name: "b.capacity", Kind: Share, Group: "root", Present: "25", Min: 1},
		{Name: "c.capacity", Kind: Share, Group: "root", Present: "20", Min: 1},
		{Name: "a.max", Kind: Ceiling, Of: "a.capacity", Present: "80"},
		{Name: "factor", Kind: Logarithmic, Min: 0.25, Max: 8, Present: "3"},
		{Name: "delay", Kind: LogInteger, Min: 1, Max: 64, Present: "8"},
		{Name: "slowstart", Max: 1, Step: 0.05, Present: "0.6"},
		{Name: "order", Kind: Category, Choices: []string{"fifo", "fair"}, Present: "fair"},
	}...)
	worse := 0
	for s := range repeats {
		if r := search(t, p, Options{Seed: uint64(s), Budget: 150}); r.Decision.Recommended {
			worse++
		}
	}
	limit := 0.025*float64(repeats) + 4*math.Sqrt(0.025*float64(repeats)) + 1
	t.Logf("worse than present in %d of %d repeats", worse, repeats)
	if float64(worse) > math.Min(limit, math.Max(limit, 0.05*float64(repeats))) {
		t.Errorf("worse than present in %d of %d repeats", worse, repeats)
	}
}

// Nothing matters at all: claims of an improvement are chance, and the interval
// allows 2.5 % of them (one side of 95 %).
func TestFlatObjectiveProvesNothing(t *testing.T) {
	repeats := testdata.Cases(200)
	p := bowl(0)
	p.Evaluator = Pool(2, func(_ context.Context, it Item) Outcome {
		k := rng.NewKey(it.Seed, 1)
		return Outcome{Metrics: map[string]float64{"cost": 10 + k.Norm(0) + k.At(uint64(it.Trial)).Norm(0)}}
	})
	claims := 0
	for s := range repeats {
		if search(t, p, Options{Seed: uint64(s), Budget: 150, Off: PartAblation}).Decision.Recommended {
			claims++
		}
	}
	t.Logf("%d claims in %d repeats", claims, repeats)
	if n := 0.025 * float64(repeats); float64(claims) > n+4*math.Sqrt(n) {
		t.Errorf("%d claims in %d repeats", claims, repeats)
	}
}

// The gain's interval covers the true gain 1 - f(best)/f(present) at its
// nominal rate (the noise is a factor with the same mean for both).
func TestGainIntervalCovers(t *testing.T) {
	repeats := testdata.Cases(120)
	p := bowl(0.2)
	f := func(s Settings) float64 { return bowlRun(Item{Settings: s}, 0).Metrics["cost"] }
	present := f(p.Space.PresentSettings())
	covered, n := 0, 0
	for s := range repeats {
		r := search(t, p, Options{Seed: uint64(s), Budget: 200})
		if !r.Decision.Recommended {
			continue
		}
		n++
		truth := 1 - f(r.Best.Settings)/present
		if g := r.Gain[0].Interval; g.Low <= truth && truth <= g.High {
			covered++
		}
	}
	rate, se := float64(covered)/float64(n), math.Sqrt(0.95*0.05/float64(n))
	t.Logf("covered %.3f of %d", rate, n)
	if n < repeats/2 || rate < 0.95-4*se {
		t.Errorf("covered %.3f of %d", rate, n)
	}
}
