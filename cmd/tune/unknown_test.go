package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/accuracy"
	"schedtune/internal/report"
	"schedtune/tune"
	"schedtune/validation/testdata"
)

// Where the simulated present is off by more than a factor of two, text, README.txt,
// JSON and report say that what would come is not known; nothing is recommended, and
// no end of an interval lies beyond what can be. The settings recorded in the run's
// folder are taken and named.
func TestUnknownIsSaid(t *testing.T) {
	run, out := testdata.RunUnder(t, "mapreduce", "0.1"), filepath.Join(t.TempDir(), "out")
	code, text, errs := command(t, "--config", filepath.Join(run, "capacity-scheduler.xml"), "--trace", run,
		"--objective", "makespan", "--budget", "80", "--out", out)
	if code != 0 {
		t.Fatalf("code %d: %s", code, errs)
	}
	if !strings.Contains(errs, "settings are those recorded in "+filepath.Join(run, "settings.xml")) {
		t.Errorf("the settings are not named: %s", errs)
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for name, s := range map[string]string{"text": text, report.FileReadme: read(report.FileReadme),
		report.FileReport: read(report.FileReport)} {
		s = strings.Join(strings.Fields(s), " ")
		if !strings.Contains(s, "in the simulation; what will come is not known") || strings.Contains(s, "-0.0 %") {
			t.Errorf("%s: %.1500s", name, s)
		}
	}
	var sum struct {
		Recommended  bool            `json:"recommended"`
		Gain         []tune.Gain     `json:"gain"`
		Changes      []report.Change `json:"changes"`
		Reproduction accuracy.Report `json:"reproduction"`
	}
	if err := json.Unmarshal([]byte(read(report.FileSummary)), &sum); err != nil {
		t.Fatal(err)
	}
	g := sum.Gain[0]
	if sum.Recommended || len(sum.Changes) > 0 || !g.Unknown || g.Low != -10 || g.High != 1 || g.Again == nil ||
		g.Again.Low != -10 || g.Again.High != 1 || sum.Reproduction.Distance < 0.69 {
		t.Errorf("recommended %v, gain %+v, distance %g", sum.Recommended, g, sum.Reproduction.Distance)
	}
}

// simulate and compare fit the latencies of YARN on the history given and say so; a
// calibration that is given stays, and other schedulers have none.
func TestSimulateFitsLatencies(t *testing.T) {
	run := testdata.RunUnder(t, "mapreduce", "3")
	config := filepath.Join(run, "capacity-scheduler.xml")
	for _, c := range []struct {
		args   []string
		source string
	}{
		{[]string{"simulate", "--config", config, "--trace", run}, "fitted on the history"},
		{[]string{"simulate", "--config", config, "--trace", run, "--calibration", "default"}, "--calibration default"},
		{[]string{"simulate", "--config", config, "--trace", run, "--scheduler", "fifo"}, ""},
		{[]string{"compare", "--config", config, "--trace", run, "--schedulers", "fifo,capacity", "--replications", "2"},
			"fitted on the history"},
		{[]string{"simulate"}, ""},
	} {
		code, out, errs := command(t, append(c.args, "--json")...)
		var js struct {
			Latencies *struct {
				Source string   `json:"source"`
				Fitted []string `json:"fitted"`
			} `json:"latencies"`
		}
		if err := json.Unmarshal([]byte(out), &js); code != 0 || err != nil {
			t.Fatalf("%v: code %d, %v: %s", c.args, code, err, errs)
		}
		switch {
		case c.source == "":
			if js.Latencies != nil || strings.Contains(errs, "latencies:") {
				t.Errorf("%v: %+v, %s", c.args, js.Latencies, errs)
			}
		case js.Latencies == nil || js.Latencies.Source != c.source || (len(js.Latencies.Fitted) > 0) != strings.HasPrefix(
			c.source, "fitted"):
			t.Errorf("%v: %+v", c.args, js.Latencies)
		case strings.Count(errs, "latencies:") != 1:
			t.Errorf("%v: %s", c.args, errs)
		}
	}
}
