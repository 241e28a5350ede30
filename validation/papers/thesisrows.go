package papers

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"schedtune/datasets"
	"schedtune/internal/stats"
)

// The cells of the thesis's tables 6.1 to 6.20 and the verdicts over them.

// thesisRows adds the cells of a table and the verdicts over all of them: the rank
// correlation over the table, whose null model knows the types (queues) and no
// settings; the rank correlation of the effect of the settings, each type's
// figures over their mean, where the thesis repeats itself in that; and the mean
// relative error of makespans and response ratios.
func (s *Section) thesisRows(pub *datasets.Table, kind byte, half int, runs map[int]*thesisRun) error {
	var cells []thesisValue
	for _, row := range pub.Rows {
		for c := 1; c < len(row); c++ {
			cell, err := thesisCell(pub, row, kind, half, c, runs)
			if err != nil {
				return err
			}
			s.show(cell.what, cell.unit, cell.published, cell.ours)
			cells = append(cells, cell)
		}
	}
	ours, theirs, nulls := thesisColumns(cells)
	const typeMeans = "means of types or queues"
	s.rank("rank correlation over the table", ours, theirs, nulls, typeMeans)
	if pub.ID == "6.19" {
		s.apart("the thesis prints table 6.15 again")
	}
	s.repeated(cells, false)
	s.rank("rank correlation of the settings' effect (figures over their type's mean)", thesisEffects(cells, true), thesisEffects(cells, false), nil, typeMeans)
	if pub.ID == "6.19" {
		s.apart("the thesis prints table 6.15 again")
	}
	s.repeated(cells, true)
	s.show("rank correlation over the table that figures without error would have", "Spearman", nan(), exact(attainable(cells, false)))
	s.show("the same of the settings' effect", "Spearman", nan(), exact(attainable(cells, true)))
	most := map[byte]float64{'m': 10, 'r': 30}[kind]
	miss := 100 * meanRelativeError(ours, theirs)
	if most == 0 {
		s.show("mean relative error", "%", nan(), exact(miss))
		return nil
	}
	s.add(Row{What: "mean relative error", Unit: "%", Kind: Magnitude, Published: nan(), Ours: exact(miss), Rule: "at most " + Number(most), Verdict: verdict(miss <= most)})
	if 100*meanRelativeError(nulls, theirs) <= most {
		s.apart("null model: " + typeMeans)
	}
	return nil
}

// repeated sets the last row apart where a model without any error would not reach 0.8.
func (s *Section) repeated(cells []thesisValue, effects bool) {
	if r := attainable(cells, effects); r < 0.8 {
		s.apart(fmt.Sprintf("the thesis does not repeat itself here (%.2f)", r))
	}
}

// attainable is the rank correlation with the published figures of a table, or of its
// settings' effects, that figures without error would have, from how far the thesis's own
// repeats lie apart (docs/validation.md).
func attainable(cells []thesisValue, effects bool) float64 {
	v, at := make([]float64, len(cells)), map[[2]int]int{}
	for i, c := range cells {
		if v[i] = c.published; effects {
			v[i] /= itemMean(cells, c.item, false)
		}
		at[[2]int{c.experiment, c.item}] = i
	}
	ranks := stats.Ranks(v)
	var within, pairs float64
	for _, pair := range thesisEqual {
		for item := 1; item <= 7; item++ {
			a, ok := at[[2]int{pair[0], item}]
			if b, both := at[[2]int{pair[1], item}]; ok && both {
				d := ranks[a] - ranks[b]
				within, pairs = within+d*d/2, pairs+1
			}
		}
	}
	if pairs == 0 {
		return 1
	}
	return math.Sqrt(math.Max(0, 1-within/pairs/stat.PopVariance(ranks, nil)))
}

