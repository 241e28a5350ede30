package lp

import (
	"math"
	"slices"
)

// Sparse LU factors of a simplex basis, with product-form updates.
//
// Most columns of an allocation basis belong to one row alone once others are
// set aside, so the factorisation first peels off column singletons and row
// singletons (Orchard-Hays's triangular phase; no arithmetic, no fill), and
// treats only the remaining nucleus by left-looking elimination: columns by
// ascending count, pivots by threshold partial pivoting among rows of smallest
// count (Markowitz's rule restricted to a column).
//
// A pivot step k has a row pr[k], a basis position pc[k] and a pivot value.
// L_k holds the multipliers of the rows below; U's column k the entries in
// rows of earlier steps. Each basis change appends an eta vector (product form
// of the inverse) until the next refactorisation.

type lu struct {
	m      int
	pr, pc []int32
	piv    []float64

	lAt   []int32 // len m+1
	lRow  []int32
	lVal  []float64
	lStep []int32 // steps with a non-empty L

	uAt  []int32 // len m+1
	uRow []int32
	uVal []float64

	etaPos []int32 // pivot position of each eta
	etaPiv []float64
	etaAt  []int32
	etaIdx []int32
	etaVal []float64

	// scratch of factor
	step     []int32 // step that pivots a row, -1 before
	colCount []int32
	rowCount []int32
	done     []bool // basis position has its pivot
	rowAt    []int32
	rowPos   []int32
	work     []float64
	queueC   []int32
	queueR   []int32
	touched  []int32
}

// column gives the entries of a basis column.
type column func(pos int) (rows []int32, vals []float64)

func newLU(m int) *lu {
	return &lu{m: m, lAt: make([]int32, m+1), uAt: make([]int32, m+1),
		pr: make([]int32, m), pc: make([]int32, m), piv: make([]float64, m),
		step: make([]int32, m), colCount: make([]int32, m), rowCount: make([]int32, m),
		done: make([]bool, m), rowAt: make([]int32, m+1), work: make([]float64, m)}
}

const (
	pivotAbs       = 1e-11 // smallest pivot of the nucleus
	pivotRel       = 0.1   // threshold of partial pivoting
	singletonRel   = 1e-3  // smallest row-singleton pivot in relation to its column
	refactorPeriod = 100
)

// factor computes the factors of the basis whose columns col gives. Positions
// that depend on others are returned with the rows left over; the caller puts
// logical variables there and factors again.
func (f *lu) factor(col column) (badPos, badRow []int32) {
	f.etaPos, f.etaPiv, f.etaIdx, f.etaVal = f.etaPos[:0], f.etaPiv[:0], f.etaIdx[:0], f.etaVal[:0]
	f.etaAt = append(f.etaAt[:0], 0)
	f.lRow, f.lVal, f.lStep = f.lRow[:0], f.lVal[:0], f.lStep[:0]
	f.uRow, f.uVal = f.uRow[:0], f.uVal[:0]
	f.lAt[0], f.uAt[0] = 0, 0
	f.pattern(col)
	k := f.singletons(col)
	k = f.nucleus(col, k)
	if k == f.m {
		return nil, nil
	}
	for i := range f.m {
		if !f.done[i] {
			badPos = append(badPos, int32(i))
		}
		if f.step[i] < 0 {
			badRow = append(badRow, int32(i))
		}
	}
	return badPos, badRow
}

// pattern counts the entries of rows and columns and lists rows by position.
func (f *lu) pattern(col column) {
	clear(f.rowCount)
	nnz := 0
	for p := range f.m {
		rows, _ := col(p)
		f.colCount[p], f.done[p], f.step[p] = int32(len(rows)), false, -1
		nnz += len(rows)
		for _, r := range rows {
			f.rowCount[r]++
		}
	}
	f.rowAt[0] = 0
	for r := range f.m {
		f.rowAt[r+1] = f.rowAt[r] + f.rowCount[r]
	}
	f.rowPos = slices.Grow(f.rowPos[:0], nnz)[:nnz]
	for p := range f.m {
		rows, _ := col(p)
		for _, r := range rows {
			f.rowCount[r]--
			f.rowPos[f.rowAt[r]+f.rowCount[r]] = int32(p)
		}
	}
	for r := range f.m {
		f.rowCount[r] = f.rowAt[r+1] - f.rowAt[r]
	}
}

