package spark

import "testing"

// TestReplay: with recorded task times, launch latencies, heartbeats and calls at most 5 % of the
// events of a simulated run (allocations, pick-ups, registrations, starts and ends of tasks, asks,
// targets, executors given up and released) are more than 30 ms from the recorded ones, or in
// another place; makespans are within 0.5 %, and so are completion times on average.
func TestReplay(t *testing.T) {
	for _, r := range everyRun(t) {
		t.Run(r.Name, func(t *testing.T) {
			e, err := r.Replay(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d events differ; makespan %.1f s, recorded %.1f s; completion mean %.2f %%", e.Events.Differ,
				e.Events.Events, e.SimulatedSpan, e.RecordedSpan, 100*e.CompletionMean)
			if e.Events.Share > 0.05 {
				t.Errorf("%d of %d events differ, want 5 %% at most; the first: %+v", e.Events.Differ, e.Events.Events,
					e.Events.List[0])
			}
			if e.Makespan > 0.005 || e.CompletionMean > 0.005 {
				t.Errorf("makespan %.2f %%, completion times %.2f %% apart, want 0.5 %% at most", 100*e.Makespan,
					100*e.CompletionMean)
			}
		})
	}
}
