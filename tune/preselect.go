package tune

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"
)

// Preselection in CMA-ES: some points of a generation are not drawn once but chosen
// among several draws by a model of the costs (boost.go), as in the preselection of
// S. Kern, N. Hansen and P. Koumoutsakos, "Local Meta-Models for Optimization Using
// Evolution Strategies", PPSN 2006, and of I. Loshchilov, M. Schoenauer and M. Sebag,
// "Self-Adaptive Surrogate-Assisted CMA-ES", GECCO 2012, which also adapts the part
// to how well the model has ordered the generations before. Trees rather than
// polynomials or Gaussian processes model the costs, since few of many settings
// matter, with thresholds (F. Hutter, H. Hoos and K. Leyton-Brown, "Sequential
// Model-Based Optimization for General Algorithm Configuration", LION 2011).
//
// All points are measured, so a bad model costs draws and no runs.

const (
	preDraws  = 6    // generations drawn to choose from
	preMost   = 0.75 // part of a generation that is chosen at most
	preLocal  = 0.5  // part of the chosen that local searches of the model find
	preSearch = 4    // local searches at most
	preTrust  = 0.5  // in a model that has not been tested yet
	preKeep   = 0.7  // of the trust stays from generation to generation
	preSweeps = 3    // of a local search over the coordinates at most
)

// purposeModel keys the model's draws, beyond those of the points of a generation.
const purposeModel = 1 << 20

// surrogate is a model of the costs that is fitted again as points come.
type surrogate struct {
	archive
	model     *costModel
	trust     float64   // smoothed rank correlation of predictions and scores
	predicted []float64 // of the generation asked last; nil without a model
}

// fit fits the model again once a sixth of its points are new, and reports whether
// there is one.
func (k *surrogate) fit(key rng.Key) bool {
	if k.model == nil || 6*k.fresh >= len(k.points) {
		k.model, k.fresh = k.archive.model(key), 0
	}
	return k.model != nil
}

// cheapest returns points in the order of what the model predicts of them.
func (k *surrogate) cheapest(points []Point) []Point {
	cost := make([]float64, len(points))
	parallel.Each(k.threads, len(points), func(i int) { cost[i] = k.model.at(points[i]) })
	rank := sortedIndices(len(points), func(i, j int) int { return cmp.Compare(cost[i], cost[j]) })
	return mapped(rank, func(i int) Point { return points[i] })
}

// test adapts the trust to how the model has ordered a generation.
func (k *surrogate) test(scores []Score) {
	if k.predicted != nil && len(k.predicted) == len(scores) {
		k.trust = preKeep*k.trust + (1-preKeep)*spearman(k.predicted, levels(scores))
	}
}

// preselect replaces the last points of a generation by the best of more draws.
func (s *cmaes) preselect(out []Point, key rng.Key) {
	k := &s.costs
	k.predicted = nil
	if !k.fit(key.At(purposeModel)) {
		return
	}
	n := int(math.Round(preMost * math.Max(0, k.trust) * float64(len(out))))
	if n > 0 {
		var more []Point
		for d := range preDraws - 1 {
			more = append(more, s.draw(key.At(purposeModel+1+uint64(d)))...)
		}
		m := min(preSearch, int(math.Ceil(preLocal*float64(n))))
		copy(out[len(out)-n:], k.cheapest(more))
		copy(out[len(out)-m:], s.propose(m, key.At(purposeModel)))
	}
	k.predicted = mapped(out, k.model.at)
}

// propose searches the model locally, as SMAC does: from the mean and from the points
// that it believes to be best, one coordinate at a time, as long as that helps. What
// does not matter to the model stays as it is.
func (s *cmaes) propose(n int, key rng.Key) []Point {
	starts := s.costs.cheapest(s.costs.points)
	out := make([]Point, n)
	for i := range out {
		out[i] = s.belief()
		if i > 0 {
			out[i] = slices.Clone(starts[min(i-1, len(starts)-1)])
		}
	}
	parallel.Each(s.costs.threads, n, func(i int) {
		out[i] = descend(s.costs.model.at, out[i], s.start,
			key.At(uint64(i)))
	})
	return out
}

// descend moves a point one coordinate at a time as long as its cost falls.
func descend(cost func(Point) float64, p, current Point, key rng.Key) Point {
	best := cost(p)
	for sweep := range preSweeps {
		moved := false
		for c := range p {
			d := key.At(uint64(sweep)).At(uint64(c))
			was, to := p[c], p[c]
			for _, u := range [...]float64{current[c], d.Float64(0), fold(was + 0.2*d.Norm(1)), fold(was + 0.2*d.Norm(2))} {
				p[c] = u
				if v := cost(p); v < best-1e-9 {
					best, to, moved = v, u, true
				}
			}
			p[c] = to
		}
		if !moved {
			break
		}
	}
	return p
}
