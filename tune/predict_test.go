package tune

import (
	"context"
	"math"
	"slices"
	"testing"

	"schedtune/internal/rng"
)

// likeThis is a problem whose workloads differ: window w multiplies the effect of
// x by a lognormal factor of its own. Window 0 is the history, on which x = 10
// brings the most; in the mean over windows x = 4 does.
func likeThis(windows int) Problem {
	space, err := NewSpace(Param{Name: "x", Kind: Linear, Min: 0, Max: 10, Step: 0.5, Present: "0"})
	if err != nil {
		panic(err)
	}
	run := func(_ context.Context, it Item) Outcome {
		x := valueOf(it.Settings, "x")
		best := 10.0
		k := rng.NewKey(11, 4).At(uint64(it.Window))
		if it.Window > 0 {
			best = 4 + 0.8*k.Norm(0)
		}
		noise := 0.01 * rng.NewKey(it.Seed, 5).Norm(0)
		return Outcome{Metrics: map[string]float64{"cost": 100 *
			math.Exp(0.1*k.Norm(1)+noise+((x-best)*(x-best)-best*best)/60)}}
	}
	// its workloads are drawn from the process itself
	p := Problem{Space: space, Objectives: []Objective{{Metric: "cost"}}, Evaluator: Pool(2, run), Windows: windows,
		Again: []int{0}, Predict: &Prediction{Periods: 1e9}}
	for w := windows / 2; w < windows; w++ {
		p.HoldOut = append(p.HoldOut, w)
	}
	return p
}

// The search settles on what helps on workloads like the history, not on its path;
// the prediction is of one further workload and holds nine tenths of them.
func TestPredictionHolds(t *testing.T) {
	p := likeThis(129)
	r, err := Search(context.Background(), p, Options{Seed: 3, Budget: 500})
	if err != nil {
		t.Fatal(err)
	}
	x := valueOf(r.Best.Settings, "x")
	if !r.Decision.Recommended || x < 3 || x > 5.5 {
		t.Fatalf("x = %v, proven %v; want about 4, proven", x, r.Decision.Recommended)
	}
	g := r.Gain[0]
	if g.Again == nil || g.Optimism == nil || g.Level != 0.90 {
		t.Fatalf("gain %+v lacks the history again, the optimism or the level", g)
	}
	inside, n := 0, 400
	pool := p.Evaluator.(*pool)
	for i := range n {
		it := Item{Settings: r.Present.Settings, Seed: uint64(i), Window: 1000 + i}
		a := pool.run(context.Background(), it).Metrics["cost"]
		it.Settings = r.Best.Settings
		b := pool.run(context.Background(), it).Metrics["cost"]
		if gain := 1 - b/a; gain >= g.Low && gain <= g.High {
			inside++
		}
	}
	if part := float64(inside) / float64(n); part < 0.82 || part > 0.97 {
		t.Errorf("the 90 %% interval %.3f to %.3f holds %.3f of fresh workloads", g.Low, g.High, part)
	}
	again := 1 - math.Exp(((x-10)*(x-10)-100)/60)
	if math.Abs(g.Again.Mean-again) > 0.02 {
		t.Errorf("on the history again %.3f, want %.3f", g.Again.Mean, again)
	}
}

// The error of the simulator widens and moves the interval of the logarithm by
// exactly what it says.
func TestModelErrorWidens(t *testing.T) {
	a, b := []float64{100, 110, 95, 105}, []float64{80, 90, 70, 85}
	low := func(e ModelError) (mid, half float64) {
		p := &Prediction{Errors: map[string]ModelError{"": e}}
		var g Gain
		p.forecast(&g, Objective{Metric: "cost"}, a, b)
		return math.Log(1 - g.Mean), math.Log((1 - g.Low) / (1 - g.Mean))
	}
	mid0, half0 := low(ModelError{})
	mid1, half1 := low(ModelError{Bias: 0.03, Spread: 0.2})
	const z = 1.6448536270 // 95 % point of the normal distribution
	if math.Abs(mid1-mid0-0.03) > 1e-9 || math.Abs(half1*half1-half0*half0-z*z*0.04) > 1e-6 {
		t.Errorf("from %.4f and %.4f to %.4f and %.4f; want 0.03 more, and root(%.4f² + (%.4f 0.2)²)", mid0, half0, mid1,
			half1, half0, z)
	}
	// Without any error the ends are the smallest and the largest ratio of four,
	// their distances from the median times root(1.7).
	r := []float64{math.Log(80.0 / 100), math.Log(90.0 / 110), math.Log(70.0 / 95), math.Log(85.0 / 105)}
	slices.Sort(r)
	median := (r[1] + r[2]) / 2
	if math.Abs(mid0-median) > 1e-9 || math.Abs(half0-math.Sqrt(1+historyShare)*(r[3]-median)) > 1e-9 {
		t.Errorf("median %.4f and distance %.4f, want %.4f and root(%.1f) of %.4f", mid0, half0, median, 1+historyShare,
			r[3]-median)
	}
}

