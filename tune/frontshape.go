package tune

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// byIdeal numbers the points of a front by their distance from the ideal point after every
// objective is scaled to [0, 1] over the front. The first is its knee (the point of
// diminishing returns for a convex front; Branke and others, PPSN 2004, discuss the
// alternatives).
func byIdeal(front [][]float64) []int {
	dist, idx := make([]float64, len(front)), make([]int, len(front))
	for i, v := range scaled(front) {
		idx[i] = i
		for _, s := range v {
			dist[i] += s * s
		}
	}
	slices.SortStableFunc(idx, func(a, b int) int { return cmp.Compare(dist[a], dist[b]) })
	return idx
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
	least := math.Inf(1)
	for _, o := range others {
		far := 0.0
		for k := range v {
			far = math.Max(far, math.Abs(v[k]-o[k]))
		}
		least = math.Min(least, far)
	}
	return least
}

func extent(front [][]float64) (lo, hi []float64) {
	lo = append(lo, front[0]...)
	hi = append(hi, front[0]...)
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
	pts := append([][]float64(nil), front...)
	sort.SliceStable(pts, func(a, b int) bool { return pts[a][0] < pts[b][0] })
	lo, _ := extent(pts)
	box := (ref[0] - lo[0]) * (ref[1] - lo[1])
	if box <= 0 || ref[0] < lo[0] {
		return 0
	}
	area, top := 0.0, ref[1]
	for _, p := range pts {
		if p[0] < ref[0] && p[1] < top {
			area += (ref[0] - p[0]) * (top - p[1])
			top = p[1]
		}
	}
	return area / box
}
