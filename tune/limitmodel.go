package tune

import (
	"math"

	"schedtune/internal/rng"

	"schedtune/internal/stats"
)

// Models of limits. Each limit has a model of its own for by how much settings pass it,
// as in constrained Bayesian optimization (J. Gardner and others, "Bayesian Optimization
// with Inequality Constraints", ICML 2014), since a limit on one queue depends on few
// settings, and by how much it is kept shows as much as that it is. What a search minimises
// is, after the l1 penalty,
//
//	f(x) + limitWeight · sum over limits c of E[max(0, e_c(x) + s_c Z)],  Z ~ N(0, 1),
//
// where e_c is the estimated excess in parts of the limit and s_c what the model leaves of
// the measured ones: a single run and a model of few points are both uncertain, and whoever
// goes to the estimate's edge breaks the limit every second time.

// limitWeight is what passing a limit by its own size counts for, in units of the
// objective, which is a logarithm as a rule; bench/README.md.
const limitWeight = 10

// limitModel is a fitted model of one limit.
type limitModel struct {
	boost *boost
	mean  float64
	sd    float64 // of what the model leaves
}

// limitFits returns the limits of a space's points and the fits of their models, which do not need
// each other; nil where there are none or too few points have been measured.
func limitFits(known *knowledge, x []Point, a *archive, key rng.Key) (out []limitModel, fits []func()) {
	of, block, shown := a.with(x, func(s Score) []float64 { return s.excess }) // failed runs have none
	if len(of) < preLeast || len(shown[0]) == 0 {
		return nil, nil
	}
	set := newPointSet(of, block)
	out = make([]limitModel, len(shown[0]))
	for k := range out {
		y := make([]float64, len(of))
		for i, e := range shown {
			y[i] = squash(e[k])
			out[k].mean += y[i] / float64(len(of))
		}
		fits = append(fits, func() {
			b := newBoosting(set, [][]float64{y}, known.limitPreferences(k))
			out[k].boost = b.fit(key.At(uint64(k)))
			b.residuals()
			_, out[k].sd = stats.Moments(b.rest[0])
		})
	}
	return out, fits
}

// penalty is what a wide point's limits add to its cost.
func penalty(limits []limitModel, x Point) float64 {
	sum := 0.0
	for i := range limits {
		l := &limits[i]
		sum += expectedExcess(l.mean+l.boost.at(x), l.sd)
	}
	return limitWeight * sum
}

// expectedExcess is E[max(0, e + s Z)] for a standard normal Z.
func expectedExcess(e, s float64) float64 {
	if s <= 0 {
		return math.Max(0, e)
	}
	z := e / s
	return e*math.Erfc(-z/math.Sqrt2)/2 + s*math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)
}

// squash keeps small numbers and takes the logarithm of large ones: far beyond a limit it
// matters little how far.
func squash(e float64) float64 { return math.Copysign(math.Log1p(math.Abs(e)), e) }
