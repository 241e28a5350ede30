package tune

import (
	"math"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"
)

// Models of composite functions after R. Astudillo and P. Frazier, "Bayesian
// Optimization of Composite Functions" (ICML 2019): the objective is f(x) = g(h(x)),
// where a run tells h and g is known. Here h are figures of the parts of a run, such as
// those of each queue's jobs, and g is their sum, largest or quantile. Each part hangs
// on few settings, most of them its own, and has its own noise, so that few runs tell
// more of it than of the whole. Boosted trees (boost.go) take the place of their Gaussian
// process, and the estimate g(h(x)) that of their expectation. What limits and
// lost work do to a score is no part, and parts may miss something: the model is the
// mean of g(h(x)) and of a model of the whole.

// Composite says of what the metrics of the objectives are made, and what is known of
// settings besides their values. The search's models learn from both; what is measured
// and how it is judged stays as it is.
type Composite struct {
	// Features derives numbers from settings, as many as FeatureNames, such as products
	// of settings that act together. Safe for concurrent use; equal settings, equal
	// numbers.
	Features     func(Settings) []float64
	FeatureNames []string
	// Objectives are what is known of each, in their order; of those that are missing
	// nothing is. Outcome.Parts holds the parts of one after those of another.
	Objectives []Made
	// Limits tell, for each constraint in their order, which parameters, shares of a group
	// (GROUP.*) or features, by name, are its own or bear on all limits; nil: all are alike. It may be shorter.
	Limits []func(name string) bool
}

// Made says of what one metric is made.
type Made struct {
	// Parts are those that Outcome.Parts holds, in their order; there may be none.
	Parts []Piece
	// Metric computes the objective's metric from the numbers of all parts, up to a
	// constant factor if it is positive. They may be estimates that no run would have.
	// Safe for concurrent use.
	Metric func(parts []float64) float64
}

// Piece is one part of a metric.
type Piece struct {
	Values int // numbers that it has in Outcome.Parts
	// Near reports whether a parameter, the shares of a group (GROUP.*) or a feature, by
	// name, is the part's own or bears on all parts.
	Near func(name string) bool
}

// MaxParts bounds the numbers of all parts of all objectives; an outcome that has more has none.
const MaxParts = 256

// values is the number of numbers that an outcome's parts have; 0 without parts.
func (c *Composite) values() int {
	n := 0
	if c != nil {
		for _, o := range c.Objectives {
			n += o.values()
		}
	}
	return n
}

// of is what is known of an objective, and the place of its first number in Outcome.Parts.
func (c *Composite) of(objective int) (Made, int) {
	first := 0
	for k, o := range c.Objectives {
		if k == objective {
			return o, first
		}
		first += o.values()
	}
	return Made{}, first
}

// values is the number of numbers of the parts.
func (m Made) values() int {
	n := 0
	for _, p := range m.Parts {
		n += p.Values
	}
	return n
}

// partFar is what a split by a setting of somebody else counts for in the model of a
// part, and partBlend the part of the composite in the model; bench/tried.md.
const (
	partFar   = 0.35
	partBlend = 0.5
)

// costModel predicts what points cost, up to a constant.
type costModel interface{ at(Point) float64 }

// composition is what is known of an objective over the coordinates of a space.
type composition struct {
	*Composite
	Made
	first int // of its numbers among those of an outcome
	space *Space
	value func(metric float64) float64 // as the objective is compared, less is better
}

// wides are points with their features; equal slices share one.
func (c *composition) wides(points []Point) []Point {
	known := map[*float64]Point{}
	out := make([]Point, len(points))
	for i, p := range points {
		if known[&p[0]] == nil {
			known[&p[0]] = c.wide(p)
		}
		out[i] = known[&p[0]]
	}
	return out
}

// wide is a point with its features as more coordinates.
func (c *composition) wide(p Point) Point {
	out := make(Point, len(p), len(p)+len(c.FeatureNames))
	copy(out, p)
	if c.Features == nil {
		return out
	}
	return append(out, c.Features(c.space.Decode(p))...)
}

// nearLimit is what is known of a limit; nil if nothing.
func (c *composition) nearLimit(k int) func(name string) bool {
	if k < len(c.Limits) {
		return c.Limits[k]
	}
	return nil
}

// preferences are those of a part's or a limit's model for the coordinates of wide points.
func (c *composition) preferences(near func(name string) bool) []float64 {
	var out []float64
	add := func(name string) {
		v := partFar
		if near(name) {
			v = 1
		}
		out = append(out, v)
	}
	for _, at := range c.space.coords {
		if at.param < 0 {
			add(c.space.groups[at.group].name + ".*")
		} else {
			add(c.space.params[at.param].Name)
		}
	}
	for _, name := range c.FeatureNames {
		add(name)
	}
	return out
}

