package papers

import (
	"math"
	"slices"

	"schedtune/internal/stats"
)

// Estimate is a mean over replications with its 95 % interval (Student's t).
type Estimate struct {
	Mean, Low, High float64
	N               int
}

// estimate summarises replications; one alone has no interval (Low = High =
// the value).
func estimate(xs []float64) Estimate {
	e := Estimate{N: len(xs)}
	e.Mean, e.Low, e.High = stats.MeanInterval(xs, 0.95)
	return e
}

// column takes figure f of every replication.
func column(reps [][]float64, f int) []float64 {
	out := make([]float64, len(reps))
	for i, r := range reps {
		out[i] = r[f]
	}
	return out
}

// reduction returns, replication by replication, by how many percent a lies
// below b: the paired form of "A improves on B by x %".
func reduction(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = 100 * (1 - a[i]/b[i])
	}
	return out
}

// quotient returns a over b, replication by replication.
func quotient(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

// meanRelativeError is the mean of |ours - published| / published.
func meanRelativeError(ours, published []float64) float64 {
	var sum float64
	for i := range ours {
		sum += math.Abs(ours[i]-published[i]) / published[i]
	}
	return sum / float64(len(ours))
}

// ascending returns a sorted copy.
func ascending(x []float64) []float64 {
	out := slices.Clone(x)
	slices.Sort(out)
	return out
}
