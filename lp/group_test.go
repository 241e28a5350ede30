package lp

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Five machines by hand: 0, 2 and 4 are of one kind, 4 twice as fast as 0 and 2 half
// as fast; 1 is another; 3 serves no class that arrives. The fastest stands
// for its group.
func TestGroupsByHand(t *testing.T) {
	alpha := []float64{2, 0, 4}
	mu := [][]float64{{2, 0, 1, 0, 4}, {9, 9, 9, 9, 9}, {4, 6, 2, 0, 8}}
	r, err := reduce(alpha, mu, true, highRate)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.classes, []int{0, 2}) || len(r.groups) != 2 {
		t.Fatalf("classes %v, groups %+v", r.classes, r.groups)
	}
	g := r.groups[0]
	if g.first != 4 || !slices.Equal(g.members, []int32{0, 2, 4}) || !slices.Equal(g.scale, []float64{0.5, 0.25, 1}) ||
		g.capacity != 1.75 {
		t.Errorf("group 0: %+v", g)
	}
	if g = r.groups[1]; g.first != 1 || !slices.Equal(g.members, []int32{1}) || g.capacity != 1 {
		t.Errorf("group 1: %+v", g)
	}
	// The best multiples are 4/2 and 8/4, so l0 = 2 and the units are 4 and 8.
	if !slices.Equal(r.unit, []float64{4, 8}) || !slices.Equal(r.rate[0], []float64{1, 0}) ||
		!slices.Equal(r.rate[1], []float64{1, 0.75}) {
		t.Errorf("units %v, rates %v", r.unit, r.rate)
	}
	if !slices.Equal(r.row, []float64{1, 1}) || !slices.Equal(r.scale, []float64{1, 1}) {
		t.Errorf("rows %v, scales %v", r.row, r.scale)
	}
	if r, err = reduce(alpha, mu, false, highRate); err != nil || len(r.groups) != 4 {
		t.Errorf("not merged: %+v, %v; want 4 groups", r, err)
	}
	// Class 1 is 100 times as well off as class 0: with rows of up to 10 the rest, 10,
	// goes into its shares; the coefficients are the same product.
	if r, err = reduce([]float64{1, 1}, [][]float64{{1}, {100}}, true, 10); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.row, []float64{1, 10}) || !slices.Equal(r.scale, []float64{1, 10}) {
		t.Errorf("rows %v, scales %v; want 1 and 10 of both", r.row, r.scale)
	}
	p := r.problem()
	want := dense([]float64{1, 0, 0}, [][]float64{{-1, 1, 0}, {-0.1, 0, 1}, {0, 1, 0.1}}, []float64{0, 0, -inf},
		[]float64{inf, inf, 1}, nil, nil)
	if !slices.Equal(p.Value, want.Value) || !slices.Equal(p.Index, want.Index) || !slices.Equal(p.Start, want.Start) ||
		!slices.Equal(p.RowLower, want.RowLower) || !slices.Equal(p.RowUpper, want.RowUpper) ||
		!slices.Equal(p.Cost, want.Cost) || !slices.Equal(p.Upper, want.Upper) {
		t.Errorf("%+v\nwant %+v", p, want)
	}
}

// Machines whose rates differ by more than rounding are two groups, those that differ
// by one unit in the last place are one.
func TestMergingWithinRounding(t *testing.T) {
	for _, base := range []float64{1.5, 1.1, 1.9} {
		for diff, want := range map[float64]int{0: 1, 2.3e-16: 1, -2.3e-16: 1, 1e-14: 2, 1e-13: 2, 1e-3: 2} {
			mu := [][]float64{{1, 1}, {base, base * (1 + diff)}}
			r, err := reduce([]float64{1, 1}, mu, true, highRate)
			if err != nil || len(r.groups) != want {
				t.Errorf("%v and %v: %d groups, %v; want %d", base, mu[1][1], len(r.groups), err, want)
			}
		}
	}
}

// A rate below 1e-12 of a class's best is as good as none, and has no variable.
func TestUselessRates(t *testing.T) {
	r, err := reduce([]float64{1}, [][]float64{{1, 1e-12, 9e-13}}, false, highRate)
	if err != nil || !slices.Equal(r.rate[0], []float64{1, 1e-12, 0}) {
		t.Fatalf("%+v, %v", r, err)
	}
	if p := r.problem(); !slices.Equal(p.Upper, []float64{inf, inf, inf, 0}) || len(p.Value) != 1+4 {
		t.Errorf("%+v: want two shares with entries and the third fixed at 0", p)
	}
}

