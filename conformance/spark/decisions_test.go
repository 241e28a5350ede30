package spark

import "testing"

// TestDecisions: given the recorded heartbeats of nodes, calls of masters, kills
// and ends, the scheduler allocates each container on the recorded node at the
// recorded heartbeat, those of MapReduce jobs beside them included.
func TestDecisions(t *testing.T) {
	for _, r := range everyRun(t) {
		s, err := r.Decisions()
		if err != nil {
			t.Fatal(err)
		}
		d := s.Decisions
		t.Logf("%s: %d of %d, %d calls in another order", r.Name, d.Agreeing, d.Total, d.Reordered)
		if d.Total == 0 || !d.Same() {
			t.Errorf("%s: %d of %d containers as recorded; the first difference: %+v", r.Name, d.Agreeing, d.Total, d.Exceptions[:min(1, len(d.Exceptions))])
		}
	}
}
