package lp

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	gonum "gonum.org/v1/gonum/optimize/convex/lp"
)

// solvers are what every general test runs; builds with CLP add it.
var solvers = map[string]Solver{"simplex": Simplex{}}

// checkKKT proves a solution optimal by the conditions of Karush, Kuhn and
// Tucker: the point is feasible, and with y the duals every variable and row
// that could still move in an improving direction has no improving reduced
// cost. Weak duality does the rest.
func checkKKT(t *testing.T, name string, p *Problem, s *Solution) {
	t.Helper()
	const tol = 1e-6
	act := make([]float64, len(p.RowLower))
	for j, x := range s.X {
		if x < p.lower(j)-tol || x > p.upper(j)+tol {
			t.Fatalf("%s: variable %d is %v, bounds %v to %v", name, j, x, p.lower(j), p.upper(j))
		}
		d := p.Cost[j]
		for k := p.Start[j]; k < p.Start[j+1]; k++ {
			act[p.Index[k]] += p.Value[k] * x
			d -= s.Dual[p.Index[k]] * p.Value[k]
		}
		if d > tol && x < p.upper(j)-tol || d < -tol && x > p.lower(j)+tol {
			t.Fatalf("%s: variable %d at %v in %v to %v has reduced cost %v", name, j, x, p.lower(j), p.upper(j), d)
		}
	}
	for i, a := range act {
		if a < p.RowLower[i]-tol || a > p.RowUpper[i]+tol {
			t.Fatalf("%s: row %d is %v, bounds %v to %v", name, i, a, p.RowLower[i], p.RowUpper[i])
		}
		if y := s.Dual[i]; y > tol && a < p.RowUpper[i]-tol || y < -tol && a > p.RowLower[i]+tol {
			t.Fatalf("%s: row %d at %v in %v to %v has dual %v", name, i, a, p.RowLower[i], p.RowUpper[i], y)
		}
	}
}

// dense makes a problem of rows.
func dense(cost []float64, rows [][]float64, rowLo, rowUp, lo, up []float64) *Problem {
	p := &Problem{RowLower: rowLo, RowUpper: rowUp}
	for j, c := range cost {
		var idx []int32
		var val []float64
		for i, r := range rows {
			if r[j] != 0 {
				idx, val = append(idx, int32(i)), append(val, r[j])
			}
		}
		l, u := 0.0, math.Inf(1)
		if lo != nil {
			l = lo[j]
		}
		if up != nil {
			u = up[j]
		}
		p.AddColumn(c, l, u, idx, val)
	}
	return p
}

var inf = math.Inf(1)

func TestKnownProblems(t *testing.T) {
	tests := []struct {
		name string
		p    *Problem
		want float64
		err  error
	}{
		// Corner points (0,0) (4,0) (3,1.5) (0,3): 5x+4y is 0, 20, 21, 12.
		{"two rows", dense([]float64{5, 4}, [][]float64{{6, 4}, {1, 2}}, []float64{-inf, -inf}, []float64{24, 6}, nil, nil),
			21, nil},
		// x + y = 2 with x - y >= 0.5: x >= 1.25, the maximum of -x is -1.25.
		{"phase one", dense([]float64{-1, 0}, [][]float64{{1, 1}, {1, -1}}, []float64{2, 0.5}, []float64{2, inf}, nil, nil),
			-1.25, nil},
		// Only bounds: 3*2 + (-1)*(-4).
		{"no rows", dense([]float64{3, -1}, nil, nil, nil, []float64{-1, -4}, []float64{2, 7}), 10, nil},
		// A free variable: max -|x - 3| as x - a + b = 3 with cost -a - b.
		{"free variable", dense([]float64{0, -1, -1}, [][]float64{{1, -1, 1}}, []float64{3}, []float64{3},
			[]float64{-inf, 0, 0}, nil), 0, nil},
		// The bound 1 on every variable binds before the row: 1 + 1 + 1/2.
		{"bound flips", dense([]float64{1, 1, 1}, [][]float64{{1, 1, 2}}, []float64{-inf}, []float64{3}, nil,
			[]float64{1, 1, 1}), 2.5, nil},
		{"infeasible", dense([]float64{1}, [][]float64{{1}, {1}}, []float64{2, -inf}, []float64{inf, 1}, nil, nil), 0,
			ErrInfeasible},
		{"unbounded", dense([]float64{1, 1}, [][]float64{{1, -1}}, []float64{-inf}, []float64{1}, nil, nil), 0, ErrUnbounded},
		// Beale's example cycles under the largest-coefficient rule; optimum 1/20.
		{"Beale", dense([]float64{0.75, -150, 0.02, -6}, [][]float64{{0.25, -60, -1.0 / 25, 9}, {0.5, -90, -1.0 / 50, 3},
			{0, 0, 1, 0}},
			[]float64{-inf, -inf, -inf}, []float64{0, 0, 1}, nil, nil), 0.05, nil},
		// Two equal equalities: the basis is singular without a logical.
		{"redundant rows", dense([]float64{1, 2}, [][]float64{{1, 1}, {1, 1}, {2, 2}}, []float64{1, 1, 2},
			[]float64{1, 1, 2}, nil, nil), 2, nil},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			for name, s := range solvers {
				sol, err := s.Solve(c.p)
				if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
					t.Errorf("%s, %s: error %v, want %v", c.name, name, err, c.err)
				}
				if err != nil {
					continue
				}
				if math.Abs(sol.Value-c.want) > 1e-9 {
					t.Errorf("%s, %s: value %v, want %v", c.name, name, sol.Value, c.want)
				}
				checkKKT(t, c.name+", "+name, c.p, sol)
			}
		})
	}
}

