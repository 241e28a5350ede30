package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Moments returns the mean and the sample standard deviation, which is 0 for one value; the
// mean of no values is NaN.
func Moments(x []float64) (mean, sd float64) {
	mean = Mean(x)
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(max(1, len(x)-1)))
}

// Within returns the variance of values within their groups, pooled; that of all where there
// is one group or none is given, 0 where every group has one value.
func Within(v []float64, groups []int) float64 {
	sums, counts := map[int]float64{}, map[int]float64{}
	for i, g := range groups {
		sums[g] += v[i]
		counts[g]++
	}
	k := len(sums)
	if k <= 1 {
		_, s := Moments(v)
		return s * s
	}
	if len(v) == k {
		return 0
	}
	squares := 0.0
	for i, g := range groups {
		x := v[i] - sums[g]/counts[g]
		squares += float64(x * x)
	}
	return squares / float64(len(v)-k)
}

// StudentQuantile returns the number of standard errors that a two-sided interval of a level reaches
// by Student's distribution with so many degrees of freedom.
func StudentQuantile(level, free float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile((1 + level) / 2)
}

// NormalQuantile is StudentQuantile by the normal distribution.
func NormalQuantile(level float64) float64 { return distuv.UnitNormal.Quantile((1 + level) / 2) }

// VarianceRatio returns (var a + var b) / var(a - b) of paired observations: how
// many times more runs a comparison on separate seeds would need. It is
// 1 for independent pairs, and 0 if the differences do not vary. a and b are of one length.
func VarianceRatio(a, b []float64) float64 {
	_, sa := Moments(a)
	_, sb := Moments(b)
	_, sd := Moments(floats.SubTo(make([]float64, len(a)), a, b))
	if sd == 0 {
		return 0
	}
	return (sa*sa + sb*sb) / (sd * sd)
}
