package cluster

import (
	"fmt"
	"math"
	"slices"
)

// Choice of the number of clusters. Silhouette (Rousseeuw, 1987): for a point
// with mean distance a to the others of its cluster and smallest mean distance
// b to another cluster, (b - a) / max(a, b); 0 for a point alone. The mean over
// all points is largest where clusters are tight and apart.

// KScore is one number of clusters tried.
type KScore struct {
	K          int     // clusters
	Inertia    float64 // of the best start
	Silhouette float64 // NaN for one cluster
	// BIC is the Bayesian information criterion of k normal clusters of one variance, up to a
	// constant; smaller is better. -Inf where no point is off its centre.
	BIC float64
	// Stability is the adjusted Rand index of the clusters that every other point gives, and
	// those that the rest gives, on all; NaN for one cluster.
	Stability float64
}

// ChooseK clusters with kMin to kMax clusters and returns the scores and the k of
// the largest silhouette (the smallest of equal ones).
// opt.K is ignored. Numbers of clusters above the number of distinct points
// are left out; where nothing can be told apart the answer is 1.
func ChooseK(points [][]float64, kMin, kMax int, opt Options) (scores []KScore, bySilhouette int, err error) {
	if kMin < 1 || kMax < kMin {
		return nil, 0, fmt.Errorf("cluster: number of clusters from %d to %d: must be 1 or more, and ascending", kMin,
			kMax)
	}
	var labels [][]int
	for k := kMin; k <= kMax; k++ {
		opt.K, opt.Centers = k, nil
		r, err := KMeans(points, opt)
		if err != nil {
			return nil, 0, err
		}
		if len(r.Centers) < k {
			break
		}
		n, d := float64(len(points)), float64(len(points[0]))
		scores = append(scores, KScore{K: k, Inertia: r.Inertia, BIC: n*d*math.Log(r.Inertia/(n*d)) +
			float64(k)*(d+1)*math.Log(n), Stability: stability(points, opt)})
		labels = append(labels, r.Labels)
	}
	bySilhouette, best := 1, math.Inf(-1)
	for i, s := range silhouettes(points, labels) {
		if scores[i].Silhouette = s; s > best {
			bySilhouette, best = scores[i].K, s
		}
	}
	return scores, bySilhouette, nil
}

// stability compares the clusters of the two halves on all points, or a sample of many.
func stability(points [][]float64, opt Options) float64 {
	points = every(points, silhouetteSample, silhouetteSample)
	if opt.K < 2 || len(points) < 2*opt.K {
		return math.NaN()
	}
	var labels [2][]int
	opt.Restarts = 3
	for half := range labels {
		var part [][]float64
		for i := half; i < len(points); i += 2 {
			part = append(part, points[i])
		}
		r, err := KMeans(part, opt)
		if err != nil {
			return math.NaN()
		}
		for _, p := range points {
			c, _ := r.Nearest(p)
			labels[half] = append(labels[half], c)
		}
	}
	return AdjustedRand(labels[0], labels[1])
}

// Silhouette looks at every n-th point only of more than silhouetteSample, and at its
// distances to every n-th only of more than silhouetteOthers, as its effort is quadratic.
const (
	silhouetteSample = 3000
	silhouetteOthers = 20000
)

// Silhouette returns the mean silhouette of a labelled set of points, NaN for
// fewer than two clusters, where labels and points do not match and where points differ in
// their number of coordinates. Labels are numbers from 0 up. Of more than 3000 points every n-th one is
// judged, n the smallest number that leaves
// at most 3000, by its distances to all, or to about 20000 of more.
func Silhouette(points [][]float64, labels []int) float64 {
	if len(labels) != len(points) || slices.ContainsFunc(labels, negative) ||
		slices.ContainsFunc(points, func(p []float64) bool { return len(p) != len(points[0]) }) {
		return math.NaN()
	}
	number, dense := map[int]int{}, make([]int, len(labels)) // as labels may be far apart
	for i, l := range labels {
		if _, ok := number[l]; !ok {
			number[l] = len(number)
		}
		dense[i] = number[l]
	}
	return silhouettes(points, [][]int{dense})[0]
}

// silhouettes judges several labellings of the points. The distances of a point, which cost
// most, are computed once for all of them.
func silhouettes(points [][]float64, labels [][]int) []float64 {
	step := max((len(points)+silhouetteOthers-1)/silhouetteOthers, 1)
	if step > 1 {
		points = every(points, silhouetteOthers, silhouetteOthers)
		few := make([][]int, len(labels))
		for t, l := range labels {
			for i := 0; i < len(l); i += step {
				few[t] = append(few[t], l[i])
			}
		}
		labels = few
	}
	tallies := make([]tally, len(labels))
	for t := range tallies {
		tallies[t].reset(labels[t])
	}
	dist := make([]float64, len(points))
	step = max((len(points)+silhouetteSample-1)/silhouetteSample, 1)
	for i := 0; i < len(points); i += step {
		for j, p := range points {
			dist[j] = math.Sqrt(sqDist(points[i], p))
		}
		for t := range tallies {
			tallies[t].judge(i, dist)
		}
	}
	out := make([]float64, len(labels))
	for t := range tallies {
		out[t] = tallies[t].mean()
	}
	return out
}

// tally adds up the silhouettes of one labelling.
type tally struct {
	labels []int
	sizes  []float64 // points of each label
	used   int       // labels with points
	sum    []float64 // scratch: of distances to each label
	total  float64   // of silhouettes
	n      int
}

func (t *tally) reset(labels []int) {
	k := 0
	for _, l := range labels {
		k = max(k, l+1)
	}
	*t = tally{labels: labels, sizes: make([]float64, k), sum: make([]float64, k)}
	for _, l := range labels {
		if t.sizes[l] == 0 {
			t.used++
		}
		t.sizes[l]++
	}
}

// judge adds the silhouette of point i, of which the distances to all points are given.
func (t *tally) judge(i int, dist []float64) {
	own := t.labels[i]
	t.n++
	if t.used < 2 || t.sizes[own] < 2 {
		return
	}
	clear(t.sum)
	for j, d := range dist {
		t.sum[t.labels[j]] += d
	}
	a, b := t.sum[own]/(t.sizes[own]-1), math.Inf(1)
	for c, d := range t.sum {
		if c != own && t.sizes[c] > 0 {
			b = math.Min(b, d/t.sizes[c])
		}
	}
	if m := math.Max(a, b); m > 0 {
		t.total += (b - a) / m
	}
}

func (t *tally) mean() float64 {
	if t.used < 2 {
		return math.NaN()
	}
	return t.total / float64(t.n)
}
