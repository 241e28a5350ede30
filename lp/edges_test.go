package lp

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// Two classes, two machines. By hand: machine 0 carries class 0 half and class 1
// three quarters, 5/4 in all, a quarter too much; machine 1 carries class 1 half.
// Three entries are positive and one machine is shared.
func TestCertificateCounts(t *testing.T) {
	alpha := []float64{1, 1}
	mu := [][]float64{{2, 1}, {1, 3}}
	delta := [][]float64{{0.5, 0}, {0.75, 0.5}}
	c, err := Certify(alpha, mu, delta, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if c.Positive != 3 || c.Shared != 1 || c.Overload != 0.25 {
		t.Errorf("%+v, want 3 positive, 1 shared, overload 0.25", c)
	}
	// Machine 0 is scaled back by 5/4: class 0 gets 2 · 0.5/1.25 = 0.8, class 1
	// gets 0.75/1.25 + 3 · 0.5 = 2.1.
	if math.Abs(c.Lower-0.8) > 1e-15 {
		t.Errorf("lower bound %v, want 0.8", c.Lower)
	}
	// Prices are 2 and 3, the weights earn 2: 5/2.
	if math.Abs(c.Upper-2.5) > 1e-15 {
		t.Errorf("upper bound %v, want 2.5", c.Upper)
	}
	// The largest product: machine 1 of price 3 is idle half the time, 1.5; class 1
	// has 1.3 more than 0.8, and its share of machine 0 loses 0.75 (2 - 1). Divided
	// by what the weights earn.
	if math.Abs(c.Slackness-1.5/2) > 1e-15 {
		t.Errorf("slackness %v, want 0.75", c.Slackness)
	}
	if c.Optimal(1e-9) {
		t.Error("it is not optimal")
	}
}

// A share counts though it is below one: no machine is idle and both classes get
// what they ask, so that the only product is 1/2 (2 - 1) of class 1's share of
// machine 0; the weights earn 2.5.
func TestSlacknessOfSmallShares(t *testing.T) {
	mu := [][]float64{{2, 0.5}, {1, 1}}
	c, err := Certify([]float64{1, 1.5}, mu, [][]float64{{0.5, 0}, {0.5, 1}}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c.Slackness-0.2) > 1e-15 {
		t.Errorf("slackness %v, want 0.2", c.Slackness)
	}
}

// What a priced class gets beyond lambda counts: one machine gives half of itself to
// each class, 1 and 2, so lambda is 1. Both weights make its price 4, it is never idle,
// and the only product is 1 (2 - 1) of class 1; the weights earn 3.
func TestSlacknessOfSurplus(t *testing.T) {
	c, err := Certify([]float64{1, 1}, [][]float64{{2}, {4}}, [][]float64{{0.5}, {0.5}}, []float64{2, 1})
	if err != nil || c.Lower != 1 || math.Abs(c.Slackness-1.0/3) > 1e-15 {
		t.Errorf("%+v, %v; want slackness 1/3", c, err)
	}
}

// The tolerance counts for the upper bound where that is above 1, else for 1; a gap of
// just the tolerance is within it.
func TestOptimalWithin(t *testing.T) {
	for _, c := range []struct {
		lower, upper, tol float64
		want              bool
	}{{1, 2, 0.5, true}, {1, 2, 0.49, false}, {0, 0.5, 0.5, true}, {0, 0.5, 0.49, false}, {2, 2, 0, true},
		{6, 8, 0.25, true}, {5.9, 8, 0.25, false}} {
		if got := (Certificate{Lower: c.lower, Upper: c.upper}).Optimal(c.tol); got != c.want {
			t.Errorf("%v to %v within %v: %v", c.lower, c.upper, c.tol, got)
		}
	}
}

// The program of the paper by hand: a class without arrivals has no entry for lambda.
func TestProgramOfThePaper(t *testing.T) {
	p := paperProblem([]float64{2, 0}, [][]float64{{3, 5}, {7, 11}})
	want := dense([]float64{1, 0, 0, 0, 0}, [][]float64{{-2, 3, 5, 0, 0}, {0, 0, 0, 7, 11}, {0, 1, 0, 1, 0},
		{0, 0, 1, 0, 1}},
		[]float64{0, 0, -inf, -inf}, []float64{inf, inf, 1, 1}, nil, nil)
	if !reflect.DeepEqual(p, want) {
		t.Errorf("%+v\nwant %+v", p, want)
	}
}

// max x + y, x + 2y <= 4, 3x + y <= 6: 2.8 at (1.6, 1.2), whatever the bounds are
// written as and wherever the method starts.
func TestBoundsAndStarts(t *testing.T) {
	program := func() *Problem {
		p := &Problem{RowLower: []float64{math.Inf(-1), math.Inf(-1)}, RowUpper: []float64{4, 6}}
		p.AddColumn(1, 0, math.Inf(1), []int32{0, 1}, []float64{1, 3})
		p.AddColumn(1, 0, math.Inf(1), []int32{0, 1}, []float64{2, 1})
		return p
	}
	check := func(name string, s *Solution, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if math.Abs(s.Value-2.8) > 1e-9 || math.Abs(s.X[0]-1.6) > 1e-9 || math.Abs(s.X[1]-1.2) > 1e-9 {
			t.Errorf("%s: %v at %v, want 2.8 at 1.6 and 1.2", name, s.Value, s.X)
		}
	}
	s, err := Simplex{}.Solve(program())
	check("as written", s, err)
	p := program()
	p.Lower, p.Upper = nil, nil
	s, err = Simplex{}.Solve(p)
	check("bounds left out", s, err)
	for _, basis := range [][]int32{{0, 1}, {1, 0}, {2, 3}, {3, 2}, {0, 0}, {1, 1}, {4, 5}, {4, 0}, {-1, 1}, {-7, 99},
		{3, 3}, {2, 1}, {0, 3}} {
		start := slices.Clone(basis)
		s, err := Simplex{}.SolveFrom(program(), basis)
		check("from a basis", s, err)
		if !slices.Equal(start, basis) {
			t.Errorf("the basis handed in changed: %v, was %v", basis, start)
		}
	}
}

// From an optimal basis and from a damaged one the method ends at the optimum.
func TestStartFromTheOptimum(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		n, m := 6+r.IntN(10), 3+r.IntN(5)
		p := &Problem{}
		for range m {
			p.RowLower, p.RowUpper = append(p.RowLower, math.Inf(-1)), append(p.RowUpper, 1+9*r.Float64())
		}
		for range n {
			var rows []int32
			var vals []float64
			for i := range m {
				rows, vals = append(rows, int32(i)), append(vals, 0.1+r.Float64())
			}
			p.AddColumn(r.Float64(), 0, 2, rows, vals)
		}
		first, err := Simplex{}.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Simplex{}.SolveFrom(p, first.Basis)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(again.Value-first.Value) > 1e-9 {
			t.Errorf("from its own basis: %v, first %v", again.Value, first.Value)
		}
		broken := slices.Clone(first.Basis)
		broken[r.IntN(m)] = broken[r.IntN(m)]
		third, err := Simplex{}.SolveFrom(p, broken)
		if err != nil || math.Abs(third.Value-first.Value) > 1e-9 {
			t.Errorf("from a broken basis: %v, %v; want %v", third, err, first.Value)
		}
	}
}

// No problem at all is an error like any other.
func TestNoProblem(t *testing.T) {
	if _, err := (Simplex{}).Solve(nil); err == nil {
		t.Error("solved")
	}
}
