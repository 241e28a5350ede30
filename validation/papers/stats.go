package papers

import (
	"math"

	"schedtune/internal/stats"
)

// Estimate is a mean over replications with its 95 % interval (Student's t).
type Estimate struct {
	Mean, Low, High float64
	N               int
}

// estimate summarises replications, without those that have no value; one alone has no
// interval (Low = High = the value).
func estimate(xs []float64) Estimate {
	var known []float64
	for _, v := range xs {
		if !math.IsNaN(v) {
			known = append(known, v)
		}
	}
	if known == nil {
		return exact(math.NaN())
	}
	e := Estimate{N: len(known)}
	e.Mean, e.Low, e.High = stats.MeanInterval(known, 0.95)
	return e
}

// exact is an estimate without spread.
func exact(v float64) Estimate { return Estimate{Mean: v, Low: v, High: v, N: 1} }

// meanRelativeError is the mean of |ours - published| / published.
func meanRelativeError(ours, published []float64) float64 {
	var sum float64
	for i := range ours {
		sum += math.Abs(ours[i]-published[i]) / published[i]
	}
	return sum / float64(len(ours))
}
