package tune

import (
	"fmt"
	"math"
	"slices"
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
	c := newCourse(p, Options{}.withDefaults())
	c.budget, c.base, c.search, c.held = unlimited, 1<<20, nil, nil
	d := &driver{course: c, generations: &generations{races: &races{course: c}}, rounds: &rounds{course: c}}
	d.generations.observe = d.generations.learnFrom
	d.rounds.common.ledger = c.ledger
	var ts []*trial
	most := 0
	for i, row := range values {
		set := p.Space.PresentSettings()
		point := p.Space.Present()
		if i > 0 {
			point[0] = float64(i) / 100
			set = p.Space.Decode(point)
		}
		tr := d.trial(set, point, fmt.Sprint("t", i))
		for k, v := range row {
			o := Outcome{Metrics: map[string]float64{"cost": v}}
			if math.IsNaN(v) {
				o = Outcome{Err: "none"}
				tr.failed = true
				d.failed++
			}
			tr.runs[instance{uint64(k), 0}] = o
		}
		most = max(most, len(row))
		ts = append(ts, tr)
	}
	if len(ts) > 0 {
		d.present, d.incumbent, d.best = ts[0], ts[0], ts[0]
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
	d.budget = budget
	return d
}

func names(ts []*trial) []string {
	out := []string{}
	for _, t := range ts {
		out = append(out, t.origin)
	}
	return out
}

// A race's sets grow from 4 to 24 as far as a fortieth of the budget goes.
func TestRungs(t *testing.T) {
	for budget, want := range map[int][]int{unlimited: {4, 8, 16, 24}, 100: {4}, 319: {4}, 320: {4, 8}, 639: {4, 8},
		640: {4, 8, 16}, 959: {4, 8, 16}, 960: {4, 8, 16, 24}} {
		if got := withBudget(t, budget).generations.rungs(); !slices.Equal(got, want) {
			t.Errorf("budget %d: %v, want %v", budget, got, want)
		}
	}
}

// Of the challengers those better than the incumbent stay, the better half of all at
// most; from eight instances on one is clear whose paired differences are below 0 at one
// per cent: of mean -1 and deviation 1 on eight they have t = -2.83, p = 0.013, with a
// deviation of 0.9 p = 0.008.
func TestSurvivorsOfARace(t *testing.T) {
	flat := func(v float64) []float64 { return []float64{v, v, v, v} }
	for _, c := range []struct {
		values []float64
		want   []string
	}{
		{[]float64{5, 6, 7}, []string{}},
		{[]float64{5, 5}, []string{}},
		{[]float64{5, 4}, []string{"t1"}},
		{[]float64{5, 3, 4}, []string{"t1"}},
		{[]float64{5, 4, 3, 9}, []string{"t2", "t1"}},
		{[]float64{5, 4, 3, 2, 1}, []string{"t4", "t3"}},
		{[]float64{5, 9, 8, 4, 7}, []string{"t3"}},
	} {
		var rows [][]float64
		for _, v := range c.values {
			rows = append(rows, flat(v))
		}
		d, ts, ins := byHand(t, Problem{}, rows...)
		got, clear := d.generations.survivors(ts[1:], ins)
		if !slices.Equal(names(got), c.want) || clear {
			t.Errorf("%v: %v stay, clear %v; want %v", c.values, names(got), clear, c.want)
		}
	}
	for sd, want := range map[float64]bool{1: false, 0.9: true} {
		for _, n := range []int{7, 8} {
			var a, b []float64
			for k := range n {
				z := sd * math.Sqrt(float64(n-1)/float64(n)) // ±z has the sample deviation sd
				if n == 7 {
					z = 0.01 // certain, but on too few
				}
				a, b = append(a, 10), append(b, 10-1+z*float64(2*(k%2)-1))
			}
			d, ts, ins := byHand(t, Problem{}, a, b)
			if _, clear := d.generations.survivors(ts[1:], ins); clear != (want && n == 8) {
				t.Errorf("deviation %v on %d instances: clear %v", sd, n, clear)
			}
		}
	}
}

// What runs are there for: a search within its part of the budget, a race once the
// races have had less than a twentieth of the runs.
func TestWhatIsAfforded(t *testing.T) {
	d := withBudget(t, 100)
	d.spent, d.reserve = 60, 0.3
	for n, want := range map[int]bool{9: true, 10: true, 11: false} {
		if d.affords(n) != want {
			t.Errorf("%d more runs of 70 after 60: %v", n, !want)
		}
	}
	if d = withBudget(t, unlimited); !d.affords(1 << 40) {
		t.Error("without a budget everything is afforded")
	}
	for _, c := range []struct {
		spent, raced int
		want         bool
	}{{159, 0, false}, {160, 0, true}, {400, 12, true}, {400, 13, false}} {
		d, _, _ := byHand(t, Problem{}, []float64{1})
		d.budget, d.spent, d.generations.raceRuns = 10000, c.spent, c.raced
		asked := false
		d.yield = func([]request) bool { asked = true; return false }
		other := d.pointTrial(Point{0.9, 0.9, 0.9}, "other")
		d.recent, d.search = []*trial{other}, []int{0}
		func() {
			defer func() {
				if v := recover(); v != nil && v != (stopped{}) {
					t.Errorf("panic %v", v)
				}
			}()
			d.generations.raceNow()
		}()
		if asked != c.want {
			t.Errorf("%d runs of %d in races: a race %v, want %v", c.raced, c.spent, asked, c.want)
		}
	}
	for budget, want := range map[int]int{unlimited: 4, 20: 1, 199: 1, 200: 2, 399: 3, 400: 4, 5000: 4} {
		if got := withBudget(t, budget).generations.firstInstances(); got != want {
			t.Errorf("budget %d: the present on %d instances, want %d", budget, got, want)
		}
	}
	for _, c := range []struct {
		patience, spent, changed, objectives int
		want                                 bool
	}{{0, 1000, 0, 1, false}, {100, 200, 100, 1, false}, {100, 201, 100, 1, true}, {100, 500, 0, 2, false}} {
		d, _, _ := byHand(t, Problem{Objectives: make([]Objective, c.objectives)})
		d.o.Patience, d.spent, d.changedAt = c.patience, c.spent, c.changed
		if d.impatient() != c.want {
			t.Errorf("%+v: impatient %v", c, !c.want)
		}
	}
}

// The parts of the budget: a verdict's runs fit from tinyRuns on, figures from reduceFrom on, and no part of
// a larger budget is smaller.
func TestPartsOfTheBudget(t *testing.T) {
	last := [3]int{}
	for _, c := range []struct{ budget, choose, reduce, confirm int }{
		{20, 6, 0, 6}, {60, 18, 0, 18}, {100, 24, 12, 40}, {159, 24, 12, 40}, {160, 24, 57, 40}, {200, 24, 72, 40},
		{400, 48, 115, 56}, {1000, 120, 244, 140},
	} {
		d, _, _ := byHand(t, Problem{})
		d.budget, d.p.Again = c.budget, []int{0}
		got := [3]int{d.chooseRuns(), d.reduceRuns(), d.confirmReserve()}
		if got != [3]int{c.choose, c.reduce, c.confirm} {
			t.Errorf("budget %d: %v, want %+v", c.budget, got, c)
		}
		for k := range got {
			if got[k] < last[k] {
				t.Errorf("budget %d: %v after %v", c.budget, got, last)
			}
		}
		last = got
		if d.setReserve(); math.Abs(d.reserve-float64(got[0]+got[1]+got[2])/float64(c.budget)) > 1e-12 || d.reserve > 0.8 {
			t.Errorf("budget %d: reserve %v", c.budget, d.reserve)
		}
		d.o.Off = PartAblation | PartConfirm
		if d.reduceRuns() != 0 || d.confirmReserve() != 0 {
			t.Errorf("budget %d: runs of parts that are off", c.budget)
		}
	}
	d, _, _ := byHand(t, Problem{})
	d.budget = unlimited
	if d.setReserve(); d.reserve < 0.4 || d.reserve > 0.5 {
		t.Errorf("reserve %v without a number of runs", d.reserve)
	}
}

// Joined are the changes of all that were better than the incumbent, the better one's
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
		tr := d.trial(set, nil, "given")
		tr.runs[in[0]] = Outcome{Metrics: map[string]float64{"cost": cost}}
		return tr
	}
	d.present = add(5)
	d.incumbent = d.present
	a, b, c := add(4, "0.9", "0.4"), add(3, "0.6", "", "0.7"), add(8, "", "0.1")
	for _, x := range []struct {
		ts   []*trial
		want []string
	}{
		{[]*trial{a, b, c}, []string{"0.6", "0.4", "0.7"}},
		{[]*trial{b, c, a}, []string{"0.6", "0.4", "0.7"}},
		{[]*trial{a, c}, nil},
		{[]*trial{c}, nil},
	} {
		got := d.joined(x.ts, in)
		if (got == nil) != (x.want == nil) {
			t.Errorf("joined %v, want %v", got, x.want)
			continue
		}
		for i, v := range x.want {
			if got.settings[i].Value != v {
				t.Errorf("joined %v, want %v", got.settings, x.want)
				break
			}
		}
	}
}

