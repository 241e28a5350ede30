package testruns

import (
	"strings"
	"testing"

	"schedtune/simcore/yarn"
)

// Of runs whose nodes join, are lost and are decommissioned every allocation agrees,
// and each job's completion is within 1 % given the launches. Both sides hold the rules
// of lost nodes on their own: when masters hear, what they ask for again, and when.
func TestElasticReplayAgrees(t *testing.T) {
	for seed := range uint64(5) {
		files, err := ElasticFiles(seed)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(files["tasks.csv"]), "KILLED"); n < 2 {
			t.Errorf("seed %d: %d attempts are killed, want one that ran and one whose output was lost", seed, n)
		}
		r, d := decided(t, files)
		if d.Agreeing != d.Total || len(d.Exceptions) > 0 || d.Total < 45 || len(d.Modelled) > 0 {
			t.Errorf("seed %d: %d of %d allocations agree, %+v", seed, d.Agreeing, d.Total, d.Exceptions)
		}
		e, err := r.Replay(t.Context(), yarn.Default())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %d allocations, makespan %.1f s, error %.2f %%, completion errors: median %.2f %%, mean %.2f %%",
			seed, d.Total, e.RecordedSpan, 100*e.Makespan, 100*e.CompletionMedian, 100*e.CompletionMean)
		if e.Makespan > 0.01 || e.CompletionMean > 0.01 {
			t.Errorf("seed %d: %+v", seed, e)
		}
	}
}
