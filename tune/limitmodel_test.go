package tune

import (
	"math"
	"testing"
)

// E[max(0, e + s Z)]: s/√(2π) at e = 0, e itself far within, 0 far beyond, and e without
// spread. Between, it is the integral of 1 - Φ(-x/s) from -∞ to e, computed by the midpoint rule.
func TestExpectedExcess(t *testing.T) {
	for _, c := range []struct{ e, s, want float64 }{
		{0, 2, 2 / math.Sqrt(2*math.Pi)}, {3, 0, 3}, {-3, 0, 0}, {5, 0.1, 5}, {-5, 0.1, 0},
	} {
		if got := expectedExcess(c.e, c.s); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %v: %v, want %v", c.e, c.s, got, c.want)
		}
	}
	const e, s, step = 0.3, 0.7, 1e-3
	sum := 0.0
	for x := e - 8*s + step/2; x < e; x += step {
		sum += step * math.Erfc(-x/s/math.Sqrt2) / 2
	}
	if got := expectedExcess(e, s); math.Abs(got-sum) > 1e-6 {
		t.Errorf("%v, the integral is %v", got, sum)
	}
}
