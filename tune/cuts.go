package tune

import "sort"

// cuts divide the coordinates from 0 to 1 into cells, one for each level or choice:
// cell i lies from cuts[i-1], or 0, to cuts[i], or 1. They ascend.
type cuts []float64

// cell is the cell that a coordinate lies in; a cut belongs to the cell after it.
func (c cuts) cell(u float64) int {
	return sort.Search(len(c), func(i int) bool { return u < c[i] })
}

// middle is the coordinate at the centre of a cell.
func (c cuts) middle(i int) float64 {
	lo, hi := 0.0, 1.0
	if i > 0 {
		lo = c[i-1]
	}
	if i < len(c) {
		hi = c[i]
	}
	return (lo + hi) / 2
}
