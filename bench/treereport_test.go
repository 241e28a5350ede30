package main

import (
	"math"
	"reflect"
	"testing"
)

// One of five repeats is worse than the others and behind them in 1/5 of the choices,
// whichever three stand for the rivals; 0.98 is behind 0.96 by a point, but not by 5 %.
func TestBehindCopies(t *testing.T) {
	for name, c := range map[string]struct {
		costs         []float64
		points, parts float64
	}{
		"one of five":     {[]float64{0.5, 0.6, 0.5, 0.5, 0.5}, 0.2, 0.2},
		"by a point only": {[]float64{0.96, 0.98, 0.96, 0.96}, 0.25, 0},
		"two of five":     {[]float64{0.5, 0.6, 0.5, 0.6, 0.5}, 0.4, 0.4},
		// 0.7 is behind always, 0.6 where 0.5 is among the three: in 3 of 4 choices.
		"three levels": {[]float64{0.7, 0.6, 0.6, 0.6, 0.5}, 1.0/5 + 3.0/5*3/4, 1.0/5 + 3.0/5*3/4},
	} {
		t.Run(name, func(t *testing.T) {
			points, parts := behindCopies(c.costs)
			if math.Abs(points-c.points) > 1e-12 || math.Abs(parts-c.parts) > 1e-12 {
				t.Errorf("behind by a point in %v, by 5 %% in %v of the choices, want %v and %v", points, parts, c.points, c.parts)
			}
		})
	}
}

// With four repeats one is compared with the three others: behind on one of two problems in
// 1 of 4 choices. With three there is nothing to compare, and without rivals no row of them.
func TestBehindRows(t *testing.T) {
	at := func(v float64) trace { return trace{{0, 1}, {50, v}} }
	tb := &table{problems: []*problem{{}, {}}, methods: []method{{name: "ours"}}, cells: [][]cell{
		{{at(0.5), at(0.5), at(0.9), at(0.5)}},
		{{at(0.7), at(0.7), at(0.7), at(0.7)}},
	}}
	head := []string{"against_best_of", "runs", "by_a_point", "by_5_percent", "most_points"}
	want := [][]string{head, {"3 copies of ours", "50", "0.2", "0.2", ""}}
	if got := tb.behindRows([]int{50}); !reflect.DeepEqual(got, want) {
		t.Errorf("four repeats: %q, want %q", got, want)
	}
	tb.cells[0][0] = tb.cells[0][0][:3]
	if got := tb.behindRows([]int{50}); !reflect.DeepEqual(got, [][]string{head}) {
		t.Errorf("three repeats: %q, want the head alone", got)
	}
	tb.methods = append(tb.methods, method{name: "random, 5 seeds"})
	tb.cells[0], tb.cells[1] = append(tb.cells[0], cell{at(0.6)}), append(tb.cells[1], cell{at(0.6)})
	want = [][]string{head, {"random, 5 seeds", "50", "1", "1", "10.0"}}
	if got := tb.behindRows([]int{50}); !reflect.DeepEqual(got, want) {
		t.Errorf("against random search: %q, want %q", got, want)
	}
}
