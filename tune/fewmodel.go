package tune

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"
)

// The model of a search in rounds (rounds.go): of the objective (composite.go), of by how much each
// limit is passed, and of whether a run stands still or loses work, apart from each other
// (J. Gardner and others, "Bayesian Optimization with Inequality Constraints", ICML 2014),
// since a limit that is passed in one run on one workload is no property of a
// configuration. They make one cost in comparison with the present configuration,
//
//	max(0, f(x)) - Π P(e(x) + s Z ≤ 0) · max(0, -f(x))
//	  + fewPenalty · Σ E[max(0, e(x) + s Z)] + stuckCost · p(x),  Z ~ N(0, 1),
//
// product and sum over limits: a gain counts for the probability that all limits are kept,
// as in their expected improvement, and what is beyond is a cost in any case, so that
// something says which way is back where none is likely. s is what the model leaves of the
// measured excesses. What a configuration's own runs have shown and the model does not say
// counts by their number, as in kriging with noise.

const (
	fewOwn     = 1.0  // runs that the model counts for beside a configuration's own
	fewBehind  = 4.0  // runs that its excesses are as certain as
	fewPenalty = 10.0 // of passing a limit by its own size, in logarithms of the objective
	stuckCost  = 3.0  // of a run without result or with lost work
	excessMost = 1.0  // of what is told of an excess
)

// fewModel is the model with the runs that it was fitted to.
type fewModel struct {
	d       *driver
	made    *composition // nil: nothing is known of the objective
	all     *sample
	trials  []*trial              // that have runs
	cost    func(x Point) float64 // of the objective at a wide point; nil: too few points
	limits  []*boost
	stuck   *boost
	sd      []float64            // by limit
	anchor  []float64            // by limit, the present configuration's mean
	present []float64            // what the model says of it
	said    map[*trial][]float64 // what it says of those that have runs
	own     map[*trial][]float64 // sums over its runs of what the model does not say
	runs    map[*trial]float64
}

// fewModel fits a model to all runs before the confirmation.
func (d *driver) fewModel(key rng.Key) (*fewModel, error) {
	s, err := d.fewSample()
	if err != nil {
		return nil, err
	}
	m := &fewModel{d: d, made: d.composition(d.p.Space, 0), all: s, own: map[*trial][]float64{}, runs: map[*trial]float64{}}
	for _, t := range s.trials {
		if m.own[t] == nil {
			m.own[t], m.trials = make([]float64, d.figureCount()), append(m.trials, t)
		}
	}
	good := s.complete()
	m.fit(good, key)
	m.sayAll()
	m.learnOwn(good)
	return m, nil
}

// fit fits the models that have enough points.
func (m *fewModel) fit(good *sample, key rng.Key) {
	var fits []func() // that do not need each other
	if y := m.all.column(0); len(y) >= preLeast && slices.Max(y) > 0 {
		fits = append(fits, func() { m.stuck = fitBoost(m.wides(m.all), m.all.block, y, key.At(0)) })
	}
	finish := func() {}
	if len(good.points) >= preLeast {
		fits = append(fits, m.limitFits(good, key.At(1))...)
		var more []func()
		more, finish = m.costFits(good, key.At(2))
		fits = append(fits, more...)
	}
	parallel.Each(m.d.o.Threads, len(fits), func(i int) { fits[i]() })
	finish()
}

// limitFits are the fits of the models of limits.
func (m *fewModel) limitFits(good *sample, key rng.Key) []func() {
	n := len(m.d.p.Constraints)
	if n == 0 {
		return nil
	}
	set := newPointSet(m.wides(good), good.block)
	m.limits = make([]*boost, n)
	var fits []func()
	for k := range n {
		var prefer []float64
		if m.made != nil {
			if near := m.made.nearLimit(k); near != nil {
				prefer = m.made.preferences(near)
			}
		}
		fits = append(fits, func() {
			m.limits[k] = set.boost([][]float64{good.clipped(2 + k)}, prefer, key.At(uint64(2+k)))
		})
	}
	return fits
}

// costFits are the fits of the model of the objective, and what comes after them.
func (m *fewModel) costFits(good *sample, key rng.Key) (fits []func(), finish func()) {
	y := good.clipped(1)
	if m.made == nil {
		var b *boost
		return []func(){func() { b = fitBoost(good.points, good.block, y, key) }}, func() {
			if b != nil {
				m.cost = b.at
			}
		}
	}
	a := &archive{made: m.made, points: good.points, block: good.block, blocks: good.blocks, y: y}
	for i, t := range good.trials {
		a.scores = append(a.scores, Score{parts: m.d.partsOf(t, good.on[i:i+1])})
	}
	c := newCompositeFit(m.made, a, key)
	return c.fits, func() {
		if c.finish() {
			m.cost = c.atWide
		}
	}
}

