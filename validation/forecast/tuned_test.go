package forecast

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// The scenario with the tuned file has the nodes, the jobs and their order of the
// recorded one, its own name and the harness's settings; slowstarts alone may
// differ, all alike. Its queue file loads, with the queues of the present one. What
// is promised holds its own point, and the file says what was returned.
func TestScenarioWithTheTunedFile(t *testing.T) {
	run := testdata.RunUnder(t, "mapreduce", "0.2")
	dir, base := t.TempDir(), t.TempDir()
	recorded, err := loadScenario(run)
	if err != nil {
		t.Fatal(err)
	}
	settings := *recorded
	settings.Settings = map[string]string{"yarn.scheduler.minimum-allocation-mb": "256", "of.the.harness": "yes"}
	if err := settings.write(base, []byte("<configuration/>")); err != nil {
		t.Fatal(err)
	}
	tuning := Tuning{Dir: dir, Name: "own", Present: run, Settings: base, Objective: "mean-completion", Budget: 150}
	p, err := tuning.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tuned, err := loadScenario(filepath.Join(dir, "own-tuned"))
	if err != nil {
		t.Fatal(err)
	}
	if tuned.Run != "own-tuned" || !reflect.DeepEqual(tuned.Settings, settings.Settings) ||
		!reflect.DeepEqual(tuned.Nodes, recorded.Nodes) || len(tuned.Jobs) != len(recorded.Jobs) {
		t.Errorf("%+v", tuned)
	}
	for i, j := range tuned.Jobs {
		want := recorded.Jobs[i]
		if want.Slowstart = j.Slowstart; j != want || j.Slowstart != tuned.Jobs[0].Slowstart &&
			j.Slowstart != recorded.Jobs[i].Slowstart {
			t.Errorf("job %d: %+v, want %+v", i, j, want)
		}
	}
	queues := func(path string) (names []string) {
		doc, err := yarnconf.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		conf, err := yarnconf.Evaluate(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range conf.Queues {
			names = append(names, q.Path)
		}
		return names
	}
	if a, b := queues(filepath.Join(run, "capacity-scheduler.xml")),
		queues(filepath.Join(dir, "own-tuned", "conf", "capacity-scheduler.xml")); !reflect.DeepEqual(a, b) {
		t.Errorf("queues %v, tuned %v", a, b)
	}
	data, err := os.ReadFile(filepath.Join(dir, "own.json"))
	if err != nil {
		t.Fatal(err)
	}
	var kept Pair
	if err := json.Unmarshal(data, &kept); err != nil || !reflect.DeepEqual(kept, *p) {
		t.Errorf("%v: %+v, want %+v", err, kept, p)
	}
	for _, r := range []Range{p.Expected, p.Again} {
		if !(r.Low <= r.Point && r.Point <= r.High && r.High <= 1 && r.Low >= -10) {
			t.Errorf("%+v", r)
		}
	}
	if p.Schema != pairSchema || p.Objective != "mean-completion" || p.Present != run || p.Verdict == "" {
		t.Errorf("%+v", p)
	}
}

// A folder without a scenario, or with one of no jobs, is refused by its name.
func TestLoadScenarioRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := loadScenario(dir); err == nil {
		t.Error("an empty folder is taken")
	}
	for _, text := range []string{"{", `{"nodes":[{"name":"n"}]}`, `{"jobs":[{"name":"j"}]}`} {
		if err := os.WriteFile(filepath.Join(dir, "scenario.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := loadScenario(dir); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
