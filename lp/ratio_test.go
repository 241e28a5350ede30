package lp

import "testing"

// blocks makes a tableau of rows with the bounds lo and up, all basic at x, and one
// variable of 0 to own that enters with alpha.
func blocks(t *testing.T, lo, up, x, alpha []float64, own float64) *tableau {
	t.Helper()
	p := &Problem{RowLower: lo, RowUpper: up}
	p.AddColumn(1, 0, own, nil, nil)
	tab := newTableau(p, 0)
	tab.install(nil)
	copy(tab.x[1:], x)
	copy(tab.alpha, alpha)
	return tab
}

// The ratio test by hand. A basic variable moves at the rate -alpha; the smallest
// ratio of room to rate blocks, of those within the tolerance of 1e-9 the largest
// pivot; pivots of up to 1e-9 never block; the entering variable's own bound blocks
// when it is reached first or at the same time.
func TestRatio(t *testing.T) {
	no := []float64{-inf, -inf, -inf}
	zero := []float64{0, 0, 0}
	for _, c := range []struct {
		name             string
		lo, up, x, alpha []float64
		own, dir         float64
		bland            bool
		pos              int
		step             float64
		upper            bool
	}{
		{"ratios 3, 2, 5", no, []float64{3, 4, 20}, zero, []float64{-1, -2, -4}, inf, 1, false, 1, 2, true},
		{"room counts from x", no, []float64{3, 4, 20}, []float64{2, 0, 19}, []float64{-1, -2, -4}, inf, 1, false, 2, 0.25,
			true},
		{"down to lower bounds", []float64{-6, -1, 0}, zero, zero, []float64{2, 0.5, 0}, inf, 1, false, 1, 2, false},
		{"entering downwards", []float64{-6, -1, 0}, []float64{9, 9, 9}, zero, []float64{-2, -0.5, 0}, inf, -1, false, 1, 2,
			false},
		{"nothing blocks", no, []float64{3, 4, 20}, zero, []float64{1, 2, 4}, inf, 1, false, -1, inf, false},
		{"own bound first", no, []float64{3, 4, 20}, zero, []float64{-1, -2, -4}, 1.5, 1, false, -1, 1.5, true},
		{"own bound as well", no, []float64{3, 4, 20}, zero, []float64{-1, -2, -4}, 2, 1, false, -1, 2, true},
		{"own bound downwards", no, []float64{3, 4, 20}, zero, []float64{-1, -2, -4}, 1, -1, false, -1, 1, false},
		{"own bound later", no, []float64{3, 4, 20}, zero, []float64{-1, -2, -4}, 2.5, 1, false, 1, 2, true},
		{"largest pivot of equal ratios", no, []float64{2, 8, 4}, zero, []float64{-1, -4, -2}, inf, 1, false, 1, 2, true},
		{"largest pivot within the tolerance", no, []float64{2, 4 + 6e-10, 9}, zero, []float64{-1, -2, -1}, inf, 1, false, 1,
			2 + 3e-10, true},
		{"beyond the tolerance", no, []float64{2, 4 + 6e-9, 9}, zero, []float64{-1, -2, -1}, inf, 1, false, 0, 2, true},
		{"small pivots", no, []float64{0, 0, 9}, zero, []float64{-1e-9, 1e-10, -3}, inf, 1, false, 2, 3, true},
		{"slightly beyond its bound", no, []float64{-1e-10, 9, 9}, zero, []float64{-1, -1, -1}, inf, 1, false, 0, 0, true},
		{"Bland: smallest ratio", no, []float64{2, 4 + 6e-10, 9}, zero, []float64{-1, -2, -1}, inf, 1, true, 0, 2, true},
		{"Bland: smallest ratio, later", no, []float64{2 + 6e-10, 4, 9}, zero, []float64{-1, -2, -1}, inf, 1, true, 1, 2,
			true},
		{"Bland: smallest number of equal ratios", no, []float64{2, 8, 4}, zero, []float64{-1, -4, -2}, inf, 1, true, 0, 2,
			true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab := blocks(t, c.lo, c.up, c.x, c.alpha, c.own)
			if c.bland {
				tab.idle = blandAfter + 1
			}
			pos, step, upper := tab.ratio(0, c.dir, false)
			if pos != c.pos || step != c.step || (step != inf && upper != c.upper) {
				t.Errorf("%s: position %d, step %v, upper %v; want %d, %v, %v", c.name, pos, step, upper, c.pos, c.step, c.upper)
			}
		})
	}
	// The number is that of the variable, not of its position.
	tab := blocks(t, no, []float64{2, 8, 4}, zero, []float64{-2, -1, -4}, inf)
	tab.basis[0], tab.basis[1], tab.basis[2] = 3, 1, 2 // room 4, 2 and 8
	tab.idle = blandAfter + 1
	if pos, step, _ := tab.ratio(0, 1, false); pos != 1 || step != 2 {
		t.Errorf("Bland: position %d after %v, want 1 after 2", pos, step)
	}
}

// In phase 1 a variable beyond a bound blocks only on its way back, at that bound;
// one within its bounds blocks as ever.
func TestRoomInPhaseOne(t *testing.T) {
	for _, c := range []struct {
		x, rate float64
		phase1  bool
		room    float64
		upper   bool
	}{
		{-3, 1, true, 4, false}, {-3, -1, true, inf, false}, {9, -1, true, 4, true}, {9, 1, true, inf, false},
		{2, 1, true, 3, true}, {2, -1, true, 1, false}, {2, 1, false, 3, true}, {2, -1, false, 1, false},
		{-3, 1, false, 8, true}, {9, -1, false, 8, false}, {1, -1, true, 0, false}, {5, 1, true, 0, true},
	} {
		tab := blocks(t, []float64{1}, []float64{5}, []float64{c.x}, []float64{0}, inf)
		if room, upper := tab.room(0, c.rate, c.phase1); room != c.room || upper != c.upper {
			t.Errorf("1 <= %v <= 5 at the rate %v, phase 1 %v: room %v, upper %v; want %v, %v", c.x, c.rate, c.phase1, room,
				upper, c.room, c.upper)
		}
	}
}

// Columns are priced in sections of an eighth, at least 500, in rotation: the best
// of a section enters though another section has a better one.
func TestPricingRotates(t *testing.T) {
	at := func(n int, costs map[int]float64) *tableau {
		p := &Problem{RowLower: []float64{0}, RowUpper: []float64{1}}
		for j := range n {
			p.AddColumn(costs[j], 0, 1, []int32{0}, []float64{1})
		}
		tab := started(t, p, nil)
		tab.prices()
		return tab
	}
	for _, c := range []struct {
		n     int
		costs map[int]float64
		want  []int
	}{
		{1200, map[int]float64{10: 1, 20: 2, 499: 1, 500: 5, 600: 4, 1100: 9}, []int{20, 500, 1100, 20, 500, 1100}},
		{1200, map[int]float64{1000: 3}, []int{1000, 1000, 1000}},
		{7999, map[int]float64{600: 1, 999: 2, 1000: 8, 1999: 9, 2000: 10}, []int{999, 1999, 2000, 999}},
		{499, map[int]float64{0: 1, 498: 2}, []int{498, 498}},
		{700, map[int]float64{}, []int{-1, -1}},
		{700, map[int]float64{5: -1, 600: -2}, []int{-1}},
	} {
		tab := at(c.n, c.costs)
		for k, want := range c.want {
			if q, d := tab.price(false); q != want || (q >= 0 && d != -c.costs[q]) {
				t.Errorf("%d columns, call %d: %d of %v enters, want %d", c.n, k, q, d, want)
			}
		}
	}
}
