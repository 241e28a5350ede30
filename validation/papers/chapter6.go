package papers

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"schedtune/datasets"
	"schedtune/internal/stats"
)

// The tables of the thesis's chapter 6 as a whole: correlations and errors over all cells,
// and how near a model without error could come. Its tables are means of ten random runs;
// experiments that are equal by construction tell how far these lie apart.

// chapter6Cell is one cell of tables 6.1 to 6.20.
type chapter6Cell struct {
	experiment, item int // item: type or queue
	published, ours  float64
}

// chapter6Tables are the tables by ID, with the figure that they hold: r, l, v with the
// queue (0, 1; 2 for both), or m for makespans.
var chapter6Tables = table("chapter6")

// chapter6Equal lists pairs of experiments that differ in the User-Limit-Factor only, while
// no queue may exceed its capacity: a user is held to that by either factor.
var chapter6Equal = [][2]int{{2, 5}, {6, 8}, {10, 13}, {14, 16}, {18, 21}, {22, 24}, {26, 29}, {30, 32}}

// cells returns the cells of a table, or of all tables with a kind of figure and the
// experiments of a range, such as "m 9-32"; ours are from the scenarios "exp N".
func (r *runner) cells(selection string) (out []chapter6Cell) {
	kind, span, all := strings.Cut(selection, " ")
	from, to := 1, 32
	if all {
		must(fmt.Sscanf(span, "%d-%d", &from, &to))
	}
	for _, line := range chapter6Tables() {
		if !all && line["table"] != selection || all && line["figure"][:1] != kind {
			continue
		}
		t := must(datasets.Published("thesis", line["table"]))
		for _, row := range t.Rows {
			for c := 1; c < len(row); c++ {
				if cell := r.cell(line["figure"], row[0], t.Columns[c], row[c]); cell.experiment >= from && cell.experiment <= to {
					out = append(out, cell)
				}
			}
		}
	}
	return out
}

// cell reads one cell. Rows are types and columns experiments ("exp 9"), or for makespans
// rows experiments and columns queues ("queue 1").
func (r *runner) cell(figure, row, column, text string) chapter6Cell {
	_, number, _ := strings.Cut(column, " ")
	experiment, item := number, row
	name := figure + " " + row
	if figure == "m" {
		experiment, item, name = row, number, column
	}
	return chapter6Cell{must(strconv.Atoi(experiment)), must(strconv.Atoi(item)), must(strconv.ParseFloat(text, 64)),
		estimate(r.find("exp " + experiment + "/run/" + name)).Mean}
}

// chapter6 returns a figure by kind, experiment and item: the published one, or the mean of
// ours.
func (x *scope) chapter6(figure, experiment, item string) []float64 {
	if !x.published {
		name := figure + " " + item
		if figure == "m" {
			name = "queue " + item
		}
		return []float64{estimate(x.r.find("exp " + experiment + "/run/" + name)).Mean}
	}
	row, column := item, "exp "+experiment
	if figure == "m" {
		row, column = experiment, "queue "+item
	}
	for _, line := range chapter6Tables() {
		if line["figure"] != figure {
			continue
		}
		if v, err := must(datasets.Published("thesis", line["table"])).Float(row, column); err == nil {
			return []float64{v}
		}
	}
	panic(failed{fmt.Errorf("figure %s %s %s: not published", figure, experiment, item)})
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