// singletons pivots on columns and rows with one active entry as long as there
// are any and returns the number of steps.
func (f *lu) singletons(col column) int {
	k := 0
	f.queueC, f.queueR = f.queueC[:0], f.queueR[:0]
	for i := range f.m {
		if f.colCount[i] == 1 {
			f.queueC = append(f.queueC, int32(i))
		}
		if f.rowCount[i] == 1 {
			f.queueR = append(f.queueR, int32(i))
		}
	}
	for len(f.queueC)+len(f.queueR) > 0 {
		if n := len(f.queueC); n > 0 {
			p := f.queueC[n-1]
			f.queueC = f.queueC[:n-1]
			if !f.done[p] && f.colCount[p] == 1 && f.pivotAt(col, int(p), -1, k) {
				k++
			}
			continue
		}
		n := len(f.queueR)
		r := f.queueR[n-1]
		f.queueR = f.queueR[:n-1]
		if f.step[r] >= 0 || f.rowCount[r] != 1 {
			continue
		}
		for _, p := range f.rowPos[f.rowAt[r]:f.rowAt[r+1]] {
			if !f.done[p] {
				if f.pivotAt(col, int(p), int(r), k) {
					k++
				}
				break
			}
		}
	}
	return k
}

// pivotAt makes position p the pivot column of step k, in row r or, for r < 0,
// in its only active row. It refuses pivots that are too small.
func (f *lu) pivotAt(col column, p, r, k int) bool {
	rows, vals := col(p)
	pivot, top := 0.0, 0.0
	for i, row := range rows {
		if f.step[row] >= 0 {
			continue
		}
		top = math.Max(top, math.Abs(vals[i]))
		if r < 0 || int(row) == r {
			r, pivot = int(row), vals[i]
		}
	}
	if math.Abs(pivot) < pivotAbs || math.Abs(pivot) < singletonRel*top {
		return false
	}
	for i, row := range rows {
		switch {
		case int(row) == r:
		case f.step[row] >= 0:
			f.uRow, f.uVal = append(f.uRow, row), append(f.uVal, vals[i])
		default:
			f.lRow, f.lVal = append(f.lRow, row), append(f.lVal, vals[i]/pivot)
			if f.rowCount[row]--; f.rowCount[row] == 1 {
				f.queueR = append(f.queueR, row)
			}
		}
	}
	f.close(p, r, k, pivot)
	for _, q := range f.rowPos[f.rowAt[r]:f.rowAt[r+1]] {
		if !f.done[q] {
			if f.colCount[q]--; f.colCount[q] == 1 {
				f.queueC = append(f.queueC, q)
			}
		}
	}
	return true
}

// close records step k.
func (f *lu) close(p, r, k int, pivot float64) {
	f.pr[k], f.pc[k], f.piv[k] = int32(r), int32(p), pivot
	f.done[p], f.step[r] = true, int32(k)
	f.lAt[k+1], f.uAt[k+1] = int32(len(f.lRow)), int32(len(f.uRow))
	if f.lAt[k+1] > f.lAt[k] {
		f.lStep = append(f.lStep, int32(k))
	}
}

// nucleus eliminates the remaining columns, left-looking, from step k on.
func (f *lu) nucleus(col column, k int) int {
	first := k
	var order []int32
	for p := range f.m {
		if !f.done[p] {
			order = append(order, int32(p))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(f.colCount[a] - f.colCount[b]) })
	for _, p := range order {
		f.touched = f.touched[:0]
		rows, vals := col(int(p))
		for i, r := range rows {
			f.work[r] = vals[i]
			f.touched = append(f.touched, r)
		}
		f.applyL(first, k)
		r := f.choosePivot()
		if r < 0 {
			for _, row := range f.touched {
				f.work[row] = 0
			}
			continue
		}
		f.store(int(p), r, k)
		k++
	}
	return k
}

// applyL subtracts the multiples of the nucleus steps before k.
func (f *lu) applyL(first, k int) {
	for s := first; s < k; s++ {
		t := f.work[f.pr[s]]
		if t == 0 {
			continue
		}
		for e := f.lAt[s]; e < f.lAt[s+1]; e++ {
			r := f.lRow[e]
			if f.work[r] == 0 { // after a cancellation a row is listed again, which store allows
				f.touched = append(f.touched, r)
			}
			f.work[r] -= t * f.lVal[e]
		}
	}
}

