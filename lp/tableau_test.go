package lp

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// started returns the tableau of p with a basis installed and factored.
func started(t *testing.T, p *Problem, basis []int32) *tableau {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	tab := newTableau(p, 0)
	tab.install(basis)
	if err := tab.refactor(); err != nil {
		t.Fatal(err)
	}
	return tab
}

// checkState holds a tableau to what must be true between steps: every row has one
// basic variable, the others stand at the bound they are said to be at, and A x = s.
// It returns the objective and the sum of infeasibilities.
func checkState(t *testing.T, tab *tableau) (value, infeasible float64) {
	t.Helper()
	const tol = 1e-6
	inBasis := map[int32]bool{}
	for _, v := range tab.basis {
		inBasis[v] = true
	}
	if len(inBasis) != tab.m {
		t.Fatalf("basis %v names a variable twice", tab.basis)
	}
	act := make([]float64, tab.m)
	for v, x := range tab.x {
		w := tab.where[v]
		switch {
		case (w == basic) != inBasis[int32(v)]:
			t.Fatalf("variable %d is %d, basis %v", v, w, tab.basis)
		case w == atLower && x != tab.lo[v], w == atUpper && x != tab.up[v], w == free && x != 0:
			t.Fatalf("variable %d of %v to %v is at %v, state %d", v, tab.lo[v], tab.up[v], x, w)
		}
		infeasible += math.Max(0, math.Max(tab.lo[v]-x, x-tab.up[v]))
		if v < tab.n {
			value += tab.p.Cost[v] * x
			for k := tab.p.Start[v]; k < tab.p.Start[v+1]; k++ {
				act[tab.p.Index[k]] += tab.p.Value[k] * x
			}
		}
	}
	for i, a := range act {
		if math.Abs(a-tab.x[tab.n+i]) > tol*(1+math.Abs(a)) {
			t.Fatalf("row %d is %v, its logical %v", i, a, tab.x[tab.n+i])
		}
	}
	return value, infeasible
}

// Every step keeps the state consistent; in phase 1 the sum of infeasibilities never
// grows, in phase 2 the point stays feasible and the objective never falls. A step
// without progress is counted, and one with progress ends the count. So with
// Bland's rule throughout, which ends on every problem at the same optimum.
func TestEveryStepIsASimplexStep(t *testing.T) {
	const seed = 31
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 300 {
		p := randomProblem(r)
		ends := make([]float64, 2)
		for bland := range 2 {
			tab := started(t, p, nil)
			value, infeasible := checkState(t, tab)
			ends[bland] = math.NaN()
			for range 400 {
				if bland == 1 {
					tab.idle = blandAfter + 1
				}
				idle, changes, phase1 := tab.idle, tab.iterations, tab.prices()
				done, err := tab.iterate()
				if done {
					ends[bland], _ = checkState(t, tab)
					break
				}
				if err != nil {
					ends[bland] = inf
					break
				}
				v, f := checkState(t, tab)
				if phase1 && f > infeasible+1e-6 || !phase1 && (f > 1e-6 || v < value-1e-6) {
					t.Fatalf("trial %d, phase 1 %v: value %v to %v, infeasible %v to %v", trial, phase1, value, v, infeasible, f)
				}
				if tab.iterations > changes && !phase1 && (v > value+1e-6 && tab.idle != 0 || v < value+1e-12 &&
					tab.idle != idle+1) {
					t.Fatalf("trial %d: value %v to %v, %d idle steps, then %d", trial, value, v, idle, tab.idle)
				}
				value, infeasible = v, f
			}
		}
		if math.IsNaN(ends[0]) || math.IsNaN(ends[1]) || ends[0] != ends[1] && math.Abs(ends[0]-ends[1]) > 1e-6 {
			t.Fatalf("trial %d: ends at %v, by Bland's rule at %v", trial, ends[0], ends[1])
		}
	}
}

// A variable that is not basic starts at the bound nearest to zero, the lower one of
// two as near; without bounds it stands at 0.
func TestParkedAtTheNearestBound(t *testing.T) {
	for _, c := range []struct {
		lo, up float64
		where  int8
		x      float64
	}{{0, inf, atLower, 0}, {-inf, 5, atUpper, 5}, {-inf, inf, free, 0}, {-4, 1, atUpper, 1}, {-1, 4, atLower, -1},
		{2, 2, atLower, 2}, {-3, 3, atLower, -3}, {1, 5, atLower, 1}, {-5, -1, atUpper, -1}, {-2, inf, atLower, -2}} {
		p := &Problem{}
		p.AddColumn(0, c.lo, c.up, nil, nil)
		tab := newTableau(p, 0)
		tab.park(0)
		if tab.where[0] != c.where || tab.x[0] != c.x {
			t.Errorf("%v to %v: state %d at %v, want %d at %v", c.lo, c.up, tab.where[0], tab.x[0], c.where, c.x)
		}
		s, err := Simplex{}.Solve(p)
		if err != nil || s.X[0] != c.x {
			t.Errorf("%v to %v at no cost: %+v, %v; want %v", c.lo, c.up, s, err, c.x)
		}
	}
}

