package papers

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat"

	"schedtune/datasets"
	"schedtune/internal/stats"
)

// The tables of the thesis's chapter 6 as a whole: correlations and errors over all cells,
// and how near a model without error could come. Its tables are means of ten random runs;
// experiments that are equal by construction tell how far these lie apart.

// chapter6Cell is one cell of tables 6.1 to 6.20. figure is what the table holds: r, l, v with
// the queue (0, 1; 2 for both), or m for makespans.
type chapter6Cell struct {
	table, figure    string
	experiment, item int // item: type or queue
	published, ours  float64
}

// chapter6Cells are the published cells.
var chapter6Cells = sync.OnceValue(func() (out []chapter6Cell) {
	for _, line := range records("chapter6", "") {
		t := must(datasets.Published("thesis", line["table"]))
		for _, row := range t.Rows {
			for c := 1; c < len(row); c++ {
				// Rows are types and columns experiments ("exp 9"), or for makespans rows
				// experiments and columns queues ("queue 1").
				_, number, _ := strings.Cut(t.Columns[c], " ")
				experiment, item := number, row[0]
				if line["figure"] == "m" {
					experiment, item = item, experiment
				}
				out = append(out, chapter6Cell{line["table"], line["figure"], must(strconv.Atoi(experiment)),
					must(strconv.Atoi(item)), must(strconv.ParseFloat(row[c], 64)), math.NaN()})
			}
		}
	}
	return out
})

// chapter6Equal lists pairs of experiments that differ in the User-Limit-Factor only, while
// no queue may exceed its capacity: a user is held to that by either factor.
var chapter6Equal = [][2]int{{2, 5}, {6, 8}, {10, 13}, {14, 16}, {18, 21}, {22, 24}, {26, 29}, {30, 32}}

// measured returns ours of a cell, from the scenarios "exp N".
func (r *runner) measured(figure string, experiment, item int) float64 {
	name := fmt.Sprint(figure, " ", item)
	if figure == "m" {
		name = fmt.Sprint("queue ", item)
	}
	return estimate(r.find(fmt.Sprintf("exp %d/run/%s", experiment, name))).Mean
}

// cells returns the cells of a table, or of all tables with a kind of figure and the
// experiments of a range, such as "m 9-32".
func (r *runner) cells(selection string) (out []chapter6Cell) {
	kind, span, all := strings.Cut(selection, " ")
	var from, to int
	if all {
		must(fmt.Sscanf(span, "%d-%d", &from, &to))
	}
	for _, c := range chapter6Cells() {
		if all && c.figure[:1] == kind && c.experiment >= from && c.experiment <= to || c.table == selection {
			c.ours = r.measured(c.figure, c.experiment, c.item)
			out = append(out, c)
		}
	}
	return out
}

// chapter6 returns a figure by kind, experiment and item: the published one, or the mean of
// ours.
func (x *scope) chapter6(figure string, experiment, item int) float64 {
	if !x.published {
		return x.r.measured(figure, experiment, item)
	}
	for _, c := range chapter6Cells() {
		if c.figure == figure && c.experiment == experiment && c.item == item {
			return c.published
		}
	}
	panic(failed{fmt.Errorf("figure %s %d %d: not published", figure, experiment, item)})
}

// cellsMeasure returns a measure over cells.
func (r *runner) cellsMeasure(selection, measure string) float64 {
	cells := r.cells(selection)
	var ours, published, nulls []float64
	for _, c := range cells {
		ours, published = append(ours, c.ours), append(published, c.published)
		nulls = append(nulls, itemMean(cells, c.item, false))
	}
	switch measure {
	case "rank":
		return stats.Spearman(ours, published)
	case "null rank":
		return stats.Spearman(nulls, published)
	case "effect":
		return stats.Spearman(effects(cells, true), effects(cells, false))
	case "error":
		return 100 * meanRelativeError(ours, published)
	case "null error":
		return 100 * meanRelativeError(nulls, published)
	case "attainable":
		return attainable(cells, false)
	case "attainable effect":
		return attainable(cells, true)
	}
	panic(failed{fmt.Errorf("measure %s: unknown", measure)})
}

// equalCells returns the indices of the cells of equal experiments.
func equalCells(cells []chapter6Cell) (out [][2]int) {
	at := map[[2]int]int{}
	for i, c := range cells {
		at[[2]int{c.experiment, c.item}] = i
	}
	for _, pair := range chapter6Equal {
		for item := 1; item <= 7; item++ {
			a, ok := at[[2]int{pair[0], item}]
			if b, both := at[[2]int{pair[1], item}]; ok && both {
				out = append(out, [2]int{a, b})
			}
		}
	}
	return out
}

// attainable returns the rank correlation with the published figures of a table, or of its
// settings' effects, that figures without error would have, from how far the thesis's own
// repeats lie apart (docs/validation.md).
func attainable(cells []chapter6Cell, ofEffects bool) float64 {
	v := make([]float64, len(cells))
	for i, c := range cells {
		if v[i] = c.published; ofEffects {
			v[i] /= itemMean(cells, c.item, false)
		}
	}
	ranks := stats.Ranks(v)
	equal := equalCells(cells)
	if len(equal) == 0 {
		return 1
	}
	var within float64
	for _, pair := range equal {
		d := ranks[pair[0]] - ranks[pair[1]]
		within += d * d / 2
	}
	return math.Sqrt(math.Max(0, 1-within/float64(len(equal))/stat.PopVariance(ranks, nil)))
}

// itemMean is the mean of a type's or queue's figures, ours or the published.
func itemMean(cells []chapter6Cell, item int, ours bool) float64 {
	var sum, n float64
	for _, c := range cells {
		if c.item == item {
			n++
			if sum += c.published; ours {
				sum += c.ours - c.published
			}
		}
	}
	return sum / n
}

// effects are the figures over their type's mean.
func effects(cells []chapter6Cell, ours bool) []float64 {
	var out []float64
	for _, c := range cells {
		v := c.published
		if ours {
			v = c.ours
		}
		out = append(out, v/itemMean(cells, c.item, ours))
	}
	return out
}
