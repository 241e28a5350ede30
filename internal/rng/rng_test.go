package rng

import (
	"math"
	"testing"
)

// A uniform sample of n has mean 1/2 with standard error 1/sqrt(12 n); an
// exponential one mean 1 with 1/sqrt(n); a normal one mean 0 with 1/sqrt(n)
// and variance 1 with sqrt(2/n). Five standard errors never fail by chance
// with a fixed key.
func TestMoments(t *testing.T) {
	const n = 200000
	k := NewKey(7, 3).At(11)
	var u, e, z, zz float64
	for i := uint64(0); i < n; i++ {
		u += k.Float64(i)
		e += k.Exp(i)
		x := k.Norm(i)
		z += x
		zz += x * x
	}
	check := func(name string, got, want, se float64) {
		t.Helper()
		if math.Abs(got-want) > 5*se {
			t.Errorf("%s: %v, want %v ± %v", name, got, want, 5*se)
		}
	}
	check("uniform mean", u/n, 0.5, 1/math.Sqrt(12*n))
	check("exponential mean", e/n, 1, 1/math.Sqrt(n))
	check("normal mean", z/n, 0, 1/math.Sqrt(n))
	check("normal second moment", zz/n, 1, math.Sqrt(2.0/n))
}

func TestKeysDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for s := uint64(0); s < 10; s++ {
		for p := uint64(0); p < 10; p++ {
			for a := uint64(0); a < 10; a++ {
				for i := uint64(0); i < 10; i++ {
					v := NewKey(s, p).At(a).Uint64(i)
					if seen[v] {
						t.Fatalf("seed %d purpose %d entity %d draw %d repeats", s, p, a, i)
					}
					seen[v] = true
				}
			}
		}
	}
}

func TestIntNStaysInside(t *testing.T) {
	k := NewKey(1, 1)
	var hits [7]int
	for i := uint64(0); i < 7000; i++ {
		hits[k.IntN(i, 7)]++
	}
	for v, h := range hits { // mean 1000, sd about 29
		if h < 850 || h > 1150 {
			t.Errorf("value %d drawn %d times of 7000", v, h)
		}
	}
}

// The draws of a stream are those of its key by number.
func TestStreamIsTheKeysDraws(t *testing.T) {
	k := NewKey(1, 2)
	s := NewStream(k)
	for i := range uint64(5) {
		if got := s.Uint64(); got != k.Uint64(i) {
			t.Errorf("draw %d: %x, want %x", i, got, k.Uint64(i))
		}
	}
}
