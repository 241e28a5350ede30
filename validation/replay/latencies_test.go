package replay

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"schedtune/internal/stats"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
	"schedtune/validation/testdata"
)

// The latencies of the made run lie within what package testruns draws them from, ms: a
// container is free at the second millisecond after its process, a master's process six
// seconds after its unregistration.
func TestLatenciesOfTheMadeRun(t *testing.T) {
	r, err := Load(testdata.Run(t, "mapreduce"))
	if err != nil {
		t.Fatal(err)
	}
	l := latencies{c: yarn.Default(), of: Waits[any]{}}
	l.add(r)
	for _, c := range []struct {
		name      string
		got       []float64
		low, high float64
	}{
		{"node done", l.of[&l.c.NodeDone], 2, 2}, {"linger", l.of[&l.c.Linger], 6042, 6042},
		{"submit", l.of[&l.c.Submit], 90, 160},
		{"task exit", l.of[&l.c.TaskExit], 22, 45},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(c.got) < 6 || slices.Min(c.got) < c.low || slices.Max(c.got) > c.high {
				t.Errorf("got %v, want at least 6 values from %g to %g", c.got, c.low, c.high)
			}
		})
	}
}

// Latencies of a fit come out as the recorded runs' own table has it (made by
// another program from the same records): number, 10 %, 50 % and 90 % quantile and
// maximum, to the millisecond of rounding.
func TestLatenciesAsMeasured(t *testing.T) {
	dir := testdata.Shared(t, "traces", "minimr")
	dirs, err := filepath.Glob(filepath.Join(dir, "run-*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("got %d runs in %s, error %v", len(dirs), dir, err)
	}
	l := latencies{c: yarn.Default(), of: Waits[any]{}}
	for _, d := range dirs {
		r, err := Load(d)
		if err != nil {
			t.Fatal(err)
		}
		if r.Name != "run-00-short-binary-jhist" { // without tasks.csv: its times stand in for others
			l.add(r)
		}
	}
	names := map[string][]float64{
		"last task finished -> job finished (history)":          l.of[&l.c.Commit],
		"job finished (history) -> RM finish time (unregister)": l.of[&l.c.Unregister],
		"task container acquired -> NM start request":           l.of[&l.c.StartRequest],
		"task finished (history) -> process gone":               l.of[&l.c.TaskExit],
	}
	checked := 0
	err = runlog.Table(dir, "latencies.csv", nil, func(w *runlog.Row) error {
		v := slices.Sorted(slices.Values(names[w.Str("latency")]))
		if len(v) == 0 {
			return nil
		}
		checked++
		got := []float64{float64(len(v)), stats.Quantile(v, 0.1), stats.Quantile(v, 0.5), stats.Quantile(v, 0.9), v[len(v)-1]}
		for i, col := range []string{"n", "p10_ms", "median_ms", "p90_ms", "max_ms"} {
			if want, _ := w.Float(col, math.MaxFloat64); math.Abs(got[i]-want) > 0.5 {
				t.Errorf("%s: %s is %.1f, want %.1f", w.Str("latency"), col, got[i], want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := len(names); checked != want {
		t.Errorf("got %d latencies of the table, want %d", checked, want)
	}
}
