package tune

import (
	"slices"
	"testing"
)

// The workloads before the confirmation by hand: of twenty windows the one in the middle of their work,
// then at 5, 25, 2 and 40 % from the heaviest, each with a seed of its own; what was drawn
// once stays. Without known work they go round.
func TestHeavyWorkloads(t *testing.T) {
	p := Problem{Space: cube(t, 2)}
	d, _, _ := byHand(t, p, []float64{1})
	var windows []int
	for k := range 20 {
		windows = append(windows, k)
		d.led.p.Work = append(d.led.p.Work, float64((7*k)%20)) // window k has rank 19 - 7k mod 20
	}
	d.led.search = windows
	w := &workloads{}
	w.order(d.led)
	var got []int
	seeds := map[uint64]bool{}
	first := slices.Clone(w.first(3))
	for _, in := range w.first(5) {
		got, seeds[in.seed] = append(got, 19-int(d.led.p.Work[in.window])), true
	}
	if !slices.Equal(got, []int{10, 1, 5, 0, 8}) || len(seeds) != 5 || !slices.Equal(w.first(3), first) {
		t.Errorf("ranks %v of %d seeds, want 10, 1, 5, 0, 8", got, len(seeds))
	}
	d.led.p.Work = nil
	w = &workloads{}
	w.order(d.led)
	got = nil
	for _, in := range w.first(3) {
		got = append(got, in.window)
	}
	if got[1] != (got[0]+1)%20 || got[2] != (got[0]+2)%20 {
		t.Errorf("windows %v, want one after the other", got)
	}
}

// Of contenders within a standard error of the best the nearest to the current configuration
// wins: one that costs 0.1 more with a standard error of 0.23 does, one that costs 0.5 more
// does not.
func TestNearest(t *testing.T) {
	d, _, ins := byHand(t, Problem{Space: cube(t, 1)}, []float64{8, 8, 8, 8})
	add := func(x float64, values ...float64) *trial {
		tr := d.led.pointTrial(Point{x}, "test")
		for i, in := range ins {
			tr.runs[in] = Outcome{Metrics: map[string]float64{"cost": values[i]}}
		}
		return tr
	}
	best := add(0.9, 1, 1, 1, 1)
	level := add(0.6, 0.7, 1.5, 0.7, 1.5)
	poor := add(0.4, 1.5, 1.5, 1.6, 1.4)
	if got := d.risks.nearest([]*trial{best, level, poor}, ins); got != level {
		t.Errorf("%v at distance %v, want the one at 0.6", got.point, d.risks.distance(got))
	}
	if got := d.risks.nearest([]*trial{best, poor}, ins); got != best {
		t.Errorf("%v, want the best", got.point)
	}
	if a, b := d.risks.distance(best), d.risks.distance(d.led.present); !(a > 0.69 && a < 0.71) || b != 0 {
		t.Errorf("distances %v and %v, want 0.7 and 0", a, b)
	}
}
