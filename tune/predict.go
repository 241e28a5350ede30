package tune

import (
	"math"
	"slices"

	"schedtune/internal/rng"
	"schedtune/internal/stats"
)

// What a gain will be. Two questions have two answers: what the mean gain is
// (meanGain, a confidence interval), and what one further workload will show
// (forecast, a prediction interval; G. Hahn and W. Meeker, "Statistical
// Intervals", 1991, chapter 4). The second is wider by the spread between
// workloads, which no number of runs makes smaller.

// confidence is the level of intervals of means.
const confidence = 0.95

// gain returns the improvement of a trial over the current configuration in an objective.
func (c account) gain(t *trial, k int, ins []instance) Gain {
	ob := c.p.Objectives[k]
	a, b := c.judge.raw(c.led.present, ob, ins), c.judge.raw(t, ob, ins)
	key := rng.NewKey(c.o.Seed, purposeBootstrap).At(uint64(k))
	g := Gain{Metric: ob.Metric, Bootstrap: bootstrapInterval(meanGain(a, b, ob.Maximize), confidence, key)}
	switch p := c.p.Predict; {
	case p == nil || c.found.confirm == nil:
		g.Interval = ends(ratioInterval(a, b, ob.Maximize, confidence), ob, a, b, ModelError{})
	case p.Same:
		e := p.of(ob.Metric)
		g.Interval, g.Model, g.Unknown = p.onceMore(ob, a, b, nil), e.Spread, e.Unknown
	default:
		p.forecast(&g, ob, a, b)
		c.selectionBias(&g, t, ob)
	}
	if len(c.found.recorded) > 0 {
		windows := mapped(c.found.recorded, func(in instance) int { return in.window })
		before, after := c.judge.raw(c.led.present, ob, c.found.recorded), c.judge.raw(t, ob, c.found.recorded)
		iv := c.p.Predict.onceMore(ob, before, after, windows)
		g.Again, g.AgainWindows = &iv, different(windows)
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
	ma, _ := stats.Moments(a)
	mb, _ := stats.Moments(b)
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

// historyShare is how much of the spread between drawn workloads an interval takes
// once more for what the history itself is: one draw, whose own deviation the drawn
// workloads share. It would be 1 for a plain bootstrap; drawn workloads that differ
// by more than what was recorded contain some of it. The value was chosen on the
// development half of the cases of validation/forecast, together with a model error of
// 0.08 to 0.10; quantiles of Student's t for the logarithms, for either side alone or
// both, scored worse there than the order statistics.
const historyShare = 0.5

// ratioInterval is Fieller's interval for the gain 1 - mean(b)/mean(a), or its negative where more
// is better, of paired values (E. Fieller, "Some Problems in Interval Estimation", Journal of the
// Royal Statistical Society B 16 (1954)): all g for which the paired t test does not distinguish
// mean(b) - (1-g) mean(a) from 0. So it excludes g = 0 exactly where the paired t test of a
// against b is significant, which the interval of meanGain's values does a little too often,
// as its spread shrinks with the gain. With ρ = 1-g the ends solve
//
//	ρ² (mean(a)² - q s_aa) - 2 ρ (mean(a) mean(b) - q s_ab) + mean(b)² - q s_bb = 0,  q = t²/n.
//
// Where mean(a) can't be distinguished from 0 there are no ends, and meanGain's interval is given.
func ratioInterval(a, b []float64, maximize bool, level float64) Interval {
	iv := MeanInterval(meanGain(a, b, maximize), level)
	n := float64(len(a))
	if len(a) < 2 {
		return iv
	}
	t := stats.StudentQuantile(level, n-1)
	q := t * t / n
	ma, sa := stats.Moments(a)
	mb, sb := stats.Moments(b)
	ab := 0.0
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb) / (n - 1)
	}
	den, mid, end := ma*ma-q*sa*sa, ma*mb-q*ab, mb*mb-q*sb*sb
	root := math.Sqrt(math.Max(0, mid*mid-den*end))
	if !(den > 0) || sa == 0 && sb == 0 {
		return iv
	}
	iv.Low, iv.High = 1-(mid+root)/den, 1-(mid-root)/den
	if maximize != (ma < 0) {
		iv.Low, iv.High = -iv.High, -iv.Low
	}
	return iv
}

// forecast sets the gain that one further workload is expected to show. Of the
// r_i = log(b_i/a_i) on n workloads the point is the median, and the ends are the
// order statistics (n+1)(1 ± level)/2, a prediction interval without assumptions
// on the distribution (S. Wilks, "Determination of sample sizes for setting
// tolerance limits", 1941), their distances from the median times
// sqrt(1 + historyShare / Periods), and the simulator's error beside them:
//
//	median(r) + bias ± sqrt(distance² (1 + historyShare/Periods) + (z e)²)
//
// Where a value is not positive, differences in parts of the mean take the place
// of logarithms. See ends for what an interval never holds.
func (p *Prediction) forecast(g *Gain, ob Objective, a, b []float64) {
	level := p.level()
	r, back := logRatios(a, b)
	if r == nil {
		r, back = differencesOf(a, b)
	}
	slices.Sort(r)
	_, s := stats.Moments(r)
	e := p.of(ob.Metric)
	mid := stats.Quantile(r, 0.5)
	lo, hi := math.Inf(-1), math.Inf(1)
	if len(r) >= 2 {
		wide := math.Sqrt(1 + historyShare/math.Max(1, p.Periods))
		z := stats.NormalQuantile(level) * e.Spread
		lo = mid - math.Hypot(wide*(mid-orderStatistic(r, (1-level)/2)), z)
		hi = mid + math.Hypot(wide*(orderStatistic(r, (1+level)/2)-mid), z)
	}
	iv := Interval{Mean: back(mid + e.Bias), Low: back(lo + e.Bias), High: back(hi + e.Bias), N: len(r), Level: level}
	if !ob.Maximize { // a gain is what the metric loses
		iv = iv.negative()
	}
	g.Interval = ends(iv, ob, a, b, e)
	g.Workloads, g.Model, g.Unknown, g.Ratios = s, e.Spread, e.Unknown, r
}

