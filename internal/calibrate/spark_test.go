package calibrate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/trace"
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
	r, err := FitDurations("example", []*trace.Trace{tr}, "queue")
	if err != nil {
		t.Fatal(err)
	}
	median := map[string]float64{}
	for _, l := range r.Latencies {
		median[l.Name] = l.Median
	}
	for name, want := range map[string]float64{StageGap: 8, ExecutorReady: 103, TaskSpan: 30, FirstTask: 330,
		latSparkContext: 400} {
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

// The delay of executors that start plugins is not taken for others, and the result says so.
func TestPluginDelayStaysWithItsApplication(t *testing.T) {
	lat := newLatencySet()
	lat.runs++
	lat.add(TaskSpan, 30)
	lat.add(latSparkPlugins, 20_000)
	r := &DurationsResult{Calibration: yarn.Default()}
	r.calibrateSpark(lat)
	own := 0
	for _, a := range r.Assumed {
		if strings.Contains(a, "spark.executor_ready_ms") {
			own++
			if !strings.Contains(a, "plugins") || !strings.Contains(a, "20000 ms") {
				t.Errorf("got %q, want the plugins and their delay in it", a)
			}
		}
	}
	if own != 1 {
		t.Errorf("spark.executor_ready_ms is listed %d times, want once: %q", own, r.Assumed)
	}
}
