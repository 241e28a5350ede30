package lp

import (
	"errors"
	"fmt"
	"math"
)

// Problem is a sparse linear program
//
//	maximise    sum over j of Cost[j] x[j]
//	subject to  RowLower[i] <= sum over j of A[i][j] x[j] <= RowUpper[i]
//	            Lower[j] <= x[j] <= Upper[j]
//
// Bounds may be -Inf and +Inf; nil Lower reads as all 0 and nil Upper as all
// +Inf. The matrix is held by columns: column j has the entries Value[k] in
// rows Index[k] for Start[j] <= k < Start[j+1].
type Problem struct {
	Cost               []float64 // of each variable, their number
	Lower, Upper       []float64 // bounds of each variable
	RowLower, RowUpper []float64 // bounds of each row, their number
	Start              []int32   // where each column starts and, last, where the last one ends
	Index              []int32   // row of each entry, once in a column
	Value              []float64 // each entry
}

// AddColumn appends a variable with its cost, bounds and matrix entries and
// returns its number.
func (p *Problem) AddColumn(cost, lower, upper float64, rows []int32, values []float64) int {
	if len(p.Start) == 0 {
		p.Start = append(p.Start, 0)
	}
	p.Cost = append(p.Cost, cost)
	p.Lower, p.Upper = append(p.Lower, lower), append(p.Upper, upper)
	p.Index, p.Value = append(p.Index, rows...), append(p.Value, values...)
	p.Start = append(p.Start, int32(len(p.Index)))
	return len(p.Cost) - 1
}

// Huge is the largest magnitude a coefficient may have; larger bounds must be
// infinite. CLP ends the process on costs of 1e25 and more, so that both
// solvers refuse what is above.
const Huge = 1e20

// Validate reports the first entry that no solver could use: wrong lengths, a
// row out of range or named twice in a column, NaN, infinite or huge values,
// bounds that cross.
func (p *Problem) Validate() error {
	if p == nil {
		return errors.New("lp: no problem is given")
	}
	n, m := len(p.Cost), len(p.RowLower)
	switch {
	case len(p.RowUpper) != m:
		return fmt.Errorf("lp: %d upper row bounds: must be %d as there are lower ones", len(p.RowUpper), m)
	case (p.Lower != nil && len(p.Lower) != n) || (p.Upper != nil && len(p.Upper) != n):
		return fmt.Errorf("lp: %d lower and %d upper bounds: must be %d, one per variable", len(p.Lower), len(p.Upper), n)
	case len(p.Start) != n+1 && !(n == 0 && len(p.Start) == 0):
		return fmt.Errorf("lp: %d column starts: must be %d", len(p.Start), n+1)
	case len(p.Index) != len(p.Value):
		return fmt.Errorf("lp: %d row indices for %d values", len(p.Index), len(p.Value))
	}
	for j, c := range p.Cost {
		if !(math.Abs(c) <= Huge) {
			return fmt.Errorf("lp: cost of variable %d is %v: must be at most %g in magnitude", j, c, Huge)
		}
		if err := checkBounds("variable", j, p.lower(j), p.upper(j)); err != nil {
			return err
		}
	}
	for i := range p.RowLower {
		if err := checkBounds("row", i, p.RowLower[i], p.RowUpper[i]); err != nil {
			return err
		}
	}
	return p.checkMatrix(m)
}

func (p *Problem) checkMatrix(m int) error {
	last := make([]int, m) // column + 1 that named the row last
	for j := range p.Cost {
		if p.Start[j] > p.Start[j+1] || p.Start[j] < 0 || int(p.Start[j+1]) > len(p.Index) {
			return fmt.Errorf("lp: column %d starts at %d and ends at %d: must be ascending, at most %d", j, p.Start[j],
				p.Start[j+1], len(p.Index))
		}
		for k := p.Start[j]; k < p.Start[j+1]; k++ {
			i, v := p.Index[k], p.Value[k]
			switch {
			case i < 0 || int(i) >= m:
				return fmt.Errorf("lp: column %d names row %d: must be 0 to %d", j, i, m-1)
			case last[i] == j+1:
				return fmt.Errorf("lp: column %d names row %d twice", j, i)
			case !(math.Abs(v) <= Huge):
				return fmt.Errorf("lp: entry of row %d, column %d is %v: must be at most %g in magnitude", i, j, v, Huge)
			}
			last[i] = j + 1
		}
	}
	return nil
}

func checkBounds(what string, i int, lo, up float64) error {
	ok := func(v float64) bool { return math.Abs(v) <= Huge || math.IsInf(v, 0) }
	if !ok(lo) || !ok(up) || math.IsInf(lo, 1) || math.IsInf(up, -1) {
		return fmt.Errorf("lp: bounds of %s %d are %v and %v: must be at most %g in magnitude, or infinite", what, i, lo, up,
			Huge)
	}
	if lo > up {
		return fmt.Errorf("lp: %s %d has lower bound %v above upper bound %v", what, i, lo, up)
	}
	return nil
}

func (p *Problem) lower(j int) float64 {
	if p.Lower == nil {
		return 0
	}
	return p.Lower[j]
}

func (p *Problem) upper(j int) float64 {
	if p.Upper == nil {
		return math.Inf(1)
	}
	return p.Upper[j]
}

// Solution is an optimal point of a Problem.
type Solution struct {
	Value float64   // of the objective
	X     []float64 // variables
	// Dual[i] is what the objective gains per unit by which the active bound
	// of row i grows: 0 or more at an upper bound, 0 or less at a lower one.
	Dual []float64
	// Basis lists the basic variables, row i counted as variable n + i; nil
	// where the solver has none to give.
	Basis      []int32
	Iterations int
}

// Solver solves general problems. Implementations may be used by several
// goroutines at once.
type Solver interface {
	// Solve maximises p, which it does not change. Errors are those of Validate,
	// ErrInfeasible, ErrUnbounded, or the solver's own.
	Solve(p *Problem) (*Solution, error)
}

// What a solver can find out about a problem.
var (
	// ErrInfeasible: the rows and bounds contradict each other.
	ErrInfeasible = errors.New("lp: no point satisfies all rows and bounds")
	// ErrUnbounded: some direction improves for ever.
	ErrUnbounded = errors.New("lp: the objective is unbounded")
	// ErrIterations: Simplex.MaxIterations was reached first.
	ErrIterations = errors.New("lp: iteration limit reached")
	// ErrSingular: the coefficients are so far apart that no basis could be factored.
	ErrSingular = errors.New("lp: numerical trouble: the basis is singular")
)
