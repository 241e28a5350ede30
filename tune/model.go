package tune

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"
	"schedtune/internal/stats"
)

// The model of a search: of each objective (composite.go), of by how much each limit is passed,
// and of whether a run stalls or loses work, apart from each other
// (J. Gardner and others, "Bayesian Optimization with Inequality Constraints", ICML 2014),
// since a limit that is passed in one run on one workload is no property of a
// configuration. They make one cost in comparison with the current configuration,
//
//	max(0, f(x)) - Π P(e(x) + s Z ≤ 0) · max(0, -f(x))
//	  + passCost · Σ E[max(0, e(x) + s Z)] + stallCost · p(x),  Z ~ N(0, 1),
//
// product and sum over limits: a gain counts for the probability that all limits are kept,
// as in their expected improvement, and what is beyond is a cost in any case, so that
// something shows the direction back where none is likely. A limit that the current configuration
// breaks is left out of both; to be less far beyond it counts as a gain. A protected metric that is
// likelier than allowed to get much worse under one workload costs riskCost besides. s is what the model leaves of the
// measured excesses. What a configuration's own runs have shown and the model does not predict
// counts by their number, as in kriging with noise. Boosted trees model each, since few of many
// settings matter, with thresholds.

const (
	priorRuns   = 4.0  // runs that count for the noise being half of what the model leaves
	excessRuns  = 4.0  // runs that its excesses are as certain as
	passCost    = 10.0 // of passing a limit by its own size, in logarithms of the objective
	riskCost    = 1.0  // of a certain harm to a protected metric, beyond the risk that is allowed
	stallCost   = 3.0  // of a run without result or with lost work
	mostExcess  = 1.0  // of what is taken of an excess, a logarithm
	leastExcess = -0.5 // of the part of it: further within a limit it does not matter how far
	leastModel  = 10   // runs behind a model
)

// model is a fitted model with the runs that it is compared with.
type model struct {
	*figures
	fresh   int         // runs since the trees were fitted
	trials  []*modelled // that have runs
	trees   trees
	worth   []float64 // by figure, how many runs of a configuration the model counts for
	sd      []float64 // by limit
	anchor  []float64 // by limit, the current configuration's mean
	current []float64 // what the model predicts of it
}

// trees are the fitted parts of a model.
type trees struct {
	costs  []*costModel // by objective; nil: too few runs
	limits []*boost
	stall  *boost
}

// modelled is a configuration to the model.
type modelled struct {
	t         *trial
	point     Point
	predicted []float64 // figures
	own       []float64 // sums over its runs of what the model does not predict
	runs      float64
}

// learn takes all runs of a search into account; the trees are fitted again once a sixteenth of them are new.
func (m *model) learn(w *workloads, fresh int, key rng.Key) {
	all := m.sample(w)
	good := all.complete()
	if m.fresh += fresh; m.trees.costs == nil || 16*m.fresh >= len(all.runs) {
		m.fresh, m.trees = 0, m.fit(all, good, key)
	}
	m.compare(all, good)
}

// fit fits the trees that have enough runs.
func (m *model) fit(all, good *sample, key rng.Key) (t trees) {
	known := m.knowledge(0)
	var fits []func() // that do not need each other
	if y := all.column(stallFigure); len(y) >= leastModel && slices.Max(y) > 0 {
		fits = append(fits, func() { t.stall = fitBoost(known.wides(all.points()), all.block(), y, key.At(0)) })
	}
	if len(good.runs) >= leastModel {
		x := known.wides(good.points())
		if n := len(m.p.Constraints); n > 0 {
			set := newPointSet(x, good.block())
			t.limits = make([]*boost, n)
			for k := range n {
				fits = append(fits, func() {
					t.limits[k] = newBoosting(set, [][]float64{good.column(m.limitFigure(k))}, known.limitPreferences(k)).
						fit(key.At(1).At(uint64(2 + k)))
				})
			}
		}
		parts := mapped(good.runs, func(r sampledRun) []float64 { return m.judge.partsOf(r.t, []instance{r.on}) })
		for k := range m.p.Objectives {
			y := good.clipped(costFigure+k, m.led.present)
			c, more := newCostModel(m.knowledge(k), x, good, y, parts, key.At(2+uint64(k)<<32))
			t.costs, fits = append(t.costs, c), append(fits, more...)
		}
	}
	parallel.Each(m.o.Threads, len(fits), func(i int) { fits[i]() })
	return t
}

// compare sets what the model predicts of the configurations that have runs, and what it does not.
func (m *model) compare(all, good *sample) {
	m.current, m.trials, m.sd, m.anchor = m.predict(m.p.Space.Present()), nil, nil, nil
	of := map[*trial]*modelled{}
	for _, r := range all.runs {
		if of[r.t] == nil {
			of[r.t] = &modelled{t: r.t, point: r.point, own: make([]float64, m.count())}
			m.trials = append(m.trials, of[r.t])
		}
		of[r.t].runs++
	}
	parallel.Each(m.o.Threads, len(m.trials), func(i int) { m.trials[i].predicted = m.predict(m.trials[i].point) })
	// own adds what the model leaves of a figure of a sample's runs to their trials' own, and returns it.
	own := func(s *sample, figure int, values []float64) []float64 {
		predicted := mapped(s.runs, func(r sampledRun) float64 { return of[r.t].predicted[figure] })
		rest := residuals(values, predicted, s.block(), s.blocks)
		for i, r := range s.runs {
			of[r.t].own[figure] += rest[i]
		}
		return rest
	}
	own(all, stallFigure, all.column(stallFigure))
	m.worth = slices.Repeat([]float64{1}, m.count())
	for k := range m.p.Objectives {
		m.worth[costFigure+k] = noiseShare(good, own(good, costFigure+k, good.clipped(costFigure+k, m.led.present)))
	}
	for k := m.limitFigure(0); k < m.count(); k++ {
		_, sd := stats.Moments(own(good, k, good.column(k)))
		sum, presents := 0.0, 0.0
		for _, r := range good.runs {
			if r.t == m.led.present {
				sum += r.figures[k]
				presents++
			}
		}
		m.sd, m.anchor = append(m.sd, sd), append(m.anchor, sum/math.Max(presents, 1))
	}
}

