package spark

import (
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
)

// TestDecisions: given the recorded heartbeats of nodes, calls of masters, kills
// and ends, the scheduler allocates each container on the recorded node at the
// recorded heartbeat, with all calls in the recorded order, those of MapReduce jobs beside them
// included.
func TestDecisions(t *testing.T) {
	for _, r := range everyRun(t) {
		s, err := r.Decisions()
		if err != nil {
			t.Fatal(err)
		}
		d := s.Decisions
		t.Logf("%s: %d of %d, %d calls in another order", r.Name, d.Agreeing, d.Total, d.Reordered)
		if d.Reordered > 0 {
			t.Errorf("%s: %d calls in another order than recorded", r.Name, d.Reordered)
		}
		if d.Total == 0 || !d.Same() {
			t.Errorf("%s: %d of %d containers as recorded; the first difference: %+v", r.Name, d.Agreeing, d.Total,
				d.Exceptions[:min(1, len(d.Exceptions))])
		}
	}
}

// TestAllEnd: free simulations of the recorded scenarios with other draws of
// latencies end, those with preemption and executors given up beside it included.
func TestAllEnd(t *testing.T) {
	cal, err := yarn.LoadCalibration(yarn.CalibrationMiniCluster)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range everyRun(t) {
		for name, c := range map[string]*yarn.Calibration{"default": nil, "mini-cluster": cal} {
			if _, err := r.Predict(t.Context(), c, 1000, testdata.Cases(40), nil); err != nil {
				t.Errorf("%s, calibration %s, seeds from 1000: %v", r.Name, name, err)
			}
		}
	}
}
