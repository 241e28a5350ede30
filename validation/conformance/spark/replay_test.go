package spark

import (
	"math"
	"slices"
	"testing"
)

// TestReplay: with recorded task times, launch latencies and heartbeats the
// simulated applications end when the recorded ones did: half of them within 1 %,
// 3 % in the mean, and the makespans within 1.7 % in all runs but one at most.
// In most runs every decision is the recorded one; where an early one differs,
// later ones do too.
func TestReplay(t *testing.T) {
	list := everyRun(t)
	var errs []float64
	within := 0
	for _, r := range list {
		e, err := r.Replay(t.Context(), nil)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		t.Logf("%-20s makespan %5.1f %5.1f s (%4.1f %%), completion median %4.1f %% mean %4.1f %%, executor-seconds %5.0f "+
			"%5.0f (%4.1f %%)", r.Name,
			e.RecordedSpan, e.SimulatedSpan, 100*e.Makespan, 100*e.CompletionMedian, 100*e.CompletionMean, e.RecordedTime,
			e.SimulatedTime, 100*e.Executors)
		for _, a := range e.Apps {
			t.Logf("    %-12s %6.1f %6.1f %5.1f %%", a.App, a.Recorded, a.Simulated, 100*a.Error)
			errs = append(errs, math.Abs(a.Error))
		}
		if e.Makespan <= 0.017 {
			within++
		}
	}
	slices.Sort(errs)
	sum := 0.0
	for _, e := range errs {
		sum += e
	}
	t.Logf("%d applications: median %.2f %%, mean %.2f %%; %d of %d runs within 1.7 %% of the makespan", len(errs),
		100*errs[len(errs)/2], 100*sum/float64(len(errs)), within, len(list))
	if errs[len(errs)/2] > 0.01 || sum/float64(len(errs)) > 0.03 || within < len(list)-1 {
		t.Errorf("median %.2f %%, mean %.2f %%, %d of %d runs; want 1 %%, 3 %% and all but one", 100*errs[len(errs)/2],
			100*sum/float64(len(errs)), within, len(list))
	}
}
