package tune

import (
	"math"
	"slices"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"
)

// Preselection in NSGA-II, after M. Emmerich, K. Giannakoglou and B. Naujoks, "Single- and
// Multiobjective Evolutionary Optimization Assisted by Gaussian Random Field Metamodels",
// IEEE Trans. Evolutionary Computation 10 (2006): of many children that are bred, a model of
// each objective selects which are measured. Those are taken, one after the other, that add
// most to the hypervolume which the parents and those taken before dominate, as in
// W. Ponweiser, T. Wagner, D. Biermann and M. Vincze, "Multiobjective Optimization on a
// Limited Budget of Evaluations Using Model-Assisted S-Metric Selection", PPSN 2008. Beside
// children, local searches of the models take part, each for a random weighting of the
// objectives (augmented Tchebycheff), as in J. Knowles, "ParEGO", IEEE Trans. Evolutionary
// Computation 10 (2006).
//
// What differs: the models are those of all runs of the search (model.go);
// they know no error of their own, so a part of the children is taken as bred.

const (
	frontDraws    = 20   // children bred for each that is taken
	frontChosen   = 0.75 // part of the children that the models choose
	frontSearches = 4    // local searches at most
	frontMargin   = 0.1  // reference point beyond the parents' front, in parts of its extent
	frontAugment  = 0.05 // weight of the sum in the Tchebycheff distance
)

// frontModel predicts the objectives of a point, each up to a constant; nil without a model.
type frontModel func(Point) []float64

// choose takes n of the draws: those that add most to what the parents dominate.
func (m frontModel) choose(n int, draws, parents []Point, threads int) []Point {
	front := mapped(parents, m)
	lo, hi := extent(nonDominatedValues(front))
	ref := make([]float64, len(lo))
	for k := range ref {
		ref[k] = hi[k] + frontMargin*math.Max(hi[k]-lo[k], 1e-9)
	}
	values := make([][]float64, len(draws))
	parallel.Each(threads, len(values), func(i int) { values[i] = m(draws[i]) })
	var out []Point
	for len(out) < n && len(out) < len(draws) {
		front = nonDominatedValues(front)
		base := volume(front, ref)
		best, most, next := -1, 0.0, math.Inf(1)
		for i, v := range values {
			if v == nil {
				continue
			}
			more, far := volume(append(front[:len(front):len(front)], v), ref)-base, behind(v, front)
			if best < 0 || more > most || more == most && far < next {
				best, most, next = i, more, far
			}
		}
		out, front = append(out, draws[best]), append(front, values[best])
		values[best] = nil
	}
	return out
}

// search is a local search of the models for a random weighting of the objectives, from a
// parent that is best by it, one coordinate at a time.
func (m frontModel) search(parents []Point, current Point, key rng.Key) Point {
	values := mapped(parents, m)
	lo, hi := extent(nonDominatedValues(values))
	weight, sum := make([]float64, len(lo)), 0.0
	for k := range weight {
		weight[k] = -math.Log(key.Open(uint64(k))) // uniform on the simplex
		sum += weight[k]
	}
	cost := func(v []float64) float64 {
		worst, total := math.Inf(-1), 0.0
		for k := range v {
			x := weight[k] / sum * (v[k] - lo[k]) / math.Max(hi[k]-lo[k], 1e-9)
			worst, total = math.Max(worst, x), total+x
		}
		return worst + frontAugment*total
	}
	from := 0
	for i := range values {
		if cost(values[i]) < cost(values[from]) {
			from = i
		}
	}
	return descend(func(p Point) float64 { return cost(m(p)) }, slices.Clone(parents[from]), current, key.At(1))
}
