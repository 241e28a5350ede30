package papers

import (
	"math"

	"schedtune/datasets"
	"schedtune/internal/stats"
)

// How near a perfect model could come to chapter 6 of the thesis: its tables
// are means of ten random runs. Two yardsticks stand beside the figures: our
// runs against as many with other seeds, and the thesis against itself, where
// it published experiments that are the same by construction.

// thesisAgain are the runs ours are compared with.
var thesisAgain = thesisWay{shift: 1000}

// thesisEqual lists pairs of experiments that differ in the User-Limit-Factor
// only, while no queue may exceed its capacity: a user is held to that by
// either factor.
var thesisEqual = [][2]int{{2, 5}, {6, 8}, {10, 13}, {14, 16}, {18, 21}, {22, 24}, {26, 29}, {30, 32}}

// thesisCeiling adds both yardsticks of a table.
func (s *Section) thesisCeiling(pub *datasets.Table, kind byte, half int, runs, again map[int]*thesisRun) error {
	a, _, err := thesisCells(pub.ID, kind, half, runs)
	if err != nil {
		return err
	}
	b, _, err := thesisCells(pub.ID, kind, half, again)
	if err != nil {
		return err
	}
	s.yardstick("ours against ours with other seeds", a, b)
	x, y, err := thesisPairCells(pub, kind, half, runs)
	if err == nil && len(x) > 0 {
		s.yardstick("the thesis against itself in equal experiments", x, y)
	}
	return err
}

func (s *Section) yardstick(what string, a, b []float64) {
	s.show("rank correlation, "+what, "Spearman", math.NaN(), exact(stats.Spearman(a, b)))
	s.show("mean relative difference, "+what, "%", math.NaN(), exact(100*meanRelativeError(a, b)))
}

// thesisPairCells returns the published figures of experiments that are equal:
// those of the first of each pair and those of the second.
func thesisPairCells(pub *datasets.Table, kind byte, half int, runs map[int]*thesisRun) (x, y []float64, err error) {
	var cells []thesisValue
	for _, row := range pub.Rows {
		for c := 1; c < len(row); c++ {
			cell, err := thesisCell(pub, row, kind, half, c, runs)
			if err != nil {
				return nil, nil, err
			}
			cells = append(cells, cell)
		}
	}
	at := map[[2]int]float64{}
	for _, c := range cells {
		at[[2]int{c.experiment, c.item}] = c.published
	}
	for _, pair := range thesisEqual {
		for item := 1; item <= 7; item++ {
			a, ok := at[[2]int{pair[0], item}]
			if b, both := at[[2]int{pair[1], item}]; ok && both {
				x, y = append(x, a), append(y, b)
			}
		}
	}
	return x, y, nil
}
