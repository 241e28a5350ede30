package cluster

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand, for a = 0 0 1 1 and b = 0 0 1 2: one pair is together in both, 2 in a, 1 in b, of 6; expected 1/3,
// most 3/2: (1 - 1/3) / (3/2 - 1/3) = 4/7.
func TestAdjustedRand(t *testing.T) {
	for _, c := range []struct {
		a, b []int
		want float64
	}{
		{[]int{0, 0, 1, 1}, []int{0, 0, 1, 2}, 4.0 / 7},
		{[]int{0, 0, 1, 1}, []int{1, 1, 0, 0}, 1}, // names do not matter
		{[]int{0, 0, 1, 1}, []int{0, 1, 0, 1}, -0.5},
		{[]int{0, 1, 2}, []int{2, 0, 1}, 1},
		{[]int{0}, []int{5}, 1},
	} {
		if got := AdjustedRand(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	const seed = 3
	r := rand.New(rand.NewPCG(seed, seed))
	a, b := make([]int, 5000), make([]int, 5000)
	for i := range a {
		a[i], b[i] = r.IntN(4), r.IntN(6)
	}
	if got := AdjustedRand(a, b); math.Abs(got) > 0.01 {
		t.Errorf("seed %d: independent labellings compare as %v, want about 0", seed, got)
	}
}

// Labellings that can't be compared give NaN, as Silhouette's do.
func TestAdjustedRandOfOddArguments(t *testing.T) {
	for _, c := range [][2][]int{{{0, 1}, {0}}, {{0, -1}, {0, 1}}, {{0, 1}, {-1, 1}}} {
		if got := AdjustedRand(c[0], c[1]); !math.IsNaN(got) {
			t.Errorf("%v: %v, want NaN", c, got)
		}
	}
}

// Zero values are empty, no traps: a table without observations, classes without a class,
// queues of the paper's options.
func TestZeroValues(t *testing.T) {
	if s, n := new(Predictor).Predict(0, 1, 0); s != 0 || n != 0 {
		t.Errorf("%v s of %d observations", s, n)
	}
	j := Job{Times: []float64{1, 2}}
	if k, ok := new(Classes).Fits(j); k != 0 || ok || new(Classes).Nearest(j) != 0 {
		t.Errorf("class %d, %v", k, ok)
	}
	var q Queues
	if _, err := q.Arrive(Job{}); err == nil {
		t.Error("a job without times arrived")
	}
	for range 3 {
		if a, err := q.Arrive(j); err != nil || a.Secondary != 0 || a.Primary != -1 {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if q.Secondary.List[0].Jobs != 3 {
		t.Errorf("%d jobs, want 3", q.Secondary.List[0].Jobs)
	}
}
