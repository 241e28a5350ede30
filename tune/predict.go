package tune

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
	"schedtune/internal/rng"
)

// What a gain will be. Two questions have two answers: what the mean gain is
// (meanGain, a confidence interval), and what one further workload will show
// (predicted, a prediction interval; G. Hahn and W. Meeker, "Statistical
// Intervals", 1991, chapter 4). The second is wider by the spread between
// workloads, which no number of runs makes smaller.

// gain is the improvement of the recommended trial over the present.
func (d *driver) gain(k int, ob Objective, ins []instance) Gain {
	a, b := d.raw(d.present, ob, ins), d.raw(d.best, ob, ins)
	pseudo := meanGain(a, b, ob.Maximize)
	key := rng.NewKey(d.o.Seed, purposeBootstrap).At(uint64(k))
	g := Gain{Metric: ob.Metric, Interval: MeanInterval(pseudo, d.o.Level), Bootstrap: BootstrapInterval(pseudo, d.o.Level, key)}
	if d.p.Predict != nil && d.confirm != nil {
		d.predicted(&g, ob, a, b)
	}
	if len(d.again) > 0 {
		iv := MeanInterval(meanGain(d.raw(d.present, ob, d.again), d.raw(d.best, ob, d.again), ob.Maximize), d.o.Level)
		g.Again = &iv
	}
	return g
}

// meanGain are pseudo-values of the relative improvement 1 - mean(b)/mean(a):
//
//	d_i = G + ((a_i - b_i) - G a_i) / mean(a),   G = (mean(a) - mean(b)) / mean(a),
//
// whose mean is G and whose spread is that of G to first order (delta method).
// Noise that scales a and b alike cancels, and at G = 0 they are the paired
// differences.
func meanGain(a, b []float64, maximize bool) []float64 {
	ma, _ := moments(a)
	mb, _ := moments(b)
	scale := math.Max(math.Abs(ma), 1e-300)
	if maximize {
		scale = -scale
	}
	g := (ma - mb) / scale
	diff := make([]float64, len(a))
	for i := range a {
		diff[i] = g + (a[i]-b[i])/scale
		if ma != 0 {
			diff[i] -= g * a[i] / ma
		}
	}
	return diff
}

// predicted sets the gain that one further workload is expected to show. With
// r_i = log(b_i/a_i) on n workloads the next log ratio lies within
//
//	mean(r) + bias ± t(n-1) sqrt(s² (1 + 1/n) + e²)
//
// where s is the deviation of r, and bias and e those of the simulator's error.
// The point is the median. Where a value is not positive, differences in parts of
// the mean take the place of logarithms.
func (d *driver) predicted(g *Gain, ob Objective, a, b []float64) {
	level := d.p.Predict.Level
	if level == 0 {
		level = 0.90
	}
	r, back := logRatios(a, b)
	if r == nil {
		r, back = differencesOf(a, b)
	}
	mean, s := moments(r)
	n := float64(len(r))
	e := d.p.Predict.of(ob.Metric)
	half := math.Inf(1)
	if n >= 2 {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + level) / 2)
		half = t * math.Sqrt(s*s*(1+1/n)+e.Spread*e.Spread)
	}
	lo, mid, hi := back(mean+e.Bias-half), back(mean+e.Bias), back(mean+e.Bias+half)
	if ob.Maximize {
		lo, mid, hi = -hi, -mid, -lo
	}
	g.Interval = Interval{Mean: -mid, Low: -hi, High: -lo, N: len(r), Level: level}
	g.Low, g.High = math.Max(g.Low, -math.MaxFloat64), math.Min(g.High, math.MaxFloat64)
	g.Workloads, g.Model, g.Ratios = s, e.Spread, r
	slices.Sort(g.Ratios)
	d.optimism(g, ob)
}

// logRatios are log(b/a) and the way from there to the relative change b/a - 1;
// nil if a value is not positive.
func logRatios(a, b []float64) ([]float64, func(float64) float64) {
	out := make([]float64, len(a))
	for i := range a {
		if !(a[i] > 0 && b[i] > 0) {
			return nil, nil
		}
		out[i] = math.Log(b[i] / a[i])
	}
	return out, math.Expm1
}

func differencesOf(a, b []float64) ([]float64, func(float64) float64) {
	mean, _ := moments(a)
	out := make([]float64, len(a))
	for i := range a {
		out[i] = (b[i] - a[i]) / math.Max(math.Abs(mean), 1e-300)
	}
	return out, func(x float64) float64 { return x }
}

// optimism compares with the workloads that the search has seen (of sample average
// approximation: W.-K. Mak, D. Morton and R. Wood, "Monte Carlo bounding
// techniques for determining solution quality in stochastic programs", 1999).
func (d *driver) optimism(g *Gain, ob Objective) {
	fresh := map[instance]bool{}
	for _, in := range append(append([]instance(nil), d.confirm...), d.again...) {
		fresh[in] = true
	}
	var seen []instance
	for _, in := range d.shared(d.best, d.present) {
		if !fresh[in] {
			seen = append(seen, in)
		}
	}
	r, back := logRatios(d.raw(d.present, ob, seen), d.raw(d.best, ob, seen))
	if len(r) == 0 {
		return
	}
	mean, _ := moments(r)
	then := -back(mean)
	if ob.Maximize {
		then = -then
	}
	more := then - g.Mean
	g.Optimism = &more
}
