package tune

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"

	"schedtune/internal/stats"
)

// The model of a search in rounds (rounds.go): of the objective (composite.go), of by how much each
// limit is passed, and of whether a run stalls or loses work, apart from each other
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
// counts by their number, as in kriging with noise.

const (
	modelRuns  = 1.0  // runs that the model counts for beside a configuration's own
	excessRuns = 4.0  // runs that its excesses are as certain as
	passCost   = 10.0 // of passing a limit by its own size, in logarithms of the objective
	riskCost   = 1.0  // of a certain harm to a protected metric, beyond the risk that is allowed
	stallCost  = 3.0  // of a run without result or with lost work
	mostExcess = 1.0  // of what is taken of an excess
)

// roundsModel is the model with the runs that it was fitted to.
type roundsModel struct {
	r       *rounds
	known   *knowledge // nil: nothing is known of the objective
	all     *sample
	trials  []*modelled // that have runs
	cost    *costModel  // of the objective; nil: too few points
	limits  []*boost
	stall   *boost
	sd      []float64 // by limit
	anchor  []float64 // by limit, the current configuration's mean
	present []float64 // what the model predicts of it
}

// modelled is a configuration to the model.
type modelled struct {
	t         *trial
	point     Point
	predicted []float64 // figures
	own       []float64 // sums over its runs of what the model does not predict
	runs      float64
}

// learn fits a model to all runs before the confirmation.
func (r *rounds) learn(key rng.Key) {
	m := &roundsModel{r: r, known: r.knowledge(r.p.Space, 0), all: r.sample()}
	good := m.all.complete()
	m.fit(good, key)
	m.predictAll(good)
	r.model = m
}

// fit fits the models that have enough points.
func (m *roundsModel) fit(good *sample, key rng.Key) {
	var fits []func() // that do not need each other
	if y := m.all.column(stallFigure); len(y) >= preLeast && slices.Max(y) > 0 {
		fits = append(fits, func() { m.stall = fitBoost(m.known.wides(m.all.points()), m.all.block(), y, key.At(0)) })
	}
	var cost *costFit
	if len(good.runs) >= preLeast {
		if n := len(m.r.p.Constraints); n > 0 {
			set := newPointSet(m.known.wides(good.points()), good.block())
			m.limits = make([]*boost, n)
			for k := range n {
				fits = append(fits, func() {
					m.limits[k] = newBoosting(set, [][]float64{good.clipped(limitFigure + k)}, m.known.limitPreferences(k)).fit(
						key.At(1).At(uint64(2 + k)))
				})
			}
		}
		a := &archive{known: m.known, points: good.points(), block: good.block(), blocks: good.blocks,
			y: good.clipped(costFigure)}
		a.scores = mapped(good.runs, func(r sampledRun) Score { return Score{parts: m.r.partsOf(r.t, []instance{r.on})} })
		cost = newCostFit(a, key.At(2))
		fits = append(fits, cost.fits...)
	}
	parallel.Each(m.r.o.Threads, len(fits), func(i int) { fits[i]() })
	if cost != nil {
		m.cost = cost.finish()
	}
}

// predictAll sets what the model predicts of the configurations that have runs, and what it does not.
func (m *roundsModel) predictAll(good *sample) {
	m.present = m.predict(m.r.p.Space.Present())
	of := map[*trial]*modelled{}
	for _, r := range m.all.runs {
		if of[r.t] == nil {
			of[r.t] = &modelled{t: r.t, point: r.point, own: make([]float64, m.r.figureCount())}
			m.trials = append(m.trials, of[r.t])
		}
		of[r.t].runs++
	}
	parallel.Each(m.r.o.Threads, len(m.trials), func(i int) { m.trials[i].predicted = m.predict(m.trials[i].point) })
	// own adds what the model leaves of a figure of a sample's runs to their trials' own, and returns it.
	own := func(s *sample, figure int, values []float64) []float64 {
		predicted := mapped(s.runs, func(r sampledRun) float64 { return of[r.t].predicted[figure] })
		rest := residuals(values, predicted, s.block(), s.blocks)
		for i, r := range s.runs {
			of[r.t].own[figure] += rest[i]
		}
		return rest
	}
	own(m.all, stallFigure, m.all.column(stallFigure))
	own(good, costFigure, good.clipped(costFigure))
	for k := limitFigure; k < m.r.figureCount(); k++ {
		_, sd := stats.Moments(own(good, k, good.clipped(k)))
		sum, presents := 0.0, 0.0
		for _, r := range good.runs {
			if r.t == m.r.present {
				sum += r.figures[k]
				presents++
			}
		}
		m.sd, m.anchor = append(m.sd, sd), append(m.anchor, sum/math.Max(presents, 1))
	}
}

// predict returns the figures of a point, each up to a constant.
func (m *roundsModel) predict(p Point) []float64 {
	out := make([]float64, m.r.figureCount())
	x := m.known.wide(p)
	out[stallFigure] = m.stall.at(x)
	if m.cost != nil {
		out[costFigure] = m.cost.atWide(x)
	}
	for k, l := range m.limits {
		out[limitFigure+k] = l.at(x)
	}
	return out
}

// at predicts the cost of a point.
func (m *roundsModel) at(p Point) float64 { return m.price(m.predict(p), 0) }

// price makes one cost of figures behind which there are so many runs.
func (m *roundsModel) price(f []float64, runs float64) float64 {
	change, keeps := f[costFigure]-m.present[costFigure], 1.0
	out, gain := max(change, 0), max(-change, 0)
	for k, a := range m.anchor {
		e := f[limitFigure+k] - m.present[limitFigure+k] + a
		s := m.sd[k] / math.Sqrt(excessRuns+runs)
		if a > 0 { // the current configuration breaks it: to be less far beyond is a gain
			eased := passCost * min(a, mostExcess) * (1 - expectedExcess(e, s)/a)
			out, gain = out+max(-eased, 0), gain+max(eased, 0)
			continue
		}
		e = min(mostExcess, e)
		keeps *= keepChance(e, s)
		out += passCost * expectedExcess(e, s)
		if l := m.limit(k); l.Factor > 0 { // in the mean is not enough: in one workload
			harm := 1 - keepChance(e-((1+QueueBy)/l.Factor-1), m.sd[k])
			out += riskCost * max(0, harm-m.r.o.Risk.Queue)
		}
	}
	out -= keeps * gain
	return out + stallCost*math.Max(0, f[stallFigure]-m.present[stallFigure])
}

// limit is one of the problem's; none in models without a search.
func (m *roundsModel) limit(k int) Constraint {
	if m.r == nil || k >= len(m.r.p.Constraints) {
		return Constraint{}
	}
	return m.r.p.Constraints[k]
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

// estimates returns the costs of the configurations that have runs, with their own runs.
func (m *roundsModel) estimates() map[*trial]float64 {
	out := map[*trial]float64{}
	for _, c := range m.trials {
		f := slices.Clone(c.predicted)
		for k, v := range c.own {
			f[k] += v / (c.runs + modelRuns)
		}
		out[c.t] = m.price(f, c.runs)
	}
	return out
}

// ranked returns these configurations, the best first; the current one where none has a run
// that counts.
func (m *roundsModel) ranked() []*trial {
	if len(m.trials) == 0 {
		return []*trial{m.r.present}
	}
	costs := m.estimates()
	out := mapped(m.trials, func(c *modelled) *trial { return c.t })
	slices.SortStableFunc(out, func(a, b *trial) int { return cmp.Compare(costs[a], costs[b]) })
	return out
}
