package cluster

import (
	"cmp"
	"math"
	"slices"
)

// Nearest returns the cluster whose centre is nearest to p and the squared
// distance to it. It panics where p has more coordinates than the centres.
func (r *Result) Nearest(p []float64) (cluster int, sqDistance float64) {
	return nearest(r.Centers, p)
}

func nearest(centers [][]float64, p []float64) (int, float64) {
	best, top := 0, math.Inf(1)
	for c, center := range centers {
		if d := sqDist(p, center); d < top {
			best, top = c, d
		}
	}
	return best, top
}

// neighbour is another centre and the squared distance to it.
type neighbour struct {
	centre int
	sq     float64
}

// neighbours lists for each centre the others, the nearest first.
func neighbours(centers [][]float64) [][]neighbour {
	around := make([][]neighbour, len(centers))
	for c := range centers {
		around[c] = make([]neighbour, 0, len(centers)-1)
		for o := range centers {
			if o != c {
				around[c] = append(around[c], neighbour{o, sqDist(centers[c], centers[o])})
			}
		}
		slices.SortFunc(around[c], func(a, b neighbour) int { return cmp.Compare(a.sq, b.sq) })
	}
	return around
}

// nearestFrom is nearest for a point that was at centre from before, -1 = at none. The
// margins, of one in 10^9 and of 1e-300 where squares underflow, are far above what rounding
// can do, so that no centre is passed over that might be as near.
func nearestFrom(centers [][]float64, around [][]neighbour, from int, p []float64) int {
	if from < 0 {
		c, _ := nearest(centers, p)
		return c
	}
	best, top := from, sqDist(p, centers[from])
	for reach, i := 4*top*(1+1e-9)+1e-300, 0; i < len(around[from]) && around[from][i].sq <= reach; i++ {
		c := around[from][i].centre
		if d := sqDist(p, centers[c]); d < top || d == top && c < best {
			best, top = c, d
		}
	}
	return best
}

func sqDist(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		d := v - b[i]
		s += float64(d * d)
	}
	return s
}
