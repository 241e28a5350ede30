package forecast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/yarnconf"
)

// writeRecord makes the tables of a run of two jobs, the second of which is
// submitted after 5 s and ends after a given time.
func writeRecord(t *testing.T, dir string, end int) {
	t.Helper()
	files := map[string]string{
		"jobs.csv": "job,name,queue,user,maps,reduces,submit_ms,launch_ms,finish_ms,final_status\n" +
			"job_1_0001,a,q,u,1,0,1000,2000,20000,SUCCEEDED\n" +
			fmt.Sprintf("job_1_0002,b,q,u,1,0,5000,6000,%d,SUCCEEDED\n", end),
		"tasks.csv": "job,type,task,attempt,start_ms,finish_ms\n" +
			"job_1_0001,MAP,task_1_0001_m_000000,attempt_1_0001_m_000000_0,3000,19000\n" +
			fmt.Sprintf("job_1_0002,MAP,task_1_0002_m_000000,attempt_1_0002_m_000000_0,7000,%d\n", end-1000),
		"containers.csv": "container,job,kind,attempt,mib\n",
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Makespans from the first submission at 1 s: 100 and 120 s before, 88 s after,
// so that 1 - 88/110 = 20 % came. A run without tables and other JSON files count
// for nothing.
func TestComparePairs(t *testing.T) {
	runs, out := t.TempDir(), t.TempDir()
	writeRecord(t, filepath.Join(out, "x-present-a"), 101000)
	writeRecord(t, filepath.Join(out, "x-present-2"), 121000)
	writeRecord(t, filepath.Join(out, "x-tuned-a"), 89000)
	if err := os.MkdirAll(filepath.Join(out, "x-tuned-2"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := Pair{Schema: pairSchema, Scenario: "x", Objective: "makespan", Present: filepath.Join(out, "x-present-a"),
		Expected: Range{0.1, -0.2, 0.3}, Again: Range{0.25, 0.24, 0.26}}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"x.json": data, "other.json": []byte(`{"schema":"else"}`)} {
		if err := os.WriteFile(filepath.Join(runs, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rs, err := Compare(runs, out)
	if err != nil {
		t.Fatal(err)
	}
	if len(rs) != 1 || len(rs[0].Before) != 2 || len(rs[0].After) != 1 || math.Abs(rs[0].Came-0.2) > 1e-9 {
		t.Fatalf("%+v", rs)
	}
	var b bytes.Buffer
	if err := WritePairs(&b, rs); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 20.0 |", "0 inside, mean distance 5.0 points", "On similar workloads: 1 inside, " +
		"mean distance 10.0"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

// Every draw is a file that loads and jobs in its queues; equal keys give equal
// scenarios.
func TestDrawnScenarios(t *testing.T) {
	settings := map[string]string{"yarn.scheduler.minimum-allocation-mb": "256",
		"yarn.scheduler.maximum-allocation-mb": "1024"}
	for i := range uint64(200) {
		d, err := drawScenario(rng.NewKey(7, purposeScenario).At(i), "x", settings)
		if err != nil {
			t.Fatalf("seed 7, draw %d: %v", i, err)
		}
		again, err := drawScenario(rng.NewKey(7, purposeScenario).At(i), "x", settings)
		if err != nil || !bytes.Equal(d.queues.Bytes(), again.queues.Bytes()) ||
			fmt.Sprint(d.scenario) != fmt.Sprint(again.scenario) {
			t.Fatalf("draw %d differs from itself", i)
		}
		conf, err := yarnconf.Evaluate(d.queues)
		if err != nil {
			t.Fatalf("seed 7, draw %d: %v", i, err)
		}
		leaves := map[string]bool{}
		for _, q := range conf.Queues {
			leaves[q.Path] = true
		}
		for _, j := range d.scenario.Jobs {
			if !leaves["root."+j.Queue] || j.Maps < 1 || j.Reduces < 1 || j.MapTime <= 0 {
				t.Fatalf("seed 7, draw %d: %+v", i, j)
			}
		}
		c, err := d.planned()
		if err != nil || len(c.Work.Jobs) != len(d.scenario.Jobs) {
			t.Fatalf("seed 7, draw %d: %v", i, err)
		}
	}
}
