package simulate

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/internal/testdata"
	"schedtune/simcore"
)

func prepare(t *testing.T, scheduler string) *Sim {
	t.Helper()
	s, err := Prepare(Request{Dataset: "default", Scheduler: scheduler, Slowstart: -1, Seed: 1, Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Watching a run changes nothing; every container that comes goes; and the
// logs agree with one another and with the result: as many task starts in the
// event trace as decisions in the heartbeat log as launches counted.
func TestLogsAgree(t *testing.T) {
	for _, scheduler := range []string{YARN, "fair", "coupling:threshold=3"} {
		t.Run(scheduler, func(t *testing.T) {
			s := prepare(t, scheduler)
			alone, err := s.Run(7, nil)
			if err != nil {
				t.Fatal(err)
			}
			var events, beats, csv bytes.Buffer
			ev := s.NewEvents(&events)
			hb, err := s.NewHeartbeats(&beats, 3*simcore.Second)
			if err != nil {
				t.Fatal(err)
			}
			table := s.NewTimelineTable()
			rec := report.NewRecorder(s.Work)
			draw := s.Timeline(rec)
			sum, starts := 0, 0
			watched, err := s.Run(7, func(c Change) {
				ev.Watch(c)
				hb.Watch(c)
				table.Watch(c)
				draw(c)
				sum += c.Delta
				if c.Delta > 0 && !c.Master {
					starts++
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(alone, watched, cmpopts.IgnoreUnexported(simcore.Result{}), cmpopts.EquateNaNs()); diff != "" {
				t.Error("watching changed the run:", diff)
			}
			if err := ev.Close(); err != nil {
				t.Fatal(err)
			}
			if err := hb.Close(); err != nil {
				t.Fatal(err)
			}
			if err := WriteTimelineCSV(&csv, table); err != nil {
				t.Fatal(err)
			}
			if sum != 0 {
				t.Errorf("%d containers are left", sum)
			}
			started := countEvents(t, events.String())
			decisions := strings.Count(beats.String(), ",1,,")
			if started != starts || decisions != starts {
				t.Errorf("%d starts, %d in the event trace, %d decisions in the heartbeat log", starts, started, decisions)
			}
			last := strings.Split(strings.TrimSpace(csv.String()), "\n")
			if tail := last[len(last)-1]; !strings.HasSuffix(tail, ",0,0,0,0,0,0") {
				t.Errorf("the timeline ends with %s", tail)
			}
			checkOrder(t, beats.String())
		})
	}
}

// countEvents counts the starts of tasks.
func countEvents(t *testing.T, text string) int {
	t.Helper()
	n := 0
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var l eventLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if (l.Event == "allocated" || l.Event == "task-started") && !l.Master {
			n++
		}
	}
	return n
}

// checkOrder checks that the rows of a log go forward in time.
func checkOrder(t *testing.T, text string) {
	t.Helper()
	last := -1.0
	for i, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		var at float64
		field, _, _ := strings.Cut(line, ",")
		if err := json.Unmarshal([]byte(field), &at); err != nil || at < last {
			t.Fatalf("row %d: time %s after %v", i, field, last)
		}
		last = at
	}
}

// Equal seeds give equal results in one simulator after another, and other
// seeds other ones.
func TestRunsAreRepeatable(t *testing.T) {
	s := prepare(t, YARN)
	a, err := s.Run(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.Run(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := prepare(t, YARN).Run(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if Value(a, "makespan") != Value(b, "makespan") || Value(a, "makespan") == Value(other, "makespan") {
		t.Errorf("makespans %v, %v, %v", Value(a, "makespan"), Value(b, "makespan"), Value(other, "makespan"))
	}
}

// The whole way from recorded histories to a prediction: job histories and
// configurations read from .jhist files, the run's own queue file and sizes,
// and Hadoop's latencies as calibrated. The mean makespan over ten seeds must
// lie within 7 % of the measured one, which is how far equal real runs differ.
func TestHistoriesPredictMakespan(t *testing.T) {
	cluster := filepath.Join(t.TempDir(), "nodes.yaml")
	if err := os.WriteFile(cluster, []byte("nodes:\n  - {count: 4, memory: 1024, vcores: 8}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"run-01-A-ss005", "run-02-A-ss050", "run-03-A-ss100", "run-04-B-ss005"} {
		dir := testdata.Shared(t, "traces", "minimr", run)
		s, err := Prepare(Request{Slowstart: -1, Seed: 1, Runs: 10, Inputs: study.Inputs{
			Config: filepath.Join(dir, "capacity-scheduler.xml"), Site: filepath.Join(dir, "settings.xml"),
			Cluster: cluster, Traces: []string{filepath.Join(dir, "history")}}})
		if err != nil {
			t.Fatal(err)
		}
		var measured struct {
			Makespan float64 `json:"makespan_ms"`
		}
		b, err := os.ReadFile(filepath.Join(dir, "result.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &measured); err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for seed := uint64(1); seed <= 10; seed++ {
			res, err := s.Run(seed, nil)
			if err != nil {
				t.Fatal(err)
			}
			mean += Value(res, "makespan") / 10
		}
		t.Logf("%s: simulated %.1f s, measured %.1f s", run, mean, measured.Makespan/1000)
		if off := mean/(measured.Makespan/1000) - 1; math.Abs(off) > 0.07 {
			t.Errorf("%s: simulated %.1f s, measured %.1f s: %+.1f %%", run, mean, measured.Makespan/1000, 100*off)
		}
	}
}

func TestPrepareErrors(t *testing.T) {
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{Dataset: "nope", Runs: 1}, "nope"},
		{Request{Dataset: "default", Runs: 0}, "replications: 0; allowed: 1 or more"},
		{Request{Dataset: "default", Runs: 1, Scheduler: "nope"}, "nope"},
		{Request{Dataset: "coshh-facebook", Runs: 1}, "no capacity-scheduler.xml"},
	} {
		if _, err := Prepare(c.r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q in it", c.r, err, c.want)
		}
	}
}
