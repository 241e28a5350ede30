// Package stats holds the statistics of samples that reports and comparisons
// share, on gonum/stat.
package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// Mean is the arithmetic mean, summed in order; NaN of no values.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Median is the middle value, the mean of the middle two for an even number; NaN
// of no values.
func Median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	x = slices.Clone(x)
	slices.Sort(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// Quantile of an ascending sample of one value or more, linear between values
// (R's type 7). q is from 0 to 1.
func Quantile(sorted []float64, q float64) float64 { return At(sorted, q*float64(len(sorted)-1)) }

// At returns the value of an ascending sample at a place from 0, linear between values.
func At(sorted []float64, place float64) float64 {
	i := int(place)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (place-float64(i))*(sorted[i+1]-sorted[i])
}

// Rank is the share of ascending values below x, equal ones by half.
func Rank(sorted []float64, x float64) float64 {
	below := sort.SearchFloat64s(sorted, x)
	upTo := sort.Search(len(sorted), func(i int) bool { return sorted[i] > x })
	return float64(below+upTo) / 2 / float64(len(sorted))
}

// MeanInterval is the mean with Student's interval of the given level; of one
// value both ends are the value.
func MeanInterval(x []float64, level float64) (mean, low, high float64) {
	mean = stat.Mean(x, nil)
	if len(x) < 2 {
		return mean, mean, mean
	}
	half := StudentQuantile(level, float64(len(x)-1)) * stat.StdDev(x, nil) / math.Sqrt(float64(len(x)))
	return mean, mean - half, mean + half
}

// Spearman is the rank correlation of two samples, ties sharing their mean rank;
// NaN where one of them is constant.
func Spearman(x, y []float64) float64 { return stat.Correlation(Ranks(x), Ranks(y), nil) }

// Ranks are the places of the values in ascending order, from 1; equal values
// share their mean rank.
func Ranks(x []float64) []float64 {
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
		j := i + 1 // a NaN equals nothing, itself included
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
