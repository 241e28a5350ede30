package replay

import (
	"path/filepath"
	"testing"

	"schedtune/internal/testdata"
	"schedtune/simcore/yarn"
)

func recordedRuns(t testing.TB) []*Run {
	t.Helper()
	root := testdata.Shared(t, "traces/minimr")
	var runs []*Run
	for _, pattern := range []string{"run-*", "repeats/run-*"} {
		dirs, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, d := range dirs {
			r, err := Load(d)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r)
		}
	}
	return runs
}

func TestReplayOfRecordedRuns(t *testing.T) {
	for _, r := range recordedRuns(t) {
		e, err := r.Replay(yarn.Default())
		if err != nil {
			t.Error(err)
			continue
		}
		t.Logf("%-32s makespan %5.1f %% (%.1f, %.1f)  completion median %5.2f %% mean %5.2f %%", r.Name, 100*e.Makespan, e.RecordedSpan, e.SimulatedSpan, 100*e.CompletionMedian, 100*e.CompletionMean)
	}
}

func TestPredictionOfRecordedRuns(t *testing.T) {
	cal := yarn.Default()
	cal.CPUScope, cal.Cores = yarn.ScopeCluster, 1.7
	for _, r := range recordedRuns(t) {
		rep, err := r.Repeats()
		if err != nil {
			t.Fatal(err)
		}
		e, err := r.Predict(cal, 1, 100, rep)
		if err != nil {
			t.Log(err)
			continue
		}
		t.Logf("%-28s makespan %5.1f %% (%.1f, %.1f %.0f)  completion median %5.2f %% mean %5.2f %%", r.Name, 100*e.Makespan, e.RecordedSpan, e.SimulatedSpan, e.SpanQuantile, 100*e.CompletionMedian, 100*e.CompletionMean)
		for _, j := range e.Jobs {
			t.Logf("   %-12s %6.1f %6.1f %5.1f %%", j.Job, j.Recorded, j.Simulated, 100*j.Error)
		}
	}
}

func TestDecisionsOfRecordedRuns(t *testing.T) {
	for _, r := range recordedRuns(t) {
		d, err := r.Decisions()
		if err != nil {
			t.Log(err)
			continue
		}
		t.Logf("%-28s %d of %d agree, %d steps moved", r.Name, d.Agreeing, d.Total, d.Reordered)
		for _, x := range d.Exceptions {
			t.Logf("   %8.3f %s recorded %-18s decided %-18s %s", x.At, x.Node, x.Recorded, x.Decided, x.Reason)
		}
	}
}
