package tune

import (
	"math"
	"slices"
	"testing"
)

// The workloads of the finals by hand: of twenty windows the one in the middle of their work,
// then at 5, 25, 2 and 40 % from the heaviest, each with a seed of its own; what was drawn
// once stays. Without known work they go round.
func TestHeavyWorkloads(t *testing.T) {
	p := Problem{Space: cube(t, 2)}
	d, _, _ := byHand(t, p, []float64{1})
	var windows []int
	for w := range 20 {
		windows = append(windows, w)
		d.p.Work = append(d.p.Work, float64((7*w)%20)) // window w has rank 19 - 7w mod 20
	}
	d.levels.whole = windows
	d.levels.heavy = d.heaviest(windows)
	var got []int
	seeds := map[uint64]bool{}
	first := slices.Clone(d.common(3))
	for _, in := range d.common(5) {
		got, seeds[in.seed] = append(got, 19-int(d.p.Work[in.window])), true
	}
	if !slices.Equal(got, []int{10, 1, 5, 0, 8}) || len(seeds) != 5 || !slices.Equal(d.common(3), first) {
		t.Errorf("ranks %v of %d seeds, want 10, 1, 5, 0, 8", got, len(seeds))
	}
	d.p.Work, d.levels.common, d.levels.heavy = nil, nil, nil
	if d.heaviest(windows) != nil {
		t.Error("an order without work")
	}
	got = nil
	for _, in := range d.common(3) {
		got = append(got, in.window)
	}
	if got[1] != (got[0]+1)%20 || got[2] != (got[0]+2)%20 {
		t.Errorf("windows %v, want one after the other", got)
	}
}

// Merits by hand: the relative cost and twice the violation; infinite for what loses work or
// has no result. Values without sign are compared as parts of the present's mean.
func TestMerit(t *testing.T) {
	limit := []Constraint{{Metric: "cost", Op: ">=", Limit: 4}}
	d, ts, ins := byHand(t, Problem{Constraints: limit}, []float64{8, 8}, []float64{4, 4}, []float64{2, 2}, []float64{4, math.NaN()}, []float64{4, 4})
	o := ts[4].runs[ins[0]]
	o.Lost = []int32{1}
	ts[4].runs[ins[0]] = o
	want := []float64{0, -0.5, -0.75 + 2*0.5, math.Inf(1), math.Inf(1)}
	for i, tr := range ts {
		if got := d.merit(tr, ins); math.Abs(got-want[i]) > 1e-12 && got != want[i] {
			t.Errorf("merit of %d: %v, want %v", i, got, want[i])
		}
	}
	d.logs = true
	if got := d.merit(ts[1], ins); math.Abs(got+math.Ln2) > 1e-12 {
		t.Errorf("merit on the log scale %v, want %v", got, -math.Ln2)
	}
	field := slices.Clone(ts)
	d.sortByMerit(field, ins)
	if !slices.Equal(field, []*trial{ts[1], ts[2], ts[0], ts[3], ts[4]}) {
		t.Errorf("order %v", names(field))
	}
}

// Of contenders within a standard error of the best the nearest to the present configuration
// wins: one that is 0.1 worse in the mean with a standard error of 0.2 does, one that is 0.5
// worse does not.
func TestNearest(t *testing.T) {
	d, _, ins := byHand(t, Problem{Space: cube(t, 1)}, []float64{8, 8, 8, 8})
	add := func(x float64, values ...float64) *trial {
		tr, err := d.pointTrial(Point{x}, "test")
		if err != nil {
			t.Fatal(err)
		}
		for i, in := range ins {
			tr.runs[in] = Outcome{Metrics: map[string]float64{"cost": values[i]}}
		}
		return tr
	}
	best := add(0.9, 1, 1, 1, 1)
	level := add(0.6, 0.7, 1.5, 0.7, 1.5)
	poor := add(0.4, 1.5, 1.5, 1.6, 1.4)
	if got := d.nearest([]*trial{best, level, poor}, ins); got != level {
		t.Errorf("%v at distance %v, want the one at 0.6", got.point, d.distance(got))
	}
	if got := d.nearest([]*trial{best, poor}, ins); got != best {
		t.Errorf("%v, want the best", got.point)
	}
	if a, b := d.distance(best), d.distance(d.present); !(a > 0.69 && a < 0.71) || b != 0 {
		t.Errorf("distances %v and %v, want 0.7 and 0", a, b)
	}
}