// The recent bests stand there once each, the latest last, 48 at most; a list keeps its
// last elements once it is twice as long.
func TestRecentBests(t *testing.T) {
	d := &memory{}
	var ts []*trial
	for i := range 60 {
		ts = append(ts, &trial{id: i})
		d.remember(ts[i])
	}
	if len(d.recent) != maxRecent || d.recent[0] != ts[12] || d.recent[47] != ts[59] {
		t.Errorf("%d recent bests from %d to %d", len(d.recent), d.recent[0].id, d.recent[len(d.recent)-1].id)
	}
	d.remember(ts[30])
	if len(d.recent) != maxRecent || d.recent[47] != ts[30] || d.recent[46] != ts[59] || slices.Contains(d.recent[:47],
		ts[30]) {
		t.Error("a best that comes back does not stand at the end once")
	}
	for n, want := range map[int]int{5: 5, 9: 9, 10: 5, 12: 5} {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		if got := lastOf(list, 5); len(got) != want || got[len(got)-1] != n-1 {
			t.Errorf("of %d elements %v are kept, want the last %d", n, got, want)
		}
	}
}

// A study that drops configurations keeps those it can still ask for: the given ones,
// recent bests, incumbent and best, and those of the last generations.
func TestForgetKeepsWhatIsAsked(t *testing.T) {
	d, ts, _ := byHand(t, Problem{Space: cube(t, 2)}, []float64{1}, []float64{1}, []float64{1}, []float64{1}, []float64{1})
	d.given, d.recent, d.incumbent, d.best = ts[:2], ts[2:3], ts[3], ts[4]
	d.gen = 100
	for i := range maxTrials {
		tr := d.pointTrial(Point{0.5 + float64(i/200)/1000, float64(i%200) / 1000}, "old")
		tr.gen = 100 - i%20
	}
	before := len(d.byKey)
	d.forget()
	young := 0
	for _, tr := range d.byKey {
		switch {
		case tr.origin != "old":
		case tr.gen <= 100-2*frontEpoch:
			t.Fatalf("a trial of generation %d of 100 is kept", tr.gen)
		default:
			young++
		}
	}
	if want := (before - 5) * 8 / 10; young < want-10 || young > want+10 || len(d.byKey) != young+5 {
		t.Errorf("%d of %d are kept, %d of the last generations; want 5 and about %d", len(d.byKey), before, young, want)
	}
}
