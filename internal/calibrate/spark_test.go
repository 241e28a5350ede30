package calibrate

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"schedtune/internal/stats"
	"schedtune/internal/testdata"
	"schedtune/trace"
	"schedtune/trace/runlog"
	"schedtune/validation/sparkreplay"
)

// The example's logs are made with known latencies (datasets/sparklogs_test.go): stages
// follow one another after 8 ms, executors are offered tasks 103 ms after their
// registration, tasks take 30 ms beside their run time and 330 where they are
// the first on a core.
func TestSparkLatenciesOfTheExample(t *testing.T) {
	tr, err := trace.Open("../../datasets/spark/eventlogs", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Jobs) != 28 {
		t.Fatalf("%d applications", len(tr.Jobs))
	}
	r, err := FitDurations("example", []History{{Trace: tr}}, "queue")
	if err != nil {
		t.Fatal(err)
	}
	median := map[string]float64{}
	for _, l := range r.Latencies {
		median[l.Name] = l.Median
	}
	for name, want := range map[string]float64{sparkreplay.StageGap: 8, sparkreplay.ExecutorReady: 103, sparkreplay.TaskSpan: 30, sparkreplay.FirstTask: 330, latSparkContext: 400} {
		if median[name] != want {
			t.Errorf("%s: median %v, made with %v", name, median[name], want)
		}
	}
	c := r.Calibration.Spark
	if c == nil || c.StageGap[5] != 8 || c.TaskSpan[5] != 30 || c.FirstTask[5] != 330-30-c.FirstWork {
		t.Fatalf("calibration %+v", c)
	}
	if !slices.Contains(r.Fitted, "spark.stage_ms") || slices.Contains(r.Fitted, "spark.driver_work_ms") {
		t.Errorf("fitted %v", r.Fitted)
	}
	for _, d := range r.Durations {
		// the ETL chain's first stage has a median of 18 s, drawn over 7 times 480 tasks and 120 of 10 s
		if d.Class == "etl" && d.Kind == "input stage" && (d.N != 7*600 || math.Abs(d.Median-16.5) > 1.5) {
			t.Errorf("%+v", d)
		}
	}
}

// The recorded runs' own table of latencies, made from the same records by
// other code, agrees.
func TestSparkLatenciesAsMeasured(t *testing.T) {
	dir := testdata.Shared(t, "traces/minispark")
	f, err := os.Open(filepath.Join(dir, "latencies.csv"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	runs, err := filepath.Glob(filepath.Join(dir, "run-*"))
	if err != nil {
		t.Fatal(err)
	}
	lat := newLatencySet()
	for _, run := range runs {
		if runlog.KindOf(run) != runlog.Spark {
			t.Fatalf("%s is not taken for a run", run)
		}
		r, err := sparkreplay.Load(run)
		if err != nil {
			t.Fatal(err)
		}
		lat.begin()
		lat.addSpark(&History{SparkRun: r})
	}
	for name, same := range map[string]string{
		"AM allocated -> AM registered":                 sparkreplay.DriverStart,
		"release at the RM -> process gone":             sparkreplay.KillGone,
		"application end (event log) -> AM unregisters": sparkreplay.Stop,
	} {
		i := slices.IndexFunc(rows, func(r []string) bool { return r[0] == name })
		if i < 0 {
			t.Fatalf("no row %q", name)
		}
		v := lat.all(same)
		slices.Sort(v)
		n, _ := strconv.Atoi(rows[i][1])
		want, _ := strconv.ParseFloat(rows[i][3], 64)
		if len(v) != n || math.Abs(stats.Quantile(v, 0.5)-want) > 1 {
			t.Errorf("%s: %d values with median %.1f; the table has %d and %v", same, len(v), stats.Quantile(v, 0.5), n, want)
		}
	}
}
