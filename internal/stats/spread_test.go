package stats

import (
	"math"
	"testing"

	"schedtune/internal/rng"
)

// With a = s + e1, b = s + e2, var s = 1 and var e = 1/4 the ratio is
// (1.25 + 1.25) / 0.5 = 5; with n = 20000 its standard error is below 0.1.
func TestVarianceRatio(t *testing.T) {
	const n = 20000
	a, b := make([]float64, n), make([]float64, n)
	k := rng.NewKey(5, 5)
	for i := range a {
		s := k.Norm(uint64(i))
		a[i], b[i] = s+k.At(1).Norm(uint64(i))/2, s+k.At(2).Norm(uint64(i))/2
	}
	if r := VarianceRatio(a, b); math.Abs(r-5) > 0.4 {
		t.Errorf("ratio %v, want 5", r)
	}
	if r := VarianceRatio(a, a); r != 0 {
		t.Errorf("differences without spread: %v, want 0", r)
	}
}

// Two groups of two values, 1 and 3, 11 and 15: squares of 2 and 8 on two degrees of freedom.
// One group is all values, and groups of one value show no spread.
func TestWithin(t *testing.T) {
	v := []float64{1, 11, 3, 15}
	for name, c := range map[string]struct {
		groups []int
		want   float64
	}{"two groups": {[]int{3, 5, 3, 5}, 5}, "one group": {[]int{1, 1, 1, 1}, 131.0 / 3},
		"each its own": {[]int{1, 2, 3, 4}, 0}} {
		t.Run(name, func(t *testing.T) {
			if got := Within(v, c.groups); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
