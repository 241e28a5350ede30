package cluster

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What the triangle inequality spares changes no label: points and centres on a coarse grid
// have many equal distances, of which the lowest number wins, and scales from 1e-170, where
// squares underflow, to 1e150 strain the margins.
func TestLabelsAreNearest(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		scale := []float64{1, 1e-3, 1e-155, 1e-162, 1e-170, 1e9, 1e150 / 4}[seed%7]
		grid, dims := 2+r.IntN(4), 1+r.IntN(4)
		draw := func(n int) [][]float64 {
			out := make([][]float64, n)
			for i := range out {
				for range dims {
					out[i] = append(out[i], float64(r.IntN(grid))*scale)
				}
			}
			return out
		}
		points, centers := draw(80), draw(1+r.IntN(12))
		got := &Result{Centers: centers, Labels: make([]int, len(points)), Sizes: make([]int, len(centers))}
		for i := range got.Labels {
			got.Labels[i] = r.IntN(len(centers)+1) - 1
		}
		got.label(points)
		for i, p := range points {
			if want, _ := nearest(centers, p); got.Labels[i] != want {
				t.Fatalf("seed %d: point %v of centres %v is labelled %d, want %d", seed, p, centers, got.Labels[i], want)
			}
		}
	}
}

// silhouetteByDefinition is Rousseeuw's, point by point.
func silhouetteByDefinition(points [][]float64, labels []int) float64 {
	total := 0.0
	for i := range points {
		sum, n := map[int]float64{}, map[int]float64{}
		for j := range points {
			if j != i {
				sum[labels[j]] += math.Sqrt(sqDist(points[i], points[j]))
				n[labels[j]]++
			}
		}
		if n[labels[i]] == 0 {
			continue // alone in its cluster
		}
		a, b := sum[labels[i]]/n[labels[i]], math.Inf(1)
		for c := range n {
			if c != labels[i] {
				b = math.Min(b, sum[c]/n[c])
			}
		}
		if m := math.Max(a, b); m > 0 {
			total += (b - a) / m
		}
	}
	return total / float64(len(points))
}

// The scores of ChooseK, which share the distances between the points, are those of the
// definition and of Silhouette for each number of clusters.
func TestChooseKSilhouettes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	points := make([][]float64, 150)
	for i := range points {
		c := float64(r.IntN(4))
		points[i] = []float64{5*c + r.NormFloat64(), r.NormFloat64() - c, r.NormFloat64()}
	}
	points[149] = []float64{1000, 1000, 1000} // alone in its cluster
	scores, _, err := ChooseK(points, 1, 12, Options{Seed: 2})
	if err != nil || len(scores) != 12 || !math.IsNaN(scores[0].Silhouette) {
		t.Fatalf("%v, %v", scores, err)
	}
	for _, s := range scores[1:] {
		c, err := KMeans(points, Options{K: s.K, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		if one := Silhouette(points, c.Labels); one != s.Silhouette {
			t.Errorf("k = %d: %v of many, %v alone", s.K, s.Silhouette, one)
		}
		if want := silhouetteByDefinition(points, c.Labels); math.Abs(s.Silhouette-want) > 1e-12 {
			t.Errorf("k = %d: %v, want %v", s.K, s.Silhouette, want)
		}
	}
}

// Labels only part points: numbers far apart give the figure of 0, 1, …; points of different
// lengths have none.
func TestSilhouetteOfOddArguments(t *testing.T) {
	points := [][]float64{{0}, {1}, {10}, {12}}
	want := Silhouette(points, []int{0, 0, 1, 1})
	if got := Silhouette(points, []int{math.MaxInt, math.MaxInt, 1 << 40, 1 << 40}); got != want ||
		math.Abs(got-silhouetteByDefinition(points, []int{0, 0, 1, 1})) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
	for _, p := range [][][]float64{{{0}, {1, 2}, {3}, {4}}, {{0, 1}, {1}, {3}, {4}}} {
		if got := Silhouette(p, []int{0, 0, 1, 1}); !math.IsNaN(got) {
			t.Errorf("%v: %v, want NaN", p, got)
		}
	}
}
