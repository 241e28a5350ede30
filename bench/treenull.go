package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// What the claim of the tree problems would show if the rivals were copies of the
// first method: its repeats are held against each other. On each problem every choice of
// some of them stands for ours, by its median, and every choice of three of the others
// for the three rivals; the parts of the choices that are worse than the best of three
// add up over problems.

// copies is how many rivals the claim has.
const copies = 3

// alteration changes the repeats of a method before they are held against each other.
type alteration struct {
	name string
	own  int // repeats that stand for ours
	// spread is the factor on how far each log cost is from the problem's mean of them.
	spread float64
	// handicap is the factor on the rivals' costs.
	handicap float64
}

// alterations are the rows of the table.
func alterations() []alteration {
	return []alteration{
		{"one study", 1, 1, 1},
		{"median of two", 2, 1, 1},
		{"one study, half the spread between seeds", 1, 0.5, 1},
		{"one study, a quarter of it", 1, 0.25, 1},
		{"one study, an eighth of it", 1, 0.125, 1},
		{"one study, rivals' costs 5 % higher", 1, 1, 1.05},
		{"one study, rivals' costs 10 % higher", 1, 1, 1.1},
		{"one study, rivals' costs 20 % higher", 1, 1, 1.2},
	}
}

// behind are the parts of the choices of repeats, by their costs on a problem, in which
// ours is more than a point and more than 5 % worse than the best of its copies. There
// must be own + copies repeats at least.
func (a alteration) behind(costs []float64) (points, parts float64) {
	x := a.apply(costs)
	choices := 0.0
	for _, ours := range choose(len(x), a.own) {
		var own, rest []float64
		for i, v := range x {
			if slices.Contains(ours, i) {
				own = append(own, v)
			} else {
				rest = append(rest, v*a.handicap)
			}
		}
		for _, rivals := range choose(len(rest), copies) {
			best := math.Inf(1)
			for _, i := range rivals {
				best = math.Min(best, rest[i])
			}
			choices++
			d := median(own) - best
			if d > point {
				points++
			}
			if d > 0.05*best {
				parts++
			}
		}
	}
	return points / choices, parts / choices
}

// apply moves costs towards the mean of their logarithms.
func (a alteration) apply(costs []float64) []float64 {
	mean := 0.0
	for _, v := range costs {
		mean += math.Log(v) / float64(len(costs))
	}
	var out []float64
	for _, v := range costs {
		out = append(out, math.Exp(mean+a.spread*(math.Log(v)-mean)))
	}
	return out
}

// choose lists the choices of k of n.
func choose(n, k int) [][]int {
	if k == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for last := k - 1; last < n; last++ {
		for _, c := range choose(last, k-1) {
			out = append(out, append(c, last))
		}
	}
	return out
}

// writeNull writes the table, where there are repeats enough.
func (tb *table) writeNull(w io.Writer, stops []int) {
	repeats := math.MaxInt
	for p := range tb.problems {
		repeats = min(repeats, len(tb.cells[p][0]))
	}
	if repeats < 1+copies {
		return
	}
	fmt.Fprintf(w, "%q against the best of %d copies of itself, over all choices of %d repeats: problems of %d on which it is worse by more than a point, and by more than 5 %%:\n\n| |", tb.methods[0].name, copies, repeats, len(tb.problems))
	for _, n := range stops {
		fmt.Fprintf(w, " %d runs |", n)
	}
	fmt.Fprint(w, "\n|---|")
	for range stops {
		fmt.Fprint(w, "---|")
	}
	for _, a := range alterations() {
		if repeats < a.own+copies {
			continue
		}
		fmt.Fprintf(w, "\n| %s |", a.name)
		for _, n := range stops {
			points, parts := 0.0, 0.0
			for p := range tb.problems {
				var costs []float64
				for _, t := range tb.cells[p][0][:repeats] {
					costs = append(costs, t.at(n))
				}
				more, part := a.behind(costs)
				points, parts = points+more, parts+part
			}
			fmt.Fprintf(w, " %.1f, %.1f |", points, parts)
		}
	}
	fmt.Fprint(w, "\n\n")
}
