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

// The parts of the budget: twelve per cent each for halving and ablation and ten for
// the confirmation, more where the budget is short for what they need at least.
func TestPartsOfTheBudget(t *testing.T) {
	for _, c := range []struct {
		budget                   int
		halving, ablate, confirm float64
	}{
		{unlimited, 0.12, 0.12, 0.10}, {1000, 0.12, 0.12, 0.10}, {50, 0.2, 0.25, 0.3}, {20, 0.3, 0.25, 0.3},
		{120, 0.12, 24.0 / 120, 0.3}, {300, 0.12, 0.12, 48.0 / 300},
	} {
		d, _, _ := byHand(t, Problem{})
		d.budget = c.budget
		if h, a, f := d.halvingPart(), d.ablationPart(), d.confirmPart(); math.Abs(h-c.halving)+math.Abs(
			a-c.ablate)+math.Abs(f-c.confirm) > 1e-12 {
			t.Errorf("budget %d: %v, %v and %v; want %+v", c.budget, h, a, f, c)
		}
		for off, want := range map[Part]float64{0: c.halving + c.ablate + c.confirm, PartAblation: c.halving + c.confirm,
			PartConfirm: c.halving + c.ablate, PartAblation | PartConfirm: c.halving} {
			d.o.Off = off
			if d.setReserve(); math.Abs(d.reserve-want) > 1e-12 {
				t.Errorf("budget %d without parts %d: reserve %v, want %v", c.budget, off, d.reserve, want)
			}
		}
		d.o.Off = 0
		d.p.Predict = &Prediction{} // workloads differ more: twice the runs
		if want := math.Max(0.24, math.Min(0.2, 12/float64(max(c.budget, 1)))); c.budget > 0 &&
			math.Abs(d.ablationPart()-want) > 1e-12 {
			t.Errorf("budget %d, predictions: %v for the ablation, want %v", c.budget, d.ablationPart(), want)
		}
		d.p.Predict.Same = true
		if math.Abs(d.ablationPart()-c.ablate) > 1e-12 {
			t.Errorf("budget %d, the history again: %v for the ablation, want %v", c.budget, d.ablationPart(), c.ablate)
		}
		d.p.Objectives = append(d.p.Objectives, Objective{Metric: "other"})
		front := c.confirm
		if c.budget >= 100 { // two configurations
			front = math.Max(0.1, 32/float64(c.budget))
		}
		if d.setReserve(); math.Abs(d.reserve-0.2-front) > 1e-12 {
			t.Errorf("budget %d: reserve %v for a front, want %v", c.budget, d.reserve, 0.2+front)
		}
		d.o.Off = PartConfirm
		if d.setReserve(); math.Abs(d.reserve-0.2) > 1e-12 {
			t.Errorf("reserve %v for a front without confirmation, want 0.2", d.reserve)
		}
	}
}

// With the budget it names the ablation's part of it suffices for every step.
func TestAblationBudget(t *testing.T) {
	d, _, _ := byHand(t, Problem{Space: &Space{}})
	d.budget = 350
	got := d.ablationBudget(10)
	if got <= 350 || got%100 != 0 || d.budget != 350 {
		t.Fatalf("%d, and the budget is %d", got, d.budget)
	}
	for b, want := range map[int]bool{got: true, got - 100: false} {
		d.budget = b
		if n := ablationInstances(d.share(d.ablationPart()), 10); (n >= 4 && d.share(d.ablationPart()) >= n*ablationSteps(
			10)) != want {
			t.Errorf("with %d runs: %d instances of %d runs", b, n, d.share(d.ablationPart()))
		}
	}
}

// How many instances an ablation compares on, by hand. Of three changes a whole one
// needs 8 configurations and 8 more per change, 32; the first steps 8.
func TestAblationInstances(t *testing.T) {
	for _, c := range []struct{ runs, changes, want int }{
		{7, 3, 0}, {8, 3, 1}, {16, 3, 2}, {32, 3, 4}, {127, 3, 4}, {160, 3, 5}, {10000, 3, 16}, {31, 3, 3},
		{1000, 10, 14}, // 22 and 8 for six that remain: 70
		{69, 10, 3}, {43, 10, 1},
	} {
		if got := ablationInstances(c.runs, c.changes); got != c.want {
			t.Errorf("%d runs for %d changes: %d instances, want %d", c.runs, c.changes, got, c.want)
		}
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
