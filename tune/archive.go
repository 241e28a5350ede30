package tune

import (
	"math"
	"slices"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"
)

// learner is a Sampler that learns from points it has not asked for, such as the
// caller's candidates or those of another stage. All of a call share their seeds, and
// those of other calls with the same block do, too; ownBlock is like no other.
type learner interface {
	learn(points []Point, scores []Score, block int)
}

// ownBlock is a block of points that share their seeds with no others.
const ownBlock = -1

// archive holds what a model of the costs is fitted to: points in blocks that share
// their seeds.
type archive struct {
	known   *knowledge // nil: of the scores alone
	threads int        // that fit
	points  []Point
	scores  []Score
	shared  []int // per point, the block as it was given, or one below 0 of its own
	owns    int   // blocks of their own so far
	fresh   int   // points since a model was fitted

	block  []int // per point, numbered from 0
	blocks int
	y      []float64
	bare   []float64 // y as if there were no limits
}

const (
	maxArchive = 160 // points of a model at most; the oldest leave first, as a search moves on
	preLeast   = 10  // points behind a model at least
)

// add takes points of a block.
func (a *archive) add(points []Point, scores []Score, block int) {
	if len(points) < 2 {
		return
	}
	if block == ownBlock {
		a.owns++
		block = -a.owns
	}
	a.points, a.scores = append(a.points, points...), append(a.scores, scores...)
	a.shared = append(a.shared, slices.Repeat([]int{block}, len(points))...)
	a.fresh += len(points)
	n := max(0, len(a.points)-maxArchive)
	for n > 0 && n < len(a.points) && a.shared[n] < 0 && a.shared[n] == a.shared[n-1] {
		n++ // a part of a block has lost what it was compared with
	}
	if n > 0 {
		a.points, a.scores, a.shared = slices.Clone(a.points[n:]), slices.Clone(a.scores[n:]), slices.Clone(a.shared[n:])
	}
	a.settle()
}

// with returns the points, of the same number as the archive's, whose scores show some numbers,
// with their blocks and these numbers.
func (a *archive) with(x []Point, shows func(Score) []float64) (of []Point, block []int, shown [][]float64) {
	for i, s := range a.scores {
		if v := shows(s); v != nil {
			of, block, shown = append(of, x[i]), append(block, a.block[i]), append(shown, v)
		}
	}
	return of, block, shown
}

// model fits a model of the costs; nil where there are too few points or nothing varies.
func (a *archive) model(key rng.Key) *costModel {
	if len(a.points) < preLeast {
		return nil
	}
	m := newCostFit(a, key)
	parallel.Each(a.threads, len(m.fits), func(i int) { m.fits[i]() })
	return m.finish()
}

// settle numbers the blocks and sets the levels of each.
func (a *archive) settle() {
	number := map[int]int{}
	var members [][]int
	a.block, a.y, a.bare = make([]int, len(a.points)), make([]float64, len(a.points)), make([]float64, len(a.points))
	for i, id := range a.shared {
		b, ok := number[id]
		if !ok {
			b = len(members)
			number[id], members = b, append(members, nil)
		}
		a.block[i], members[b] = b, append(members[b], i)
	}
	a.blocks = len(members)
	for _, of := range members {
		scores := mapped(of, func(i int) Score { return a.scores[i] })
		for k, v := range levels(scores) {
			a.y[of[k]] = v
		}
		for k := range scores {
			scores[k].Violation = 0
		}
		for k, v := range levels(scores) {
			a.bare[of[k]] = v
		}
	}
}

// levels turns the scores of a block into numbers that a model can be fitted to, in
// the order of the scores. Far behind the median it does not matter how far, and
// what breaks a limit lies behind all that does not, by ranks.
func levels(scores []Score) []float64 {
	out := make([]float64, len(scores))
	rank := order(scores)
	feasible := 0
	for feasible < len(rank) && scores[rank[feasible]].feasible() {
		feasible++
	}
	best, middle := 0.0, 0.0
	if feasible > 0 {
		best, middle = scores[rank[0]].Values[0], scores[rank[(feasible-1)/2]].Values[0]
	}
	spread := math.Max(middle-best, 1e-9)
	if feasible < 3 {
		spread = 0.05
	}
	last := best
	for k, i := range rank {
		if k < feasible {
			last = math.Min(scores[i].Values[0], middle+2*spread)
		} else {
			last += spread / float64(len(rank))
			if k == feasible {
				last += spread / 2
			}
		}
		out[i] = last
	}
	return out
}

// estimates returns the costs of the points: what the model predicts, and a part of how each
// point's own differs from it and from its block's mean.
func (a *archive) estimates(m *costModel, part float64) []float64 {
	out := mapped(a.points, m.at)
	for i, v := range residuals(a.costs(m), out, a.block, a.blocks) {
		out[i] += part * v
	}
	return out
}

// costs returns what the points have shown, as the model counts it.
func (a *archive) costs(m *costModel) []float64 {
	if m.limits == nil {
		return a.y
	}
	out := slices.Clone(a.bare)
	for i, s := range a.scores {
		for _, e := range s.excess {
			out[i] += limitWeight * max(0, squash(e))
		}
	}
	return out
}
