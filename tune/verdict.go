package tune

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/stats"
)

// How the result of a study is computed from what has been measured.

// result returns the result so far.
func (c *course) result(runs int) *Result {
	r := &Result{Status: c.status, Sampler: c.samplerName, Seed: c.o.Seed, Runs: runs, Trials: c.count,
		Generations: c.gen, Confirmed: len(c.confirm)}
	r.Changes, r.Constraints, r.PresentConstraints = []Change{}, []ConstraintResult{}, []ConstraintResult{}
	r.Gain = []Gain{}
	if c.present == nil {
		r.Present = Summary{Origin: "present", Settings: c.p.Space.PresentSettings()}
		r.Best = r.Present
		r.Decision = Decide(Evidence{Against: ReasonUnconfirmed, Risk: c.o.Risk})
		return r
	}
	ins := c.confirm
	if ins == nil {
		ins = shared(c.best, c.present)
	}
	r.Present = c.describe(c.present, ins)
	r.Best = r.Present
	r.Decision = c.decided(c.best, ins)
	if c.best != c.present {
		c.fillFound(r, ins)
	}
	c.fillFront(r)
	r.Constraints, r.PresentConstraints = c.constraintResults(c.best, ins), c.constraintResults(c.present, ins)
	r.Lifted = c.lifted
	c.fillBounds(r)
	r.FailedRuns, r.FirstFailure = c.failed, c.failure
	r.FailedPresent = c.present.failures()
	if c.best != c.present {
		r.FailedBest = c.best.failures()
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
func (c *course) fillFound(r *Result, ins []instance) {
	found := c.describe(c.best, ins)
	r.Found = &found
	if r.Decision.Recommended {
		r.Best = found
	}
	if len(ins) > 0 && !c.score(c.best, ins).Failed && !c.score(c.present, ins).Failed {
		for k := range c.p.Objectives {
			r.Gain = append(r.Gain, c.gain(c.best, k, ins))
		}
		ob := c.p.Objectives[0]
		r.VarianceRatio = stats.VarianceRatio(c.raw(c.present, ob, ins), c.raw(c.best, ob, ins))
	}
	r.Ablation = c.steps
	r.Changes = differing(c.present.settings, c.best.settings)
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
func (c *course) summary(t *trial, ins []instance) Summary {
	s := Summary{Trial: t.id, Origin: t.origin, Settings: t.settings, Feasible: !c.infeasible(t, ins)}
	values := map[string][]float64{}
	for _, in := range ins {
		s.Lost += float64(len(t.runs[in].Lost)) / float64(len(ins))
		s.NewlyLost += float64(c.newlyLost(t, in)) / float64(len(ins))
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
func (c *course) describe(t *trial, ins []instance) Summary {
	s := c.summary(t, ins)
	if len(c.recorded) > 0 {
		s.Drawn, s.Metrics = s.Metrics, c.summary(t, c.recorded).Metrics
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
func (c *course) constraintResults(t *trial, ins []instance) []ConstraintResult {
	out := []ConstraintResult{}
	values, present := c.summary(t, ins), c.summary(c.present, ins)
	for k, limit := range c.p.Constraints {
		iv, ok := values.metric(limit.Metric)
		if now, has := present.metric(limit.Metric); has && limit.Factor != 0 {
			limit.Limit = limit.Factor * now.Mean
		}
		beyond := limit.possible(MeanInterval(c.excesses(t, k, ins), confidence), iv)
		kept := ok && beyond.N > 0 && beyond.Mean <= 0
		r := ConstraintResult{Constraint: limit, Value: iv, Beyond: beyond, Kept: kept, Sure: kept &&
			(beyond.High <= 0 || t == c.present), Unreached: c.unreached(k)}
		r.Expected, r.ExpectedUnknown = c.expectedChange(t, limit.Metric, ins)
		out = append(out, r)
	}
	return out
}

// expectedChange returns the forecast of a metric's change; nil where there is none, see ConstraintResult.
func (c *course) expectedChange(t *trial, metric string, ins []instance) (iv *Interval, unknown bool) {
	p := c.p.Predict
	if p == nil || p.Same || c.confirm == nil || t == c.present {
		return nil, false
	}
	a, b := c.pairs(c.present, t, metric, ins)
	if mean, _ := stats.Moments(a); len(a) < leastExpected || mean == 0 {
		return nil, false
	}
	var g Gain
	p.forecast(&g, Objective{Metric: metric}, a, b)
	change := g.Interval.negative()
	return &change, g.Unknown
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

func (c *course) fillBounds(r *Result) {
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
func (c *course) fillFront(r *Result) {
	if c.front == nil {
		return
	}
	for _, t := range c.front {
		r.Front = append(r.Front, c.summary(t, c.frontOn))
	}
	present := c.summary(c.present, c.frontOn)
	r.FrontPresent = &present
	r.Knee = slices.Index(c.front, c.best)
	if len(c.p.Objectives) == 2 {
		r.Hypervolume = hypervolume(c.frontValues(), c.score(c.present, c.frontOn).Values)
	}
}

func (c *course) frontValues() [][]float64 {
	return mapped(c.scores(c.front, c.frontOn), func(s Score) []float64 { return s.Values })
}
