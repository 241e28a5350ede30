package reproduce

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a mean over replications with its 95 % interval (Student's t).
type Estimate struct {
	Mean, Low, High float64
	N               int
}

// estimate summarises replications; one alone has no interval (Low = High =
// the value).
func estimate(xs []float64) Estimate {
	e := Estimate{N: len(xs), Mean: stat.Mean(xs, nil)}
	e.Low, e.High = e.Mean, e.Mean
	if e.N > 1 {
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(e.N - 1)}.Quantile(0.975) *
			stat.StdDev(xs, nil) / math.Sqrt(float64(e.N))
		e.Low, e.High = e.Mean-half, e.Mean+half
	}
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

// spearman is the rank correlation of two series; ties get their mean rank.
// NaN where one of them is constant.
func spearman(x, y []float64) float64 { return stat.Correlation(ranks(x), ranks(y), nil) }

func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	r := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			r[order[k]] = float64(i+j-1)/2 + 1
		}
		i = j
	}
	return r
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
