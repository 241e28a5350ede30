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