// compositeModel is a fitted model.
type compositeModel struct {
	c      *composition
	whole  *boost
	parts  []*boost    // nil: nothing is known of the objective's parts, or too few points had some
	mean   [][]float64 // per part and number
	worse  *boost      // what limits without models, lost work and failures add to g(h(x)); nil: nothing
	limits []limitModel
}

// fitComposite fits the points of an archive; nil where nothing varies.
func fitComposite(c *composition, a *archive, key rng.Key) costModel {
	m := newCompositeFit(c, a, key)
	parallel.Each(a.threads, len(m.fits), func(i int) { m.fits[i]() })
	if !m.finish() {
		return nil
	}
	return m.compositeModel
}

// compositeFit are the fits of a model that do not need each other, and what comes after them.
type compositeFit struct {
	*compositeModel
	fits []func()
	a    *archive
	x    []Point
	y    []float64
	key  rng.Key
}

// newCompositeFit prepares the fits.
func newCompositeFit(c *composition, a *archive, key rng.Key) *compositeFit {
	x := c.wides(a.points)
	m := &compositeFit{compositeModel: &compositeModel{c: c}, a: a, x: x, y: a.y, key: key}
	m.limits, m.fits = limitFits(c, x, a, key.At(purposeLimits))
	if m.limits != nil {
		m.y = a.bare
	}
	m.fits = append(m.fits, func() { m.whole = fitBoost(x, a.block, m.y, key) })
	var of []Point
	var block []int
	var told [][]float64
	for i, s := range a.scores {
		if s.parts != nil {
			of, block, told = append(of, x[i]), append(block, a.block[i]), append(told, s.parts[c.first:])
		}
	}
	if c.Metric == nil || len(of) < preLeast { // of another objective the parts may be known
		return m
	}
	set := newPointSet(of, block)
	first := 0
	m.parts = make([]*boost, len(c.Parts))
	for k, part := range c.Parts {
		y, mean := make([][]float64, part.Values), make([]float64, part.Values)
		for o := range y {
			for _, parts := range told {
				y[o] = append(y[o], parts[first+o])
				mean[o] += parts[first+o] / float64(len(told))
			}
		}
		first += part.Values
		m.fits = append(m.fits, func() { m.parts[k] = set.boost(y, c.preferences(part.Near), key.At(uint64(k)+1)) })
		m.mean = append(m.mean, mean)
	}
	return m
}

// finish fits what needs the other fits; it reports whether there is a model.
func (m *compositeFit) finish() bool {
	if m.whole == nil {
		return false
	}
	if len(m.parts) > 0 {
		m.worse = m.penalties(m.x, m.y, m.a, m.key)
	}
	return true
}

// purposeLimits keys the draws of the models of limits, beyond those of parts.
const purposeLimits = 1 << 20

// penalties fits by how much what is not feasible, apart from limits that have models, lies
// behind g(h(x)), where the best of its block lies at it; nil if all is feasible.
func (m *compositeModel) penalties(x []Point, y []float64, a *archive, key rng.Key) *boost {
	more, least := make([]float64, len(x)), make([]float64, a.blocks)
	for j := range least {
		least[j] = math.Inf(1)
	}
	for i, p := range x {
		if made, ok := m.made(p); ok {
			more[i] = y[i] - made
		}
		least[a.block[i]] = math.Min(least[a.block[i]], more[i])
	}
	none := true
	for i, s := range a.scores {
		if s.Failed || s.Lost > 0 || s.Violation > 0 && m.limits == nil {
			none = false
			more[i] -= least[a.block[i]]
		} else {
			more[i] = 0
		}
	}
	if none {
		return nil
	}
	return fitBoost(x, a.block, more, key.At(0))
}

// at implements costModel.
func (m *compositeModel) at(p Point) float64 { return m.atWide(m.c.wide(p)) }

// atWide is at of a wide point.
func (m *compositeModel) atWide(x Point) float64 {
	cost := m.whole.at(x)
	if len(m.parts) > 0 {
		if made, ok := m.made(x); ok {
			cost = partBlend*(made+m.worse.at(x)) + (1-partBlend)*cost
		}
	}
	return cost + penalty(m.limits, x)
}

// made is g(h(x)) of a wide point, as the objective is compared; false if it is no number.
func (m *compositeModel) made(x Point) (float64, bool) {
	values := make([]float64, 0, m.c.Made.values())
	for k, part := range m.parts {
		n := len(values)
		values = append(values, m.mean[k]...)
		part.addTo(values[n:], x)
	}
	made := m.c.value(m.c.Metric(values))
	return made, !math.IsNaN(made) && !math.IsInf(made, 0)
}
