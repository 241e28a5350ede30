//go:build clp

package lp

import (
	"errors"
	"fmt"

	"github.com/lanl/clp"
)

// CLP (COIN-OR linear programming, Forrest and others) through lanl/clp, for
// builds with the tag clp. CLP ends the whole process on NaN and on costs of
// 1e25 and more, so that a problem is validated before it goes over; and the
// matrix is reserved before columns are appended, without which building it
// takes quadratic time.

// CLP is the COIN-OR linear programming library. It returns no basis.
type CLP struct{}

// ErrNoCLP is what CLP returns in builds without it, never in this one.
var ErrNoCLP = errors.New("lp: CLP is not in this build")

var _ Solver = CLP{}

// Solve maximises p.
func (CLP) Solve(p *Problem) (*Solution, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	s := clp.NewSimplex()
	s.LoadProblem(clpMatrix(p), clpColumns(p), p.Cost, clpRows(p), nil)
	s.SetOptimizationDirection(clp.Maximize)
	switch status := s.Primal(clp.NoValuesPass, clp.NoStartFinishOptions); status {
	case clp.Optimal:
	case clp.Infeasible:
		return nil, ErrInfeasible
	case clp.Unbounded:
		return nil, ErrUnbounded
	default:
		return nil, fmt.Errorf("lp: CLP stopped with status %d", status)
	}
	sol := &Solution{X: s.PrimalColumnSolution(), Dual: s.DualRowSolution()}
	for j, x := range sol.X {
		sol.Value += p.Cost[j] * x
	}
	return sol, nil
}

func clpMatrix(p *Problem) *clp.PackedMatrix {
	m := clp.NewPackedMatrix()
	m.SetDimensions(len(p.RowLower), 0)
	m.Reserve(len(p.Cost), len(p.Value), false)
	var col []clp.Nonzero
	for j := range p.Cost {
		col = col[:0]
		for k := p.Start[j]; k < p.Start[j+1]; k++ {
			col = append(col, clp.Nonzero{Index: int(p.Index[k]), Value: p.Value[k]})
		}
		m.AppendColumn(col)
	}
	return m
}

func clpColumns(p *Problem) []clp.Bounds {
	b := make([]clp.Bounds, len(p.Cost))
	for j := range b {
		b[j] = clp.Bounds{Lower: p.lower(j), Upper: p.upper(j)}
	}
	return b
}

func clpRows(p *Problem) []clp.Bounds {
	b := make([]clp.Bounds, len(p.RowLower))
	for i := range b {
		b[i] = clp.Bounds{Lower: p.RowLower[i], Upper: p.RowUpper[i]}
	}
	return b
}