// kleeMinty is Klee and Minty's cube of n dimensions, whose optimum is 100^(n-1).
func kleeMinty(n int) *Problem {
	cost, rows := make([]float64, n), make([][]float64, n)
	lo, up := make([]float64, n), make([]float64, n)
	for i := range n {
		cost[i] = math.Pow(10, float64(n-1-i))
		rows[i] = make([]float64, n)
		for j := range i {
			rows[i][j] = 2 * math.Pow(10, float64(i-j))
		}
		rows[i][i] = 1
		lo[i], up[i] = -inf, math.Pow(100, float64(i))
	}
	return dense(cost, rows, lo, up, nil, nil)
}

// The cube makes the largest-coefficient rule visit every vertex.
func TestKleeMinty(t *testing.T) {
	const n = 8
	p := kleeMinty(n)
	for name, s := range solvers {
		sol, err := s.Solve(p)
		if err != nil || math.Abs(sol.Value/math.Pow(100, n-1)-1) > 1e-9 {
			t.Errorf("%s: %v, %v; want 100^%d", name, sol, err, n-1)
		}
	}
}

// Random sparse problems with integer data, many of them degenerate, some
// infeasible or unbounded: solutions are proven by checkKKT; what the solver
// calls infeasible gonum's independent solver must call infeasible too.
func TestRandomProblems(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	counts := map[string]int{}
	for trial := range 600 {
		p := randomProblem(r)
		sol, err := Simplex{}.Solve(p)
		switch {
		case err == nil:
			checkKKT(t, "simplex", p, sol)
			counts["optimal"]++
		case errors.Is(err, ErrInfeasible):
			counts["infeasible"]++
			if v, gerr := gonumSolve(p); gerr == nil {
				t.Fatalf("seed %d, trial %d: infeasible, but gonum finds %v", seed, trial, v)
			}
		case errors.Is(err, ErrUnbounded):
			counts["unbounded"]++
			if v, gerr := gonumSolve(p); gerr == nil {
				t.Fatalf("seed %d, trial %d: unbounded, but gonum finds %v", seed, trial, v)
			}
		default:
			t.Fatalf("seed %d, trial %d: %v", seed, trial, err)
		}
	}
	if counts["optimal"] < 100 || counts["infeasible"] < 20 || counts["unbounded"] < 20 {
		t.Errorf("the mix of problems is lopsided: %v", counts)
	}
}

func randomProblem(r *rand.Rand) *Problem {
	n, m := 1+r.IntN(8), 1+r.IntN(6)
	rows := make([][]float64, m)
	lo, up := make([]float64, m), make([]float64, m)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			if r.IntN(2) == 0 {
				rows[i][j] = float64(r.IntN(9) - 3)
			}
		}
		b := float64(r.IntN(10) - 1)
		switch r.IntN(4) {
		case 0:
			lo[i], up[i] = b, b
		case 1:
			lo[i], up[i] = b, inf
		default:
			lo[i], up[i] = -inf, b
		}
	}
	cost, cl, cu := make([]float64, n), make([]float64, n), make([]float64, n)
	for j := range n {
		cost[j], cu[j] = float64(r.IntN(9)-4), inf
		if r.IntN(3) > 0 {
			cu[j] = float64(r.IntN(5))
		}
		if r.IntN(6) == 0 {
			cl[j] = -inf
		}
	}
	return dense(cost, rows, lo, up, cl, cu)
}

