package tune

import (
	"math"
	"slices"
	"testing"

	"schedtune/internal/rng"
)

// Volumes by hand. (1, 3) and (2, 1) under (4, 4): 3·1 + 2·2 = 7, whatever lies beyond the
// reference. In three objectives (0, ½, ½) has ¼ of the unit cube, (½, 0, 0) has ½, and both
// have ⅛ in common: ⅝.
func TestVolumeByHand(t *testing.T) {
	for _, c := range []struct {
		points [][]float64
		ref    []float64
		want   float64
	}{
		{nil, []float64{1, 1}, 0},
		{[][]float64{{3}, {2}}, []float64{5}, 3},
		{[][]float64{{2, 1}, {1, 3}, {5, 0}, {0, 4}}, []float64{4, 4}, 7},
		{[][]float64{{1, 3}, {2, 1}, {2, 1}, {3, 3}}, []float64{4, 4}, 7},
		{[][]float64{{0.5, 0, 0}, {0, 0.5, 0.5}}, []float64{1, 1, 1}, 0.625},
		{[][]float64{{0, 0.5, 0.5}, {0.5, 0, 0.5}}, []float64{1, 1, 1}, 0.375},
	} {
		if got := volume(c.points, c.ref); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v under %v: %v, want %v", c.points, c.ref, got, c.want)
		}
	}
	got := nonDominatedValues([][]float64{{2, 2}, {1, 3}, {1, 3}, {1, 2}, {0, 4}})
	if want := [][]float64{{1, 2}, {0, 4}}; !slices.EqualFunc(got, want, slices.Equal[[]float64]) {
		t.Errorf("%v, want %v", got, want)
	}
	// (3, 3) is worse than (1, 2) by 1 in one and 2 in the other; (0, 0) is better than (1, 2) by 2 at most.
	if a, b := behind([]float64{3, 3}, [][]float64{{1, 2}, {2.5, 9}}),
		behind([]float64{0, 0}, [][]float64{{1, 2}}); a != 1 || b != -2 {
		t.Errorf("%v and %v behind, want 1 and -2", a, b)
	}
}

// taught is a model of f = x and g = 1 - x, both worse by y, from a grid of 10 by 10.
func taught() frontModel {
	all := &sample{blocks: 1}
	var cost [2][]float64
	for i := range 10 {
		for j := range 10 {
			x, y := (float64(i)+0.5)/10, (float64(j)+0.5)/10
			all.runs = append(all.runs, sampledRun{point: Point{x, y}, block: 0})
			cost[0], cost[1] = append(cost[0], 1+x+y), append(cost[1], 2-x+y)
		}
	}
	f, g := costModelOf(nil, all, cost[0], nil, rng.NewKey(1, 2)), costModelOf(nil, all, cost[1], nil, rng.NewKey(1, 3))
	return func(p Point) []float64 { return []float64{f.at(p), g.at(p)} }
}

// Between parents at the ends, the draw that fills the gap comes first, before a neighbour
// of an end, and what is dominated last; a local search from y = 0.9 comes below 0.6.
func TestModelChooses(t *testing.T) {
	m := taught()
	parents := []Point{{0.05, 0.05}, {0.95, 0.05}}
	draws := []Point{{0.55, 0.95}, {0.15, 0.05}, {0.55, 0.05}}
	got := m.choose(3, draws, parents, 1)
	if len(got) != 3 || got[0][0] != 0.55 || got[0][1] != 0.05 || got[2][1] != 0.95 {
		t.Errorf("%v; want the gap at first and y = 0.95 last", got)
	}
	for i := range uint64(10) {
		if p := m.search([]Point{{0.5, 0.9}}, Point{0.5, 0.9}, rng.NewKey(3, i)); p[1] > 0.6 {
			t.Errorf("a search ends at %v", p)
		}
	}
}
