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
	preLeast  = 10   // points behind a model at least
	preSweeps = 3    // of a local search over the coordinates at most
)

// surrogate is what the sampler knows of the costs.
type surrogate struct {
	archive
	model     costModel
	trust     float64   // smoothed rank correlation of predictions and scores
	predicted []float64 // of the generation asked last; nil without a model
}

// learn implements learner.
func (s *cmaes) learn(points []Point, scores []Score, block int) {
	s.known.add(points, scores, block)
}

// tellBlock implements blockAware.
func (s *cmaes) tellBlock(block int) { s.on = block }

// preselect replaces the last points of a generation by the best of more draws.
func (s *cmaes) preselect(out []Point, key rng.Key) {
	k := &s.known
	k.predicted = nil
	if s.cfg.Off&PartModel != 0 || len(k.points) < preLeast {
		return
	}
	if !k.fit(key.At(purposeModel)) {
		return
	}
	n := int(math.Round(preMost * math.Max(0, k.trust) * float64(len(out))))
	if n > 0 {
		var more []Point
		for d := range preDraws - 1 {
			more = append(more, s.draw(key.At(purposeModel+1+uint64(d)))...)
		}
		cost := k.costsOf(more)
		slices.SortStableFunc(more, func(a, b Point) int { return cmp.Compare(cost[&a[0]], cost[&b[0]]) })
		m := min(preSearch, int(math.Ceil(preLocal*float64(n))))
		copy(out[len(out)-n:], more)
		copy(out[len(out)-m:], s.propose(m, key.At(purposeModel)))
	}
	for _, p := range out {
		k.predicted = append(k.predicted, k.model.at(p))
	}
}

// fit fits the model again once a sixth of its points are new, and reports whether
// there is one.
func (k *surrogate) fit(key rng.Key) bool {
	if k.model == nil || 6*k.fresh >= len(k.points) {
		k.model, k.fresh = k.archive.model(key), 0
	}
	return k.model != nil
}

// propose searches the model locally, as SMAC does: from the mean and from the points
// that it believes to be best, one coordinate at a time, as long as that helps. What
// does not matter to the model stays as it is.
func (s *cmaes) propose(n int, key rng.Key) []Point {
	k := &s.known
	starts := slices.Clone(k.points)
	cost := k.costsOf(starts)
	slices.SortStableFunc(starts, func(a, b Point) int { return cmp.Compare(cost[&a[0]], cost[&b[0]]) })
	out := make([]Point, n)
	for i := range out {
		out[i] = s.belief()
		if i > 0 {
			out[i] = slices.Clone(starts[min(i-1, len(starts)-1)])
		}
	}
	parallel.Each(k.threads, n, func(i int) { out[i] = k.descend(out[i], s.start, key.At(uint64(i))) })
	return out
}

// costsOf is what the model says of points, by their first coordinate's place.
func (k *surrogate) costsOf(points []Point) map[*float64]float64 {
	said := make([]float64, len(points))
	parallel.Each(k.threads, len(said), func(i int) { said[i] = k.model.at(points[i]) })
	cost := make(map[*float64]float64, len(points))
	for i, p := range points {
		cost[&p[0]] = said[i]
	}
	return cost
}

// descend is one local search.
func (k *surrogate) descend(p, present Point, key rng.Key) Point {
	return descendBy(k.model.at, p, present, key)
}

// descendBy moves a point one coordinate at a time as long as its cost falls.
func descendBy(cost func(Point) float64, p, present Point, key rng.Key) Point {
	best := cost(p)
	for sweep := range preSweeps {
		moved := false
		for c := range p {
			d := key.At(uint64(sweep)).At(uint64(c))
			was, to := p[c], p[c]
			for _, u := range [...]float64{present[c], d.Float64(0), fold(was + 0.2*d.Norm(1)), fold(was + 0.2*d.Norm(2))} {
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

// purposeModel keys the model's draws, beyond those of the points of a generation.
const purposeModel = 1 << 20

// test adapts the trust to how the model has ordered a generation.
func (k *surrogate) test(scores []Score) {
	if k.predicted == nil || len(k.predicted) != len(scores) {
		return
	}
	k.trust = preKeep*k.trust + (1-preKeep)*spearman(k.predicted, levels(scores))
}
