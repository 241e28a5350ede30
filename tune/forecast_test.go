package tune

import (
	"math"
	"slices"
	"testing"

	"schedtune/internal/stats"
)

// The place (n+1) q of sorted values, between them in proportion and within them.
func TestOrderStatistics(t *testing.T) {
	x := []float64{10, 20, 40, 80}
	for q, want := range map[float64]float64{0: 10, 0.1: 10, 0.2: 10, 0.3: 15, 0.4: 20, 0.5: 30, 0.7: 60, 0.8: 80,
		0.9: 80, 1: 80} {
		if got := orderStatistic(x, q); math.Abs(got-want) > 1e-9 {
			t.Errorf("at %v: %v, want %v", q, got, want)
		}
	}
	if orderStatistic([]float64{7}, 0.5) != 7 {
		t.Error("one value is every order statistic")
	}
}

// Relative changes by hand: as logarithms of ratios where all is positive, and else in
// parts of the mean before, whose sign does not count.
func TestRelativeChanges(t *testing.T) {
	r, back := logRatios([]float64{1, 4}, []float64{2, 1})
	if math.Abs(r[0]-math.Ln2) > 1e-12 || math.Abs(r[1]+2*math.Ln2) > 1e-12 || math.Abs(back(r[0])-1) > 1e-12 {
		t.Errorf("%v, back %v", r, back(r[0]))
	}
	for _, v := range [][2]float64{{0, 1}, {1, 0}, {-1, 1}} {
		if r, _ := logRatios([]float64{1, v[0]}, []float64{1, v[1]}); r != nil {
			t.Errorf("%v: logarithms %v", v, r)
		}
	}
	for _, sign := range []float64{1, -1} {
		r, back := differencesOf([]float64{sign * 2, sign * 6}, []float64{sign * 3, sign * 2})
		if math.Abs(r[0]-sign*0.25) > 1e-12 || math.Abs(r[1]+sign) > 1e-12 || back(0.3) != 0.3 {
			t.Errorf("%v", r)
		}
	}
}

// The gain of the mean is 1 - mean(b)/mean(a), with the sign of what is wanted, and its
// pseudo-values have that mean; where b is a constant part of a they have no spread.
func TestMeanGainByHand(t *testing.T) {
	a := []float64{10, 20, 60}
	for _, maximize := range []bool{false, true} {
		want := 0.4
		if maximize {
			want = -0.4
		}
		x := meanGain(a, []float64{6, 12, 36}, maximize)
		for _, v := range x {
			if math.Abs(v-want) > 1e-12 {
				t.Errorf("maximised %v: %v, want %v each", maximize, x, want)
			}
		}
		mean, _ := stats.Moments(meanGain(a, []float64{9, 3, 30}, maximize))
		if want := want / 0.4 * (1 - 42.0/90); math.Abs(mean-want) > 1e-12 {
			t.Errorf("maximised %v: gain %v, want %v", maximize, mean, want)
		}
	}
	// Without a gain they are the paired differences in parts of the mean.
	x := meanGain([]float64{1, 3}, []float64{2, 2}, false)
	if math.Abs(x[0]+0.5) > 1e-12 || math.Abs(x[1]-0.5) > 1e-12 {
		t.Errorf("%v, want -1/2 and 1/2", x)
	}
}

