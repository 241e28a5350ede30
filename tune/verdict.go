package tune

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/stats"
)

// account computes the result of a study from what has been measured.
type account struct{ *parts }

// result returns the result so far.
func (c account) result(name string, runs int) *Result {
	r := &Result{Status: c.found.status, Sampler: name, Seed: c.o.Seed, Runs: runs, Trials: c.led.count,
		Generations: c.led.gen, Confirmed: len(c.found.confirm)}
	r.Changes, r.Constraints, r.PresentConstraints = []Change{}, []ConstraintResult{}, []ConstraintResult{}
	r.Gain = []Gain{}
	if c.led.present == nil {
		r.Present = Summary{Origin: "present", Settings: c.p.Space.PresentSettings()}
		r.Best = r.Present
		r.Decision = Decide(Evidence{Against: ReasonUnconfirmed, Risk: c.o.Risk})
		return r
	}
	ins := c.found.confirm
	if ins == nil {
		ins = shared(c.found.best, c.led.present)
	}
	r.Present = c.describe(c.led.present, ins)
	r.Best = r.Present
	r.Decision = c.risks.decided(c.found.best, ins)
	if c.found.best != c.led.present {
		c.fillFound(r, ins)
	}
	c.fillFront(r)
	r.Constraints, r.PresentConstraints = c.constraintResults(c.found.best, ins), c.constraintResults(c.led.present, ins)
	r.Lifted = c.found.lifted
	c.fillBounds(r)
	r.FailedRuns, r.FirstFailure = c.led.failed, c.led.failure
	r.FailedPresent = c.led.present.failures()
	if c.found.best != c.led.present {
		r.FailedBest = c.found.best.failures()
	}
	r.Importance = c.importance()
	return r
}

// failures counts a trial's runs without a result.
func (t *trial) failures() int {
	n := 0
	for _, o := range t.runs {
		if o.Err != "" {
			n++
		}
	}
	return n
}

// fillFound describes the best configuration found beside the current one.
func (c account) fillFound(r *Result, ins []instance) {
	found := c.describe(c.found.best, ins)
	r.Found = &found
	if r.Decision.Recommended {
		r.Best = found
	}
	if len(ins) > 0 && !c.judge.score(c.found.best, ins).Failed && !c.judge.score(c.led.present, ins).Failed {
		for k := range c.p.Objectives {
			r.Gain = append(r.Gain, c.gain(c.found.best, k, ins))
		}
		ob := c.p.Objectives[0]
		r.VarianceRatio = stats.VarianceRatio(c.judge.raw(c.led.present, ob, ins), c.judge.raw(c.found.best, ob, ins))
	}
	r.Ablation = c.found.steps
	r.Changes = differing(c.led.present.settings, c.found.best.settings)
}

func differing(from, to Settings) []Change {
	out := []Change{}
	for i := range from {
		if from[i].Value != to[i].Value {
			out = append(out, Change{from[i].Name, from[i].Value, to[i].Value})
		}
	}
	return out
}

