package lp

import (
	"fmt"
	"math"
)

// Revised primal simplex for bounded variables (Dantzig, 1963; the bounds and
// the two-pass ratio test as in Maros, Computational Techniques of the Simplex
// Method, 2003, chapters 9 and 10).
//
//  1. Each row i gets a logical variable s_i with A x - s = 0 and the row's
//     bounds. The basis starts with all logicals, or with one handed in.
//  2. While a basic variable is out of its bounds, the cost is the sum of
//     infeasibilities (composite phase 1); then the problem's own.
//  3. y = B'^-1 c_B; a nonbasic variable with a reduced cost c_j - y a_j that
//     improves enters (largest in a section of the columns, sections in
//     rotation).
//  4. alpha = B^-1 a_j; the two-pass ratio test (Harris) picks the leaving
//     variable with the largest pivot among those that block within the
//     tolerance; a variable may also move to its other bound.
//  5. The basis is updated by an eta vector and refactored every 100 changes.
//
// After many steps without progress Bland's rule (smallest index, Mathematics
// of Operations Research 2, 1977) takes over until one is made, so that the
// method ends.

// Simplex is the solver in Go. The zero value is ready; it holds no state
// between calls.
type Simplex struct {
	// MaxIterations limits the basis changes; 0 or less reads as 50 (rows +
	// columns) + 1000.
	MaxIterations int
	// Tolerance is the largest violation of a bound and of a reduced cost, in the
	// problem's units; 0 reads as 1e-9. Allowed: 1e-12 to 1e-3.
	Tolerance float64
}

var _ Solver = Simplex{}

// Solve maximises p. It returns ErrInfeasible, ErrUnbounded or ErrIterations
// where they apply; an invalid problem is described by its own error.
func (s Simplex) Solve(p *Problem) (*Solution, error) { return s.SolveFrom(p, nil) }

// SolveFrom starts from a basis: the numbers of as many variables as there are
// rows, row i counted as variable len(p.Cost) + i. A basis that is singular or
// infeasible is repaired. nil, or a basis of another length, starts with all rows.
func (s Simplex) SolveFrom(p *Problem, basis []int32) (*Solution, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if s.Tolerance != 0 && !(s.Tolerance >= 1e-12 && s.Tolerance <= 1e-3) {
		return nil, fmt.Errorf("lp: tolerance of the simplex method is %v: must be 1e-12 to 1e-3, or 0 for 1e-9", s.Tolerance)
	}
	t := newTableau(p, s.Tolerance)
	t.install(basis)
	if err := t.refactor(); err != nil {
		return nil, err
	}
	limit := s.MaxIterations
	if limit <= 0 {
		limit = 50*(t.m+t.n) + 1000
	}
	// After the last change allowed one more look says whether it was the last needed.
	for t.iterations <= limit {
		done, err := t.iterate()
		if err != nil {
			return nil, err
		}
		if done {
			return t.solution(), nil
		}
	}
	return nil, ErrIterations
}

// Where a variable is.
const (
	basic int8 = iota
	atLower
	atUpper
	free // nonbasic without bounds, at 0
)

// tableau is the state of one solution.
type tableau struct {
	p         *Problem
	n, m      int
	tol       float64
	lo, up    []float64 // n + m
	x         []float64 // n + m
	where     []int8    // n + m
	basis     []int32   // variable at each position
	f         *lu
	y, rhs    []float64 // by row
	alpha, cb []float64 // by position

	section    int // where pricing goes on
	idle       int // steps without progress
	clean      bool
	iterations int
}

func newTableau(p *Problem, tol float64) *tableau {
	n, m := len(p.Cost), len(p.RowLower)
	if tol == 0 {
		tol = 1e-9
	}
	t := &tableau{p: p, n: n, m: m, tol: tol, lo: make([]float64, n+m), up: make([]float64, n+m),
		x: make([]float64, n+m), where: make([]int8, n+m), basis: make([]int32, m), f: newLU(m),
		y: make([]float64, m), rhs: make([]float64, m), alpha: make([]float64, m), cb: make([]float64, m)}
	for j := range n {
		t.lo[j], t.up[j] = p.lower(j), p.upper(j)
	}
	copy(t.lo[n:], p.RowLower)
	copy(t.up[n:], p.RowUpper)
	return t
}

// install sets the starting basis and puts the rest at a bound.
func (t *tableau) install(basis []int32) {
	for v := range t.where {
		t.park(v)
	}
	if len(basis) != t.m {
		for i := range t.m {
			t.basis[i] = int32(t.n + i)
		}
	} else {
		copy(t.basis, basis)
	}
	for i, v := range t.basis {
		if v < 0 || int(v) >= t.n+t.m || t.where[v] == basic {
			t.basis[i] = -1 // out of range or twice: refactor repairs
			continue
		}
		t.where[v] = basic
	}
	next := 0
	for i, v := range t.basis {
		for v < 0 && t.where[t.n+next] == basic {
			next++
		}
		if v < 0 {
			t.basis[i] = int32(t.n + next)
			t.where[t.n+next] = basic
		}
	}
}

// park makes a variable nonbasic at its bound nearest to zero.
func (t *tableau) park(v int) {
	switch lo, up := t.lo[v], t.up[v]; {
	case math.IsInf(lo, -1) && math.IsInf(up, 1):
		t.where[v], t.x[v] = free, 0
	case math.IsInf(lo, -1) || (math.Abs(up) < math.Abs(lo)):
		t.where[v], t.x[v] = atUpper, up
	default:
		t.where[v], t.x[v] = atLower, lo
	}
}