// noiseShare is the variance of what a model leaves of the runs of a sample between runs of one configuration, in parts of
// that between configurations: how many runs of a configuration the model counts for.
func noiseShare(s *sample, rest []float64) float64 {
	sum, n := map[*trial]float64{}, map[*trial]float64{}
	for i, r := range s.runs {
		sum[r.t] += rest[i]
		n[r.t]++
	}
	within, free, all := 0.0, 0.0, 0.0
	for i, r := range s.runs {
		all += rest[i] * rest[i] / float64(len(s.runs))
		if k := n[r.t]; k > 1 {
			d := rest[i] - sum[r.t]/k
			within, free = within+d*d, free+(k-1)/k
		}
	}
	noise := (within + priorRuns*all/2) / (free + priorRuns)
	return min(max(noise/max(all-noise, 1e-12), 0.1), 4)
}

// predict returns the figures of a point, each up to a constant.
func (m *model) predict(p Point) []float64 {
	out := make([]float64, m.count())
	x := m.knowledge(0).wide(p)
	out[stallFigure] = m.trees.stall.at(x)
	for k, c := range m.trees.costs {
		out[costFigure+k] = c.at(x)
	}
	for k, l := range m.trees.limits {
		out[m.limitFigure(k)] = l.at(x)
	}
	return out
}

// at predicts the cost of a point in the first objective.
func (m *model) at(p Point) float64 { return m.price(m.predict(p), 0, 0) }

// costs predicts the costs of a point in all objectives; nil without a model of them.
func (m *model) costs() func(p Point) []float64 {
	if m.trees.costs == nil {
		return nil
	}
	return func(p Point) []float64 {
		f := m.predict(p)
		return mapped(indices(len(m.p.Objectives)), func(k int) float64 { return m.price(f, k, 0) })
	}
}

// price makes one cost of figures behind which there are so many runs, of an objective.
func (m *model) price(f []float64, objective int, runs float64) float64 {
	change, keeps := f[costFigure+objective]-m.current[costFigure+objective], 1.0
	out, gain := max(change, 0), max(-change, 0)
	for k, a := range m.anchor {
		e := f[m.limitFigure(k)] - m.current[m.limitFigure(k)] + a
		s := m.sd[k] / math.Sqrt(excessRuns+runs)
		if a > 0 { // the current configuration breaks it: to be less far beyond is a gain
			eased := passCost * min(a, mostExcess) * (1 - expectedExcess(e, s)/a)
			out, gain = out+max(-eased, 0), gain+max(eased, 0)
			continue
		}
		e = min(mostExcess, e)
		keeps *= keepChance(e, s)
		out += passCost * expectedExcess(e, s)
		if l := m.p.Constraints[k]; l.Factor > 0 { // in the mean is not enough: in one workload
			harm := 1 - keepChance(e-((1+QueueBy)/l.Factor-1), m.sd[k])
			out += riskCost * max(0, harm-m.o.Risk.Queue)
		}
	}
	out -= keeps * gain
	return out + stallCost*math.Max(0, f[stallFigure]-m.current[stallFigure])
}

// keepChance is the probability that e + s Z is not above 0 for a standard normal Z.
func keepChance(e, s float64) float64 {
	if s <= 0 {
		if e > 0 {
			return 0
		}
		return 1
	}
	return math.Erfc(e/s/math.Sqrt2) / 2
}

// expectedExcess is E[max(0, e + s Z)] for a standard normal Z.
func expectedExcess(e, s float64) float64 {
	if s <= 0 {
		return math.Max(0, e)
	}
	z := e / s
	return e*math.Erfc(-z/math.Sqrt2)/2 + s*math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)
}

// estimates returns the costs of the configurations that have runs, with their own runs.
func (m *model) estimates() map[*trial]float64 {
	out := map[*trial]float64{}
	for _, c := range m.trials {
		f := slices.Clone(c.predicted)
		for k, v := range c.own {
			f[k] += v / (c.runs + m.worth[k])
		}
		out[c.t] = m.price(f, 0, c.runs)
	}
	return out
}

// ranked returns these configurations, the best first; the current one where none has a run
// that counts.
func (m *model) ranked() []*trial {
	if len(m.trials) == 0 {
		return []*trial{m.led.present}
	}
	costs := m.estimates()
	out := mapped(m.trials, func(c *modelled) *trial { return c.t })
	slices.SortStableFunc(out, func(a, b *trial) int { return cmp.Compare(costs[a], costs[b]) })
	return out
}
