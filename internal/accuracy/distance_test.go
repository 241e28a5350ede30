package accuracy

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/simcore"
)

// report compares jobs of the given recorded seconds with simulated ones that are
// so many times as long.
func report(recorded, times []float64) *Report {
	c := &scenario.Case{Work: &simcore.Workload{Queues: []string{"root.a"}}}
	p := &Period{Case: c}
	sims := make([][]value, len(recorded))
	r := &Report{Replications: 1}
	for i := range recorded {
		id := fmt.Sprint(i)
		c.Work.Jobs = append(c.Work.Jobs, simcore.Job{ID: id})
		p.Seen = append(p.Seen, Seen{Finish: simcore.Seconds(recorded[i]), Start: simcore.Never})
		if times[i] > 0 {
			sims[i] = []value{{completion: recorded[i] * times[i], finish: recorded[i] * times[i]}}
		}
	}
	r.fill(p, p.join(sims, 1))
	r.judge(nil, "")
	return r
}

// The distance is zero only for equal times, the same for a factor too long and
// too short, does not depend on the unit, and is near the relative error where that
// is small; it grows with the logarithm, so that an interval made of it stays
// within what can be.
func TestDistance(t *testing.T) {
	times := []float64{30, 100, 250}
	all := func(f float64) []float64 { return []float64{f, f, f} }
	for _, f := range []float64{1, 1.01, 1.3, 2, 27} {
		long, short := report(times, all(f)), report(times, all(1/f))
		if math.Abs(long.Distance-math.Log(f)) > 1e-9 || math.Abs(short.Distance-long.Distance) > 1e-9 {
			t.Errorf("factor %g: %g and %g, want %g", f, long.Distance, short.Distance, math.Log(f))
		}
		scaled := report([]float64{3000, 10000, 25000}, all(f))
		if math.Abs(scaled.Distance-long.Distance) > 1e-9 {
			t.Errorf("factor %g in another unit: %g, want %g", f, scaled.Distance, long.Distance)
		}
	}
	if r := report(times, []float64{1.02, 0.98, 1.01}); math.Abs(r.Distance-r.Apart) > 0.02*r.Apart {
		t.Errorf("small errors: %g of the logarithm, %g of the times", r.Distance, r.Apart)
	}
}

// The simulator's error is s and the distance at right angles up to a factor of two;
// beyond it, and where no job ends, it is not known, and every form of the report
// says so.
func TestErrorIsKnownToAFactorOfTwo(t *testing.T) {
	for _, c := range []struct {
		times   []float64
		unknown bool
	}{
		{[]float64{1, 1, 1}, false}, {[]float64{1.9, 1.9, 1.9}, false}, {[]float64{0.52, 0.52, 0.52}, false},
		{[]float64{2.1, 2.1, 2.1}, true}, {[]float64{0.4, 0.4, 0.4}, true}, {[]float64{27, 27, 27}, true},
		{[]float64{0, 0, 0}, true},
	} {
		r := report([]float64{30, 100, 250}, c.times)
		e := r.Error("makespan")
		if e.Unknown != c.unknown || math.Abs(e.Spread-math.Hypot(spanSpread, r.Distance)) > 1e-12 {
			t.Errorf("%v: %+v, distance %g", c.times, e, r.Distance)
		}
		text := strings.Join(r.Lines(), "\n")
		if strings.Contains(text, "what a change would bring is not known") != c.unknown {
			t.Errorf("%v: %s", c.times, text)
		}
		for line := range strings.Lines(text) {
			// which is wrapped
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 100 && !strings.HasPrefix(line, "baseline check") {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	}
	if text := strings.Join(report([]float64{30}, []float64{27}).Lines(), "\n"); !strings.Contains(text,
		"a factor of 27.0") || strings.Contains(text, "2600") {
		t.Error(text)
	}
}
