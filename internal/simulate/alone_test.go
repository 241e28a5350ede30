package simulate

import (
	"math"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/simcore"
)

// One job on the idle cluster, whose queue may have all of it, has a slowdown of 1 but
// for drawn latencies; with the whole trace around them jobs have more, and the
// worst has the most. Without the option nothing is claimed.
func TestSlowdowns(t *testing.T) {
	c, err := (&scenario.Files{Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	value := func(c *scenario.Case, opt Options, name string) float64 {
		t.Helper()
		opt.Jitter = Replications()
		r, err := New(c, opt)
		if err != nil {
			t.Fatal(err)
		}
		res, err := r.Run(t.Context(), Item{Slowstart: -1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return Value(res, name)
	}
	if v := value(c, Options{}, "mean-bounded-slowdown"); !math.IsNaN(v) {
		t.Errorf("%v without the times of jobs alone", v)
	}
	for _, scheduler := range []string{Capacity, Fair} {
		t.Run(scheduler, func(t *testing.T) {
			mean, p95, most := value(c, Options{Scheduler: scheduler, Slowdowns: true}, "mean-bounded-slowdown"),
				value(c, Options{Scheduler: scheduler, Slowdowns: true}, "p95-bounded-slowdown"),
				value(c, Options{Scheduler: scheduler, Slowdowns: true}, "max-bounded-slowdown")
			if !(mean >= 1 && p95 >= mean && most >= p95) {
				t.Errorf("%s: mean %v, p95 %v, max %v", scheduler, mean, p95, most)
			}
		})
	}
	one := *c
	w := *c.Work
	w.Jobs = []simcore.Job{c.Work.Jobs[0]}
	w.Jobs[0].Submit = 0
	for w.Jobs[0].Maps > 4 { // few enough that its queue's limits do not bind
		w.Jobs[0].Maps, w.Jobs[0].Reduces = 4, 0
	}
	one.Work = &w
	if v := value(&one, Options{Slowdowns: true}, "mean-bounded-slowdown"); !(v >= 1 && v < 1.3) {
		t.Errorf("one job alone has a slowdown of %v", v)
	}
}
