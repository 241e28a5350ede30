package tune

import (
	"math"
	"testing"

	"schedtune/internal/rng"
)

// Fieller's interval excludes 0 exactly where the paired t test tells the two means apart: on
// 2,000 samples of 8 pairs the verdict is that of the interval of the differences. Of
// samples whose means differ by a factor of 0.7 it covers the gain of 0.3 in 95 % of cases,
// within four standard errors of a proportion, also where more is better and where values are negative.
func TestRatioInterval(t *testing.T) {
	const n, samples, level = 8, 2000, 0.95
	for _, c := range []struct {
		name     string
		factor   float64
		maximize bool
		sign     float64
	}{{"equal", 1, false, 1}, {"less", 0.7, false, 1}, {"less of more", 0.7, true, 1}, {"negative", 0.7, false, -1}} {
		covered := 0
		for s := range uint64(samples) {
			k := rng.NewKey(s, 31)
			a, b, diff := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range a {
				common := k.Norm(uint64(3 * i))
				a[i] = c.sign * (10 + common + k.Norm(uint64(3*i+1)))
				b[i] = c.sign * (c.factor*(10+common) + k.Norm(uint64(3*i+2)))
				diff[i] = a[i] - b[i]
			}
			iv := ratioInterval(a, b, c.maximize, level)
			truth := 1 - c.factor
			if c.maximize != (c.sign < 0) {
				truth = -truth
			}
			if iv.Low <= truth && truth <= iv.High {
				covered++
			}
			if !(iv.Low <= iv.Mean && iv.Mean <= iv.High) {
				t.Fatalf("%s, sample %d: mean %v outside %v to %v", c.name, s, iv.Mean, iv.Low, iv.High)
			}
			test := MeanInterval(diff, level)
			if math.Abs(test.Low) > 1e-9 && math.Abs(test.High) > 1e-9 && (iv.Low > 0 || iv.High < 0) != (test.Low > 0 ||
				test.High < 0) {
				t.Fatalf("%s, sample %d: %v to %v, differences %v to %v", c.name, s, iv.Low, iv.High, test.Low, test.High)
			}
		}
		if part := float64(covered) / samples; math.Abs(part-level) > 4*math.Sqrt(level*(1-level)/samples) {
			t.Errorf("%s: covered %.3f of samples", c.name, part)
		}
	}
}

// Without noise both ends are the gain; a mean that can't be told from 0 has the interval of
// the pseudo-values, which is finite.
func TestRatioIntervalEdges(t *testing.T) {
	if iv := ratioInterval([]float64{4, 4, 4}, []float64{3, 3, 3}, false, 0.95); iv.Low != 0.25 || iv.High != 0.25 {
		t.Errorf("%v to %v, want 0.25", iv.Low, iv.High)
	}
	iv := ratioInterval([]float64{-5, 4, 2}, []float64{1, 2, 3}, false, 0.95)
	if math.IsNaN(iv.Low) || math.IsInf(iv.Low, 0) || !(iv.Low < iv.High) {
		t.Errorf("%v to %v", iv.Low, iv.High)
	}
	if iv := ratioInterval([]float64{4}, []float64{3}, false, 0.95); iv.Low > -1e300 {
		t.Errorf("one pair: %v to %v", iv.Low, iv.High)
	}
}
