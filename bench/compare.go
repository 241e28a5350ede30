package main

import (
	"math"
	"sort"
)

// versus compares a reference method with another one over all problems.
type versus struct {
	name    string
	noWorse float64 // part of problems where the reference's median final regret is no larger
	half    float64 // part of problems where it is at most half
	ratios  []float64
	four    float64 // part of problems with at least 4 times fewer runs
	geomean float64 // of the ratios of runs to target
	a12     float64 // Vargha-Delaney: chance that the reference's regret is smaller, mean over problems
	wins    int     // problems with a significant difference after Holm's correction
	losses  int
}

// compare computes versus for method m against reference ref. The target of a
// problem is the other method's final median regret; the ratio is the runs the
// other needs to it over the runs the reference needs (if the reference never
// gets there: the other's runs over the whole budget, a ratio of at most 1).
func (tb *table) compare(ref, m int) versus {
	v := versus{name: tb.methods[m].name}
	n := float64(len(tb.problems))
	var ps []float64
	var signs []bool
	logs := 0.0
	for p := range tb.problems {
		a, b := tb.finals(p, ref), tb.finals(p, m)
		ma, mb := median(a), median(b)
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
		logs += math.Log(r) / n
		v.a12 += smaller(a, b) / n
		ps = append(ps, rankSum(a, b))
		signs = append(signs, smaller(a, b) > 0.5)
	}
	v.geomean = math.Exp(logs)
	for p, sig := range holm(ps, 0.05) {
		if sig && signs[p] {
			v.wins++
		} else if sig {
			v.losses++
		}
	}
	return v
}

func (tb *table) ratio(p, ref, m int, target float64) float64 {
	budget := float64(tb.problems[p].budget)
	return math.Min(tb.runsTo(p, m, target), budget) / math.Min(tb.runsTo(p, ref, target), budget)
}

// smaller is the Vargha-Delaney effect size A12 for "a is smaller".
func smaller(a, b []float64) float64 {
	s := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case x < y:
				s++
			case x == y:
				s += 0.5
			}
		}
	}
	return s / float64(len(a)*len(b))
}

// rankSum is the two-sided p value of the Wilcoxon rank-sum test by the normal
// approximation with correction for ties.
func rankSum(a, b []float64) float64 {
	n, m := float64(len(a)), float64(len(b))
	all := append(append([]float64(nil), a...), b...)
	sort.Float64s(all)
	ties := 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j] == all[i] {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	u := smaller(a, b) * n * m
	sd := math.Sqrt(n * m / 12 * (n + m + 1 - ties/((n+m)*(n+m-1))))
	if sd == 0 {
		return 1
	}
	z := math.Max(0, math.Abs(u-n*m/2)-0.5) / sd
	return math.Erfc(z / math.Sqrt2)
}

// holm marks the hypotheses rejected at the family-wise level.
func holm(ps []float64, level float64) []bool {
	idx := make([]int, len(ps))
	for i := range idx {
		idx[i] = i
	}
	sort.SliceStable(idx, func(a, b int) bool { return ps[idx[a]] < ps[idx[b]] })
	out := make([]bool, len(ps))
	for k, i := range idx {
		if ps[i] > level/float64(len(ps)-k) {
			break
		}
		out[i] = true
	}
	return out
}
