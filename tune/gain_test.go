package tune

import (
	"math"
	"slices"
	"testing"

	"schedtune/internal/rng"

	"schedtune/internal/stats"
)

// A gain of means by hand: 10 and 20 become 8 and 16, a fifth less in both, so that
// every pseudo-value is 0.2 and nothing is left of the noise they share; 12 and 24
// are a fifth more for what is to grow. The values' mean is the gain of the means,
// also where single ratios differ: 10 and 30 become 10 and 20, three quarters.
func TestMeanGain(t *testing.T) {
	for _, c := range []struct {
		a, b     []float64
		maximize bool
		mean     float64
		spread   bool
	}{
		{[]float64{10, 20}, []float64{8, 16}, false, 0.2, false},
		{[]float64{10, 20}, []float64{12, 24}, true, 0.2, false},
		{[]float64{10, 20}, []float64{12, 24}, false, -0.2, false},
		{[]float64{10, 30}, []float64{10, 20}, false, 0.25, true},
		{[]float64{-10, -30}, []float64{-10, -20}, true, 0.25, true},
		{[]float64{5, 5}, []float64{5, 5}, false, 0, false},
	} {
		got := meanGain(c.a, c.b, c.maximize)
		mean, _ := stats.Moments(got)
		if math.Abs(mean-c.mean) > 1e-12 || (math.Abs(got[0]-got[1]) > 1e-12) != c.spread {
			t.Errorf("%v to %v, maximised %v: %v, want a mean of %g", c.a, c.b, c.maximize, got, c.mean)
		}
	}
}

// What is maximised gains what the same figures lose where they are minimised: the
// gain, its ends, that of the recorded history and the optimism of the search are
// mirrored. On the search's own workloads the gain is exactly that of their ratio.
func TestGainsAreMirrored(t *testing.T) {
	const n = 40
	d := newParts(Problem{Objectives: []Objective{{Metric: "x"}, {Metric: "x", Maximize: true}},
		Predict: &Prediction{Periods: 4, Errors: map[string]ModelError{"": {Bias: 0.02, Spread: 0.05}}}}, Options{})
	d.led.present, d.found.best = made(), made()
	put := func(in instance, a, b float64) {
		d.led.present.runs[in] = Outcome{Metrics: map[string]float64{"x": a}}
		d.found.best.runs[in] = Outcome{Metrics: map[string]float64{"x": b}}
	}
	for i := range uint64(n) {
		k := rng.NewKey(21, 1).At(i)
		in := instance{seed: i}
		put(in, 100*math.Exp(0.1*k.Norm(0)), 90*math.Exp(0.1*k.Norm(1)))
		switch {
		case i < 20:
			d.found.confirm = append(d.found.confirm, in)
		case i < 30:
			d.found.recorded = append(d.found.recorded, in)
		default: // seen by the search: 100 became 70 on every workload
			put(in, 100, 70)
		}
	}
	less, more := (account{d}).gain(d.found.best, 0, d.found.confirm), (account{d}).gain(d.found.best, 1, d.found.confirm)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if !near(more.Mean, -less.Mean) || !near(more.Low, -less.High) || !near(more.High, -less.Low) {
		t.Errorf("maximised %+v, minimised %+v", more.Interval, less.Interval)
	}
	if a, b := more.Again, less.Again; a == nil || b == nil || !near(a.Mean, -b.Mean) || !near(a.Low, -b.High) ||
		!near(a.High, -b.Low) {
		t.Errorf("again: maximised %+v, minimised %+v", a, b)
	}
	if less.Low >= less.Mean || less.Mean >= less.High || less.Mean < 0.03 || less.Mean > 0.15 {
		t.Errorf("a gain of about a tenth: %+v", less.Interval)
	}
	for _, g := range []Gain{less, more} {
		then := 0.3
		if g.Mean < 0 {
			then = -0.3
		}
		if g.Optimism == nil || !near(*g.Optimism, then-g.Mean) {
			t.Errorf("optimism %v beside a gain of %v, want %v", g.Optimism, g.Mean, then-g.Mean)
		}
	}
}

// Order statistics by hand: of 1, 2, 3 the quantile q stands at place 4 q, between
// neighbours in proportion, and never outside.
func TestOrderStatistic(t *testing.T) {
	x := []float64{1, 2, 3}
	for q, want := range map[float64]float64{0: 1, 0.25: 1, 0.375: 1.5, 0.5: 2, 0.75: 3, 1: 3} {
		if got := orderStatistic(x, q); got != want {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
	if got := orderStatistic([]float64{7}, 0.3); got != 7 {
		t.Errorf("of a single value %g", got)
	}
}

// Ends stay within what can be: of what is not negative no more than all can be
// gained, and what is to grow loses no more than all; otherwise ten times either
// way, and farther only where the gain itself is.
func TestEndsOfGains(t *testing.T) {
	wide := Interval{Mean: 0.5, Low: -50, High: 50}
	one, signed := []float64{1, 0}, []float64{1, -1}
	for _, c := range []struct {
		what      string
		iv        Interval
		maximize  bool
		a         []float64
		e         ModelError
		low, high float64
	}{
		{"a cost", wide, false, one, ModelError{}, -10, 1},
		{"a share to raise", wide, true, one, ModelError{}, -1, 10},
		{"either sign", wide, false, signed, ModelError{}, -10, 10},
		{"either sign, to raise", wide, true, signed, ModelError{}, -10, 10},
		{"a gain beyond", Interval{Mean: 20, Low: 15, High: 40}, true, one, ModelError{}, 15, 20},
		{"a loss beyond", Interval{Mean: -20, Low: -40, High: -15}, false, one, ModelError{}, -20, -15},
		{"inside", Interval{Mean: 0.1, Low: 0.05, High: 0.2}, false, one, ModelError{}, 0.05, 0.2},
		{"error unknown", Interval{Mean: 0.1, Low: 0.05, High: 0.2}, false, one, ModelError{Unknown: true}, -10, 1},
	} {
		if got := ends(c.iv, Objective{Maximize: c.maximize}, c.a, slices.Clone(one), c.e); got.Low != c.low ||
			got.High != c.high || got.Mean != c.iv.Mean {
			t.Errorf("%s: %+v, want %g to %g", c.what, got, c.low, c.high)
		}
	}
}
