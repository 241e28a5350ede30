package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"schedtune/internal/rng"
)

func near(t *testing.T, name string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// reference is 30 points in three groups, made by a formula so that any
// program can make them: x = (37 i mod 101)/10 + 20 (i mod 3), y = (53 i mod
// 97)/10 - 15 (i mod 3).
func reference() [][]float64 {
	var p [][]float64
	for i := range 30 {
		p = append(p, []float64{float64(i*37%101)/10 + 20*float64(i%3), float64(i*53%97)/10 - 15*float64(i%3)})
	}
	return p
}

// scikit-learn 1.9.1, KMeans(k, n_init=50, tol=0), silhouette_score and
// StandardScaler on the reference points.
func TestAgainstScikitLearn(t *testing.T) {
	points := reference()
	for _, c := range []struct {
		k                   int
		inertia, silhouette float64
	}{
		{2, 3478.973499999999, 0.64438963324549},
		{3, 487.8829999999999, 0.7717179485215978},
		{4, 416.07949999999994, 0.6066963954497901},
	} {
		r, err := KMeans(points, Options{K: c.k, Restarts: 50, Tolerance: -1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "inertia", r.Inertia, c.inertia, 1e-9)
		near(t, "silhouette", Silhouette(points, r.Labels), c.silhouette, 1e-12)
	}
	s := FitScaler(points)
	near(t, "mean 0", s.Mean[0], 24.83333333333333, 1e-12)
	near(t, "mean 1", s.Mean[1], -10.576666666666666, 1e-12)
	near(t, "deviation 0", s.Deviation[0], 16.71923709051609, 1e-12)
	near(t, "deviation 1", s.Deviation[1], 12.594620103661546, 1e-12)
	scores, bySilhouette, byElbow, err := ChooseK(points, 1, 6, Options{Seed: 1})
	if err != nil || bySilhouette != 3 || byElbow != 3 || len(scores) != 6 {
		t.Errorf("k by silhouette %d, by elbow %d (%v), want 3 and 3", bySilhouette, byElbow, err)
	}
}

// Points 0, 1 and 10, 11 with two clusters: centres 1/2 and 21/2, inertia
// 4 (1/2)^2 = 1; one cluster: mean 5.5, inertia 2 (5.5^2 + 4.5^2) = 101.
// Silhouette of 0: a = 1, b = (10 + 11)/2 = 10.5, s = 9.5/10.5; of 1: b = 9.5,
// s = 8.5/9.5; by symmetry the mean is (9.5/10.5 + 8.5/9.5)/2.
func TestByHand(t *testing.T) {
	p := [][]float64{{10}, {0}, {11}, {1}}
	two, err := KMeans(p, Options{K: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(two.Centers, [][]float64{{0.5}, {10.5}}) || !reflect.DeepEqual(two.Labels, []int{1, 0, 1, 0}) ||
		!reflect.DeepEqual(two.Sizes, []int{2, 2}) || two.Inertia != 1 {
		t.Errorf("two clusters: %+v", two)
	}
	one, _ := KMeans(p, Options{K: 1})
	near(t, "one cluster", one.Inertia, 101, 1e-12)
	near(t, "silhouette", Silhouette(p, two.Labels), (9.5/10.5+8.5/9.5)/2, 1e-12)
	if !math.IsNaN(Silhouette(p, one.Labels)) {
		t.Error("one cluster has no silhouette")
	}
	if k, d := two.Nearest([]float64{9}); k != 1 || d != 2.25 {
		t.Errorf("nearest to 9: cluster %d at %v, want 1 at 2.25", k, d)
	}
}

// Shuffling the points must give the same centres, and the labels shuffled.
func TestOrderDoesNotMatter(t *testing.T) {
	const seed = 41
	r := rand.New(rand.NewPCG(seed, 0))
	points := reference()
	base, _ := KMeans(points, Options{K: 3, Seed: 9})
	for range 20 {
		perm := r.Perm(len(points))
		shuffled := make([][]float64, len(points))
		for i, j := range perm {
			shuffled[i] = points[j]
		}
		s, _ := KMeans(shuffled, Options{K: 3, Seed: 9})
		near(t, "inertia", s.Inertia, base.Inertia, 1e-9)
		for i, j := range perm {
			if s.Labels[i] != base.Labels[j] {
				t.Fatalf("seed %d: point %d changed its cluster", seed, j)
			}
		}
	}
	again, _ := KMeans(points, Options{K: 3, Seed: 9})
	if !reflect.DeepEqual(base, again) {
		t.Error("the same seed must give the same result")
	}
}

// At a fixed point every point is nearest to its own centre and every centre is
// the mean of its points, whatever the data.
func TestFixedPoint(t *testing.T) {
	const seed = 42
	r := rand.New(rand.NewPCG(seed, 0))
	for range 40 {
		n, k := 1+r.IntN(60), 1+r.IntN(8)
		points := make([][]float64, n)
		for i := range points {
			points[i] = []float64{float64(r.IntN(6)), r.Float64(), r.NormFloat64()}
		}
		c, err := KMeans(points, Options{K: k, Tolerance: -1, Restarts: 3})
		if err != nil {
			t.Fatal(err)
		}
		mean, count := clone(c.Centers), make([]int, len(c.Centers))
		for i := range mean {
			clear(mean[i])
		}
		for i, p := range points {
			own := sqDist(p, c.Centers[c.Labels[i]])
			if _, d := c.Nearest(p); own > d+1e-9 {
				t.Fatalf("seed %d: point %d is nearer to another centre", seed, i)
			}
			count[c.Labels[i]]++
			for j, v := range p {
				mean[c.Labels[i]][j] += v
			}
		}
		for i := range mean {
			if count[i] == 0 || count[i] != c.Sizes[i] {
				t.Fatalf("seed %d: cluster %d has %d points, says %d", seed, i, count[i], c.Sizes[i])
			}
			for j := range mean[i] {
				near(t, "mean", c.Centers[i][j], mean[i][j]/float64(count[i]), 1e-9)
			}
		}
	}
}

// A start whose second centre is far from all points loses it at once; the rule
// gives it the farthest point (10), so that both clusters stay.
func TestEmptyClusterRule(t *testing.T) {
	p := [][]float64{{0}, {1}, {2}, {10}}
	r, err := KMeans(p, Options{Centers: [][]float64{{1}, {1000}}})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Centers, [][]float64{{1}, {10}}) {
		t.Errorf("centres %v, want 1 and 10", r.Centers)
	}
}

// Duplicates, constants and too few points give documented values.
func TestDegenerateInputs(t *testing.T) {
	same := [][]float64{{2, 3}, {2, 3}, {2, 3}}
	r, err := KMeans(same, Options{K: 5})
	if err != nil || len(r.Centers) != 1 || r.Inertia != 0 {
		t.Errorf("equal points: %+v, %v; want one cluster", r, err)
	}
	if _, k, e, err := ChooseK(same, 1, 4, Options{}); err != nil || k != 1 || e != 1 {
		t.Errorf("equal points: k %d and %d, %v; want 1", k, e, err)
	}
	s := FitScaler(same)
	if got := s.Scale([]float64{2, 4}); got[0] != 0 || got[1] != 1 {
		t.Errorf("constant features scaled to %v, want differences 0 and 1", got)
	}
	if FitScaler(nil) != nil {
		t.Error("no points have no scaler")
	}
	nan := math.NaN()
	for name, call := range map[string]func() error{
		"no points": func() error { _, err := KMeans(nil, Options{K: 1}); return err },
		"no k":      func() error { _, err := KMeans(same, Options{}); return err },
		"NaN":       func() error { _, err := KMeans([][]float64{{nan}}, Options{K: 1}); return err },
		"infinite":  func() error { _, err := KMeans([][]float64{{math.Inf(1)}}, Options{K: 1}); return err },
		"ragged":    func() error { _, err := KMeans([][]float64{{1}, {1, 2}}, Options{K: 1}); return err },
		"start":     func() error { _, err := KMeans(same, Options{Centers: [][]float64{{1}}}); return err },
		"range":     func() error { _, _, _, err := ChooseK(same, 3, 2, Options{}); return err },
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestScalerInverse(t *testing.T) {
	points := reference()
	s := FitScaler(points)
	s.Weight = []float64{2, 1}
	for _, p := range points {
		for d, v := range s.Unscale(s.Scale(p)) {
			near(t, "unscaled", v, p[d], 1e-12)
		}
	}
}

// FuzzKMeans: no input may panic or leave a point without a cluster.
func FuzzKMeans(f *testing.F) {
	f.Add([]byte{3, 1, 2, 200, 7, 7, 7}, uint64(1))
	f.Add([]byte{9, 0, 0, 0}, uint64(2))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		if len(b) < 2 {
			return
		}
		var points [][]float64
		for _, v := range b[1:] {
			x := float64(v)
			if v == 255 {
				x = 1e200
			}
			points = append(points, []float64{x, float64(v % 5)})
		}
		r, err := KMeans(points, Options{K: int(b[0] % 12), Restarts: 2, Seed: seed})
		if err != nil {
			return
		}
		n := 0
		for _, s := range r.Sizes {
			n += s
		}
		if n != len(points) || len(r.Labels) != n {
			t.Errorf("%d points in clusters of %v", len(points), r.Sizes)
		}
	})
}

func BenchmarkKMeans(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	points := make([][]float64, 5000)
	for i := range points {
		points[i] = []float64{r.NormFloat64() + float64(i%8)*6, r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
	}
	b.ReportAllocs()
	for range b.N {
		if _, err := KMeans(points, Options{K: 8, Restarts: 1}); err != nil {
			b.Fatal(err)
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
		if r, err := KMeans(points, Options{K: 2, Centers: c}); err == nil || !strings.Contains(err.Error(), "start centre") {
			t.Errorf("%s: %v, %v; want an error that names the start centres", name, r, err)
		}
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

// Utilisations above 1, as rounding and overcommitment give them, count as 1,
// however large.
func TestPredictorCutsUtilisation(t *testing.T) {
	p, err := NewPredictor(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []float64{1.2, 1e300, math.Inf(1)} {
		if err := p.Observe(0, 1, u, 5); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Observe(0, 1, -1e300, 7); err != nil {
		t.Fatal(err)
	}
	if s, n := p.Predict(0, 1, 1); s != 5 || n != 3 {
		t.Errorf("full cluster: %v s from %d, want 5 from 3", s, n)
	}
	if s, n := p.Predict(0, 1, 0); s != 7 || n != 1 {
		t.Errorf("idle cluster: %v s from %d, want 7 from 1", s, n)
	}
}

// A new classification is made from the latest jobs, as many as asked.
func TestQueuesKeep(t *testing.T) {
	q := NewQueues(ClassOptions{K: 1}, 4)
	for i := range 20 {
		a, err := q.Arrive(Job{Priority: i, Times: []float64{1}}) // each fits no class
		if err != nil {
			t.Fatal(err)
		}
		if n := len(q.Secondary.Labels); !a.SecondaryChanged || n != min(i+1, 4) {
			t.Errorf("job %d: classes from %d jobs, want %d", i, n, min(i+1, 4))
		}
	}
}

// However the rounds ended, a label is that of the nearest centre; after at most one
// round as well as by the tolerance.
func TestLabelsAreOfTheNearestCentre(t *testing.T) {
	const seed = 43
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 40 {
		points := make([][]float64, 500)
		for i := range points {
			points[i] = []float64{r.NormFloat64() + float64(r.IntN(3)), r.NormFloat64()}
		}
		for _, o := range []Options{{K: 6, Restarts: 1}, {K: 6, Restarts: 1, MaxIterations: 1},
			{K: 6, Restarts: 1, Tolerance: 0.1}} {
			o.Seed = uint64(trial)
			c, err := KMeans(points, o)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range points {
				if k, _ := c.Nearest(p); k != c.Labels[i] {
					t.Fatalf("seed %d, trial %d, %+v: point %d is labelled %d, its nearest centre is %d", seed, trial, o, i,
						c.Labels[i], k)
				}
			}
		}
	}
}

// One start counts what it computed: a distance to each of the centres, in every round and
// once more where the tolerance ends it.
func TestDistancesOfOneStart(t *testing.T) {
	points := reference()
	for _, k := range []int{2, 4} {
		r, err := KMeans(points, Options{K: k, Restarts: 1, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		each := int64(len(points) * k)
		if n := r.Distances / each; r.Distances%each != 0 || n != int64(r.Iterations) && n != int64(r.Iterations)+1 {
			t.Errorf("k = %d: %d distances in %d rounds of %d", k, r.Distances, r.Iterations, each)
		}
	}
	if _, k, _, err := ChooseK(points, 2, 2, Options{Seed: 1}); err != nil || k != 2 {
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

// A weight of 0 takes a coordinate out; its mean is what is known of it.
func TestUnscaleWithoutWeight(t *testing.T) {
	s := FitScaler([][]float64{{1, 10}, {3, 30}})
	s.Weight = []float64{1, 0}
	if got := s.Unscale(s.Scale([]float64{3, 30})); !reflect.DeepEqual(got, []float64{3, 20}) {
		t.Errorf("%v, want 3 and the mean, 20", got)
	}
}

// Jobs without input tell nothing of the time per byte.
func TestPredictorOfJobsWithoutInput(t *testing.T) {
	p, err := NewPredictor(2)
	if err != nil {
		t.Fatal(err)
	}
	for _, bytes := range []float64{0, 1000} {
		if err := p.Observe(0, bytes, 0.5, 10); err != nil {
			t.Fatal(err)
		}
	}
	// Class 1 has seen nothing; class 0's job of 1000 bytes took 10 ms a byte.
	if s, n := p.Predict(1, 4000, 0.5); s != 40 || n != 1 {
		t.Errorf("%v s from %d, want 40 from 1", s, n)
	}
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
	scores, _, _, err := ChooseK([][]float64{{0}, {0}, {5}, {9}, {9}}, 1, 5, Options{})
	if err != nil || len(scores) != 3 || scores[2].Inertia != 0 {
		t.Errorf("%+v, %v; want scores of 1, 2 and 3 clusters", scores, err)
	}
}