// thesisColumns returns ours, the published and the null model's figures: the mean
// of the published ones of the cell's type or queue.
func thesisColumns(cells []thesisValue) (ours, theirs, nulls []float64) {
	for _, c := range cells {
		ours, theirs = append(ours, c.ours.Mean), append(theirs, c.published)
		nulls = append(nulls, itemMean(cells, c.item, false))
	}
	return ours, theirs, nulls
}

// itemMean is the mean of a type's or queue's figures, ours or the published.
func itemMean(cells []thesisValue, item int, ours bool) float64 {
	var sum, n float64
	for _, c := range cells {
		if c.item == item {
			n++
			if sum += c.published; ours {
				sum += c.ours.Mean - c.published
			}
		}
	}
	return sum / n
}

// thesisEffects are the figures over their type's mean.
func thesisEffects(cells []thesisValue, ours bool) []float64 {
	var out []float64
	for _, c := range cells {
		v := c.published
		if ours {
			v = c.ours.Mean
		}
		out = append(out, v/itemMean(cells, c.item, ours))
	}
	return out
}

// thesisCells returns ours and the published figures of a whole table.
func thesisCells(id string, kind byte, half int, runs map[int]*thesisRun) (ours, theirs []float64, err error) {
	pub, err := datasets.Published("thesis", id)
	if err != nil {
		return nil, nil, err
	}
	for _, row := range pub.Rows {
		for c := 1; c < len(row); c++ {
			cell, err := thesisCell(pub, row, kind, half, c, runs)
			if err != nil {
				return nil, nil, err
			}
			ours, theirs = append(ours, cell.ours.Mean), append(theirs, cell.published)
		}
	}
	return ours, theirs, nil
}

// thesisValue is one cell of a table.
type thesisValue struct {
	what, unit string
	experiment int
	item       int // queue, or type
	published  float64
	ours       Estimate
}

// longVariation adds what the text says of long jobs beside a table of short ones.
func (s *Section) longVariation(id string, from int, runs map[int]*thesisRun) error {
	if id == "6.11" { // one sentence serves both queues of section 6.2.3
		return nil
	}
	c, err := loadClaims("thesis")
	if err != nil {
		return err
	}
	most := 0.0
	for n := from; n < from+8; n++ {
		for ty := 1; ty <= 4; ty++ {
			most = math.Max(most, runs[n].variation[2][ty].Mean)
		}
	}
	limit := c.value("long-variation")
	s.claim("largest coefficient of variation of long jobs", "", limit, exact(most), null{"as short jobs", 0.3}, "below "+Number(limit), func(e Estimate) bool { return e.Mean < limit })
	return nil
}

// thesisCell finds our figure for a cell, none without runs: rows are types and columns
// experiments, or for makespans rows are experiments and columns queues.
func thesisCell(pub *datasets.Table, row []string, kind byte, half, c int, runs map[int]*thesisRun) (v thesisValue, err error) {
	if v.published, err = strconv.ParseFloat(row[c], 64); err != nil {
		return v, err
	}
	first, err := strconv.Atoi(row[0])
	if err != nil {
		return v, err
	}
	if kind == 'm' {
		v.experiment, v.item, v.unit = first, c, "s"
		v.what = fmt.Sprintf("experiment %d, queue %d", first, c)
		if run := runs[first]; run != nil {
			v.ours = run.makespan[c-1]
		}
		return v, nil
	}
	if _, err := fmt.Sscanf(pub.Columns[c], "exp %d", &v.experiment); err != nil {
		return v, err
	}
	v.item, v.unit, v.what = first, "ratio", fmt.Sprintf("experiment %d, type %d", v.experiment, first)
	if kind == 'l' {
		v.unit = "% rack-local"
	}
	run := runs[v.experiment]
	switch {
	case run == nil:
	case kind == 'r':
		v.ours = run.ratio[half][first]
	case kind == 'l':
		v.ours = run.rack[half][first]
	default:
		v.ours = run.variation[half][first]
	}
	return v, nil
}