// Windows that differ a hundredfold come again as they were: only what is within them
// counts, logarithms of ±0.1 and ±0.2, that is variances of 4·0.01/2 and 4·0.04/2, with
// 2·(4 - 2) degrees of freedom, where Student's t at 0.95 is 2.131847 (any table). Windows
// that ran once each tell no interval.
func TestOneFurtherRunOfWindows(t *testing.T) {
	e := math.Exp
	a := []float64{10 * e(-0.1), 1000 * e(-0.1), 10 * e(0.1), 1000 * e(0.1)}
	b := []float64{8 * e(-0.2), 800 * e(-0.2), 8 * e(0.2), 800 * e(0.2)}
	p := &Prediction{Errors: map[string]ModelError{"": {}}}
	iv := p.onceMore(Objective{Metric: "cost"}, a, b, []int{3, 5, 3, 5})
	mid, half := math.Log(0.8*math.Cosh(0.2)/math.Cosh(0.1)), 2.131847*math.Sqrt(1.25*0.1)
	if low, high := 1-e(mid+half), 1-e(mid-half); math.Abs(iv.Low-low) > 1e-5 || math.Abs(iv.High-high) > 1e-5 ||
		iv.Level != 0.90 {
		t.Errorf("%+v, want %v to %v", iv, low, high)
	}
	if iv := p.onceMore(Objective{Metric: "cost"}, a[:2], b[:2], []int{3, 5}); iv.Level != 0 || iv.Low != iv.Mean ||
		iv.High != iv.Mean || iv.N != 2 {
		t.Errorf("each window once: %+v", iv)
	}
}

