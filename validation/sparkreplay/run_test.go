package sparkreplay

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/calibrate"
	"schedtune/simcore"
	"schedtune/validation/replay"
	"schedtune/validation/testdata"
)

func made(t *testing.T) *Run {
	t.Helper()
	r, err := Load(testdata.Run(t, "spark"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The made run as its scenario has it: 20, 13, 7 and 14 tasks in 3, 3, 1 and 3
// stages of 1, 2, 1 and 2 jobs.
func TestLoad(t *testing.T) {
	r := made(t)
	if len(r.Nodes) != 3 || len(r.Apps) != 4 || len(r.Beats) == 0 {
		t.Fatalf("%d nodes, %d applications, %d heartbeats", len(r.Nodes), len(r.Apps), len(r.Beats))
	}
	want := []struct {
		name                string
		jobs, stages, tasks int
		dynamic             bool
		most                int32
	}{{"s1-chain", 1, 3, 20, true, 5}, {"s2-gap", 2, 3, 13, true, 3}, {"s3-static", 1, 1, 7, false, 0},
		{"s4-small", 2, 3, 14, true, 4}}
	for i, w := range want {
		a := r.Apps[i]
		if a.Name != w.name || len(a.Jobs) != w.jobs || len(a.Stages) != w.stages || len(a.Tasks) != w.tasks ||
			a.Settings.Dynamic != w.dynamic {
			t.Errorf("%s: %d jobs, %d stages, %d tasks, dynamic %v; want %+v", a.Name, len(a.Jobs), len(a.Stages), len(a.Tasks),
				a.Settings.Dynamic, w)
		}
		if w.dynamic && a.Settings.Max != w.most || a.Settings.Idle != 5*simcore.Second && w.dynamic {
			t.Errorf("%s: at most %d executors, idle for %v", a.Name, a.Settings.Max, a.Settings.Idle.Std())
		}
		// 512 MiB and the least overhead, 384 MiB
		if a.Driver != (simcore.Vec{896, 1}) {
			t.Errorf("%s: a driver of %v", a.Name, a.Driver)
		}
	}
}

// Measured latencies lie where the made run draws them: see package maderun.
func TestLatencies(t *testing.T) {
	limits := map[string][2]float64{
		calibrate.DriverStart: {1100, 1700}, calibrate.ContextUp: {70, 120}, calibrate.LaunchWait: {19, 52},
		calibrate.ExecutorStart: {900, 1500}, calibrate.ExecutorReady: {65, 110},
		calibrate.FirstTask: {180, 220}, calibrate.TaskSpan: {30, 70}, calibrate.StageOffer: {8, 16},
		calibrate.Stop:     {64, 150},
		calibrate.KillGone: {110, 1401}, // up to the node's next heartbeat, and its process then
	}
	seen := 0
	m := newMeasures()
	m.latencies(made(t))
	for name, w := range limits {
		if len(m.Waits[name]) == 0 {
			continue
		}
		seen++
		if lo, hi := slices.Min(m.Waits[name]), slices.Max(m.Waits[name]); lo < w[0] || hi > w[1] {
			t.Errorf("%s: %g to %g ms, want within %v", name, lo, hi, w)
		}
	}
	if seen != len(limits) {
		t.Errorf("%d of %d latencies measured", seen, len(limits))
	}
}

// A calibration of a run holds the medians of what was measured in it, and a
// prediction from it comes near the run it was made of: task times, latencies and
// queues are those of the run, and only the draws differ.
func TestFitAndPredict(t *testing.T) {
	r := made(t)
	cal := Fit([]*Run{r}, 24)
	if err := cal.Validate(); err != nil {
		t.Fatal(err)
	}
	if at := cal.Spark.TaskSpan.At(0.5); at < 30 || at > 70 {
		t.Errorf("a later task takes %g ms beside the user's code, want 30 to 70", at)
	}
	p, err := r.Predict(t.Context(), cal, 1, 20, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("makespan %.1f s (%.1f to %.1f), recorded %.1f; executor-seconds %.0f, recorded %.0f; applications %+v",
		p.SimulatedSpan, p.Low, p.High, p.RecordedSpan, p.SimulatedTime, p.RecordedTime, p.Apps)
	if p.Makespan > 0.05 || p.Executors > 0.1 || p.Low > p.High || p.RecordedSpan != r.Span() {
		t.Errorf("%+v", p)
	}
}

// Equal scenarios are recognised by jobs and nodes.
func TestSameScenario(t *testing.T) {
	a, b := made(t), made(t)
	if !sameScenario(a, b) {
		t.Error("a run and itself")
	}
	b.Plan.Jobs[1].Submit++
	if sameScenario(a, b) {
		t.Error("one application comes later")
	}
	b = made(t)
	b.Nodes[0].MiB++
	if sameScenario(a, b) {
		t.Error("a node is larger")
	}
}

// Check says of the made run that everything agrees, and needs another scenario
// where a calibration of others is asked for.
func TestCheck(t *testing.T) {
	dir := testdata.Run(t, "spark")
	st, err := Check(t.Context(), []string{dir}, replay.Options{Seed: 1, Replications: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := st.Runs[0].Steps
	if s.Dynamic != 3 || s.EqualTargets != 3 || s.SameKills != s.Kills {
		t.Errorf("%+v", s)
	}
	var b bytes.Buffer
	st.Print(&b)
	if !strings.Contains(b.String(), "targets as recorded in 3 of 3 applications") {
		t.Errorf("%s", b.String())
	}
	if _, err := Check(t.Context(), []string{dir, dir}, replay.Options{LeaveOut: true, Replications: 1}); err == nil ||
		!strings.Contains(err.Error(), "no run of another scenario") {
		t.Errorf("two recordings of one scenario, each left out: %v", err)
	}
}
