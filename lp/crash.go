package lp

import (
	"math"
	"slices"
)

// A start for large programs. Every group of machines works for the class with
// the largest w_i rate_ig (the index rule that holds at the optimum); the worth
// w of classes that come off badly is raised, that of others lowered, some
// rounds long. The best allocation found is a vertex: one class per group,
// lambda bound by the worst class, so that it is also a basis.

const crashRounds = 100

// crash returns a feasible basis near the optimum, in the numbering of
// problem(); nil for programs too small to need it.
func (r *reduced) crash() []int32 {
	f, g := len(r.classes), len(r.groups)
	if f*g < 200 {
		return nil
	}
	w, served := make([]float64, f), make([]float64, f)
	pick, best := make([]int32, g), make([]int32, g)
	for i := range w {
		w[i] = 1 / slices.Max(r.rate[i])
	}
	bestLambda, bestWorst := -1.0, 0
	for round := range crashRounds {
		r.assign(w, pick, served)
		lambda, worst := math.Inf(1), 0
		mean := 0.0
		for i, l := range served {
			mean += l / float64(f)
			if l < lambda {
				lambda, worst = l, i
			}
		}
		if lambda > bestLambda {
			bestLambda, bestWorst = lambda, worst
			copy(best, pick)
		}
		power := 0.5 / (1 + float64(round)) // harmonic: 4 to 7 times fewer pivots than slower decays
		for i, s := range served {
			ratio := mean / (s + 0.05*mean)
			w[i] *= math.Pow(ratio, power)
		}
	}
	return r.basisOf(best, bestWorst)
}

// assign gives each group to the class that earns most.
func (r *reduced) assign(w []float64, pick []int32, served []float64) {
	clear(served)
	top := make([]float64, len(pick))
	for i, row := range r.rate {
		for g, v := range row {
			if e := w[i] * v; e > top[g] {
				top[g], pick[g] = e, int32(i)
			}
		}
	}
	for g, i := range pick {
		served[i] += r.rate[i][g] * r.groups[g].capacity
	}
}

// basisOf makes the basis in which lambda, one variable per group and the
// slacks of all class rows but the worst are basic.
func (r *reduced) basisOf(pick []int32, worst int) []int32 {
	f, g := len(r.classes), len(r.groups)
	n := int32(1 + f*g)
	basis := make([]int32, 0, f+g)
	for i := range f {
		if i == worst {
			basis = append(basis, 0)
		} else {
			basis = append(basis, n+int32(i))
		}
	}
	for j := range g {
		basis = append(basis, 1+pick[j]*int32(g)+int32(j))
	}
	return basis
}