// sayAll sets what the model says of the configurations that have runs.
func (m *fewModel) sayAll() {
	m.present = m.says(m.d.p.Space.Present())
	points := map[*trial]Point{}
	for i, t := range m.all.trials {
		points[t] = m.all.points[i]
	}
	said := make([][]float64, len(m.trials))
	parallel.Each(m.d.o.Threads, len(said), func(i int) { said[i] = m.says(points[m.trials[i]]) })
	m.said = map[*trial][]float64{}
	for i, t := range m.trials {
		m.said[t] = said[i]
	}
}

// wides are the points of a sample with their features.
func (m *fewModel) wides(s *sample) []Point {
	if m.made == nil {
		return s.points
	}
	return m.made.wides(s.points)
}

func (m *fewModel) wide(p Point) Point {
	if m.made == nil {
		return p
	}
	return m.made.wide(p)
}

// says are the figures of a point, each up to a constant.
func (m *fewModel) says(p Point) []float64 {
	out := make([]float64, m.d.figureCount())
	x := m.wide(p)
	out[0] = m.stuck.at(x)
	if m.cost != nil {
		out[1] = m.cost(x)
	}
	for k, l := range m.limits {
		out[2+k] = l.at(x)
	}
	return out
}

// learnOwn sets what the model does not say.
func (m *fewModel) learnOwn(good *sample) {
	for i, v := range m.all.rest(m.all.column(0), m.saidOf(m.all, 0)) {
		m.own[m.all.trials[i]][0] += v
		m.runs[m.all.trials[i]]++
	}
	n := m.d.figureCount()
	m.sd, m.anchor = make([]float64, n-2), make([]float64, n-2)
	presents := 0.0
	for i, t := range good.trials {
		if t == m.d.present {
			presents++
			for k := range m.anchor {
				m.anchor[k] += good.told[i][2+k]
			}
		}
	}
	for k := 1; k < n; k++ {
		rest := good.rest(good.clipped(k), m.saidOf(good, k))
		for i, v := range rest {
			m.own[good.trials[i]][k] += v
		}
		if k >= 2 {
			m.anchor[k-2] /= math.Max(presents, 1)
			_, m.sd[k-2] = moments(rest)
		}
	}
}

// saidOf is what the model says of a figure of a sample's runs.
func (m *fewModel) saidOf(s *sample, figure int) []float64 {
	out := make([]float64, len(s.trials))
	for i, t := range s.trials {
		out[i] = m.said[t][figure]
	}
	return out
}

// at implements costModel.
func (m *fewModel) at(p Point) float64 { return m.price(m.says(p), 0) }

// costOf is the cost of settings; infinite if they are none of the space.
func (m *fewModel) costOf(set Settings) float64 {
	p, err := m.d.p.Space.Encode(set)
	if err != nil {
		return math.Inf(1)
	}
	return m.at(p)
}

// price makes one cost of figures behind which there are so many runs.
func (m *fewModel) price(f []float64, runs float64) float64 {
	change, keeps := f[1]-m.present[1], 1.0
	out := max(change, 0)
	for k, a := range m.anchor {
		e := min(excessMost, f[2+k]-m.present[2+k]+a)
		s := m.sd[k] / math.Sqrt(fewBehind+runs)
		keeps *= keepChance(e, s)
		out += fewPenalty * expectedExcess(e, s)
	}
	out += keeps * min(change, 0)
	return out + stuckCost*math.Max(0, f[0]-m.present[0])
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

// estimates are the costs of the configurations that have runs, with their own runs.
func (m *fewModel) estimates() map[*trial]float64 {
	out := map[*trial]float64{}
	for _, t := range m.trials {
		f := slices.Clone(m.said[t])
		for k, v := range m.own[t] {
			f[k] += v / (m.runs[t] + fewOwn)
		}
		out[t] = m.price(f, m.runs[t])
	}
	return out
}

// ranked are these configurations, the best first; the present one where none has a run
// that counts.
func (m *fewModel) ranked() []*trial {
	if len(m.trials) == 0 {
		return []*trial{m.d.present}
	}
	costs := m.estimates()
	out := slices.Clone(m.trials)
	slices.SortStableFunc(out, func(a, b *trial) int { return cmp.Compare(costs[a], costs[b]) })
	return out
}
