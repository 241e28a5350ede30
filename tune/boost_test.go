package tune

import (
	"context"
	"fmt"
	"math"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/stats"
	"schedtune/validation/testdata"
)

// blocks draws points in blocks of eight, with the costs of a step, a slope and a
// product of two of ten coordinates, and a constant per block.
func blocksOf(seed uint64, n int, shift float64) (x []Point, block []int, y []float64) {
	k := rng.NewKey(seed, 1)
	for i := range n {
		p := uniformPoint(k.At(uint64(i)), 10)
		x, block = append(x, p), append(block, i/8)
		y = append(y, stepped(p)+shift*k.At(1e6).Norm(uint64(i/8)))
	}
	return x, block, y
}

func stepped(p Point) float64 {
	v := 0.5*p[1] + p[2]*p[3]
	if p[0] > 0.6 {
		v++
	}
	return v
}

// The model orders points that it has not seen, and what a block's seed does to all
// of its points, here ten times what the points differ by, changes that little: a
// rank correlation of 0.8 with 160 points in either case, where a model that took the
// blocks for a property of the points would be near 0.
func TestBoostLearnsWithinBlocks(t *testing.T) {
	for _, shift := range []float64{0, 10} {
		x, block, y := blocksOf(3, 160, shift)
		m := fitBoost(x, block, y, rng.NewKey(1, 2))
		fresh, _, _ := blocksOf(4, 200, 0)
		var said, true_ []float64
		for _, p := range fresh {
			said, true_ = append(said, m.at(p)), append(true_, stepped(p))
		}
		if r := stats.Spearman(said, true_); !(r > 0.8) {
			t.Errorf("shift %v: rank correlation %.2f", shift, r)
		}
	}
}

// Where all points are the same, or there is none that differs in cost, nothing is
// predicted.
func TestBoostOfNothing(t *testing.T) {
	p := Point{0.5, 0.5}
	if m := fitBoost([]Point{p, p, p, p}, []int{0, 0, 1, 1}, []float64{1, 2, 3, 4}, 1); m != nil || m.at(p) != 0 {
		t.Error("a model of points that are all the same")
	}
	x, block, _ := blocksOf(5, 32, 0)
	if v := fitBoost(x, block, make([]float64, 32), 1).at(x[0]); math.Abs(v) > 1e-12 {
		t.Errorf("equal costs: %v predicted", v)
	}
}

// Candidates that change different settings and are better by themselves are tried
// together, and win: of the three here two help by 1 each and one harms.
func TestCandidatesAreJoined(t *testing.T) {
	p := plain(t, 6)
	set := func(i int, v string) Settings { return Settings{{Name: p.Space.Params()[i].Name, Value: v}} }
	p.Evaluator = Pool(1, func(_ context.Context, it Item) Outcome {
		v := 10 - value(it, "x0") - value(it, "x1") + 5*value(it, "x2")
		return Outcome{Metrics: map[string]float64{"cost": v}}
	})
	p.Candidates = []Candidate{{"first", set(0, "1")}, {"second", set(1, "1")}, {"third", set(2, "1")}}
	var origins []string
	number := func(s Settings, i int) float64 { return value(Item{Settings: s}, s[i].Name) }
	st, err := NewStudy(p, Options{Seed: 1, Budget: 50, Off: PartAblation | PartConfirm})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for {
		items, err := st.Ask()
		if err != nil {
			t.Fatal(err)
		}
		if items == nil {
			break
		}
		for _, it := range items {
			origins = append(origins, st.d.led.byKey[keyOf(it.Settings)].origin)
			if err := st.Tell(guarded(t.Context(), p.Evaluator.(*pool).run, it)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := st.d.found.best.settings; number(got, 0) < 0.9 || number(got, 1) < 0.9 || number(got, 2) > 0.5 {
		t.Errorf("got %v after %v, want both that help", got, origins)
	}
}

// A study with shares and candidates takes no more runs than its budget either.
func TestBudgetHoldsWithCandidates(t *testing.T) {
	var ps []Param
	for i := range 12 {
		ps = append(ps, Param{Name: fmt.Sprintf("x%d", i), Max: 1, Present: "0.5"})
	}
	for i := range 4 {
		ps = append(ps, Param{Name: fmt.Sprintf("s%d", i), Kind: Share, Group: "g", Present: "25", Min: 1})
	}
	p := Problem{Space: mustSpace(t, ps...), Objectives: []Objective{{Metric: "cost"}}}
	p.Evaluator = Pool(1, func(_ context.Context, it Item) Outcome {
		v := 10 + 0.1*rng.NewKey(it.Seed, 1).Norm(0)
		for i := range 6 {
			v += (2*float64(i%2) - 1) * value(it, fmt.Sprintf("x%d", i))
		}
		return Outcome{Metrics: map[string]float64{"cost": v - value(it, "s0")/100}}
	})
	for i := range 6 {
		p.Candidates = append(p.Candidates, Candidate{fmt.Sprint(i), Settings{{Name: fmt.Sprintf("x%d", i), Value: "1"}}})
	}
	p.Candidates = append(p.Candidates, Candidate{"shares", Settings{{Name: "s0", Value: "40"},
		{Name: "s1", Value: "10"}}},
		Candidate{"others", Settings{{Name: "s2", Value: "30"}, {Name: "s3", Value: "20"}}})
	for k, n := 0, testdata.Cases(58); k < n; k++ {
		budget := 36 + k*116/n
		if r := search(t, p, Options{Seed: uint64(budget), Budget: budget, Off: PartAblation | PartConfirm}); r.Runs >
			budget {
			t.Errorf("%d runs of %d", r.Runs, budget)
		}
	}
}
