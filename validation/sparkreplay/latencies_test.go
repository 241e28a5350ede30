package sparkreplay

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"schedtune/internal/calibrate"
	"schedtune/internal/stats"
	"schedtune/trace/runlog"
	"schedtune/validation/testdata"
)

// The recorded runs' own table of latencies, made from the same records by
// other code, agrees.
func TestLatenciesAsMeasured(t *testing.T) {
	dir := testdata.Shared(t, "traces/minispark")
	type row struct {
		n      int
		median float64
	}
	want := map[string]row{}
	err := runlog.Table(dir, "latencies.csv", nil, func(w *runlog.Row) error {
		median, _ := w.Float("median_ms", math.MaxFloat64)
		want[w.Str("latency")] = row{int(w.Int("n", 0)), median}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := filepath.Glob(filepath.Join(dir, "run-*"))
	if err != nil || len(runs) == 0 {
		t.Fatalf("got %d runs in %s, error %v", len(runs), dir, err)
	}
	m := newMeasures()
	for _, run := range runs {
		r, err := Load(run)
		if err != nil {
			t.Fatal(err)
		}
		m.latencies(r)
	}
	for theirs, name := range map[string]string{
		"AM allocated -> AM registered":                 calibrate.DriverStart,
		"release at the RM -> process gone":             calibrate.KillGone,
		"application end (event log) -> AM unregisters": calibrate.Stop,
	} {
		t.Run(name, func(t *testing.T) {
			w, ok := want[theirs]
			v := slices.Sorted(slices.Values(m.Waits[name]))
			if !ok || len(v) == 0 {
				t.Fatalf("in the table %v, measured %d", ok, len(v))
			}
			if got := stats.Quantile(v, 0.5); len(v) != w.n || math.Abs(got-w.median) > 1 {
				t.Errorf("got %d values with median %.1f, want %d with %.1f", len(v), got, w.n, w.median)
			}
		})
	}
}
