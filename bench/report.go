package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/stat"
)

// sheet is one CSV file of a report; part is the end of its name, empty for the one of the
// methods.
type sheet struct {
	part string
	rows [][]string
}

// writeTo writes the sheet as CSV.
func (s sheet) writeTo(w io.Writer) error { return csv.NewWriter(w).WriteAll(s.rows) }

// save writes the sheet as dir/NAME-PART.csv.
func (s sheet) save(dir, name string) error {
	if s.part != "" {
		name += "-" + s.part
	}
	f, err := os.Create(filepath.Join(dir, name+".csv"))
	if err != nil {
		return err
	}
	return cmp.Or(s.writeTo(f), f.Close())
}

// regretSheets are the methods over all problems and the final regrets by problem.
func (tb *table) regretSheets(ref int) []sheet {
	return []sheet{{rows: tb.methodRows(ref)}, {"problems", tb.finalRows()}}
}

// lengths are the numbers of runs after which regrets are shown: the usual lengths of
// studies, and parts of the budget.
func (tb *table) lengths() []int {
	budget := tb.problems[0].budget
	out := treeStops(budget)
	for _, part := range []float64{0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1} {
		out = append(out, int(part*float64(budget)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// methodRows has a row for each method: regrets (median over repeats, geometric mean over
// problems), and the comparison with the reference.
func (tb *table) methodRows(ref int) [][]string {
	head := []string{"method", "repeats"}
	for _, n := range tb.lengths() {
		head = append(head, strconv.Itoa(n))
	}
	rows := [][]string{append(head, "no_worse_percent", "half_percent", "runs_ratio", "ratio_4_percent", "runs_to_end",
		"own_us")}
	for m, me := range tb.methods {
		row := []string{me.name, strconv.Itoa(tb.repeats[m] / len(tb.problems))}
		for _, n := range tb.lengths() {
			row = append(row, decimals(tb.geomean(m, n), 3))
		}
		if m == ref {
			row = append(row, make([]string, 5)...)
		} else {
			v := tb.compare(ref, m)
			row = append(row, decimals(100*v.noWorse, 0), decimals(100*v.half, 0), decimals(v.geomean, 2),
				decimals(100*v.four, 0), decimals(tb.runsToEnd(m, ref), 0))
		}
		rows = append(rows, append(row, tb.ownTime(m)))
	}
	return rows
}

// finalRows has the quartiles of the final regrets of each problem, a column for each method.
func (tb *table) finalRows() [][]string {
	rows := [][]string{{"problem", "quantile"}}
	for _, me := range tb.methods {
		rows[0] = append(rows[0], me.name)
	}
	for p, pr := range tb.problems {
		for _, q := range []float64{0.25, 0.5, 0.75} {
			row := []string{pr.name, fmt.Sprint(q)}
			for m := range tb.methods {
				row = append(row, decimals(quantile(tb.finals(p, m), q), 3))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// ownTime is the time that a method takes itself for a run, in microseconds, to the nearest
// ten.
func (tb *table) ownTime(m int) string {
	own := tb.own[m] / time.Duration(max(1, tb.repeats[m]))
	return strconv.FormatInt(own.Round(10*time.Microsecond).Microseconds(), 10)
}

func decimals(v float64, n int) string { return strconv.FormatFloat(v, 'f', n, 64) }

// runsToEnd returns the runs that a method needs to the final regret of the reference:
// geometric mean, the whole budget where it never gets there.
func (tb *table) runsToEnd(m, ref int) float64 {
	var runs []float64
	for p, pr := range tb.problems {
		runs = append(runs, math.Min(float64(pr.budget), tb.runsTo(p, m, median(tb.finals(p, ref)))))
	}
	return stat.GeometricMean(runs, nil)
}

// geomean returns the geometric mean over problems of a method's median regret, each at
// least 0.001.
func (tb *table) geomean(m, runs int) float64 {
	var regrets []float64
	for p := range tb.problems {
		regrets = append(regrets, math.Max(0.001, tb.quantileAt(p, m, runs, 0.5)))
	}
	return stat.GeometricMean(regrets, nil)
}
