package tune

import (
	"math"
	"slices"
)

// learner is a Sampler that learns from points it has not asked for, such as the
// caller's candidates or those of another stage. All of a call share their seeds.
type learner interface {
	learn(points []Point, scores []Score)
}

// archive is what a model of the costs is fitted to: points in blocks that share
// their seeds.
type archive struct {
	points []Point
	block  []int
	y      []float64
	blocks int
	fresh  int // points since a model was fitted
}

// maxArchive bounds the points of a model; the oldest blocks leave first, as a
// search moves on.
const maxArchive = 160

// add takes a block.
func (a *archive) add(points []Point, scores []Score) {
	if len(points) < 2 {
		return
	}
	a.points = append(a.points, points...)
	a.y = append(a.y, levels(scores)...)
	for range points {
		a.block = append(a.block, a.blocks)
	}
	a.blocks++
	a.fresh += len(points)
	n := 0
	for len(a.points)-n > maxArchive {
		n++
	}
	for n > 0 && n < len(a.block) && a.block[n] == a.block[n-1] {
		n++
	}
	if n > 0 {
		a.points, a.y, a.block = slices.Clone(a.points[n:]), slices.Clone(a.y[n:]), slices.Clone(a.block[n:])
		first := a.block[0]
		for i := range a.block {
			a.block[i] -= first
		}
		a.blocks -= first
	}
}

// levels turns the scores of a block into numbers that a model can be fitted to, in
// the order of the scores. Far behind the median it does not matter how far, and
// what breaks a limit lies behind all that does not, by ranks.
func levels(scores []Score) []float64 {
	out := make([]float64, len(scores))
	rank := order(scores)
	feasible := 0
	for _, i := range rank {
		if s := scores[i]; !s.Failed && s.Lost == 0 && s.Violation == 0 {
			feasible++
		}
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