// Where a basis names what there is not, or a variable twice, the first rows that it
// does not name take the place.
func TestInstallFillsWithRows(t *testing.T) {
	p := dense([]float64{1, 1}, [][]float64{{1, 0}, {0, 1}, {1, 1}}, []float64{-inf, -inf, -inf}, []float64{1, 1, 1}, nil,
		nil)
	for _, c := range []struct{ basis, want []int32 }{
		{nil, []int32{2, 3, 4}}, {[]int32{0, 1}, []int32{2, 3, 4}}, {[]int32{4, 0, 1}, []int32{4, 0, 1}},
		{[]int32{0, 0, 5}, []int32{0, 2, 3}}, {[]int32{2, 0, 0}, []int32{2, 0, 3}}, {[]int32{-1, 3, 2}, []int32{4, 3, 2}},
		{[]int32{-1, -1, -1}, []int32{2, 3, 4}}, {[]int32{3, -1, 99}, []int32{3, 2, 4}},
	} {
		tab := newTableau(p, 0)
		tab.install(c.basis)
		if !slices.Equal(tab.basis, c.want) {
			t.Errorf("%v becomes %v, want %v", c.basis, tab.basis, c.want)
		}
		checkState(t, started(t, p, c.basis))
	}
}

// Columns that depend on others leave the basis for the rows left over.
func TestSingularBasisIsRepaired(t *testing.T) {
	p := dense([]float64{1, 1, 1}, [][]float64{{1, 2, 1}, {2, 4, 1}, {1, 2, 2}}, []float64{-inf, -inf, -inf},
		[]float64{4, 6, 5}, nil, []float64{9, 1, 9})
	tab := started(t, p, []int32{0, 1, 2})
	checkState(t, tab)
	rows := 0
	for _, v := range tab.basis {
		if v >= 3 {
			rows++
		}
	}
	if rows != 1 || tab.where[2] != basic {
		t.Errorf("basis %v: want one of the first two columns, the third and one row", tab.basis)
	}
}

// The tolerance is 1e-9 unless another within 1e-12 and 1e-3 is given, and others are
// refused; it grows with large values by a thousandth of them.
func TestTolerances(t *testing.T) {
	p := &Problem{}
	p.AddColumn(0, 0, inf, nil, nil)
	for tol, want := range map[float64]float64{0: 1e-9, 1e-12: 1e-12, 1e-3: 1e-3, 1e-6: 1e-6} {
		if got := newTableau(p, tol).tol; got != want {
			t.Errorf("tolerance %v reads as %v, want %v", tol, got, want)
		}
		if _, err := (Simplex{Tolerance: tol}).Solve(p); err != nil {
			t.Errorf("tolerance %v: %v", tol, err)
		}
	}
	for _, tol := range []float64{9e-13, 2e-3, -1, inf, math.NaN()} {
		if _, err := (Simplex{Tolerance: tol}).Solve(p); err == nil || !strings.Contains(err.Error(), "1e-12 to 1e-3") {
			t.Errorf("tolerance %v: %v, want an error with what is allowed", tol, err)
		}
	}
	tab := newTableau(p, 1e-6)
	for x, want := range map[float64]float64{0: 1e-6, 1e6: 1.001e-3, -1e6: 1.001e-3} {
		if tab.x[0] = x; math.Abs(tab.feasTol(0)/want-1) > 1e-12 {
			t.Errorf("tolerance at %v is %v, want %v", x, tab.feasTol(0), want)
		}
	}
}

// The default limit is 50 changes per row and column and 1000: enough for the cube of
// dimension 9 (511 changes) though not for that of dimension 12 (4095 against 2200).
func TestDefaultLimit(t *testing.T) {
	if s, err := (Simplex{}).Solve(kleeMinty(9)); err != nil || s.Iterations != 511 {
		t.Errorf("dimension 9: %+v, %v", s, err)
	}
	narrow := func(n int) *Problem { // the cube with 4 in place of 100: as many vertices, smaller numbers
		cost, rows := make([]float64, n), make([][]float64, n)
		lo, up := make([]float64, n), make([]float64, n)
		for i := range n {
			cost[i], rows[i] = math.Pow(2, float64(n-1-i)), make([]float64, n)
			for j := range i {
				rows[i][j] = math.Pow(2, float64(i-j+1))
			}
			rows[i][i], lo[i], up[i] = 1, -inf, math.Pow(5, float64(i+1))
		}
		return dense(cost, rows, lo, up, nil, nil)
	}
	if s, err := (Simplex{}).Solve(narrow(10)); err != nil || s.Iterations != 1023 || s.Value != math.Pow(5, 10) {
		t.Errorf("dimension 10: %+v, %v", s, err)
	}
	if s, err := (Simplex{}).Solve(narrow(12)); err != ErrIterations {
		t.Errorf("dimension 12: %+v, %v; want %v", s, err, ErrIterations)
	}
	if s, err := (Simplex{MaxIterations: 5000}).Solve(narrow(12)); err != nil || s.Iterations != 4095 {
		t.Errorf("dimension 12 with 5000: %+v, %v", s, err)
	}
}
