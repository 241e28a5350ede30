package main

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// versus compares a reference method with another one over all problems.
type versus struct {
	name    string
	noWorse float64 // part of problems where the reference's median final regret is no larger
	half    float64 // part of problems where it is at most half
	ratios  []float64
	four    float64 // part of problems with at least 4 times fewer runs
	geomean float64 // of the ratios of runs to target
}

// compare computes versus for method m against reference ref. The target of a
// problem is the other method's final median regret; the ratio is the runs the
// other needs to it over the runs the reference needs (if the reference never
// gets there: the other's runs over the whole budget, a ratio of at most 1).
func (tb *table) compare(ref, m int) versus {
	v := versus{name: tb.methods[m].name}
	n := float64(len(tb.problems))
	for p := range tb.problems {
		ma, mb := median(tb.finals(p, ref)), median(tb.finals(p, m))
		if ma <= mb+1e-12 {
			v.noWorse += 1 / n
		}
		if ma <= mb/2+1e-12 {
			v.half += 1 / n
		}
		r := tb.ratio(p, ref, m, mb)
		v.ratios = append(v.ratios, r)
		if r >= 4 {
			v.four += 1 / n
		}
	}
	v.geomean = stat.GeometricMean(v.ratios, nil)
	return v
}

func (tb *table) ratio(p, ref, m int, target float64) float64 {
	budget := float64(tb.problems[p].budget)
	return math.Min(tb.runsTo(p, m, target), budget) / math.Min(tb.runsTo(p, ref, target), budget)
}
