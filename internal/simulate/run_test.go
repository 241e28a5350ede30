package simulate

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/validation/testdata"
)

func loadDefault(t *testing.T) *Runner {
	t.Helper()
	r, err := Load(scenario.Files{}, "default-1", Options{Jitter: Replications()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Equal seeds give equal results in one simulator after another, and other
// seeds other ones.
func TestRunsAreRepeatable(t *testing.T) {
	s := loadDefault(t)
	a, err := s.Run(t.Context(), Item{Slowstart: -1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.Run(t.Context(), Item{Slowstart: -1, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	b, err := loadDefault(t).Run(t.Context(), Item{Slowstart: -1, Seed: 1})
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
	for _, dir := range testdata.Runs(t, "minimr/run-0[1-4]*") {
		cluster := filepath.Join(dir, "nodes.csv")
		if run := filepath.Base(dir); run != "mapreduce" {
			cluster = filepath.Join(t.TempDir(), "nodes.yaml")
			if err := os.WriteFile(cluster, []byte("nodes:\n  - {count: 4, memory: 1024, vcores: 8}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		run := filepath.Base(dir)
		s, err := Load(scenario.Files{
			Config: filepath.Join(dir, "capacity-scheduler.xml"), Site: filepath.Join(dir, "settings.xml"),
			Cluster: cluster, Traces: []string{filepath.Join(dir, "history")}}, "", Options{Jitter: Replications()})
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
			res, err := s.Run(t.Context(), Item{Slowstart: -1, Seed: seed})
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

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ dataset, scheduler, want string }{
		{"nope", "", "nope"},
		{"default-1", "nope", "nope"},
		{"default-1", "yarn-fair:pool=job", "parameter \"pool\""},
		{"coshh-facebook", "", "no capacity-scheduler.xml"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if _, err := Load(scenario.Files{Dataset: "default-1"}, c.dataset, Options{Scheduler: c.scheduler}); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: error %v, want %q in it", c, err, c.want)
			}
		})
	}
}
