package cluster

import (
	"fmt"
	"math"
	"slices"

	"schedtune/internal/rng"
)

// k-means (Lloyd, 1982) with k-means++ starts (Arthur, Vassilvitskii, SODA
// 2007) and restarts.
//
//  1. The first centre is a point drawn uniformly, each further one a point
//     drawn with probability proportional to its squared distance from the
//     nearest centre so far.
//  2. Every point goes to its nearest centre (of equal ones the lowest
//     number), every centre to the mean of its points, until no point changes
//     or the centres move less than the tolerance.
//  3. A centre that lost all points takes over the point farthest from its own
//     centre (scikit-learn's rule).
//  4. Where the tolerance or the limit ends the rounds, the points are labelled once
//     more, so that labels belong to the centres (scikit-learn's rule, too).
//  5. Of the restarts the one with the smallest inertia wins, of equal ones
//     the first.
//
// Of more than 50000 points every n-th, n the smallest number that leaves at most 20000, gives
// the restarts; the winner's centres are the one start of all points.
//
// Step 2 passes over centres that can't be the nearest (Phillips, Acceleration of K-Means and
// Related Clustering Algorithms, ALENEX 2002, sort-means): by the triangle inequality a
// centre more than twice as far from a point's present centre as the point itself is
// farther from the point. The clustering is the same.

// Options sets a k-means run; the zero value of each field but K is usable.
type Options struct {
	// K is the number of clusters, 1 or more. With fewer distinct points than
	// K there are as many clusters as distinct points.
	K int
	// Restarts is the number of starts, 0 reads as 10.
	Restarts int
	// MaxIterations limits the rounds of one start, 0 reads as 300.
	MaxIterations int
	// Tolerance ends a start when the squared movement of all centres is at
	// most Tolerance times the mean variance of the features; 0 reads as 1e-4,
	// negative as exactly 0.
	Tolerance float64
	// Seed selects the draws.
	Seed uint64
	// Centers, when given (not nil), are the only start, at least one, with
	// finite coordinates; K, Restarts and Seed are ignored.
	Centers [][]float64
}

// Result is a clustering. Every point belongs to its nearest centre (Nearest gives its
// label), and every centre is the mean of its points: exactly where the rounds ended because
// no point changed (a negative Tolerance and enough MaxIterations), else nearly.
type Result struct {
	Centers    [][]float64 // in lexicographic order
	Labels     []int       // cluster of each point
	Sizes      []int       // points of each cluster, all positive
	Inertia    float64     // sum of squared distances to the centres
	Iterations int         // rounds of the start that won
}

// purpose of this package's draws, see rng.NewKey.
const purposeKMeans = 0x6b6d6561

// KMeans clusters points, each with the same number of finite coordinates.
func KMeans(points [][]float64, opt Options) (*Result, error) {
	if err := checkPoints(points); err != nil {
		return nil, err
	}
	if opt.K < 1 && opt.Centers == nil {
		return nil, fmt.Errorf("cluster: k is %d: must be 1 or more", opt.K)
	}
	opt = opt.withDefaults()
	tol := opt.Tolerance * meanVariance(points)
	if opt.Centers != nil {
		if err := checkPoints(opt.Centers); err != nil {
			return nil, fmt.Errorf("%w (start centres)", err)
		}
		if n := len(opt.Centers[0]); n != len(points[0]) {
			return nil, fmt.Errorf("cluster: start centre 0 has %d coordinates: must be %d", n, len(points[0]))
		}
		return lloyd(points, clone(opt.Centers), opt.MaxIterations, tol), nil
	}
	if few := every(points, largeSet, sampleSize); len(few) < len(points) {
		r, err := KMeans(few, opt)
		if err != nil {
			return nil, err
		}
		return lloyd(points, clone(r.Centers), opt.MaxIterations, tol), nil
	}
	var best *Result
	for s := range opt.Restarts {
		key := rng.NewKey(opt.Seed, purposeKMeans).At(uint64(s))
		r := lloyd(points, plusPlus(points, opt.K, key), opt.MaxIterations, tol)
		if best == nil || r.Inertia < best.Inertia {
			best = r
		}
	}
	return best, nil
}

const (
	largeSet   = 50000 // points above which the restarts see a sample
	sampleSize = 20000
)

// every returns the points, of more than limit every n-th, so that at most size are left.
func every(points [][]float64, limit, size int) [][]float64 {
	if len(points) <= limit {
		return points
	}
	var out [][]float64
	for i, step := 0, (len(points)+size-1)/size; i < len(points); i += step {
		out = append(out, points[i])
	}
	return out
}

func (o Options) withDefaults() Options {
	if o.Restarts <= 0 {
		o.Restarts = 10
	}
	if o.MaxIterations <= 0 {
		o.MaxIterations = 300
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-4
	}
	o.Tolerance = math.Max(o.Tolerance, 0)
	return o
}

func checkPoints(points [][]float64) error {
	if len(points) == 0 || len(points[0]) == 0 {
		return fmt.Errorf("cluster: no points or no coordinates: must be at least one of each")
	}
	for i, p := range points {
		if len(p) != len(points[0]) {
			return fmt.Errorf("cluster: point %d has %d coordinates: must be %d", i, len(p), len(points[0]))
		}
		for d, v := range p {
			if math.IsNaN(v) || math.Abs(v) > 1e150 {
				return fmt.Errorf("cluster: coordinate %d of point %d is %v: must be finite, at most 1e150 in magnitude", d, i, v)
			}
		}
	}
	return nil
}

// plusPlus draws the starting centres; it stops early when every point is a
// centre already.
func plusPlus(points [][]float64, k int, key rng.Key) [][]float64 {
	first := key.IntN(0, len(points))
	centers := [][]float64{slices.Clone(points[first])}
	dist := make([]float64, len(points))
	for i, p := range points {
		dist[i] = sqDist(p, centers[0])
	}
	for c := 1; c < k; c++ {
		total := 0.0
		for _, d := range dist {
			total += d
		}
		if total == 0 {
			break
		}
		target, pick := key.Float64(uint64(c))*total, -1
		for i, d := range dist {
			if d > 0 {
				pick = i
				if target -= d; target < 0 {
					break
				}
			}
		}
		centers = append(centers, slices.Clone(points[pick]))
		for i, p := range points {
			dist[i] = math.Min(dist[i], sqDist(p, points[pick]))
		}
	}
	return centers
}
