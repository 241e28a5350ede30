package accuracy

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/calibrate"
	"schedtune/internal/scenario"
	"schedtune/validation/testdata"
	"sync"
)

// load reads a run folder with a queue file.
func load(t *testing.T, run, config, site string) (*scenario.Case, calibrate.Latencies) {
	t.Helper()
	in := scenario.Files{Config: config, Site: site, Traces: []string{run}}
	c, err := in.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c, calibrate.Fit(c, &in)
}

// comparisons are what compared has made, by run and queue file.
var comparisons sync.Map

type comparison struct {
	c *scenario.Case
	r *Report
}

// compared reads a run folder with a queue file and compares record and simulation, once for all tests,
// which must not change what they get.
func compared(t *testing.T, run, config, site string) (*scenario.Case, *Report) {
	t.Helper()
	once, _ := comparisons.LoadOrStore(run+" "+config, sync.OnceValue(func() comparison {
		c, l := load(t, run, config, site)
		return comparison{c, Compare(context.Background(), c, l, 1)}
	}))
	got := once.(func() comparison)()
	return got.c, got.r
}

// ownRun is the run folder of the repository, whose cluster is written down
// without the simulator.
const ownRun = "../testdata/runs/mapreduce"

// The records tell latencies, and the simulation reproduces the recorded period
// under the file that it ran under.
func TestOwnRunIsReproduced(t *testing.T) {
	c, l := load(t, ownRun, filepath.Join(ownRun, "capacity-scheduler.xml"), filepath.Join(ownRun, "settings.xml"))
	if l.Source != calibrate.FittedOnHistory || !slices.Contains(l.Fitted, "commit_ms") {
		t.Errorf("got latencies %+v, want commit_ms fitted on the history", l)
	}
	r := Compare(t.Context(), c, l, 1)
	if !r.Reproduces || r.Jobs != len(c.Recorded.Jobs) || r.Lost != 0 || r.Apart > farOff || len(r.Forbidden) > 0 {
		t.Errorf("%s", strings.Join(r.Lines(), "\n"))
	}
	sum := 0.0
	for _, q := range r.Queues {
		sum += float64(q.Jobs) * q.Recorded
	}
	if math.Abs(sum/float64(r.Jobs)-r.Completion.Recorded) > 1e-9 {
		t.Errorf("queues sum up to %.3f s a job, all to %.3f", sum/float64(r.Jobs), r.Completion.Recorded)
	}
	if e := r.Error("makespan"); e.Spread < spanSpread || e.Spread > math.Hypot(spanSpread, .2) {
		t.Errorf("error %+v", e)
	}
}

// Without yarn-site.xml the run's small containers are simulated larger than they
// were: that is said, and no limit is held against sizes that nobody recorded.
func TestUnknownSizesAreNamed(t *testing.T) {
	bare := t.TempDir()
	if err := os.CopyFS(bare, os.DirFS(ownRun)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(bare, "settings.xml")); err != nil {
		t.Fatal(err)
	}
	c, l := load(t, bare, filepath.Join(bare, "capacity-scheduler.xml"), "")
	r := Compare(t.Context(), c, l, 1)
	if r.Reproduces || len(r.Forbidden) > 0 || !strings.Contains(r.sentence(), "without --site each gets 1024 MiB") ||
		strings.Contains(r.sentence(), "another file") {
		t.Errorf("%s", strings.Join(r.Lines(), "\n"))
	}
}

// With a quarter for a queue that had all of the cluster the record holds what is forbidden,
// and the lines name it.
func TestAnotherFileIsNamed(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(ownRun, "capacity-scheduler.xml"))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "capacity-scheduler.xml")
	text := string(data)
	for _, c := range [][3]string{{"root.prod.capacity", "60", "20"}, {"root.prod.maximum-capacity", "100", "25"},
		{"root.adhoc.capacity", "40", "80"}} {
		at := strings.Index(text, c[0]+"<")
		if at < 0 {
			t.Fatalf("no %s", c[0])
		}
		text = text[:at] + strings.Replace(text[at:], ">"+c[1]+"<", ">"+c[2]+"<", 1)
	}
	if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, l := load(t, ownRun, other, filepath.Join(ownRun, "settings.xml"))
	r := Compare(t.Context(), c, l, 1)
	all := strings.Join(r.Lines(), "\n")
	if r.Reproduces || len(r.Forbidden) == 0 || !strings.Contains(all, "not allowed by the current file: ") ||
		!strings.Contains(r.sentence(), "ran under another file than --config") {
		t.Errorf("%s", all)
	}
	if r.Error("makespan").Spread <= math.Hypot(spanSpread, 0.99*r.Distance) {
		t.Error("the error is not widened")
	}
}

// recordedRuns are the runs of sleeping tasks recorded on a real YARN, by the number
// of their scenario: even ones chose farOff and the spreads, odd ones judge them.
func recordedRuns(t *testing.T, even bool) (runs []string, site string) {
	t.Helper()
	base := testdata.Shared(t, "traces", "minimr")
	for _, pattern := range []string{"run-0[1-8]*", filepath.Join("repeats", "*")} {
		dirs, err := filepath.Glob(filepath.Join(base, pattern))
		if err != nil || len(dirs) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, d := range dirs {
			if (presentScenario(d)[5]%2 == 0) == even {
				runs = append(runs, d)
			}
		}
	}
	return runs, filepath.Join(base, "run-01-A-ss005", "settings.xml")
}

// scenario is the first part of a run's name, such as run-01.
func presentScenario(dir string) string { return filepath.Base(dir)[:6] }

// Below the threshold lie the runs with their own files, above it those with the
// files of other queues, for either half.
func TestThreshold(t *testing.T) {
	t.Parallel()
	base := testdata.Shared(t, "traces", "minimr")
	// Files that differ in the limit on off-switch containers alone are one.
	layout := map[string]string{"run-01": "A", "run-02": "A", "run-03": "A", "run-06": "A", "run-08": "A", "run-04": "B",
		"run-07": "B", "run-05": "A, masters 0.1"}
	files := map[string]string{"A": "run-01-A-ss005", "B": "run-04-B-ss005", "A, masters 0.1": "run-05-A-ss005-am010"}
	for _, even := range []bool{true, false} {
		runs, site := recordedRuns(t, even)
		own, other, named := 0.0, math.Inf(1), 0
		for _, d := range runs {
			_, r := compared(t, d, filepath.Join(d, "capacity-scheduler.xml"), site)
			if own = max(own, r.Apart); !r.Reproduces {
				t.Errorf("%s: %s", filepath.Base(d), r.sentence())
			}
			for name, file := range files {
				if name == layout[presentScenario(d)] {
					continue
				}
				_, r := compared(t, d, filepath.Join(base, file, "capacity-scheduler.xml"), site)
				if other = min(other, r.Apart); r.Reproduces {
					t.Errorf("%s with file %s: %s", filepath.Base(d), name, r.sentence())
				}
				if len(r.Forbidden) > 0 {
					named++
				}
			}
		}
		t.Logf("even %v: own files at most %.1f %% apart, others at least %.1f %%; of %d with others %d hold what is "+
			"forbidden", even, 100*own, 100*other, 2*len(runs), named)
	}
}
