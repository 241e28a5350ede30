package study

import (
	"math"
	"testing"

	"schedtune/tune"
)

// Of three studies two keep a change, with losses of 0.2 and 0.4: the mean is 0.3
// and Student's 90 % interval for two values t(1, 0.95) = 6.3138 standard errors of
// 0.1. One that is kept once has its value and no interval, an unproven study counts
// as one that keeps nothing.
func TestTally(t *testing.T) {
	part := func(v float64) *float64 { return &v }
	proven := func(gain float64, lost ...*float64) *tune.Result {
		r := &tune.Result{Decision: tune.Decision{Recommended: true},
			Gain: []tune.Gain{{Interval: tune.Interval{Mean: gain}}}}
		for i, name := range []string{"a", "b"}[:len(lost)] {
			r.Changes = append(r.Changes, tune.Change{Name: name, To: "1"})
			r.Ablation = append(r.Ablation, tune.AblationStep{Change: name, Alone: lost[i], Kept: true})
		}
		return r
	}
	c := tally{of: map[string]*StabilityChange{}, unit: map[string]string{"a": "a", "b": "b"}}
	c.add(proven(0.1, part(0.2), part(0.9)), true)
	c.add(&tune.Result{}, false)
	c.add(proven(0.3, part(0.4)), false)
	st := c.finish([]string{"b", "a"})
	if st.Studies != 3 || st.Recommended != 2 || len(st.Gains) != 3 || len(st.Changes) != 2 ||
		st.Changes[0].Setting != "a" {
		t.Fatalf("%+v", st)
	}
	a, b := st.Changes[0], st.Changes[1]
	if a.Kept != 2 || !a.Here || math.Abs(*a.Mean-0.3) > 1e-12 || math.Abs(*a.High-0.3-0.63138) > 1e-4 ||
		math.Abs(*a.Low+*a.High-0.6) > 1e-9 {
		t.Errorf("%+v: mean %g, %g to %g", a, *a.Mean, *a.Low, *a.High)
	}
	if b.Kept != 1 || len(b.Lost) != 1 || b.Mean != nil || b.Low != nil {
		t.Errorf("%+v", b)
	}
}
