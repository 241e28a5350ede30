package tune

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// byIdeal numbers the points of a front by their distance from the ideal point after every
// objective is scaled to [0, 1] over the front. The first is its knee (the point of
// diminishing returns for a convex front; Branke and others, PPSN 2004, discuss the
// alternatives).
func byIdeal(front [][]float64) []int {
	dist := make([]float64, len(front))
	for i, v := range scaled(front) {
		for _, s := range v {
			dist[i] += s * s
		}
	}
	return sortedIndices(len(front), func(a, b int) int { return cmp.Compare(dist[a], dist[b]) })
}

// scaled are the points with every objective scaled to [0, 1] over the front; one that is
// equal all over it is 0.
func scaled(front [][]float64) [][]float64 {
	lo, hi := extent(front)
	out := make([][]float64, len(front))
	for i, v := range front {
		out[i] = make([]float64, len(v))
		for k := range v {
			if hi[k] > lo[k] {
				out[i][k] = (v[k] - lo[k]) / (hi[k] - lo[k])
			}
		}
	}
	return out
}

// nearest is the least distance from a point to others, in the objective in which they
// differ most.
func nearest(v []float64, others [][]float64) float64 {
	return slices.Min(mapped(others, func(o []float64) float64 { return floats.Distance(v, o, math.Inf(1)) }))
}

func extent(front [][]float64) (lo, hi []float64) {
	lo, hi = slices.Clone(front[0]), slices.Clone(front[0])
	for _, v := range front {
		for k := range v {
			lo[k], hi[k] = math.Min(lo[k], v[k]), math.Max(hi[k], v[k])
		}
	}
	return lo, hi
}

// hypervolume is the area between a two-objective front and a reference point,
// as a part of the box from the ideal point to the reference.
func hypervolume(front [][]float64, ref []float64) float64 {
	lo, _ := extent(front)
	box := (ref[0] - lo[0]) * (ref[1] - lo[1])
	if box <= 0 || ref[0] < lo[0] {
		return 0
	}
	return volume(front, ref) / box
}

// nonDominatedValues are the points that no other dominates; of equal ones the first.
func nonDominatedValues(points [][]float64) [][]float64 {
	var out [][]float64
	for i, v := range points {
		behind := false
		for j, o := range points {
			behind = behind || behindOne(v, o) >= 0 && (j < i || !slices.Equal(v, o))
		}
		if !behind {
			out = append(out, v)
		}
	}
	return out
}

// behind is by how much a point is worse in every objective than one of a front; below 0
// where no point of the front is as good in all.
func behind(v []float64, front [][]float64) float64 {
	return slices.Max(mapped(front, func(o []float64) float64 { return behindOne(v, o) }))
}

func behindOne(v, o []float64) float64 {
	least := math.Inf(1)
	for k := range v {
		least = math.Min(least, v[k]-o[k])
	}
	return least
}

// volume is the hypervolume between points and a reference point, for any number of
// objectives: slices along the last objective, each as deep as to the next point (L. While
// and others, "A Faster Algorithm for Calculating Hypervolume", IEEE Trans. Evolutionary
// Computation 10, 2006, section III). Points beyond the reference count for nothing.
func volume(points [][]float64, ref []float64) float64 {
	last := len(ref) - 1
	in := slices.DeleteFunc(slices.Clone(points), func(p []float64) bool { return behindOne(ref, p) <= 0 })
	slices.SortStableFunc(in, func(a, b []float64) int { return cmp.Compare(a[last], b[last]) })
	if len(in) == 0 {
		return 0
	}
	if last == 0 {
		return ref[0] - in[0][0]
	}
	sum, least := 0.0, math.Inf(1) // of the first objective so far, where there are two
	for i, p := range in {
		next := ref[last]
		if i+1 < len(in) {
			next = in[i+1][last]
		}
		least = math.Min(least, p[0])
		switch {
		case next <= p[last]:
		case last == 1:
			sum += (next - p[1]) * (ref[0] - least)
		default:
			sum += (next - p[last]) * volume(in[:i+1:i+1], ref[:last])
		}
	}
	return sum
}
