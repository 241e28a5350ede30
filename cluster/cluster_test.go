package cluster

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
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
	scores, bySilhouette, err := ChooseK(points, 1, 6, Options{Seed: 1})
	if err != nil || bySilhouette != 3 || len(scores) != 6 {
		t.Errorf("k by silhouette %d (%v), want 3", bySilhouette, err)
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
	if _, k, err := ChooseK(same, 1, 4, Options{}); err != nil || k != 1 {
		t.Errorf("equal points: k %d, %v; want 1", k, err)
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
		"range":     func() error { _, _, err := ChooseK(same, 3, 2, Options{}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			if call() == nil {
				t.Errorf("%s: no error", name)
			}
		})
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
