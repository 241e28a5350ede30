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
	if s := d.score(ts[1], ins); s.Failed || math.Abs(s.Values[0]-5) > 1e-12 {
		t.Errorf("%+v, want the mean 5 of the two that the present can run", s)
	}
	if s := d.score(ts[2], ins); !s.Failed {
		t.Errorf("%+v of a trial with a run without result", s)
	}
	if s := d.score(ts[1], ins[2:]); !s.Failed {
		t.Errorf("%+v where the present has no result", s)
	}
	d.p.Objectives[0].Maximize = true
	if s := d.score(ts[1], ins); math.Abs(s.Values[0]+5) > 1e-12 {
		t.Errorf("%+v, maximised", s)
	}
	d.logs = true
	if s := d.score(ts[1], ins); math.Abs(s.Values[0]+math.Log(24)/2) > 1e-12 {
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
	if s := d.score(ts[1], ins); math.Abs(s.Lost-(1.5+0.25)) > 1e-12 || !d.lossy {
		t.Errorf("%+v, want 3 newly lost on two instances and the shortfall", s)
	}
	if s := d.score(ts[0], ins); s.Lost != 0 {
		t.Errorf("%+v: the present loses what it loses", s)
	}
	limits := []Constraint{{Metric: "cost", Op: "<=", Limit: 4}, {Metric: "cost", Op: ">=", Limit: 10},
		{Metric: "cost", Op: "<=", Factor: 2}, {Metric: "none", Op: "<=", Limit: 1}}
	d, ts, ins = byHand(t, Problem{Constraints: limits}, []float64{1, 3}, []float64{5, 7})
	e := d.excess(ts[1], ins, 0)
	want := []float64{0.5, 0.4, (3.0 + 1.0) / 2 / 4, 0} // relative: 5 - 2 and 7 - 6 against a mean limit of 4
	for k := range want {
		if math.Abs(e[k]-want[k]) > 1e-12 {
			t.Errorf("limit %d: %v beyond, want %v", k, e[k], want[k])
		}
	}
	if s := d.score(ts[1], ins); math.Abs(s.Violation-(0.5+0.5+lesser*0.4/1.4)) > 1e-12 {
		t.Errorf("%+v, want 1 beyond in all, and 0.4 where the present is too", s)
	}
	if v := violation([]float64{-3, 0.5, 0, 0.25}, nil); v != 0.75 {
		t.Errorf("what is within counts: %v", v)
	}
	// One standard error of 5 and 7 around a limit of 4 is 1/4 of it.
	if e := d.excess(ts[1], ins, 2); math.Abs(e[0]-(0.5+2*0.25)) > 1e-12 {
		t.Errorf("with two standard errors %v beyond, want 1", e[0])
	}
	// A margin of 1.645 standard errors from four instances on.
	d, ts, ins = byHand(t, Problem{Constraints: limits[:1]}, []float64{1, 1, 1, 1}, []float64{3.5, 3.5, 4.1, 4.1})
	se := 0.6 * math.Sqrt(1.0/3) / 4 / 2 // deviation in parts of the limit by the root of four
	if s := d.cautious(ts[1], ins); math.Abs(s.Violation-(-0.05+1.645*se)) > 1e-9 || s.Violation == 0 {
		t.Errorf("cautious %+v, want %v", s, -0.05+1.645*se)
	}
	if s := d.cautious(ts[1], ins[:3]); s.Violation != 0 {
		t.Errorf("cautious on three instances: %+v", s)
	}
}

// Contenders meet by sequential halving: with n of them there are ceil(log2 n) rounds,
// each half of the field before, rounded up, on the instances so far and new ones of
// its share of the runs; the best by the means of all rounds wins.
func TestHalvingHalves(t *testing.T) {
	for _, n := range []int{3, 5, 8, 12} {
		d, _, _ := byHand(t, Problem{Space: cube(t, 2)}, []float64{1})
		d.budget, d.search, d.o.Off = 6*n*100/12+1, []int{0}, 0
		for i := 1; i < n+5; i++ {
			tr := d.pointTrial(Point{0.5, float64(i) / 100}, fmt.Sprint("c", i))
			d.recent = append(d.recent, tr)
		}
		var sizes, instances []int
		true_ := func(tr *trial) float64 { return 2 + math.Abs(tr.point[1]-0.06) }
		d.yield = func(reqs []request) bool {
			d.outs = nil
			ts, ins := map[int]bool{}, map[instance]bool{}
			for _, r := range reqs {
				ts[r.t.id], ins[r.in] = true, true
				noise := 1e-4 * rng.NewKey(r.in.seed, 1).Norm(uint64(r.t.id))
				cost := 1000.0 // of the present
				if r.t != d.present {
					cost = true_(r.t) + noise
				}
				d.outs = append(d.outs, Outcome{Metrics: map[string]float64{"cost": cost}})
			}
			sizes, instances = append(sizes, len(ts)), append(instances, len(ins))
			if len(reqs) != len(ts)*len(ins) {
				t.Errorf("%d runs of %d contenders on %d instances", len(reqs), len(ts), len(ins))
			}
			return true
		}
		d.generations.choose()
		places, least := max(3, d.share(d.halvingPart())/6), 2
		if d.budget < shortRuns { // more, and on one instance at first
			places, least = max(4, d.share(d.halvingPart())/3), 1
		}
		field := min(maxContenders, places, n+5)
		var want []int
		rounds := int(math.Ceil(math.Log2(float64(field))))
		budget := d.share(d.halvingPart())
		left := budget
		for m := field; m > 1; m = (m + 1) / 2 {
			want = append(want, m)
			if d.budget < shortRuns { // an equal part of what is left
				budget, rounds = left, int(math.Ceil(math.Log2(float64(m))))
			}
			if k := max(least, budget/rounds/m); len(instances) < len(want) || instances[len(want)-1] != k {
				t.Errorf("%d contenders on %v new instances, want %d in round %d", m, instances, k, len(want))
			} else {
				left -= k * m
			}
		}
		if all := int(math.Ceil(math.Log2(float64(field)))); !slices.Equal(sizes, want) || len(want) != all {
			t.Errorf("rounds of %v contenders, want %v", sizes, want)
		}
		best := d.recent[len(d.recent)-1]
		for _, tr := range d.recent[len(d.recent)-field+1:] {
			if true_(tr) < true_(best) {
				best = tr
			}
		}
		if d.best != best {
			t.Errorf("%s is chosen of %d, want %s", d.best.origin, field, best.origin)
		}
	}
}
