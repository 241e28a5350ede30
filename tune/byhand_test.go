package tune

import (
	"fmt"
	"math"
	"testing"
)

// byHand returns a driver with trials whose outcomes on instances are given; the first is
// the current configuration. A NaN is a run without result, no value no run.
func byHand(t testing.TB, p Problem, values ...[]float64) (*driver, []*trial, []instance) {
	t.Helper()
	if p.Space == nil {
		p.Space = cube(t, 3)
	}
	if p.Objectives == nil {
		p.Objectives = []Objective{{Metric: "cost"}}
	}
	d, err := newDriver(p.withDefaults(), Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	d.plan.budget, d.plan.whole, d.led.base = unlimited, unlimited, 1<<20
	var ts []*trial
	most := 0
	for i, row := range values {
		set := p.Space.PresentSettings()
		point := p.Space.Present()
		if i > 0 {
			point[0] = float64(i) / 100
			set = p.Space.Decode(point)
		}
		tr := d.led.trial(set, point, fmt.Sprint("t", i))
		for k, v := range row {
			o := Outcome{Metrics: map[string]float64{"cost": v}}
			if math.IsNaN(v) {
				o = Outcome{Err: "none"}
				tr.failed = true
				d.led.failed++
			}
			tr.runs[instance{uint64(k), 0}] = o
		}
		most = max(most, len(row))
		ts = append(ts, tr)
	}
	if len(ts) > 0 {
		d.led.present, d.found.best = ts[0], ts[0]
	}
	var ins []instance
	for k := range most {
		ins = append(ins, instance{uint64(k), 0})
	}
	return d, ts, ins
}

// withBudget returns a driver of nothing but a budget.
func withBudget(t testing.TB, budget int) *driver {
	d, _, _ := byHand(t, Problem{})
	d.plan.budget, d.plan.whole = budget, budget
	return d
}

func names(ts []*trial) []string {
	out := []string{}
	for _, t := range ts {
		out = append(out, t.origin)
	}
	return out
}

// The parts of the budget: a verdict's runs fit beside leastSearch, figures from reduceFrom on, and no part of
// a larger budget is smaller.
func TestPartsOfTheBudget(t *testing.T) {
	last := [3]int{}
	for _, c := range []struct{ budget, choose, reduce, confirm int }{
		{20, 4, 0, 0}, {79, 15, 0, 0}, {80, 16, 12, 40}, {100, 20, 12, 40}, {159, 24, 12, 40},
		{160, 24, 57, 40}, {200, 24, 72, 40},
		{400, 48, 115, 56}, {1000, 120, 244, 140},
	} {
		d, _, _ := byHand(t, Problem{})
		d.plan.budget, d.plan.p.Again = c.budget, []int{0}
		got := [3]int{d.plan.chooseRuns(), d.plan.reduceRuns(), d.plan.confirmRuns()}
		if got != [3]int{c.choose, c.reduce, c.confirm} {
			t.Errorf("budget %d: %v, want %+v", c.budget, got, c)
		}
		for k := range got {
			if got[k] < last[k] {
				t.Errorf("budget %d: %v after %v", c.budget, got, last)
			}
		}
		last = got
		if left := d.plan.searchRuns(); left != c.budget-got[0]-got[1]-got[2] || left < 0 {
			t.Errorf("budget %d: %d runs for the search", c.budget, left)
		}
		d.plan.o.Off = PartAblation | PartConfirm
		if d.plan.reduceRuns() != 0 || d.plan.confirmRuns() != 0 {
			t.Errorf("budget %d: runs of parts that are off", c.budget)
		}
	}
	d, _, _ := byHand(t, Problem{})
	d.plan.budget = unlimited
	if part := float64(d.plan.searchRuns()) / unlimited; part < 0.5 || part > 0.6 {
		t.Errorf("%v of the runs are the search's without a number of them", part)
	}
}

// Joined are the changes of all that were better than the current configuration, the better one's
// where two change the same setting; of fewer than two there is nothing to join.
func TestJoined(t *testing.T) {
	space := cube(t, 3)
	d, _, _ := byHand(t, Problem{Space: space})
	in := []instance{{1, 0}}
	add := func(cost float64, values ...string) *trial {
		set := space.PresentSettings()
		for i, v := range values {
			if v != "" {
				set[i].Value = v
			}
		}
		tr := d.led.trial(set, nil, "given")
		tr.runs[in[0]] = Outcome{Metrics: map[string]float64{"cost": cost}}
		return tr
	}
	d.led.present = add(5)
	a, b, c := add(4, "0.9", "0.4"), add(3, "0.6", "", "0.7"), add(8, "", "0.1")
	for name, x := range map[string]struct {
		ts   []*trial
		want []string
	}{
		"two of three":   {[]*trial{a, b, c}, []string{"0.6", "0.4", "0.7"}},
		"in any order":   {[]*trial{b, c, a}, []string{"0.6", "0.4", "0.7"}},
		"one alone":      {[]*trial{a, c}, nil},
		"one that harms": {[]*trial{c}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := newModelProposer(d.parts).joined(x.ts, in)
			if (got == nil) != (x.want == nil) {
				t.Fatalf("got %v, want %v", got, x.want)
			}
			for i, v := range x.want {
				if got.settings[i].Value != v {
					t.Fatalf("got %v, want %v", got.settings, x.want)
				}
			}
		})
	}
}

// A study that drops configurations keeps those it can still ask for: the given ones,
// the best, and those of the last rounds.
func TestForgetKeepsWhatIsAsked(t *testing.T) {
	d, ts, _ := byHand(t, Problem{Space: cube(t, 2)}, []float64{1}, []float64{1}, []float64{1})
	d.led.gen = 200
	for i := range maxTrials {
		tr := d.led.pointTrial(Point{0.5 + float64(i/200)/1000, float64(i%200) / 1000}, "old")
		tr.gen = 200 - i%200
	}
	before := len(d.led.byKey)
	d.led.forget(ts)
	young := 0
	for _, tr := range d.led.byKey {
		switch {
		case tr.origin != "old":
		case tr.gen < 200-keptRounds:
			t.Fatalf("a trial of round %d of 200 is kept", tr.gen)
		default:
			young++
		}
	}
	if want := (before - 3) / 2; young < want-200 || young > want+200 || len(d.led.byKey) != young+3 {
		t.Errorf("%d of %d are kept, %d of the last rounds; want 3 and about %d", len(d.led.byKey), before, young, want)
	}
}