// summary describes a trial on instances.
func (c account) summary(t *trial, ins []instance) Summary {
	s := Summary{Trial: t.id, Origin: t.origin, Settings: t.settings, Feasible: !c.judge.infeasible(t, ins)}
	values := map[string][]float64{}
	for _, in := range ins {
		s.Lost += float64(len(t.runs[in].Lost)) / float64(len(ins))
		s.NewlyLost += float64(c.judge.newlyLost(t, in)) / float64(len(ins))
		for name, v := range t.runs[in].Metrics {
			values[name] = append(values[name], v)
		}
	}
	for name, x := range values {
		s.Metrics = append(s.Metrics, Metric{Name: name, Interval: sizeInterval(x, confidence)})
	}
	slices.SortFunc(s.Metrics, func(a, b Metric) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// describe is summary with the metrics of the recorded history, where
// there are any: what an interval of fresh workloads means stands beside it.
func (c account) describe(t *trial, ins []instance) Summary {
	s := c.summary(t, ins)
	if len(c.found.recorded) > 0 {
		s.Drawn, s.Metrics = s.Metrics, c.summary(t, c.found.recorded).Metrics
	}
	return s
}

// metric finds a metric's interval.
func (s Summary) metric(name string) (Interval, bool) {
	i := slices.IndexFunc(s.Metrics, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Interval{}, false
	}
	return s.Metrics[i].Interval, true
}

// constraintResults judges a trial's means on instances.
func (c account) constraintResults(t *trial, ins []instance) []ConstraintResult {
	out := []ConstraintResult{}
	values, present := c.summary(t, ins), c.summary(c.led.present, ins)
	for k, limit := range c.p.Constraints {
		iv, ok := values.metric(limit.Metric)
		if now, has := present.metric(limit.Metric); has && limit.Factor != 0 {
			limit.Limit = limit.Factor * now.Mean
		}
		beyond := limit.beyond(c.judge.excesses(t, k, ins))
		kept := ok && beyond.N > 0 && beyond.Mean <= 0
		if limit.Factor != 0 && ok && beyond.N > 0 {
			iv = limit.value(beyond)
		}
		beyond = limit.possible(beyond, iv)
		r := ConstraintResult{Constraint: limit, Value: iv, Beyond: beyond, Kept: kept, Sure: kept &&
			(beyond.High <= 0 || t == c.led.present), Unreached: c.risks.unreached(k)}
		r.Expected, r.ExpectedUnknown = c.expectedChange(t, limit.Metric, ins)
		out = append(out, r)
	}
	return out
}

// expectedChange returns the forecast of a metric's change; nil where there is none, see ConstraintResult.
func (c account) expectedChange(t *trial, metric string, ins []instance) (iv *Interval, unknown bool) {
	p := c.p.Predict
	if p == nil || p.Same || c.found.confirm == nil || t == c.led.present {
		return nil, false
	}
	a, b := c.judge.pairs(c.led.present, t, metric, ins)
	if mean, _ := stats.Moments(a); len(a) < leastExpected || mean == 0 {
		return nil, false
	}
	var g Gain
	p.forecast(&g, Objective{Metric: metric}, a, b)
	change := g.Interval.negative()
	return &change, g.Unknown
}

// beyond is by how much excesses (Excess) are beyond the limit in all, as a part of it, with their interval.
func (c Constraint) beyond(x []float64, part func(float64) float64) Interval {
	iv := MeanInterval(x, confidence)
	if len(x) > 0 {
		iv.Mean = c.Middle(x)
	}
	return Interval{part(iv.Mean), part(min(iv.Low, iv.Mean)), part(max(iv.High, iv.Mean)), iv.N, iv.Level}
}

// value is the interval of the metric that is so far beyond the limit.
func (c Constraint) value(beyond Interval) Interval {
	low, high := c.At(c.Limit, beyond.Low), c.At(c.Limit, beyond.High)
	return Interval{c.At(c.Limit, beyond.Mean), min(low, high), max(low, high), beyond.N, beyond.Level}
}

// possible keeps the ends of a distance from the limit within what can be: a mean
// that is not negative is at most the whole limit below it.
func (c Constraint) possible(beyond, mean Interval) Interval {
	if mean.Low >= 0 && c.Limit > 0 {
		if c.Op == ">=" {
			beyond.High = math.Min(beyond.High, 1)
		} else {
			beyond.Low = math.Max(beyond.Low, -1)
		}
	}
	return beyond
}

func (c account) fillBounds(r *Result) {
	for _, ob := range c.p.Objectives {
		bound, ok := c.p.Bounds[ob.Metric]
		iv, have := r.Best.metric(ob.Metric)
		if ok && have {
			gap := math.Abs(iv.Mean-bound) / math.Max(math.Abs(iv.Mean), 1e-300)
			r.Bounds = append(r.Bounds, BoundGap{ob.Metric, bound, gap})
		}
	}
}

// fillFront adds the front to the result.
func (c account) fillFront(r *Result) {
	if c.found.front == nil {
		return
	}
	for _, t := range c.found.front {
		r.Front = append(r.Front, c.summary(t, c.found.frontOn))
	}
	present := c.summary(c.led.present, c.found.frontOn)
	r.FrontPresent = &present
	r.Knee = slices.Index(c.found.front, c.found.best)
	if len(c.p.Objectives) == 2 {
		r.Hypervolume = hypervolume(c.frontValues(), c.judge.score(c.led.present, c.found.frontOn).Values)
	}
}