// A group of machines of speeds 1, 1/2 and 1/2, of which class 0 gets 1.25 and class 1
// 0.25: the smaller need is served first, one machine after the other.
func TestSpreadByHand(t *testing.T) {
	r := &reduced{classes: []int{1, 0}, rate: [][]float64{{1}, {1}}, scale: []float64{1, 2},
		groups: []group{{members: []int32{0, 1, 3}, scale: []float64{1, 0.5, 0.5}, capacity: 2}}}
	x := []float64{0.25, 2.5}
	got := r.spread(x, 3, 4)
	for i, want := range [][]float64{{0.75, 1, 0, 0}, {0.25, 0, 0, 0}, {0, 0, 0, 0}} {
		if !slices.Equal(got[i], want) {
			t.Errorf("class %d has %v, want %v", i, got[i], want)
		}
	}
	x[0] = 1e-11 // adds nothing to lambda that is not rounding
	if got := r.spread(x, 3, 4); got[1][0] != 0 || got[0][0] != 1 {
		t.Errorf("a share of 1e-11 becomes %v", got)
	}
	// Duals of the class rows, by row and unit, scaled to alpha w = 1.
	r.row, r.unit = []float64{1, 2}, []float64{2, 1}
	if w := r.work([]float64{-4, -2, 9}, []float64{1, 2, 0}); !slices.Equal(w, []float64{0.2, 0.4, 0}) {
		t.Errorf("weights %v, want 1 and 2 divided by 1·1 + 2·2", w)
	}
	if w := r.work([]float64{3, 0, 9}, []float64{1, 2, 0}); !slices.Equal(w, make([]float64, 3)) {
		t.Errorf("weights %v of duals of the wrong sign, want none", w)
	}
}

// Of two answers the shares that reach more and the weights that allow less are kept,
// whichever each comes from.
func TestTheBetterHalvesAreKept(t *testing.T) {
	alpha, mu := []float64{1, 1}, [][]float64{{2, 1}, {1, 2}}
	answer := func(delta [][]float64, w []float64, n int) *Allocation {
		a := &Allocation{Delta: delta, Work: w, Price: prices(w, mu), Iterations: n}
		a.Certificate = certify(alpha, mu, delta, w, a.Price)
		a.Lambda = a.Certificate.Lower
		return a
	}
	good, bad := [][]float64{{1, 0}, {0, 1}}, [][]float64{{0, 1}, {1, 0}}
	best, poor := []float64{0.5, 0.5}, []float64{1, 0}
	for _, c := range [][2]*Allocation{
		{answer(good, best, 1), answer(bad, poor, 2)}, {answer(bad, poor, 1), answer(good, best, 2)},
		{answer(good, poor, 1), answer(bad, best, 2)}, {answer(bad, best, 1), answer(good, poor, 2)},
	} {
		a := c[0]
		a.improve(c[1], alpha, mu)
		if a.Lambda != 2 || a.Certificate.Lower != 2 || a.Certificate.Upper != 2 || a.Iterations != 3 ||
			!slices.Equal(a.Price, []float64{1, 1}) {
			t.Errorf("%+v: want 2 proven after 3 changes", a)
		}
	}
}

// The start of large programs by hand and by what it is for: each group works for the
// class that earns most, the basis names lambda for the worst class; it begins at 200
// shares, is at least as good as the first assignment, comes near lambda, and saves changes of the basis.
func TestCrashStart(t *testing.T) {
	r := &reduced{classes: []int{0, 1}, rate: [][]float64{{1, 2, 3}, {2, 2, 1}},
		groups: []group{{capacity: 1}, {capacity: 2}, {capacity: 3}}}
	pick, served := make([]int32, 3), []float64{7, 7}
	r.assign([]float64{1, 1}, pick, served)
	if !slices.Equal(pick, []int32{1, 0, 0}) || !slices.Equal(served, []float64{4 + 9, 2}) {
		t.Errorf("groups work for %v, classes get %v", pick, served)
	}
	// Variables: lambda 0, shares 1 to 6, class rows 7 and 8.
	if b := r.basisOf(pick, 1); !slices.Equal(b, []int32{7, 0, 4, 2, 3}) {
		t.Errorf("basis %v", b)
	}
	const seed = 43
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	with, without := 0, 0
	for _, c := range []struct{ f, g int }{{2, 99}, {2, 100}, {10, 60}, {15, 100}, {20, 150}} {
		alpha, mu := make([]float64, c.f), make([][]float64, c.f)
		for i := range mu {
			alpha[i] = 0.5 + rnd.Float64()
			for range c.g {
				mu[i] = append(mu[i], 0.5+9.5*rnd.Float64())
			}
		}
		red, err := reduce(alpha, mu, true, highRate)
		if err != nil {
			t.Fatal(err)
		}
		basis := red.crash()
		if (basis != nil) != (c.f*c.g >= 200) {
			t.Errorf("%d x %d: start %v", c.f, c.g, basis)
		}
		if basis == nil {
			continue
		}
		w, pick, served := make([]float64, c.f), make([]int32, c.g), make([]float64, c.f)
		for i := range w {
			w[i] = 1 / slices.Max(red.rate[i])
		}
		red.assign(w, pick, served)
		tab := started(t, red.problem(), basis)
		if first := slices.Min(served); tab.x[0] < first-1e-9 {
			t.Errorf("%d x %d: lambda %v at the start, %v in the first round", c.f, c.g, tab.x[0], first)
		}
		a, err := Options{Solver: Simplex{}}.MaxLambda(alpha, mu)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Simplex{}.Solve(red.problem())
		if err != nil || s.Value < tab.x[0]-1e-9 {
			t.Fatalf("%+v, %v; the start has lambda %v", s, err, tab.x[0])
		}
		if part := tab.x[0] / s.Value; part < 0.8 {
			t.Errorf("%d x %d: the rounds end at %v of lambda, want 0.8", c.f, c.g, part)
		}
		with, without = with+a.Iterations, without+s.Iterations
	}
	if t.Logf("%d changes of the basis, %d without a start", with, without); 2*with > without {
		t.Errorf("%d changes of the basis, %d without a start; want less than half", with, without)
	}
}
