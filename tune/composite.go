package tune

import (
	"math"

	"schedtune/internal/rng"
	"schedtune/internal/stats"
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

// newKnowledge returns what is known of an objective, which is compared by a value of its metric.
func newKnowledge(p Problem, objective int, value func(float64) float64) *knowledge {
	c := p.Composite
	if c == nil {
		return nil
	}
	k := &knowledge{Composite: c, space: p.Space, value: value}
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

// costModel predicts what points cost in an objective, up to a constant; without knowledge by a model of
// the whole alone.
type costModel struct {
	known *knowledge
	whole *boost
	parts []*boost    // by component; nil: nothing is known of them, or too few points had some
	mean  [][]float64 // per component and number
}

// newCostModel returns a model of what wide points of a sample cost, of which these runs had the numbers of
// parts, and the fits that make it, which do not need each other.
func newCostModel(known *knowledge, x []Point, s *sample, y []float64, parts [][]float64, key rng.Key) (m *costModel,
	fits []func()) {
	m = &costModel{known: known}
	block := s.block()
	fits = []func(){func() { m.whole = fitBoost(x, block, y, key) }}
	var of []Point
	var on []int
	var shown [][]float64
	for i, numbers := range parts {
		if numbers != nil {
			of, on, shown = append(of, x[i]), append(on, block[i]), append(shown, numbers)
		}
	}
	if known == nil || known.Metric == nil || len(of) < leastModel { // of another objective the components may be known
		return m, fits
	}
	set := newPointSet(of, on)
	first := known.first
	m.parts = make([]*boost, len(known.Components))
	for k, part := range known.Components {
		y, mean := make([][]float64, part.Values), make([]float64, part.Values)
		for o := range y {
			y[o] = mapped(shown, func(numbers []float64) float64 { return numbers[first+o] })
			mean[o] = stats.Mean(y[o])
		}
		first += part.Values
		fits = append(fits, func() {
			m.parts[k] = newBoosting(set, y, known.preferences(part.Near)).fit(key.At(uint64(k) + 1))
		})
		m.mean = append(m.mean, mean)
	}
	return m, fits
}

// at predicts the cost of a wide point.
func (m *costModel) at(x Point) float64 {
	cost := m.whole.at(x)
	if v, ok := m.composed(x); ok {
		cost = partBlend*v + (1-partBlend)*cost
	}
	return cost
}

// composed is g(h(x)) of a wide point, as the objective is compared; false if it is no number.
func (m *costModel) composed(x Point) (float64, bool) {
	if len(m.parts) == 0 {
		return 0, false
	}
	numbers := make([]float64, 0, m.known.Composition.values())
	for k, part := range m.parts {
		n := len(numbers)
		numbers = append(numbers, m.mean[k]...)
		part.addTo(numbers[n:], x)
	}
	v := m.known.value(m.known.Metric(numbers))
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}