// choosePivot returns the active row of smallest count among those within the
// threshold of the largest entry, -1 where all are too small.
func (f *lu) choosePivot() int {
	top := 0.0
	for _, r := range f.touched {
		if f.step[r] < 0 {
			top = math.Max(top, math.Abs(f.work[r]))
		}
	}
	if top < pivotAbs {
		return -1
	}
	best := int32(-1)
	for _, r := range f.touched {
		if f.step[r] >= 0 || math.Abs(f.work[r]) < pivotRel*top {
			continue
		}
		if best < 0 || f.rowCount[r] < f.rowCount[best] || (f.rowCount[r] == f.rowCount[best] && r < best) {
			best = r
		}
	}
	return int(best)
}

// store moves the work column into step k with pivot row r.
func (f *lu) store(p, r, k int) {
	pivot := f.work[r]
	for _, row := range f.touched {
		v := f.work[row]
		f.work[row] = 0
		switch {
		case int(row) == r || math.Abs(v) < 1e-14:
		case f.step[row] >= 0:
			f.uRow, f.uVal = append(f.uRow, row), append(f.uVal, v)
		default:
			f.lRow, f.lVal = append(f.lRow, row), append(f.lVal, v/pivot)
		}
	}
	f.close(p, r, k, pivot)
}

// ftran solves B y = x. x is indexed by row and is destroyed; y by position.
func (f *lu) ftran(x, y []float64) {
	for _, k := range f.lStep {
		t := x[f.pr[k]]
		if t == 0 {
			continue
		}
		for e := f.lAt[k]; e < f.lAt[k+1]; e++ {
			x[f.lRow[e]] -= t * f.lVal[e]
		}
	}
	for k := f.m - 1; k >= 0; k-- {
		t := x[f.pr[k]]
		if t == 0 {
			y[f.pc[k]] = 0
			continue
		}
		t /= f.piv[k]
		y[f.pc[k]] = t
		for e := f.uAt[k]; e < f.uAt[k+1]; e++ {
			x[f.uRow[e]] -= t * f.uVal[e]
		}
	}
	for e, p := range f.etaPos {
		t := y[p]
		if t == 0 {
			continue
		}
		t /= f.etaPiv[e]
		for i := f.etaAt[e]; i < f.etaAt[e+1]; i++ {
			y[f.etaIdx[i]] -= t * f.etaVal[i]
		}
		y[p] = t
	}
}

// btran solves B' z = c. c is indexed by position and is destroyed; z by row.
func (f *lu) btran(c, z []float64) {
	for e := len(f.etaPos) - 1; e >= 0; e-- {
		p := f.etaPos[e]
		t := c[p]
		for i := f.etaAt[e]; i < f.etaAt[e+1]; i++ {
			t -= f.etaVal[i] * c[f.etaIdx[i]]
		}
		c[p] = t / f.etaPiv[e]
	}
	for k := range f.m {
		t := c[f.pc[k]]
		for e := f.uAt[k]; e < f.uAt[k+1]; e++ {
			t -= f.uVal[e] * z[f.uRow[e]]
		}
		z[f.pr[k]] = t / f.piv[k]
	}
	for i := len(f.lStep) - 1; i >= 0; i-- {
		k := f.lStep[i]
		t := z[f.pr[k]]
		for e := f.lAt[k]; e < f.lAt[k+1]; e++ {
			t -= f.lVal[e] * z[f.lRow[e]]
		}
		z[f.pr[k]] = t
	}
}

// update replaces the column at position p by the one whose ftran is alpha.
func (f *lu) update(p int, alpha []float64) {
	f.etaPos, f.etaPiv = append(f.etaPos, int32(p)), append(f.etaPiv, alpha[p])
	for i, v := range alpha {
		if i != p && math.Abs(v) > 1e-14 {
			f.etaIdx, f.etaVal = append(f.etaIdx, int32(i)), append(f.etaVal, v)
		}
	}
	f.etaAt = append(f.etaAt, int32(len(f.etaIdx)))
}

// stale reports whether refactoring is due.
func (f *lu) stale() bool {
	return len(f.etaPos) >= refactorPeriod || len(f.etaIdx) > 40*f.m+1000
}