// A window's level moves both configurations alike: a limit relative to the present
// is judged on their differences. An unpaired limit, measured on other windows,
// would pass x = 0.6 (which costs 4 % more everywhere), and would refuse x = 0.2
// (which saves 2 %) where the present's own windows were light.
func TestLimitsArePaired(t *testing.T) {
	space, err := NewSpace(Param{Name: "x", Kind: Linear, Min: 0, Max: 1, Step: 0.1, Present: "0"})
	if err != nil {
		t.Fatal(err)
	}
	run := func(_ context.Context, it Item) Outcome {
		x := valueOf(it.Settings, "x")
		level := 100 * math.Exp(1.2*rng.NewKey(5, 6).At(uint64(it.Window)).Norm(0)+0.3*rng.NewKey(it.Seed, 7).Norm(0))
		side := level * 0.98
		switch {
		case x == 0:
			side = level
		case x > 0.5:
			side = level * 1.04
		}
		return Outcome{Metrics: map[string]float64{"cost": 100 - 30*x, "side": side}}
	}
	p := Problem{Space: space, Objectives: []Objective{{Metric: "cost"}}, Evaluator: Pool(2, run), Windows: 12,
		Constraints: []Constraint{{Metric: "side", Op: "<=", Factor: 1, Text: "side <= present"}}}
	for seed := range uint64(6) {
		r, err := Search(context.Background(), p, Options{Seed: seed, Budget: 200})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Constraints[0]
		if x := valueOf(r.Best.Settings, "x"); !r.Decision.Recommended || x < 0.4 || x > 0.5 {
			t.Errorf("seed %d: x = %v, proven %v; want 0.4 to 0.5, the most within the limit", seed, x, r.Decision.Recommended)
		}
		if !c.Kept || !c.Sure || math.Abs(c.Beyond.Mean+0.02) > 1e-6 {
			t.Errorf("seed %d: limit %+v; want kept surely, 2 %% within", seed, c)
		}
	}
}

// A further run before and one after, of lognormal times of known spread, lie inside
// the interval for them nine times in ten, with the model's error and without.
func TestOnceMoreCovers(t *testing.T) {
	const cases, n = 4000, 8
	for _, e := range []float64{0, 0.1} {
		p := &Prediction{Errors: map[string]ModelError{"": {Spread: e}}}
		inside := 0
		for c := range uint64(cases) {
			k := rng.NewKey(11, 11).At(c)
			a, b := make([]float64, n), make([]float64, n)
			for i := range a {
				a[i] = 100 * math.Exp(0.05*k.Norm(uint64(i)))
				b[i] = 80 * math.Exp(0.05*k.Norm(uint64(100+i)))
			}
			came := 1 - 0.8*math.Exp(0.05*(k.Norm(200)-k.Norm(201))+e*k.Norm(202))
			if iv := p.onceMore(Objective{Metric: "x"}, a, b, nil); iv.Low <= came && came <= iv.High {
				inside++
			}
		}
		// 4,000 draws: a standard error of half a point.
		if share := float64(inside) / cases; math.Abs(share-0.90) > 0.02 {
			t.Errorf("seed 11, error %g: %.3f inside, want 0.90", e, share)
		}
	}
}

// Where the history itself comes again the search settles on its best, x = 10 there,
// and the interval is that of one further run before and one after: the present
// costs exp(100/60) times as much, and two noises of 0.01 and the model's error of
// 0.05 make the spread.
func TestTheSameAgain(t *testing.T) {
	p := likeThis(1)
	p.HoldOut, p.Again, p.Predict = nil, nil, &Prediction{Same: true, Errors: map[string]ModelError{"": {Spread: 0.05}}}
	r, err := Search(context.Background(), p, Options{Seed: 3, Budget: 300})
	if err != nil {
		t.Fatal(err)
	}
	g := r.Gain[0]
	// the ablation may give up a twentieth
	if !r.Decision.Recommended || g.Again != nil || g.Level != 0.90 || g.Mean < 0.95*(1-math.Exp(-100.0/60))-0.01 ||
		g.Mean > 1-math.Exp(-100.0/60)+0.01 {
		t.Fatalf("proven %v, %+v", r.Decision.Recommended, g)
	}
	half := math.Log((1-g.Low)/(1-g.High)) / 2
	if want := 1.645 * math.Hypot(0.05, 0.01*math.Sqrt2); math.Abs(half-want) > 0.15*want {
		t.Errorf("half width %.4f of the logarithm, want about %.4f", half, want)
	}
}
