package tune

import (
	"math"

	"schedtune/internal/rng"
)

// Models of composite functions after R. Astudillo and P. Frazier, "Bayesian
// Optimization of Composite Functions" (ICML 2019): the objective is f(x) = g(h(x)),
// where a run shows h and g is known. Here h are figures of the components of a run, such as
// those of each queue's jobs, and g is their sum, largest or quantile. Each component depends
// on few settings, most of them its own, and has its own noise, so that few runs show
// more of it than of the whole. Boosted trees (boost.go) take the place of their Gaussian
// process, and the estimate g(h(x)) that of their expectation. What limits and
// lost work do to a score is no component, and components may miss something: the model is the
// mean of g(h(x)) and of a model of the whole.

// Composite describes how the metrics of the objectives are computed from measurements of
// components, and which features derived from settings the models of the search may use.
// What is measured and how it is judged stays as it is.
type Composite struct {
	// Features derives numbers from settings, as many as FeatureNames, such as products
	// of settings that act together. Safe for concurrent use; equal settings, equal
	// numbers.
	Features     func(Settings) []float64
	FeatureNames []string
	// Objectives describe the objectives, in their order; of those that are missing
	// nothing is known. Outcome.Parts holds the numbers of one after those of another.
	Objectives []Composition
	// Limits report, for each constraint in their order, whether a parameter, the shares of a group
	// (GROUP.*) or a feature, by name, is its own or bears on all limits; nil: all are alike. It may be shorter.
	Limits []func(name string) bool
}

// Composition describes how one metric is computed.
type Composition struct {
	// Components are those that Outcome.Parts holds, in their order; there may be none.
	Components []Component
	// Metric computes the objective's metric from the numbers of all components, up to a
	// constant factor if it is positive. They may be estimates that no run would have.
	// Safe for concurrent use.
	Metric func(numbers []float64) float64
}

// Component is one part of a run that a metric is computed from.
type Component struct {
	Values int // numbers that it has in Outcome.Parts
	// Near reports whether a parameter, the shares of a group (GROUP.*) or a feature, by
	// name, is the component's own or bears on all components.
	Near func(name string) bool
}

// MaxParts bounds the numbers of all components of all objectives; an outcome that has more has none.
const MaxParts = 256

// values is the number of numbers that an outcome's components have; 0 without components.
func (c *Composite) values() int {
	n := 0
	if c != nil {
		for _, o := range c.Objectives {
			n += o.values()
		}
	}
	return n
}

// values is the number of numbers of the components.
func (c Composition) values() int {
	n := 0
	for _, p := range c.Components {
		n += p.Values
	}
	return n
}

// partFar is what a split by a setting of somebody else counts for in the model of a
// component, and partBlend the part of the composite in the model; bench/tried.md.
const (
	partFar   = 0.35
	partBlend = 0.5
)

// knowledge is what is known of an objective over the coordinates of a space; nil is nothing.
type knowledge struct {
	*Composite
	Composition
	first int // of its numbers among those of an outcome
	space *Space
	value func(metric float64) float64 // as the objective is compared, less is better
}

// knowledge returns what is known of an objective over points of a space.
func (j *judge) knowledge(s *Space, objective int) *knowledge {
	c := j.p.Composite
	if c == nil {
		return nil
	}
	k := &knowledge{Composite: c, space: s, value: func(v float64) float64 {
		return j.compared(j.p.Objectives[objective], v)
	}}
	if objective < len(c.Objectives) {
		k.Composition = c.Objectives[objective]
	}
	for _, o := range c.Objectives[:min(objective, len(c.Objectives))] {
		k.first += o.values()
	}
	return k
}

// wides returns points with their features; equal slices share one.
func (k *knowledge) wides(points []Point) []Point {
	if k == nil {
		return points
	}
	known := map[*float64]Point{}
	out := make([]Point, len(points))
	for i, p := range points {
		if known[&p[0]] == nil {
			known[&p[0]] = k.wide(p)
		}
		out[i] = known[&p[0]]
	}
	return out
}

// wide returns a point with its features as more coordinates.
func (k *knowledge) wide(p Point) Point {
	if k == nil {
		return p
	}
	out := make(Point, len(p), len(p)+len(k.FeatureNames))
	copy(out, p)
	if k.Features == nil {
		return out
	}
	return append(out, k.Features(k.space.Decode(p))...)
}

// limitPreferences returns those of a limit's model; nil if nothing is known of it.
func (k *knowledge) limitPreferences(limit int) []float64 {
	if k == nil || limit >= len(k.Limits) || k.Limits[limit] == nil {
		return nil
	}
	return k.preferences(k.Limits[limit])
}

