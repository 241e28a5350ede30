package spark

import "testing"

// TestReplay: with recorded task times, launch latencies and heartbeats the
// simulated applications end when the recorded ones did.
func TestReplay(t *testing.T) {
	for _, r := range runs(t, "run-*") {
		e, err := r.Replay(nil)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		t.Logf("%-20s makespan %5.1f %5.1f s (%4.1f %%), completion median %4.1f %% mean %4.1f %%, executor-seconds %5.0f %5.0f (%4.1f %%)", r.Name,
			e.RecordedSpan, e.SimulatedSpan, 100*e.Makespan, 100*e.Median, 100*e.Mean, e.RecordedTime, e.SimulatedTime, 100*e.Executors)
		for _, a := range e.Apps {
			t.Logf("    %-12s %6.1f %6.1f %5.1f %%", a.App, a.Recorded, a.Simulated, 100*a.Error)
		}
	}
}