// onceMore predicts the gain between one further run of the recorded history with the current
// settings and one with the recommended ones. Its point is that of the means. Two
// runs share no seed, so the variances of the logarithms of both add up, with that of
// their means (Hahn and Meeker 1991, section 4.7), and the simulator's error beside
// them:
//
//	log(mean(b)/mean(a)) + bias ± sqrt(t² (1 + 1/n) (var(log a) + var(log b)) + (z e)²)
//
// Runs of several windows of the history (windows, one for each value; nil: all of one)
// differ by what was recorded in them, which comes again as it was: only the variance
// within windows counts, with a degree of freedom less for every window. Where every
// window ran once nothing shows it, and there is no interval: Level 0, both ends the mean.
func (p *Prediction) onceMore(ob Objective, a, b []float64, windows []int) Interval {
	plain := MeanInterval(meanGain(a, b, ob.Maximize), confidence)
	if p == nil || len(a) == 0 {
		return plain
	}
	level, e := p.level(), p.of(ob.Metric)
	if r, _ := logRatios(a, b); r == nil || len(a) < 2 {
		return ends(plain, ob, a, b, e)
	}
	logs := func(v []float64) (variance float64) { return stats.Within(mapped(v, math.Log), windows) }
	n := float64(len(a))
	free := 2 * (n - float64(max(1, different(windows))))
	if free == 0 {
		return Interval{Mean: plain.Mean, Low: plain.Mean, High: plain.Mean, N: len(a)}
	}
	ma, _ := stats.Moments(a)
	mb, _ := stats.Moments(b)
	half := math.Hypot(stats.StudentQuantile(level, free)*math.Sqrt((1+1/n)*(logs(a)+logs(b))),
		stats.NormalQuantile(level)*e.Spread)
	mid := math.Log(mb/ma) + e.Bias
	iv := Interval{Mean: math.Expm1(mid), Low: math.Expm1(mid - half), High: math.Expm1(mid + half), N: len(a),
		Level: level}
	if !ob.Maximize {
		iv = iv.negative()
	}
	return ends(iv, ob, a, b, e)
}

// different counts different values.
func different(windows []int) int {
	seen := map[int]bool{}
	for _, w := range windows {
		seen[w] = true
	}
	return len(seen)
}

// farthest is the change, as a part, beyond which the end of an interval means no
// more than its direction.
const farthest = 10

// ends keeps the ends of a predicted gain within what can be: of what is not
// negative no more than all can be gained, what is to grow loses no more than all,
// and ends beyond farthest stand at it, unless the gain itself lies farther. Where
// the simulator's error is not known they are all that can be.
func ends(iv Interval, ob Objective, a, b []float64, e ModelError) Interval {
	low, high := math.Min(-farthest, iv.Mean), math.Max(farthest, iv.Mean)
	if least := math.Min(slices.Min(a), slices.Min(b)); least >= 0 && ob.Maximize {
		low = -1
	} else if least >= 0 {
		high = 1
	}
	if e.Unknown {
		iv.Low, iv.High = low, high
	}
	iv.Low, iv.High = math.Max(iv.Low, low), math.Min(iv.High, high)
	return iv
}

// orderStatistic interpolates at place (n+1) q of the sorted values, within them.
func orderStatistic(sorted []float64, q float64) float64 {
	return stats.At(sorted, math.Min(math.Max(float64(len(sorted)+1)*q-1, 0), float64(len(sorted)-1)))
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
	mean, _ := stats.Moments(a)
	out := make([]float64, len(a))
	for i := range a {
		out[i] = (b[i] - a[i]) / math.Max(math.Abs(mean), 1e-300)
	}
	return out, func(x float64) float64 { return x }
}

// selectionBias compares with the workloads that the search has seen (of sample average
// approximation: W.-K. Mak, D. Morton and R. Wood, "Monte Carlo bounding
// techniques for determining solution quality in stochastic programs", 1999).
func (c account) selectionBias(g *Gain, t *trial, ob Objective) {
	fresh := slices.Concat(c.found.confirm, c.found.recorded)
	seen := slices.DeleteFunc(shared(t, c.led.present), func(in instance) bool { return slices.Contains(fresh, in) })
	r, back := logRatios(c.judge.raw(c.led.present, ob, seen), c.judge.raw(t, ob, seen))
	if len(r) == 0 {
		return
	}
	slices.Sort(r)
	more := -ob.minimised(back(stats.Quantile(r, 0.5))) - g.Mean
	g.Optimism = &more
}
