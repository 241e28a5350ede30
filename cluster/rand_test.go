package cluster

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand, for a = 0 0 1 1 and b = 0 0 1 2: one pair is together in both, 2 in a, 1 in b, of 6; expected 1/3, most 3/2: (1 - 1/3) / (3/2 - 1/3) = 4/7.
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
