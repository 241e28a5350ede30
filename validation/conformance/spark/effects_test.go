package spark

import (
	"testing"

	"schedtune/validation/sparkreplay"
)

// TestStaticAgainstDynamic: the recorded scenario A with static executors (C)
// instead of dynamic allocation took longer and held executors for longer; so do
// the predictions of a calibration that saw neither.
func TestStaticAgainstDynamic(t *testing.T) {
	var others, dynamic []*sparkreplay.Run
	var static *sparkreplay.Run
	for _, r := range runs(t, "run-*") {
		switch scenarioOf(r.Name) {
		case "run-A-ess":
			dynamic = append(dynamic, r)
		case "run-C-static":
			static = r
		default:
			others = append(others, r)
		}
	}
	if static == nil || len(dynamic) == 0 {
		t.Skip("recordings A and C not found")
	}
	cal := sparkreplay.Fit(others, 2)
	d, err := dynamic[0].Predict(t.Context(), cal, 1, 40, dynamic[1:])
	if err != nil {
		t.Fatal(err)
	}
	s, err := static.Predict(t.Context(), cal, 1, 40, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("static against dynamic: makespan recorded %.1f and %.1f s, simulated %.1f and %.1f; executor-seconds "+
		"recorded %.0f and %.0f, simulated %.0f and %.0f",
		s.RecordedSpan, d.RecordedSpan, s.SimulatedSpan, d.SimulatedSpan, s.RecordedTime, d.RecordedTime, s.SimulatedTime,
		d.SimulatedTime)
	if (s.RecordedSpan > d.RecordedSpan) != (s.SimulatedSpan > d.SimulatedSpan) ||
		(s.RecordedTime > d.RecordedTime) != (s.SimulatedTime > d.SimulatedTime) {
		t.Error("the simulated effect has the other sign")
	}
}