// One further run by hand: variances of the logarithms of 0.02 and 0.08 on two seeds,
// Student's t with two degrees of freedom at 0.95 is 2.919986 (any table), so that half
// of the interval on the log scale is 2.919986 sqrt(1.5 * 0.1); a model error of 0.3
// stands beside it with 1.644854.
func TestOneFurtherRunByHand(t *testing.T) {
	e := math.Exp
	a, b := []float64{10 * e(-0.1), 10 * e(0.1)}, []float64{8 * e(-0.2), 8 * e(0.2)}
	mid := math.Log(0.8 * math.Cosh(0.2) / math.Cosh(0.1))
	for _, c := range []struct {
		e        ModelError
		maximize bool
	}{{ModelError{}, false}, {ModelError{Bias: 0.05, Spread: 0.3}, false}, {ModelError{Bias: 0.05}, true}} {
		p := &Prediction{Errors: map[string]ModelError{"cost": c.e, "": {Spread: 9}}}
		iv := p.onceMore(Objective{Metric: "cost", Maximize: c.maximize}, a, b, nil)
		half := math.Hypot(2.919986*math.Sqrt(1.5*0.1), 1.644854*c.e.Spread)
		low, at, high := 1-e(mid+c.e.Bias+half), 1-e(mid+c.e.Bias), 1-e(mid+c.e.Bias-half)
		if c.maximize {
			low, at, high = -high, -at, -low
		}
		if math.Abs(iv.Low-low) > 1e-5 || math.Abs(iv.Mean-at) > 1e-9 || math.Abs(iv.High-high) > 1e-5 || iv.Level != 0.90 ||
			iv.N != 2 {
			t.Errorf("%+v: %+v; want %v from %v to %v", c, iv, at, low, high)
		}
	}
	p := &Prediction{}
	// With a value that is not positive it is that of the mean, and so without predictions.
	zero := []float64{0, 10}
	want := ends(MeanInterval(meanGain(zero, b, false), 0.95), Objective{}, zero, b, ModelError{})
	if got := p.onceMore(Objective{Metric: "cost"}, zero, b, nil); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	p = nil
	if got, want := p.onceMore(Objective{Metric: "cost"}, a, b, nil), MeanInterval(meanGain(a, b, false),
		0.95); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A further workload by hand. Ratios of 0.5, 0.6, 0.8, 0.9 and 1.1: the median is 0.8;
// at level 0.6 the ends are the order statistics at 6*0.2 and 6*0.8, 0.2 of the way from
// the first to the second and 0.8 from the fourth to the fifth on the log scale, as far
// from the median as sqrt(1 + 0.5/2) for a history of two periods makes them.
func TestFurtherWorkloadByHand(t *testing.T) {
	ratios := []float64{0.9, 0.5, 1.1, 0.6, 0.8}
	var a, b []float64
	for i, r := range ratios {
		a, b = append(a, float64(10+i)), append(b, r*float64(10+i))
	}
	log := math.Log
	mid := log(0.8)
	lo, hi := log(0.5)+0.2*(log(0.6)-log(0.5)), log(0.9)+0.8*(log(1.1)-log(0.9))
	for _, c := range []struct {
		periods  float64
		e        ModelError
		maximize bool
	}{{2, ModelError{}, false}, {0, ModelError{}, false}, {0.5, ModelError{}, false},
		{2, ModelError{Spread: 0.2, Bias: -0.1}, false}, {2, ModelError{}, true}} {
		p := &Prediction{Level: 0.6, Periods: c.periods, Errors: map[string]ModelError{"": c.e}}
		var g Gain
		p.forecast(&g, Objective{Metric: "cost", Maximize: c.maximize}, a, b)
		wide := math.Sqrt(1 + 0.5/max(1, c.periods))
		z := 0.841621 * c.e.Spread // 0.8 of the normal distribution
		low := math.Expm1(mid - math.Hypot(wide*(mid-lo), z) + c.e.Bias)
		high := math.Expm1(mid + math.Hypot(wide*(hi-mid), z) + c.e.Bias)
		at := math.Expm1(mid + c.e.Bias)
		want := [3]float64{-high, -at, -low}
		if c.maximize {
			want = [3]float64{low, at, high}
		}
		if math.Abs(g.Low-want[0]) > 1e-5 || math.Abs(g.Mean-want[1]) > 1e-9 || math.Abs(g.High-want[2]) > 1e-5 ||
			g.Level != 0.6 || g.N != 5 {
			t.Errorf("%+v: %+v, want %v", c, g.Interval, want)
		}
		if !slices.IsSorted(g.Ratios) || len(g.Ratios) != 5 || g.Model != c.e.Spread {
			t.Errorf("%+v: %+v", c, g)
		}
		_, sd := stats.Moments([]float64{log(0.5), log(0.6), log(0.8), log(0.9), log(1.1)})
		if math.Abs(g.Workloads-sd) > 1e-12 {
			t.Errorf("spread of workloads %v, want %v", g.Workloads, sd)
		}
	}
}

// The optimism is by how much the median gain on the workloads of the search, those of
// both that neither confirmation has, exceeds that on fresh ones.
func TestOptimismByHand(t *testing.T) {
	d, ts, ins := byHand(t, Problem{Predict: &Prediction{}}, []float64{10, 10, 10, 10, 10, 10},
		[]float64{5, 6, 4, 9, 1, 2})
	d.found.best, d.found.confirm, d.found.recorded = ts[1], ins[3:4], ins[4:]
	for _, maximize := range []bool{false, true} {
		g := Gain{Interval: Interval{Mean: 0.1}}
		(account{d.parts}).selectionBias(&g, d.found.best, Objective{Metric: "cost", Maximize: maximize})
		want := 0.5 - 0.1
		if maximize {
			want = -0.5 - 0.1
		}
		if g.Optimism == nil || math.Abs(*g.Optimism-want) > 1e-12 {
			t.Errorf("maximised %v: optimism %v, want %v", maximize, g.Optimism, want)
		}
	}
	d.found.confirm = ins
	var g Gain
	if (account{d.parts}).selectionBias(&g, d.found.best, Objective{Metric: "cost"}); g.Optimism != nil {
		t.Error("optimism without a workload of the search")
	}
}

// The part of the gain that a change brings, by hand, is the ratio of the mean loss to
// the mean gain; its interval is that of the pseudo-values, which have no spread where
// losses are a constant part of the gains.
func TestLostPartByHand(t *testing.T) {
	for _, c := range []struct {
		then []float64
		want float64
		wide bool
	}{{[]float64{45, 55, 65}, 0.5, false}, {[]float64{40, 60, 68}, 0.52, true}, {[]float64{80, 90, 100}, 1.2, false}} {
		// Gains of 50, 50 and 50 from 70, 80 and 90 to 20, 30 and 40.
		d, ts, ins := byHand(t, Problem{}, []float64{70, 80, 90}, []float64{20, 30, 40}, c.then)
		iv := lostInterval(d.judge, ts[2], ts[1], ins)
		var x []float64
		for i, v := range c.then {
			x = append(x, (v-[]float64{20, 30, 40}[i])/50) // all gains are equal: their own pseudo-values
		}
		want := MeanInterval(x, 0.90)
		if iv == nil || math.Abs(iv.Mean-want.Mean)+math.Abs(iv.Low-want.Low)+math.Abs(iv.High-want.High) > 1e-9 ||
			(iv.High-iv.Low > 1e-9) != c.wide {
			t.Errorf("%v: %+v, want %+v", c.then, iv, want)
		}
		if c.want != 0.52 && math.Abs(iv.Mean-c.want) > 1e-9 {
			t.Errorf("%v: part %v, want %v", c.then, iv.Mean, c.want)
		}
	}
	// Gains that differ, losses half of them: a half without spread.
	d, ts, ins := byHand(t, Problem{}, []float64{70, 100}, []float64{20, 30}, []float64{45, 65})
	if iv := lostInterval(d.judge, ts[2], ts[1], ins); math.Abs(iv.Mean-0.5) > 1e-12 || iv.High-iv.Low > 1e-9 {
		t.Errorf("%+v, want exactly a half", iv)
	}
	if lostInterval(d.judge, ts[2], ts[1], ins[:1]) != nil {
		t.Error("an interval from one pair")
	}
}

// No mean of times is negative, so neither is the lower end of its interval, and none is
// more than the whole limit below it: 0 and 1 have the mean 0.5 and, with one degree of
// freedom, a half width of 12.7 · 0.7071/√2 = 6.35. What can be negative keeps its ends.
func TestEndsThatCanBe(t *testing.T) {
	limits := []Constraint{{Metric: "cost", Op: "<=", Limit: 4}, {Metric: "cost", Op: ">=", Limit: 4}}
	d, ts, ins := byHand(t, Problem{Constraints: limits}, []float64{0, 1}, []float64{-1, 1})
	r := (account{d.parts}).constraintResults(ts[0], ins)
	for k, beyond := range []Interval{{Low: -1, High: (6.85 - 4) / 4}, {Low: (4 - 6.85) / 4, High: 1}} {
		if got := r[k]; got.Value.Low != 0 || math.Abs(got.Value.High-6.85) > 0.01 ||
			math.Abs(got.Beyond.Low-beyond.Low) > 0.01 || math.Abs(got.Beyond.High-beyond.High) > 0.01 {
			t.Errorf("limit %d: %+v, want from 0 to 6.85, beyond it from %v to %v", k, got, beyond.Low, beyond.High)
		}
	}
	if below := (account{d.parts}).constraintResults(ts[1], ins)[0]; below.Value.Low > -12 || below.Beyond.Low > -4 {
		t.Errorf("%+v, want ends of what can be negative as they are", below)
	}
}

// A limit is kept in the mean from equality on, and surely where the whole interval
// keeps it; what the current configuration keeps in the mean it keeps surely.
func TestKeptAndSure(t *testing.T) {
	limits := []Constraint{{Metric: "cost", Op: "<=", Limit: 4}}
	for _, c := range []struct {
		values     []float64
		kept, sure bool
	}{{[]float64{4, 4}, true, true}, {[]float64{3, 5}, true, false}, {[]float64{3, 3.01}, true, true},
		{[]float64{4, 4.1}, false, false}} {
		d, ts, ins := byHand(t, Problem{Constraints: limits}, c.values, c.values)
		for k, tr := range ts {
			r := (account{d.parts}).constraintResults(tr, ins)[0]
			sure := c.sure || k == 0 && c.kept
			if r.Kept != c.kept || r.Sure != sure || math.Abs(r.Value.Mean-(c.values[0]+c.values[1])/2) > 1e-12 ||
				math.Abs(r.Beyond.Mean-(r.Value.Mean-4)/4) > 1e-12 {
				t.Errorf("%v, trial %d: %+v, want kept %v, sure %v", c.values, k, r, c.kept, sure)
			}
		}
	}
	relative := []Constraint{{Metric: "cost", Op: "<=", Factor: 1.5}, {Metric: "other", Op: "<=", Limit: 1}}
	d, ts, ins := byHand(t, Problem{Constraints: relative}, []float64{2, 4}, []float64{3, 5})
	r := (account{d.parts}).constraintResults(ts[1], ins)
	ratio := math.Sqrt(3 * 5 / (2.0 * 4)) // geometric mean of those to the current configuration
	if r[0].Limit != 4.5 || math.Abs(r[0].Beyond.Mean-(ratio/1.5-1)) > 1e-12 || math.Abs(r[0].Value.Mean-3*ratio) > 1e-12 ||
		!r[0].Kept || r[1].Kept || r[1].Sure {
		t.Errorf("%+v, want three times %v within a limit of 4.5", r, ratio)
	}
	if step := d.stepOf(unit{}, ts[1], ts[0], ins); len(step.Limits) != 0 || step.Alone != nil {
		t.Errorf("%+v, want no limit broken, and no figure from %d workloads", step, len(ins))
	}
	limits[0].Text = "cost <= 4"
	d, ts, ins = byHand(t, Problem{Constraints: limits}, []float64{3}, []float64{5}, []float64{4.5})
	if got := d.stepOf(unit{}, ts[1], ts[0], ins).Limits; !slices.Equal(got, []string{"cost <= 4"}) {
		t.Errorf("broken %v", got)
	}
	if got := d.stepOf(unit{}, ts[1], ts[2], ins).Limits; len(got) != 0 {
		t.Errorf("broken %v, which the remaining settings break too", got)
	}
}

// Importance by hand: scores in the order of one coordinate are explained by it alone,
// those in the order of the distance from the middle by its parabola, and noise of ten
// generations by none; what is given in the generations' means is taken out.
func TestImportanceByHand(t *testing.T) {
	for which, f := range []func(p Point) float64{
		func(p Point) float64 { return p[0] }, func(p Point) float64 { return -p[1] }, func(p Point) float64 {
			return (p[2] - 0.5) * (p[2] - 0.5)
		},
	} {
		d, _, _ := byHand(t, Problem{})
		for g := range 10 {
			var gen generation
			for i := range 27 { // a full factorial design: no coordinate says anything of another
				p := Point{0.1 + 0.4*float64(i%3), 0.1 + 0.4*float64(i/3%3), 0.1 + 0.4*float64(i/9)}
				gen.points = append(gen.points, p)
				gen.scores = append(gen.scores, Score{Values: []float64{f(p) + 100*float64(g)}})
			}
			d.found.history = append(d.found.history, gen)
		}
		for _, im := range (account{d.parts}).importance() {
			want := 0.0
			if im.Name == d.p.Space.Params()[which].Name {
				want = 1
			}
			if math.Abs(im.Share-want) > 1e-9 {
				t.Errorf("function %d: share %v of %s, want %v", which, im.Share, im.Name, want)
			}
		}
		if im := (account{d.parts}).importance(); im[0].Name != d.p.Space.Params()[which].Name {
			t.Errorf("function %d: %s is first", which, im[0].Name)
		}
		d.found.history = []generation{{points: d.found.history[0].points[:2], scores: d.found.history[0].scores[:2]},
			{points: d.found.history[0].points[:9], scores: d.found.history[0].scores[:9]}}
		if (account{d.parts}).importance() != nil {
			t.Error("an importance from nine points")
		}
	}
}
