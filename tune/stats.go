package tune

import (
	"math"
	"slices"

	"schedtune/internal/rng"
	"schedtune/internal/stats"
)

// Interval is an estimate with a confidence interval.
type Interval struct {
	Mean  float64 `json:"mean"`  // the estimate
	Low   float64 `json:"low"`   // lower end of the interval
	High  float64 `json:"high"`  // upper end
	N     int     `json:"n"`     // observations
	Level float64 `json:"level"` // nominal coverage
}

// negative is the interval of the negative of what is estimated.
func (iv Interval) negative() Interval {
	iv.Mean, iv.Low, iv.High = -iv.Mean, -iv.High, -iv.Low
	return iv
}

// MeanInterval returns Student's interval for the mean of x; of paired differences
// it is the interval of the paired t test. One observation gives an interval
// without ends, as does a level that is not between 0 and 1.
func MeanInterval(x []float64, level float64) Interval {
	m, sd := moments(x)
	n := float64(len(x))
	iv := Interval{Mean: m, Low: m, High: m, N: len(x), Level: level}
	if len(x) < 2 || !(level > 0 && level < 1) {
		iv.Low, iv.High = -math.MaxFloat64, math.MaxFloat64
		return iv
	}
	if sd > 0 {
		t := studentQuantile(level, n-1)
		iv.Low, iv.High = m-t*sd/math.Sqrt(n), m+t*sd/math.Sqrt(n)
	}
	return iv
}

// sizeInterval is MeanInterval of what is never negative, as the values show:
// then neither is the lower end, since no mean can be.
func sizeInterval(x []float64, level float64) Interval {
	iv := MeanInterval(x, level)
	if len(x) > 1 && slices.Min(x) >= 0 {
		iv.Low = math.Max(iv.Low, 0)
	}
	return iv
}

// bootstrapInterval is the bootstrap-t interval for the mean of x (Efron and
// Tibshirani, "An Introduction to the Bootstrap", 1993, section 12.5): it needs
// no normality and follows skewness. Draws come from the key.
func bootstrapInterval(x []float64, level float64, key rng.Key) Interval {
	const resamples = 2000
	m, sd := moments(x)
	iv := Interval{Mean: m, Low: m, High: m, N: len(x), Level: level}
	if len(x) < 3 || sd == 0 || !(level > 0 && level < 1) {
		return MeanInterval(x, level)
	}
	n := len(x)
	root := math.Sqrt(float64(n))
	ts := make([]float64, 0, resamples)
	y := make([]float64, n)
	for b := range resamples {
		k := key.At(uint64(b))
		for i := range y {
			y[i] = x[k.IntN(uint64(i), n)]
		}
		if my, sy := moments(y); sy > 0 {
			ts = append(ts, (my-m)*root/sy)
		}
	}
	if len(ts) < resamples/2 {
		return MeanInterval(x, level)
	}
	slices.Sort(ts)
	iv.Low = m - stats.Quantile(ts, (1+level)/2)*sd/root
	iv.High = m - stats.Quantile(ts, (1-level)/2)*sd/root
	return iv
}

// moments returns mean and sample standard deviation (0 for one value).
func moments(x []float64) (mean, sd float64) {
	if len(x) == 0 {
		return math.NaN(), 0
	}
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(max(1, len(x)-1)))
}

// varianceRatio is (var a + var b) / var(a - b) of paired observations: how
// many times more runs a comparison on separate seeds would need. It is
// 1 for independent pairs, and 0 if the differences do not vary. a and b are of one
// length, at least 2.
func varianceRatio(a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	_, sa := moments(a)
	_, sb := moments(b)
	_, sd := moments(d)
	if sd == 0 {
		return 0
	}
	return (sa*sa + sb*sb) / (sd * sd)
}

// spearman is the rank correlation of two samples, ties sharing their mean
// rank; 0 if one does not vary.
func spearman(a, b []float64) float64 {
	a, b = stats.Ranks(a), stats.Ranks(b)
	ma, sa := moments(a)
	mb, sb := moments(b)
	if sa == 0 || sb == 0 {
		return 0
	}
	s := 0.0
	for i := range a {
		s += (a[i] - ma) * (b[i] - mb)
	}
	return s / float64(len(a)-1) / (sa * sb)
}
