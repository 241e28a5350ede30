package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// writeReport writes the tables as Markdown.
func writeReport(w io.Writer, title string, plots bool, tb *table, ref int) {
	fmt.Fprintf(w, "## %s\n\n", title)
	fmt.Fprintf(w, "%d problems, %d repeats, %d runs each.\n\n", len(tb.problems), len(tb.cells[0][0]), tb.problems[0].budget)
	tb.writeRepeats(w, ref)
	if plots {
		fmt.Fprintf(w, "Plots: [targets reached](search/search-ecdf-%s.svg), [the same with parts switched off](search/search-ecdf-parts-%s.svg); regret over runs in search/search-anytime-*.svg.\n\n", title, title)
	}
	writeSummary(w, tb, ref)
	writeVersus(w, tb, ref)
	if ref > 0 && tb.methods[0].name == "ours" {
		writeVersus(w, tb, 0)
	}
	writeFinals(w, tb)
	writeAnytimeTable(w, tb)
}

// anytimeRuns are the stops of the anytime table, as parts of the budget.
func anytimeRuns() []float64 {
	return []float64{0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1}
}

// writeAnytimeTable shows the regret of the best guess at a few stops.
func writeAnytimeTable(w io.Writer, tb *table) {
	fmt.Fprintln(w, "Stopped at any time: normalised regret of the best guess after so many runs, median over repeats, geometric mean over problems, each at least 0.001.")
	fmt.Fprint(w, "\n| method |")
	for _, part := range anytimeRuns() {
		fmt.Fprintf(w, " %.0f |", part*float64(tb.problems[0].budget))
	}
	fmt.Fprint(w, "\n|---|")
	for range anytimeRuns() {
		fmt.Fprint(w, "---|")
	}
	fmt.Fprintln(w)
	for m := range tb.methods {
		fmt.Fprintf(w, "| %s |", tb.methods[m].name)
		for _, part := range anytimeRuns() {
			fmt.Fprintf(w, " %.3f |", tb.geomean(m, int(part*float64(tb.problems[0].budget))))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// writeSummary is what a reader wants first: how far every method is at the usual
// lengths, on how many problems the reference ends no worse, how many times the runs of
// the reference it takes to its own end, and how long it thinks.
func writeSummary(w io.Writer, tb *table, ref int) {
	budget := tb.problems[0].budget
	stops := treeStops(budget)
	fmt.Fprintf(w, "Regret (median over repeats, geometric mean over problems, each at least 0.001) after so many runs; %q no worse at the end; runs the method needs to its own end over those of %q, and its runs to the end of %q, geometric means, the whole budget where one never gets there; time of its own.\n\n| method | repeats |", tb.methods[ref].name, tb.methods[ref].name, tb.methods[ref].name)
	for _, n := range stops {
		fmt.Fprintf(w, " %d |", n)
	}
	fmt.Fprintf(w, " no worse | runs ratio | to that end | a run |\n|---|---|%s---|---|---|---|\n", strings.Repeat("---|", len(stops)))
	for m, me := range tb.methods {
		fmt.Fprintf(w, "| %s | %d |", me.name, tb.repeats[m]/len(tb.problems))
		for _, n := range stops {
			fmt.Fprintf(w, " %.3f |", tb.geomean(m, n))
		}
		if v := tb.compare(ref, m); m == ref {
			fmt.Fprint(w, " | | |")
		} else {
			fmt.Fprintf(w, " %.0f %% | %.2f | %.0f |", 100*v.noWorse, v.geomean, tb.runsToEnd(m, ref))
		}
		fmt.Fprintf(w, " %v |\n", (tb.own[m] / time.Duration(max(1, tb.repeats[m]))).Round(10*time.Microsecond))
	}
	fmt.Fprintln(w)
}

// runsToEnd are the runs that a method needs to where the reference ends.
func (tb *table) runsToEnd(m, ref int) float64 {
	logs := 0.0
	for p, pr := range tb.problems {
		runs := math.Min(float64(pr.budget), tb.runsTo(p, m, median(tb.finals(p, ref))))
		logs += math.Log(runs) / float64(len(tb.problems))
	}
	return math.Exp(logs)
}

// geomean is the geometric mean over problems of a method's median regret.
func (tb *table) geomean(m, runs int) float64 {
	logs := 0.0
	for p := range tb.problems {
		logs += math.Log(math.Max(0.001, tb.quantileAt(p, m, runs, 0.5))) / float64(len(tb.problems))
	}
	return math.Exp(logs)
}

func writeVersus(w io.Writer, tb *table, ref int) {
	fmt.Fprintf(w, "%q against each method over all problems. No worse, at most half: parts of the problems by median final regret. Runs ratio: runs the method needs to its own final median regret over the runs %q needs to it, geometric mean, and the part of problems where it is at least 4. A12: chance that %q ends with less regret. Significant: problems won and lost by rank-sum test, Holm-corrected at 5 %%.\n\n", tb.methods[ref].name, tb.methods[ref].name, tb.methods[ref].name)
	fmt.Fprintln(w, "| method | no worse | at most half | runs ratio | ratio at least 4 | A12 | significant |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for m := range tb.methods {
		if m == ref {
			continue
		}
		v := tb.compare(ref, m)
		fmt.Fprintf(w, "| %s | %.0f %% | %.0f %% | %.2f | %.0f %% | %.2f | %d won, %d lost |\n",
			v.name, 100*v.noWorse, 100*v.half, v.geomean, 100*v.four, v.a12, v.wins, v.losses)
	}
	fmt.Fprintln(w)
}

func writeFinals(w io.Writer, tb *table) {
	fmt.Fprintln(w, "Final normalised regret, median (quartiles); 0 is the best known, 1 the present configuration. Last row: geometric mean of medians, each at least 0.001.")
	fmt.Fprint(w, "\n| problem |")
	for _, m := range tb.methods {
		fmt.Fprintf(w, " %s |", m.name)
	}
	fmt.Fprint(w, "\n|---|")
	for range tb.methods {
		fmt.Fprint(w, "---|")
	}
	fmt.Fprintln(w)
	logs := make([]float64, len(tb.methods))
	for p := range tb.problems {
		fmt.Fprintf(w, "| %s |", tb.problems[p].name)
		for m := range tb.methods {
			f := tb.finals(p, m)
			fmt.Fprintf(w, " %.3f (%.3f–%.3f) |", median(f), quantile(f, 0.25), quantile(f, 0.75))
			logs[m] += math.Log(math.Max(median(f), 0.001)) / float64(len(tb.problems))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| all |")
	for m := range tb.methods {
		fmt.Fprintf(w, " %.3f |", math.Exp(logs[m]))
	}
	fmt.Fprint(w, "\n\n")
}

// writeRepeats says which methods have other numbers of repeats than the reference.
func (tb *table) writeRepeats(w io.Writer, ref int) {
	var parts []string
	for m, me := range tb.methods {
		least, most := len(tb.cells[0][m]), 0
		for p := range tb.cells {
			n := len(tb.cells[p][m])
			least, most = min(least, n), max(most, n)
		}
		switch {
		case least < most:
			parts = append(parts, fmt.Sprintf("%s %d or %d", me.name, least, most))
		case least != len(tb.cells[0][ref]):
			parts = append(parts, fmt.Sprintf("%s %d", me.name, least))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(w, "Repeats: %s.\n\n", strings.Join(parts, "; "))
	}
}