// logical is the column of every logical: -1 in its own row.
var minusOne = []float64{-1}

// column returns the matrix column of a variable; buf holds a logical's row.
func (t *tableau) column(v int32, buf *[1]int32) ([]int32, []float64) {
	if int(v) >= t.n {
		buf[0] = v - int32(t.n)
		return buf[:], minusOne
	}
	a, b := t.p.Start[v], t.p.Start[v+1]
	return t.p.Index[a:b], t.p.Value[a:b]
}

// refactor factors the basis, replaces dependent columns by logicals, and
// computes the basic values afresh.
func (t *tableau) refactor() error {
	var buf [1]int32
	col := func(pos int) ([]int32, []float64) { return t.column(t.basis[pos], &buf) }
	for tries := 0; ; tries++ {
		badPos, badRow := t.f.factor(col)
		if len(badPos) == 0 {
			break
		}
		if tries > 3 {
			return ErrSingular
		}
		for i, p := range badPos {
			t.park(int(t.basis[p]))
			t.basis[p] = int32(t.n) + badRow[i]
			t.where[t.basis[p]] = basic
		}
	}
	clear(t.rhs)
	for v := range t.x {
		if t.where[v] == basic || t.x[v] == 0 {
			continue
		}
		rows, vals := t.column(int32(v), &buf)
		for i, r := range rows {
			t.rhs[r] -= vals[i] * t.x[v]
		}
	}
	t.f.ftran(t.rhs, t.alpha)
	for i, v := range t.basis {
		t.x[v] = t.alpha[i]
	}
	t.clean = true
	return nil
}

// iterate makes one step; done is true at the optimum.
func (t *tableau) iterate() (done bool, err error) {
	phase1 := t.prices()
	q, d := t.price(phase1)
	if q < 0 {
		if !t.clean { // confirm with fresh factors
			return false, t.refactor()
		}
		if phase1 {
			return false, ErrInfeasible
		}
		return true, nil
	}
	dir := 1.0 // the way the entering variable moves
	if d > 0 {
		dir = -1
	}
	t.enterColumn(q)
	pos, step, toUpper := t.ratio(q, dir, phase1)
	if math.IsInf(step, 1) {
		if !t.clean {
			return false, t.refactor()
		}
		if phase1 {
			return false, ErrSingular
		}
		return false, ErrUnbounded
	}
	if pos >= 0 && math.Abs(t.alpha[pos]) < 1e-7 && !t.clean {
		return false, t.refactor()
	}
	t.move(q, dir, pos, step, toUpper)
	t.iterations++
	if t.idle++; step > t.tol {
		t.idle = 0
	}
	if t.f.stale() {
		return false, t.refactor()
	}
	return false, nil
}

// prices computes y for the infeasibilities, or for the costs when there are
// none, and tells which.
func (t *tableau) prices() (phase1 bool) {
	for i, v := range t.basis {
		switch tol := t.feasTol(int(v)); {
		case t.x[v] < t.lo[v]-tol:
			t.cb[i], phase1 = -1, true
		case t.x[v] > t.up[v]+tol:
			t.cb[i], phase1 = 1, true
		default:
			t.cb[i] = 0
		}
	}
	if !phase1 {
		for i, v := range t.basis {
			t.cb[i] = t.cost(int(v))
		}
	}
	t.f.btran(t.cb, t.y)
	return phase1
}

// feasTol is the tolerance of a variable's bounds, relative for large ones.
func (t *tableau) feasTol(v int) float64 { return t.tol * (1 + math.Abs(t.x[v])*1e-3) }

// cost is the cost in the minimisation the method works on.
func (t *tableau) cost(v int) float64 {
	if v >= t.n {
		return 0
	}
	return -t.p.Cost[v]
}

// move takes the step: the basic values, the entering and the leaving variable.
func (t *tableau) move(q int, dir float64, pos int, step float64, toUpper bool) {
	if step != 0 {
		for i, a := range t.alpha {
			if a != 0 {
				t.x[t.basis[i]] -= dir * step * a
			}
		}
		t.x[q] += dir * step
	}
	t.clean = false
	if pos < 0 { // to the other bound
		if dir > 0 {
			t.where[q], t.x[q] = atUpper, t.up[q]
		} else {
			t.where[q], t.x[q] = atLower, t.lo[q]
		}
		return
	}
	out := t.basis[pos]
	if toUpper {
		t.where[out], t.x[out] = atUpper, t.up[out]
	} else {
		t.where[out], t.x[out] = atLower, t.lo[out]
	}
	t.f.update(pos, t.alpha)
	t.basis[pos], t.where[q] = int32(q), basic
}

// enterColumn computes alpha = B^-1 a_q.
func (t *tableau) enterColumn(q int) {
	var buf [1]int32
	clear(t.rhs)
	rows, vals := t.column(int32(q), &buf)
	for i, r := range rows {
		t.rhs[r] = vals[i]
	}
	t.f.ftran(t.rhs, t.alpha)
}

func (t *tableau) solution() *Solution {
	s := &Solution{X: append([]float64(nil), t.x[:t.n]...), Dual: make([]float64, t.m),
		Basis: append([]int32(nil), t.basis...), Iterations: t.iterations}
	for j, c := range t.p.Cost {
		s.Value += c * s.X[j]
	}
	for i, y := range t.y {
		s.Dual[i] = -y
	}
	return s
}
