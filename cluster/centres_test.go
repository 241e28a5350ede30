package cluster

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"schedtune/internal/rng"
)

func TestScalerInverse(t *testing.T) {
	points := reference()
	s := FitScaler(points)
	for _, p := range points {
		for d, v := range s.Unscale(s.Scale(p)) {
			near(t, "unscaled", v, p[d], 1e-12)
		}
	}
}

// Start centres are checked as points are.
func TestStartCentresErrors(t *testing.T) {
	points := [][]float64{{1, 1}, {2, 2}}
	for name, c := range map[string][][]float64{
		"none":      {},
		"NaN":       {{math.NaN(), 1}, {2, 2}},
		"infinite":  {{1, math.Inf(1)}},
		"too short": {{1}},
		"uneven":    {{1, 1}, {1}},
	} {
		t.Run(name, func(t *testing.T) {
			if r, err := KMeans(points, Options{K: 2, Centers: c}); err == nil || !strings.Contains(err.Error(),
				"start centre") {
				t.Errorf("%s: %v, %v; want an error that names the start centres", name, r, err)
			}
		})
	}
}

// A constant is found as such among any number of points, and its mean is it:
// the sum of 50,000 thirds is 1e-12 off.
func TestScalerOfAConstant(t *testing.T) {
	points := make([][]float64, 50_000)
	for i := range points {
		points[i] = []float64{1.0 / 3, float64(i % 2)}
	}
	s := FitScaler(points)
	if s.Deviation[0] != 0 || s.Mean[0] != 1.0/3 {
		t.Errorf("constant: mean %v, deviation %v", s.Mean[0], s.Deviation[0])
	}
	if math.Abs(s.Deviation[1]-0.5) > 1e-9 {
		t.Errorf("0 and 1 in turn: deviation %v, want 0.5", s.Deviation[1])
	}
}

// From 2 to 2 clusters there are 2.
func TestOneNumberOfClusters(t *testing.T) {
	if _, k, err := ChooseK(reference(), 2, 2, Options{Seed: 1}); err != nil || k != 2 {
		t.Errorf("from 2 to 2 clusters: %d, %v; want 2", k, err)
	}
}

// Equal points in two clusters are neither near nor far: 0, not a number all the same.
func TestSilhouetteOfEqualPoints(t *testing.T) {
	if s := Silhouette([][]float64{{1}, {1}, {1}, {1}}, []int{0, 0, 1, 1}); s != 0 {
		t.Errorf("silhouette %v, want 0", s)
	}
}

// A second start centre is drawn with probability proportional to the squared distance to the
// first: from 0, the points 3 and 1 have 9/10 and 1/10; from 3, the points 0 and 1 have 9/13 and
// 4/13; from 1, the points 0 and 3 have 1/5 and 4/5.
func TestStartCentresAreDrawnBySquaredDistance(t *testing.T) {
	const seed, draws = 71, 30_000
	points := [][]float64{{0}, {3}, {1}}
	var pairs [4][4]float64
	for i := range draws {
		c := plusPlus(points, 2, rng.NewKey(seed, 0).At(uint64(i)))
		pairs[int(c[0][0])][int(c[1][0])]++
	}
	for _, c := range []struct {
		first, second int
		want          float64
	}{{0, 3, 0.9}, {0, 1, 0.1}, {3, 0, 9.0 / 13}, {3, 1, 4.0 / 13}, {1, 0, 0.2}, {1, 3, 0.8}} {
		row := pairs[c.first]
		n := row[0] + row[1] + row[3]
		near(t, fmt.Sprintf("seed %d: first of %d draws is %d", seed, draws, c.first), n/draws, 1.0/3, 0.02)
		near(t, fmt.Sprintf("seed %d: second after %d is %d", seed, c.first, c.second), row[c.second]/n, c.want, 0.02)
	}
}

// A tolerance above what the centres move in the first round ends there.
func TestToleranceEndsRounds(t *testing.T) {
	points, start := [][]float64{{0}, {2}, {3}, {10}}, [][]float64{{0}, {1}}
	for tolerance, want := range map[float64]int{100: 1, -1: 4} {
		r, err := KMeans(points, Options{Centers: start, Tolerance: tolerance})
		if err != nil || r.Iterations != want {
			t.Errorf("tolerance %v: %d rounds, %v; want %d", tolerance, r.Iterations, err, want)
		}
	}
}

// A point alone in its cluster counts 0: (9/10 + 8/9 + 0)/3.
func TestSilhouetteOfOnePoint(t *testing.T) {
	near(t, "silhouette", Silhouette([][]float64{{0}, {1}, {10}}, []int{0, 0, 1}), (9.0/10+8.0/9)/3, 1e-12)
}

// The tolerance is in units of the mean variance of the coordinates: of x 227/16 and of y 0, so
// 227/32. The first round moves the second centre from 1 to 5, by 16 when squared.
func TestToleranceIsOfTheMeanVariance(t *testing.T) {
	points, start := [][]float64{{0, 7}, {2, 7}, {3, 7}, {10, 7}}, [][]float64{{0, 7}, {1, 7}}
	for tolerance, want := range map[float64]int{16.0 * 32 / 227 * 0.99: 2, 16.0 * 32 / 227 * 1.01: 1} {
		r, err := KMeans(points, Options{Centers: start, Tolerance: tolerance})
		if err != nil || r.Iterations != want {
			t.Errorf("tolerance %v: %d rounds, %v; want %d", tolerance, r.Iterations, err, want)
		}
	}
	if r, err := KMeans(points, Options{Centers: start, Tolerance: -1, MaxIterations: 1}); err != nil ||
		r.Iterations != 1 {
		t.Errorf("at most one round: %d, %v", r.Iterations, err)
	}
}

// As many clusters as there are different points, and no more.
func TestChooseKEndsAtDifferentPoints(t *testing.T) {
	scores, _, err := ChooseK([][]float64{{0}, {0}, {5}, {9}, {9}}, 1, 5, Options{})
	if err != nil || len(scores) != 3 || scores[2].Inertia != 0 {
		t.Errorf("%+v, %v; want scores of 1, 2 and 3 clusters", scores, err)
	}
}
