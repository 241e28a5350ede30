package main

import (
	"math"
	"strings"
	"testing"
)

// Costs 0.5, 0.5, 0.5, 0.5 and 0.6. One of five is the worse one with probability 1/5 and
// then always behind. The median of two has it in 4 of 10 pairs, is 0.55 then and behind.
// With a tenth of the spread it is 0.5*1.2^0.1 = 0.509 at most (measured from 0.5, as
// differences keep a tenth): less than a point and less than 5 % worse. Where the rivals'
// costs are 30 % higher, the best of them is 0.65.
func TestBehindCopies(t *testing.T) {
	costs := []float64{0.5, 0.6, 0.5, 0.5, 0.5}
	for _, c := range []struct {
		a    alteration
		want float64
	}{
		{alteration{own: 1, spread: 1, handicap: 1}, 0.2},
		{alteration{own: 2, spread: 1, handicap: 1}, 0.4},
		{alteration{own: 1, spread: 0.1, handicap: 1}, 0},
		{alteration{own: 1, spread: 1, handicap: 1.3}, 0},
	} {
		points, parts := c.a.behind(costs)
		if math.Abs(points-c.want) > 1e-12 || math.Abs(parts-c.want) > 1e-12 {
			t.Errorf("%+v: behind by a point in %v, by 5 %% in %v of the choices, want %v", c.a, points, parts, c.want)
		}
	}
	// Behind by a point, but not by 5 %: 0.98 against 0.96.
	points, parts := alteration{own: 1, spread: 1, handicap: 1}.behind([]float64{0.96, 0.98, 0.96, 0.96})
	if points != 0.25 || parts != 0 {
		t.Errorf("0.98 against 0.96: %v and %v, want 0.25 and 0", points, parts)
	}
}

// A report of four repeats says how often one is behind the best of the three others, as
// often as the worst of four: on one of two problems in 1 of 4 choices.
func TestNullTable(t *testing.T) {
	at := func(v float64) trace { return trace{{0, 1}, {50, v}} }
	tb := &table{problems: []*problem{{}, {}}, methods: []method{{name: "ours"}}, cells: [][]cell{
		{{at(0.5), at(0.5), at(0.9), at(0.5)}},
		{{at(0.7), at(0.7), at(0.7), at(0.7)}},
	}}
	var b strings.Builder
	tb.writeNull(&b, []int{50})
	if want := "| one study | 0.2, 0.2 |"; !strings.Contains(b.String(), want) || strings.Contains(b.String(), "median of two") {
		t.Errorf("four repeats: %s\nwant %q, and no median of two against three others", b.String(), want)
	}
	tb.cells[0][0] = tb.cells[0][0][:3]
	b.Reset()
	if tb.writeNull(&b, []int{50}); b.Len() > 0 {
		t.Errorf("three repeats: %s\nwant nothing", b.String())
	}
}
