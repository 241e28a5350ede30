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
	m, sd := stats.Moments(x)
	n := float64(len(x))
	iv := Interval{Mean: m, Low: m, High: m, N: len(x), Level: level}
	if len(x) < 2 || !(level > 0 && level < 1) {
		iv.Low, iv.High = -math.MaxFloat64, math.MaxFloat64
		return iv
	}
	if sd > 0 {
		t := stats.StudentQuantile(level, n-1)
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
	m, sd := stats.Moments(x)
	iv, n := MeanInterval(x, level), len(x)
	if n < 3 || sd == 0 || !(level > 0 && level < 1) {
		return iv
	}
	root := math.Sqrt(float64(n))
	ts := make([]float64, 0, resamples)
	y := make([]float64, n)
	for b := range resamples {
		k := key.At(uint64(b))
		for i := range y {
			y[i] = x[k.IntN(uint64(i), n)]
		}
		if my, sy := stats.Moments(y); sy > 0 {
			ts = append(ts, (my-m)*root/sy)
		}
	}
	if len(ts) < resamples/2 {
		return iv
	}
	slices.Sort(ts)
	iv.Low = m - stats.Quantile(ts, (1+level)/2)*sd/root
	iv.High = m - stats.Quantile(ts, (1-level)/2)*sd/root
	return iv
}
