package cluster

import (
	"fmt"
	"math"
)

// Choice of the number of clusters. Silhouette (Rousseeuw, 1987): for a point
// with mean distance a to the others of its cluster and smallest mean distance
// b to another cluster, (b - a) / max(a, b); 0 for a point alone. The mean over
// all points is largest where clusters are tight and apart. Elbow: the k whose
// inertia lies farthest below the straight line from the first to the last k
// (Satopää et al., Kneedle, 2011).

// KScore is one number of clusters tried.
type KScore struct {
	K          int     // clusters
	Inertia    float64 // of the best start
	Silhouette float64 // NaN for one cluster
}

// ChooseK clusters with kMin to kMax clusters and returns the scores, the k of
// the largest silhouette (the smallest of equal ones) and the k of the elbow.
// opt.K is ignored. Numbers of clusters above the number of distinct points
// are left out; where nothing can be told apart both answers are 1.
func ChooseK(points [][]float64, kMin, kMax int, opt Options) (scores []KScore, bySilhouette, byElbow int, err error) {
	if kMin < 1 || kMax < kMin {
		return nil, 0, 0, fmt.Errorf("cluster: number of clusters from %d to %d; allowed: from 1 or more to no less", kMin, kMax)
	}
	bySilhouette, best := 1, math.Inf(-1)
	for k := kMin; k <= kMax; k++ {
		opt.K, opt.Centers = k, nil
		r, err := KMeans(points, opt)
		if err != nil {
			return nil, 0, 0, err
		}
		if len(r.Centers) < k {
			break
		}
		s := KScore{K: k, Inertia: r.Inertia, Silhouette: Silhouette(points, r.Labels)}
		if s.Silhouette > best {
			bySilhouette, best = k, s.Silhouette
		}
		scores = append(scores, s)
	}
	return scores, bySilhouette, elbow(scores), nil
}

func elbow(s []KScore) int {
	if len(s) == 0 {
		return 1
	}
	first, last := s[0], s[len(s)-1]
	best, top := first.K, 0.0
	for _, c := range s {
		if last.K == first.K {
			break
		}
		line := first.Inertia + (last.Inertia-first.Inertia)*float64(c.K-first.K)/float64(last.K-first.K)
		if line-c.Inertia > top {
			best, top = c.K, line-c.Inertia
		}
	}
	return best
}

// silhouetteSample is the number of points above which Silhouette looks at
// every n-th one only, as its effort is quadratic.
const silhouetteSample = 3000

// Silhouette returns the mean silhouette of a labelled set of points, NaN for
// fewer than two clusters and where labels and points do not match. Labels are numbers from
// 0 up. Of more than 3000 points every n-th one is judged, n the smallest number that leaves
// at most 3000.
func Silhouette(points [][]float64, labels []int) float64 {
	k := 0
	for _, l := range labels {
		if l < 0 || len(labels) != len(points) {
			return math.NaN()
		}
		k = max(k, l+1)
	}
	sizes := make([]float64, k)
	used := 0
	for _, l := range labels {
		if sizes[l] == 0 {
			used++
		}
		sizes[l]++
	}
	if used < 2 {
		return math.NaN()
	}
	step := (len(points) + silhouetteSample - 1) / silhouetteSample
	total, n := 0.0, 0
	dist := make([]float64, k)
	for i := 0; i < len(points); i += step {
		total += silhouetteOf(points, labels, sizes, dist, i)
		n++
	}
	return total / float64(n)
}

func silhouetteOf(points [][]float64, labels []int, sizes, dist []float64, i int) float64 {
	own := labels[i]
	if sizes[own] < 2 {
		return 0
	}
	clear(dist)
	for j, p := range points {
		dist[labels[j]] += math.Sqrt(sqDist(points[i], p))
	}
	a, b := dist[own]/(sizes[own]-1), math.Inf(1)
	for c, d := range dist {
		if c != own && sizes[c] > 0 {
			b = math.Min(b, d/sizes[c])
		}
	}
	if m := math.Max(a, b); m > 0 {
		return (b - a) / m
	}
	return 0
}
