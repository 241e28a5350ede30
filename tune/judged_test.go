package tune

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"schedtune/internal/rng"
)

// What a trial is worth on instances, by hand: the mean of what all have, failures
// last, what the current configuration cannot run left out, lost work that it does not
// lose, shortfalls, and limits in parts of themselves.
func TestScoreByHand(t *testing.T) {
	nan := math.NaN()
	d, ts, ins := byHand(t, Problem{}, []float64{1, 2, nan}, []float64{4, 6, 100}, []float64{4, nan, 3})
	if s := d.judge.score(ts[1], ins); s.Failed || math.Abs(s.Values[0]-5) > 1e-12 {
		t.Errorf("%+v, want the mean 5 of the two that the present can run", s)
	}
	if s := d.judge.score(ts[2], ins); !s.Failed {
		t.Errorf("%+v of a trial with a run without result", s)
	}
	if s := d.judge.score(ts[1], ins[2:]); !s.Failed {
		t.Errorf("%+v where the present has no result", s)
	}
	d.judge.p.Objectives[0].Maximize = true
	if s := d.judge.score(ts[1], ins); math.Abs(s.Values[0]+5) > 1e-12 {
		t.Errorf("%+v, maximised", s)
	}
	d.judge.logs = true
	if s := d.judge.score(ts[1], ins); math.Abs(s.Values[0]+math.Log(24)/2) > 1e-12 {
		t.Errorf("%+v, maximised on a log scale", s)
	}
	d, ts, ins = byHand(t, Problem{}, []float64{1, 1}, []float64{1, 1})
	lose := func(tr *trial, k int, ids ...int32) {
		o := tr.runs[ins[k]]
		o.Lost = append(o.Lost, ids...)
		tr.runs[ins[k]] = o
	}
	lose(ts[0], 0, 1, 5)
	lose(ts[1], 0, 1, 2, 5, 9)
	lose(ts[1], 1, 3)
	ts[1].shortfall = 0.25
	if s := d.judge.score(ts[1], ins); math.Abs(s.Lost-(1.5+0.25)) > 1e-12 {
		t.Errorf("%+v, want 3 newly lost on two instances and the shortfall", s)
	}
	if s := d.judge.score(ts[0], ins); s.Lost != 0 {
		t.Errorf("%+v: the present loses what it loses", s)
	}
	limits := []Constraint{{Metric: "cost", Op: "<=", Limit: 4}, {Metric: "cost", Op: ">=", Limit: 10},
		{Metric: "cost", Op: "<=", Factor: 2}, {Metric: "none", Op: "<=", Limit: 1}}
	d, ts, ins = byHand(t, Problem{Constraints: limits}, []float64{1, 3}, []float64{5, 7})
	e := d.judge.excess(ts[1], ins, 0)
	ratio := math.Sqrt(5.0 / 2 * 7 / 6) // relative: 5 to 2 and 7 to 6
	want := []float64{0.5, 0.4, ratio - 1, 0}
	for k := range want {
		if math.Abs(e[k]-want[k]) > 1e-12 {
			t.Errorf("limit %d: %v beyond, want %v", k, e[k], want[k])
		}
	}
	if s := d.judge.score(ts[1], ins); math.Abs(s.Violation-(0.5+ratio-1+lesser*0.4/1.4)) > 1e-12 {
		t.Errorf("%+v, want 0.5 and %v beyond, and 0.4 where the present is too", s, ratio-1)
	}
	if v := violation([]float64{-3, 0.5, 0, 0.25}, nil); v != 0.75 {
		t.Errorf("what is within counts: %v", v)
	}
	// One standard error of 5 and 7 around a limit of 4 is 1/4 of it.
	if e := d.judge.excess(ts[1], ins, 2); math.Abs(e[0]-(0.5+2*0.25)) > 1e-12 {
		t.Errorf("with two standard errors %v beyond, want 1", e[0])
	}
	// A margin of 1.645 standard errors from four instances on.
	d, ts, ins = byHand(t, Problem{Constraints: limits[:1]}, []float64{1, 1, 1, 1}, []float64{3.5, 3.5, 4.1, 4.1})
	se := 0.6 * math.Sqrt(1.0/3) / 4 / 2 // deviation in parts of the limit by the root of four
	if s := d.judge.cautious(ts[1], ins); math.Abs(s.Violation-(-0.05+1.645*se)) > 1e-9 || s.Violation == 0 {
		t.Errorf("cautious %+v, want %v", s, -0.05+1.645*se)
	}
	if s := d.judge.cautious(ts[1], ins[:3]); s.Violation != 0 {
		t.Errorf("cautious on three instances: %+v", s)
	}
}

// Half of the contenders leave in each round, all of them and the current configuration meet on the same
// instances, within the runs that the choice has; the best stays, and the others are in their order.
func TestHalvingHalves(t *testing.T) {
	for _, n := range []int{1, 3, 5, 8, 12} {
		d, _, _ := byHand(t, Problem{Space: cube(t, 2)}, []float64{1})
		d.plan.budget, d.plan.o.Off = 12*n+12, PartAblation|PartConfirm
		var field []*trial
		for i := range n {
			field = append(field, d.led.pointTrial(Point{0.5, float64(1+(i+n/2)%n) / 100}, fmt.Sprint("c", i)))
		}
		var sizes []int
		d.led.yield = func(reqs []request) bool {
			d.led.outs = nil
			ts := map[int]bool{}
			for _, r := range reqs {
				cost := 1000.0
				if ts[r.t.id] = true; r.t != d.led.present {
					cost = 2 + r.t.point[1] + 1e-5*rng.NewKey(r.in.seed, 1).Norm(uint64(r.t.id))
				}
				d.led.outs = append(d.led.outs, Outcome{Metrics: map[string]float64{"cost": cost}})
			}
			sizes = append(sizes, len(ts))
			return true
		}
		c := &single{d.parts}
		c.choose(field, c.choiceRuns())
		var want []int
		for m := n; m > 0; m = (m + 1) / 2 {
			want = append(want, m+1)
			if m < 3 {
				break
			}
		}
		best, others := d.found.best.point[1], len(d.found.others)
		if !slices.Equal(sizes, want) || d.led.spent > d.plan.budget || best != 0.01 || others != n-1 {
			t.Errorf("%d contenders: %v, want %v; %d runs of %d, best %v, %d others", n, sizes, want, d.led.spent, d.plan.budget,
				d.found.best.point, len(d.found.others))
		}
	}
}
