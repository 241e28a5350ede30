package lp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Klee and Minty: with the largest-coefficient rule the simplex method passes all
// 2^n vertices of their cube, in 2^n - 1 changes of the basis. From the optimal
// basis it makes none.
func TestKleeMintyPassesEveryVertex(t *testing.T) {
	for n := 1; n <= 8; n++ {
		p := kleeMinty(n)
		s, err := Simplex{}.Solve(p)
		if err != nil || s.Iterations != 1<<n-1 {
			t.Fatalf("n = %d: %+v, %v; want %d changes", n, s, err, 1<<n-1)
		}
		if s, err = (Simplex{}).SolveFrom(p, s.Basis); err != nil || s.Iterations != 0 {
			t.Errorf("n = %d, from the optimum: %+v, %v; want no change", n, s, err)
		}
	}
}

// The limit counts changes: the cube of dimension 5 takes 31, not 30.
func TestIterationLimit(t *testing.T) {
	p := kleeMinty(5)
	if _, err := (Simplex{MaxIterations: 30}).Solve(p); err != ErrIterations {
		t.Errorf("30 changes: %v, want %v", err, ErrIterations)
	}
	for _, limit := range []int{31, 40} {
		if s, err := (Simplex{MaxIterations: limit}).Solve(p); err != nil || s.Iterations != 31 {
			t.Errorf("%d changes: %+v, %v", limit, s, err)
		}
	}
}

// A matrix whose rows and columns can be put into triangular order is factored
// without arithmetic: pivots, multipliers and entries of U are as many as its
// entries, and its solution is that of substitution.
func TestTriangularFactorsWithoutFill(t *testing.T) {
	const seed = 12
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 40 {
		m := 2 + r.IntN(30)
		rowOf, colOf := r.Perm(m), r.Perm(m)
		rows, vals := make([][]int32, m), make([][]float64, m)
		entries := 0
		for i := range m {
			for j := range i + 1 {
				if i == j || r.IntN(4) == 0 {
					p := colOf[j]
					rows[p], vals[p] = append(rows[p], int32(rowOf[i])), append(vals[p], 1+r.Float64())
					entries++
				}
			}
		}
		f := newLU(m)
		if bad, _ := f.factor(func(p int) ([]int32, []float64) { return rows[p], vals[p] }); bad != nil {
			t.Fatalf("m = %d: dependent columns %v", m, bad)
		}
		if got := m + len(f.lRow) + len(f.uRow); got != entries {
			t.Errorf("m = %d: %d entries in the factors of a triangular matrix of %d", m, got, entries)
		}
		checkFactors(t, f, rows, vals, r, m)
	}
}

// Dependent columns are told with as many rows left over: a matrix of rank m - 2
// has two of each.
func TestDependentColumns(t *testing.T) {
	const seed = 13
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		m := 5 + r.IntN(10)
		rows, vals := make([][]int32, m), make([][]float64, m)
		for p := range m {
			for i := range m {
				rows[p], vals[p] = append(rows[p], int32(i)), append(vals[p], r.NormFloat64())
			}
		}
		for i := range m { // two columns are sums of others
			vals[1][i] = vals[0][i] + vals[2][i]
			vals[4][i] = 2*vals[3][i] - vals[0][i]
		}
		f := newLU(m)
		badPos, badRow := f.factor(func(p int) ([]int32, []float64) { return rows[p], vals[p] })
		if len(badPos) != 2 || len(badRow) != 2 {
			t.Errorf("m = %d: positions %v, rows %v; want two of each", m, badPos, badRow)
		}
	}
}

// Factors are made anew after 100 changes of the basis, or when the changes hold
// more than 40 entries a row and 1000.
func TestFactorsGetStale(t *testing.T) {
	const m = 3
	f := newLU(m)
	one := func(p int) ([]int32, []float64) { return []int32{int32(p)}, []float64{1} }
	f.factor(one)
	for n := 1; n <= 100; n++ {
		f.update(n%m, []float64{1, 1, 1})
		if got, want := f.stale(), n >= 100; got != want {
			t.Fatalf("stale after %d changes: %v", n, got)
		}
	}
	if f.factor(one); f.stale() {
		t.Error("stale when made anew")
	}
	const big = 500
	f = newLU(big)
	f.factor(one)
	full := make([]float64, big)
	for i := range full {
		full[i] = 1
	}
	for n := 1; n <= 50; n++ { // each change holds 499 entries; 40 · 500 + 1000 are 21,000: the 43rd exceeds them
		f.update(0, full)
		if got, want := f.stale(), n*499 > 21000; got != want {
			t.Fatalf("stale after %d full changes: %v", n, got)
		}
	}
}

// The entering variable is the one whose reduced cost improves most; with Bland's
// rule the first that improves; fixed variables, basic ones and those whose way is
// barred never.
func TestPriceTakesTheSteepest(t *testing.T) {
	p := &Problem{RowLower: []float64{math.Inf(-1)}, RowUpper: []float64{10}}
	for _, c := range []struct{ cost, lo, up float64 }{{1, 0, 5}, {4, 0, 5}, {9, 2, 2}, {3, 0, 5}, {-8, 0, 5}} {
		p.AddColumn(c.cost, c.lo, c.up, []int32{0}, []float64{1})
	}
	tab := newTableau(p, 0)
	tab.install(nil)
	if err := tab.refactor(); err != nil {
		t.Fatal(err)
	}
	phase1 := tab.prices()
	if q, d := tab.price(phase1); phase1 || q != 1 || d != -4 {
		t.Errorf("variable %d of reduced cost %v enters in phase 1 (%v), want 1 of -4", q, d, phase1)
	}
	tab.idle = blandAfter + 1
	if q, d := tab.price(phase1); q != 0 || d != -1 {
		t.Errorf("by Bland's rule %d of %v, want 0 of -1", q, d)
	}
	tab.idle = 0
	tab.where[4], tab.x[4] = atUpper, 5 // and now it may come down
	if q, d := tab.price(phase1); q != 4 || d != 8 {
		t.Errorf("variable %d of %v enters, want 4 of 8 from its upper bound", q, d)
	}
}

// The basis a large allocation starts from is feasible: no infeasibility is left to
// remove, and lambda is above 0.
func TestCrashIsFeasible(t *testing.T) {
	const seed = 14
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 10 {
		f := 10 + r.IntN(10)
		g := 4*f + r.IntN(20) // enough for every class to be served
		alpha, mu := make([]float64, f), make([][]float64, f)
		for i := range f {
			alpha[i], mu[i] = 0.5+r.Float64(), make([]float64, g)
			for j := range g {
				mu[i][j] = 0.1 + 10*r.Float64()
			}
		}
		red, err := reduce(alpha, mu, false, highRate)
		if err != nil {
			t.Fatal(err)
		}
		basis := red.crash()
		if basis == nil {
			t.Fatalf("%d classes and %d groups start from nothing", f, g)
		}
		tab := newTableau(red.problem(), 0)
		tab.install(basis)
		if err := tab.refactor(); err != nil {
			t.Fatal(err)
		}
		if tab.prices() || tab.x[0] <= 0 {
			t.Errorf("%d classes and %d groups: infeasible %v, lambda %v", f, g, tab.prices(), tab.x[0])
		}
		for i, v := range basis {
			if tab.basis[i] != v {
				t.Errorf("%d classes and %d groups: variable %d was replaced by %d", f, g, v, tab.basis[i])
			}
		}
	}
}