// gonumSolve solves p by gonum's dense simplex, with rows and bounds as
// inequalities and every variable split into two nonnegative ones.
func gonumSolve(p *Problem) (float64, error) {
	n := len(p.Cost)
	var g [][]float64
	var h []float64
	add := func(row []float64, limit, sign float64) {
		if math.IsInf(limit, 0) {
			return
		}
		out := make([]float64, n)
		for j, v := range row {
			out[j] = sign * v
		}
		g, h = append(g, out), append(h, sign*limit)
	}
	for i := range p.RowLower {
		row := make([]float64, n)
		for j := range n {
			for k := p.Start[j]; k < p.Start[j+1]; k++ {
				if int(p.Index[k]) == i {
					row[j] = p.Value[k]
				}
			}
		}
		add(row, p.RowUpper[i], 1)
		add(row, p.RowLower[i], -1)
	}
	for j := range n {
		unit := make([]float64, n)
		unit[j] = 1
		add(unit, p.upper(j), 1)
		add(unit, p.lower(j), -1)
	}
	c := make([]float64, n)
	for j, v := range p.Cost {
		c[j] = -v
	}
	flat := make([]float64, 0, len(g)*n)
	for _, row := range g {
		flat = append(flat, row...)
	}
	cn, an, bn := gonum.Convert(c, mat.NewDense(len(g), n, flat), h, nil, nil)
	v, _, err := gonum.Simplex(cn, an, bn, 1e-10, nil)
	return -v, err
}

func TestValidate(t *testing.T) {
	ok := func() *Problem {
		return dense([]float64{1, 1}, [][]float64{{1, 1}}, []float64{0}, []float64{1}, nil, nil)
	}
	for name, spoil := range map[string]func(*Problem){
		"NaN cost":        func(p *Problem) { p.Cost[0] = math.NaN() },
		"huge cost":       func(p *Problem) { p.Cost[0] = 1e25 },
		"infinite entry":  func(p *Problem) { p.Value[0] = inf },
		"NaN bound":       func(p *Problem) { p.Lower[1] = math.NaN() },
		"bounds crossing": func(p *Problem) { p.Lower[1], p.Upper[1] = 2, 1 },
		"rows crossing":   func(p *Problem) { p.RowLower[0] = 3 },
		"row missing":     func(p *Problem) { p.RowUpper = nil },
		"row out of range": func(p *Problem) {
			p.Index[0] = 7
		},
		"row twice":        func(p *Problem) { p.Start[1] = 2; p.Start[2] = 2 },
		"start descending": func(p *Problem) { p.Start[1] = 5 },
		"start missing":    func(p *Problem) { p.Start = p.Start[:2] },
	} {
		t.Run(name, func(t *testing.T) {
			for sn, s := range solvers {
				p := ok()
				spoil(p)
				if _, err := s.Solve(p); err == nil {
					t.Errorf("%s, %s: no error", name, sn)
				}
			}
		})
	}
}

// The factors of a random sparse basis, updated some columns long, must solve
// with it and its transpose.
func TestLU(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 60 {
		m := 1 + r.IntN(40)
		rows, vals := make([][]int32, m), make([][]float64, m)
		fill := func(p int) {
			rows[p], vals[p] = rows[p][:0], vals[p][:0]
			for i := range m {
				if i == p || r.IntN(m) < 2 {
					rows[p], vals[p] = append(rows[p], int32(i)), append(vals[p], 0.5+r.Float64())
				}
			}
		}
		for p := range m {
			fill(p)
		}
		f := newLU(m)
		col := func(p int) ([]int32, []float64) { return rows[p], vals[p] }
		if bad, _ := f.factor(col); bad != nil {
			continue // a singular draw
		}
		x, y := make([]float64, m), make([]float64, m)
		for step := range 6 {
			if step > 0 {
				p := r.IntN(m)
				keepR, keepV := append([]int32(nil), rows[p]...), append([]float64(nil), vals[p]...)
				fill(p)
				clear(x)
				for k, i := range rows[p] {
					x[i] = vals[p][k]
				}
				f.ftran(x, y)
				if math.Abs(y[p]) < 1e-3 {
					rows[p], vals[p] = keepR, keepV
					continue
				}
				f.update(p, y)
			}
			checkFactors(t, f, rows, vals, r, trial)
		}
	}
}

func checkFactors(t *testing.T, f *lu, rows [][]int32, vals [][]float64, r *rand.Rand, trial int) {
	t.Helper()
	m := f.m
	want, rhs, got := make([]float64, m), make([]float64, m), make([]float64, m)
	for p := range want {
		want[p] = r.NormFloat64()
		for k, i := range rows[p] {
			rhs[i] += vals[p][k] * want[p]
		}
	}
	f.ftran(rhs, got)
	for p := range want {
		if math.Abs(got[p]-want[p]) > 1e-6*(1+math.Abs(want[p])) {
			t.Fatalf("trial %d, m %d: ftran[%d] = %v, want %v", trial, m, p, got[p], want[p])
		}
	}
	c := make([]float64, m)
	for p := range c {
		for k, i := range rows[p] {
			c[p] += vals[p][k] * want[i]
		}
	}
	f.btran(c, got)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-6*(1+math.Abs(want[i])) {
			t.Fatalf("trial %d, m %d: btran[%d] = %v, want %v", trial, m, i, got[i], want[i])
		}
	}
}
