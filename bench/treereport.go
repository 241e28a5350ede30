package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// The report of the tree problems is in parts of the present's cost, as several of
// them have little or nothing to gain, where regret has no scale.

// point is the difference that counts.
const point = 0.01

// treeStops are the budgets of the table.
func treeStops(budget int) []int {
	var out []int
	for _, n := range []int{50, 100, 200, 500, 1000} {
		if n <= budget {
			out = append(out, n)
		}
	}
	return out
}

// truthAt is the median truth of a method after a number of runs.
func (tb *table) truthAt(p, m, runs int) float64 {
	var out []float64
	for _, t := range tb.cells[p][m] {
		out = append(out, t.at(runs))
	}
	return median(out)
}

// opponents are the methods that ours is held against in the claim.
func opponents(tb *table) []int {
	var out []int
	for m, me := range tb.methods {
		for _, part := range []string{"random", "DE tuned", "SMAC3"} {
			if strings.Contains(me.name, part) {
				out = append(out, m)
			}
		}
	}
	return out
}

// writeTrees compares the first method with the others at each budget, and shows
// every problem at the last one.
func writeTrees(w io.Writer, tb *table) {
	stops := treeStops(tb.problems[0].budget)
	fmt.Fprintf(w, "%d problems, %d repeats. Cost: the objective of the recommended settings over the present's, mean of %d held-out runs, with what limits, lost jobs and shortfall add; 1 is the present, less is better; median over repeats.\n\n", len(tb.problems), len(tb.cells[0][0]), treeTruth)
	tb.writeRepeats(w, 0)
	fmt.Fprintf(w, "Mean cost over problems, and problems on which %q is more than a point better and more than a point worse:\n\n| method |", tb.methods[0].name)
	for _, n := range stops {
		fmt.Fprintf(w, " %d runs | better, worse |", n)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|---|", len(stops)))
	for m, me := range tb.methods {
		fmt.Fprintf(w, "| %s |", me.name)
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
			fmt.Fprintf(w, " %.4f | %d, %d |", sum, better, worse)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	tb.writeClaim(w, stops)
	tb.writeNull(w, stops)
	tb.writeTreeProblems(w, stops[len(stops)-1])
}

// writeClaim says on how many problems the first method is behind the best of
// random search, DE and SMAC3.
func (tb *table) writeClaim(w io.Writer, stops []int) {
	ms := opponents(tb)
	if len(ms) == 0 {
		return
	}
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
		fmt.Fprintf(w, "%d runs: worse than the best of %s by more than a point on %d of %d problems, by more than 5 %% on %d, by %.1f points at most.\n\n",
			n, strings.Join(names, "; "), points, len(tb.problems), parts, 100*most)
	}
}

func (tb *table) writeTreeProblems(w io.Writer, runs int) {
	fmt.Fprintf(w, "Cost after %d runs:\n\n| problem | parameters |", runs)
	for _, me := range tb.methods {
		fmt.Fprintf(w, " %s |", me.name)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", 1+len(tb.methods)))
	for p, pr := range tb.problems {
		fmt.Fprintf(w, "| %s | %d |", pr.name, pr.space.Dim())
		for m := range tb.methods {
			fmt.Fprintf(w, " %.3f |", tb.truthAt(p, m, runs))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// writeOwn shows the time that the methods take themselves.
func writeOwn(w io.Writer, tb *table) {
	fmt.Fprint(w, "Time of the method itself per run, rough, as the machine did other things too: ")
	var parts []string
	for m, me := range tb.methods {
		if tb.repeats[m] > 0 {
			own := tb.own[m] / time.Duration(tb.repeats[m])
			parts = append(parts, fmt.Sprintf("%s %v", me.name, own.Round(10*time.Microsecond)))
		}
	}
	fmt.Fprintln(w, strings.Join(parts, "; ")+".")
	fmt.Fprintln(w)
}
