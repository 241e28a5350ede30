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
func taught(t *testing.T) *frontModel {
	t.Helper()
	m := newFrontModel(SamplerConfig{Objectives: 2})
	for round, want := range []int{100, 100} { // the second time nothing is new
		for i := range 10 {
			var ps []Point
			var names []string
			var scores []Score
			for j := range 10 {
				x, y := (float64(i)+0.5)/10, (float64(j)+0.5)/10
				ps, names = append(ps, Point{x, y}), append(names, string(rune('a'+10*i+j)))
				scores = append(scores, Score{Values: []float64{1 + x + y, 2 - x + y}})
			}
			m.take(ps, names, scores, 1)
		}
		for k := range m.costs {
			if n := len(m.costs[k].points); n != want {
				t.Fatalf("round %d: %d points of objective %d, want %d", round, n, k, want)
			}
		}
	}
	if !m.fit(rng.NewKey(1, 2)) {
		t.Fatal("no model")
	}
	return &m
}

// Between parents at the ends, the draw that fills the gap comes first, before a neighbour
// of an end, and what is dominated last; a local search from y = 0.9 comes below 0.6.
func TestModelChooses(t *testing.T) {
	m := taught(t)
	parents := []Point{{0.05, 0.05}, {0.95, 0.05}}
	draws := []Point{{0.55, 0.95}, {0.15, 0.05}, {0.55, 0.05}}
	got := m.choose(3, draws, parents)
	if len(got) != 3 || got[0][0] != 0.55 || got[0][1] != 0.05 || got[2][1] != 0.95 {
		t.Errorf("%v; want the gap at first and y = 0.95 last", got)
	}
	for i := range uint64(10) {
		if p := m.search([]Point{{0.5, 0.9}}, Point{0.5, 0.9}, rng.NewKey(3, i)); p[1] > 0.6 {
			t.Errorf("a search ends at %v", p)
		}
	}
	m.take([]Point{{0, 0}, {1, 0}}, []string{"a", "b"}, []Score{{Values: []float64{1, 2}}, {Values: []float64{2, 1}}}, 2)
	if n := len(m.costs[0].points); n != 102 {
		t.Errorf("%d points, want 102", n)
	}
}

// Where three of twenty settings matter, 120 points come nearer to the front with the models
// than by breeding alone, in the mean of ten searches; and no settings are asked twice in a
// generation.
func TestModelOfFrontsHelps(t *testing.T) {
	sp := cube(t, 20)
	area := func(seed uint64, models bool) float64 {
		s, err := NewSampler("nsga2", SamplerConfig{Space: sp, Seed: uint64(rng.NewKey(seed, 1)), Objectives: 2,
			Population: 24, Children: 4})
		if err != nil {
			t.Fatal(err)
		}
		var all [][]float64
		for range 25 {
			if !models {
				for k := range s.(*nsga2).costs {
					s.(*nsga2).costs[k].archive = archive{}
				}
			}
			asked := s.Ask()
			seen := map[string]bool{}
			scores := make([]Score, len(asked))
			for i, p := range asked {
				if name := sp.Decode(p).Key(); seen[name] {
					t.Fatalf("%s twice", name)
				} else {
					seen[name] = true
				}
				pen := 0.0
				for _, u := range p[1:3] {
					pen += math.Abs(u - 0.85)
				}
				scores[i] = Score{Values: []float64{p[0]*p[0] + pen, (p[0]-1)*(p[0]-1) + pen}}
				all = append(all, scores[i].Values)
			}
			s.Tell(asked, scores, 1)
		}
		return volume(nonDominatedValues(all), []float64{1.1, 1.1})
	}
	var with, without float64
	for seed := range uint64(10) {
		with += area(seed, true) / 10
		without += area(seed, false) / 10
	}
	t.Logf("area %.3f with the models, %.3f without", with, without)
	if with < without*1.05 {
		t.Errorf("area %.3f with the models, %.3f without", with, without)
	}
}
