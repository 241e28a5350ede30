package lp

import "math"

// paperProblem is the program of MaxLambda as the paper writes it,
// without merging and scaling: variable 0 is lambda, variable 1 + i M + j is
// d_ij for M machines; rows are the classes, then the machines.
func paperProblem(alpha []float64, mu [][]float64) *Problem {
	f, m := len(alpha), len(mu[0])
	p := &Problem{RowLower: make([]float64, f+m), RowUpper: make([]float64, f+m)}
	var rows []int32
	var vals []float64
	for i, a := range alpha {
		p.RowUpper[i] = math.Inf(1)
		if a > 0 {
			rows, vals = append(rows, int32(i)), append(vals, -a)
		}
	}
	p.AddColumn(1, 0, math.Inf(1), rows, vals)
	for j := range m {
		p.RowLower[f+j], p.RowUpper[f+j] = math.Inf(-1), 1
	}
	for i := range f {
		for j := range m {
			p.AddColumn(0, 0, math.Inf(1), []int32{int32(i), int32(f + j)}, []float64{mu[i][j], 1})
		}
	}
	return p
}
