package spark

import (
	"strings"
	"testing"

	"schedtune/internal/sparkrun"
)

// scenarioOf names the runs that are recordings of one scenario.
func scenarioOf(name string) string {
	name = strings.TrimSuffix(name, "-b")
	if strings.HasPrefix(name, "run-G-") {
		return "run-G" // run-G-fetchfail is a recording of run-G-preempt's scenario
	}
	return name
}

// TestPredict: from scenario, queue file and a calibration of runs of other
// scenarios, the mean of the simulated makespans and executor-seconds against
// that of the recorded runs.
func TestPredict(t *testing.T) {
	list := runs(t, "run-*")
	seen := map[string]bool{}
	for _, r := range list {
		name := scenarioOf(r.Name)
		if seen[name] {
			continue
		}
		seen[name] = true
		var others, equal []*sparkrun.Run
		for _, o := range list {
			switch {
			case scenarioOf(o.Name) != name:
				others = append(others, o)
			case o != r:
				equal = append(equal, o)
			}
		}
		p, err := r.Predict(sparkrun.Fit(others, 2), 1, 40, equal)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		t.Logf("%-18s makespan %5.1f %5.1f s (%4.1f %%) 5-95 %% %5.1f to %5.1f, recorded %.1f; applications median %4.1f %% mean %4.1f %%; executor-seconds %5.0f %5.0f (%4.1f %%)", name,
			p.RecordedSpan, p.SimulatedSpan, 100*p.Makespan, p.Low, p.High, p.Spans, 100*p.Median, 100*p.Mean, p.RecordedTime, p.SimulatedTime, 100*p.Executors)
	}
}