// preferences returns those of a component's or a limit's model for the coordinates of wide points.
func (k *knowledge) preferences(near func(name string) bool) []float64 {
	var out []float64
	add := func(name string) {
		v := partFar
		if near(name) {
			v = 1
		}
		out = append(out, v)
	}
	for _, u := range k.space.axes {
		for range u.dim {
			add(u.label)
		}
	}
	for _, name := range k.FeatureNames {
		add(name)
	}
	return out
}

// costModel predicts what points cost, up to a constant; without knowledge by a model of the whole alone.
type costModel struct {
	known  *knowledge
	whole  *boost
	parts  []*boost    // by component; nil: nothing is known of them, or too few points had some
	mean   [][]float64 // per component and number
	worse  *boost      // what limits without models, lost work and failures add to g(h(x)); nil: nothing
	limits []limitModel
}

// costFit holds the fits of a model that do not need each other, and what comes after them.
type costFit struct {
	*costModel
	fits []func()
	a    *archive
	x    []Point
	y    []float64
	key  rng.Key
}

// newCostFit prepares the fits.
func newCostFit(a *archive, key rng.Key) *costFit {
	known := a.known
	x := known.wides(a.points)
	m := &costFit{costModel: &costModel{known: known}, a: a, x: x, y: a.y, key: key}
	if known == nil {
		m.fits = append(m.fits, func() { m.whole = fitBoost(x, a.block, m.y, key) })
		return m
	}
	m.limits, m.fits = limitFits(known, x, a, key.At(purposeLimits))
	if m.limits != nil {
		m.y = a.bare
	}
	m.fits = append(m.fits, func() { m.whole = fitBoost(x, a.block, m.y, key) })
	of, block, shown := a.with(x, func(s Score) []float64 { return s.parts })
	if known.Metric == nil || len(of) < preLeast { // of another objective the components may be known
		return m
	}
	set := newPointSet(of, block)
	first := known.first
	m.parts = make([]*boost, len(known.Components))
	for k, part := range known.Components {
		y, mean := make([][]float64, part.Values), make([]float64, part.Values)
		for o := range y {
			for _, numbers := range shown {
				y[o] = append(y[o], numbers[first+o])
				mean[o] += numbers[first+o] / float64(len(shown))
			}
		}
		first += part.Values
		m.fits = append(m.fits, func() {
			m.parts[k] = newBoosting(set, y, known.preferences(part.Near)).fit(
				key.At(uint64(k) + 1))
		})
		m.mean = append(m.mean, mean)
	}
	return m
}

// finish fits what needs the other fits, and returns the model; nil where nothing varies.
func (m *costFit) finish() *costModel {
	if m.whole == nil {
		return nil
	}
	if len(m.parts) > 0 {
		m.worse = m.penalties()
	}
	return m.costModel
}

// purposeLimits keys the draws of the models of limits, beyond those of components.
const purposeLimits = 1 << 20

// penalties fits by how much what is not feasible, apart from limits that have models, lies
// behind g(h(x)), where the best of its block lies at it; nil if all is feasible.
func (m *costFit) penalties() *boost {
	more, least := make([]float64, len(m.x)), make([]float64, m.a.blocks)
	for b := range least {
		least[b] = math.Inf(1)
	}
	for i, p := range m.x {
		if v, ok := m.composed(p); ok {
			more[i] = m.y[i] - v
		}
		least[m.a.block[i]] = math.Min(least[m.a.block[i]], more[i])
	}
	none := true
	for i, s := range m.a.scores {
		if s.Failed || s.Lost > 0 || s.Violation > 0 && m.limits == nil {
			none = false
			more[i] -= least[m.a.block[i]]
		} else {
			more[i] = 0
		}
	}
	if none {
		return nil
	}
	return fitBoost(m.x, m.a.block, more, m.key.At(0))
}

// at predicts the cost of a point.
func (m *costModel) at(p Point) float64 { return m.atWide(m.known.wide(p)) }

// atWide is at of a wide point.
func (m *costModel) atWide(x Point) float64 {
	cost := m.whole.at(x)
	if len(m.parts) > 0 {
		if v, ok := m.composed(x); ok {
			cost = partBlend*(v+m.worse.at(x)) + (1-partBlend)*cost
		}
	}
	return cost + penalty(m.limits, x)
}

// composed is g(h(x)) of a wide point, as the objective is compared; false if it is no number.
func (m *costModel) composed(x Point) (float64, bool) {
	numbers := make([]float64, 0, m.known.Composition.values())
	for k, part := range m.parts {
		n := len(numbers)
		numbers = append(numbers, m.mean[k]...)
		part.addTo(numbers[n:], x)
	}
	v := m.known.value(m.known.Metric(numbers))
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}
