package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Samples of known laws are recognised: the family with the smallest distance
// on values it was not fitted to, with parameters near the true ones (five
// standard errors).
func TestFitDist(t *testing.T) {
	const seed, n = 61, 2000
	r := rand.New(rand.NewPCG(seed, 0))
	draw := func(f func() float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = f()
		}
		return v
	}
	e := fitDist(draw(func() float64 { return 3 * r.ExpFloat64() }))
	if e.Family != "exponential" || math.Abs(e.A-3) > 5*3/math.Sqrt(n) {
		t.Errorf("exponential of mean 3: %+v", e)
	}
	l := fitDist(draw(func() float64 { return math.Exp(2 + 0.5*r.NormFloat64()) }))
	if l.Family != "lognormal" || math.Abs(l.A-2) > 5*0.5/math.Sqrt(n) || math.Abs(l.B-0.5) > 5*0.5/math.Sqrt(2*n) {
		t.Errorf("lognormal (2, 0.5): %+v", l)
	}
	two := fitDist(draw(func() float64 { return []float64{1, 50}[r.IntN(2)] + 0.1*r.Float64() }))
	if two.Family != "empirical" || two.HeldOut > 0.12 {
		t.Errorf("two peaks: %+v, want empirical quantiles", two)
	}
	seconds := fitDist(draw(func() float64 { return []float64{10, 10, 10, 60}[r.IntN(4)] }))
	if seconds.Family != "empirical" || seconds.HeldOut > 0.12 {
		t.Errorf("two values, 10 and 60: %+v, want empirical quantiles", seconds)
	}
	if c := fitDist([]float64{5, 5, 5.01}); c.Family != "constant" || c.A != 5 || c.text() != "constant 5" {
		t.Errorf("nearly constant: %+v", c)
	}
}

// Kolmogorov-Smirnov by hand: {1, 2} against {1.5, 3}: after 1 the shares are
// 1/2 and 0, after 2 they are 1 and 1/2: distance 1/2. {1, 3} against the
// uniform law on [0, 4]: at 1 the law has 1/4 (between 0 and 1/2), at 3 it has
// 3/4 (between 1/2 and 1): distance 1/4.
func TestKS(t *testing.T) {
	if d := ks2([]float64{2, 1}, []float64{3, 1.5}); d != 0.5 {
		t.Errorf("two samples: %v, want 0.5", d)
	}
	if d := ks2([]float64{1, 1, 2}, []float64{1, 1, 2}); d != 0 {
		t.Errorf("equal samples with ties: %v, want 0", d)
	}
	if d := ksCDF([]float64{1, 3}, func(x float64) float64 { return x / 4 }); d != 0.25 {
		t.Errorf("against a law: %v, want 0.25", d)
	}
	// Whole seconds: three values of 10 and one of 20 against themselves. The
	// quantiles are 10 up to 2/3, so that the law has a step there.
	steps := empirical([]float64{10, 10, 10, 20})
	if p := steps.cdf(10); p < 0.6 || p > 0.75 {
		t.Errorf("law at its step: %v, want about 2/3", p)
	}
	if d := ksCDF([]float64{10, 10, 10, 20}, steps.cdf); d > 0.25 {
		t.Errorf("against its own quantiles: %v, want at most 0.25", d)
	}
	d := empirical([]float64{1, 2, 3, 4, 5})
	for _, x := range []float64{0, 1, 1.5, 3, 4.9, 5, 9} {
		if p := d.cdf(x); math.Abs(p-math.Max(0, math.Min(1, (x-1)/4))) > 1e-12 {
			t.Errorf("empirical law at %v: %v, want %v", x, p, (x-1)/4)
		}
	}
}
