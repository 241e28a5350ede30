package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The report of the tree problems is in parts of the current configuration's cost: several
// of them have little or nothing to gain, where regret has no scale.

// point is the difference that counts.
const point = 0.01

// treeStops are the lengths of studies that are compared.
func treeStops(budget int) []int {
	return slices.DeleteFunc([]int{50, 100, 200, 500, 1000}, func(n int) bool { return n > budget })
}

// truthAt is the median truth of a method after a number of runs.
func (tb *table) truthAt(p, m, runs int) float64 {
	var out []float64
	for _, t := range tb.cells[p][m] {
		out = append(out, t.at(runs))
	}
	return median(out)
}

// opponents are the methods that the first one is compared with in the target: random
// search, tuned DE and SMAC3.
func opponents(tb *table) []int {
	var out []int
	for m, me := range tb.methods {
		if slices.ContainsFunc([]string{"random", "DE tuned", "SMAC3"}, func(part string) bool {
			return strings.Contains(me.name, part)
		}) {
			out = append(out, m)
		}
	}
	return out
}

// treeSheets compare the first method with the others at each length, show every problem at
// the last one, and count the problems on which the first method is behind.
func (tb *table) treeSheets() []sheet {
	stops := treeStops(tb.problems[0].budget)
	return []sheet{{rows: tb.treeMethodRows(stops)}, {"problems", tb.treeProblemRows(stops[len(stops)-1])},
		{"behind", tb.behindRows(stops)}}
}

func (tb *table) treeMethodRows(stops []int) [][]string {
	head := []string{"method", "repeats"}
	for _, n := range stops {
		head = append(head, fmt.Sprintf("cost_%d", n), fmt.Sprintf("better_%d", n), fmt.Sprintf("worse_%d", n))
	}
	rows := [][]string{append(head, "own_us")}
	for m, me := range tb.methods {
		row := []string{me.name, strconv.Itoa(tb.repeats[m] / len(tb.problems))}
		for _, n := range stops {
			sum, better, worse := 0.0, 0, 0
			for p := range tb.problems {
				own, v := tb.truthAt(p, 0, n), tb.truthAt(p, m, n)
				sum += v / float64(len(tb.problems))
				if own < v-point {
					better++
				}
				if own > v+point {
					worse++
				}
			}
			row = append(row, decimals(sum, 4), strconv.Itoa(better), strconv.Itoa(worse))
		}
		rows = append(rows, append(row, tb.ownTime(m)))
	}
	return rows
}

func (tb *table) treeProblemRows(runs int) [][]string {
	rows := [][]string{{"problem", "parameters"}}
	for _, me := range tb.methods {
		rows[0] = append(rows[0], me.name)
	}
	for p, pr := range tb.problems {
		row := []string{pr.name, strconv.Itoa(pr.space.Dim())}
		for m := range tb.methods {
			row = append(row, decimals(tb.truthAt(p, m, runs), 3))
		}
		rows = append(rows, row)
	}
	return rows
}

// behindRows counts the problems on which the first method is behind the best of its
// opponents.
func (tb *table) behindRows(stops []int) [][]string {
	rows := [][]string{{"against_best_of", "runs", "by_a_point", "by_5_percent", "most_points"}}
	ms := opponents(tb)
	var names []string
	for _, m := range ms {
		names = append(names, tb.methods[m].name)
	}
	for _, n := range stops {
		points, parts, most := 0, 0, 0.0
		for p := range tb.problems {
			best := math.Inf(1)
			for _, m := range ms {
				best = math.Min(best, tb.truthAt(p, m, n))
			}
			d := tb.truthAt(p, 0, n) - best
			if d > point {
				points++
			}
			if d > 0.05*best {
				parts++
			}
			most = math.Max(most, d)
		}
		if len(ms) > 0 {
			rows = append(rows, []string{strings.Join(names, "; "), strconv.Itoa(n), strconv.Itoa(points), strconv.Itoa(parts),
				decimals(100*most, 1)})
		}
	}
	return rows
}
