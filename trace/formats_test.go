package trace

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/simcore"
)

// These tests need nothing beyond the checkout: each format by a small text whose
// figures can be followed by hand.

// The history as a table of jobs, as a file of the load simulator, and its nodes: times
// count from the submission at 500 ms; a task is its winner, its host the first of its
// input's; maps take 5 + 3.9 s.
func TestWritersByHand(t *testing.T) {
	tr, err := Read(strings.NewReader(failedMap), "h.jhist", Options{})
	if err != nil {
		t.Fatal(err)
	}
	tr.Nodes = []Node{{Name: "n1", Rack: "/r1", Size: Size{4096, 4}}, {Name: "n2", Rack: "/r1", Size: Size{4096, 4}},
		{Name: "n3"}}
	var csv bytes.Buffer
	if err := tr.WriteJobsCSV(&csv); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(csv.String()), "\n")
	if want := "job_1_0007,sort,ann,root.prod,,MAPREDUCE,succeeded,0,1000,30500,2,1,1536,1,2048,2,,,,8900,10000,1024,590,77"; len(lines) != 2 || lines[1] != want {
		t.Errorf("table\n%s\nwant\n%s", csv.String(), want)
	}
	var sls bytes.Buffer
	if err := tr.WriteSLS(&sls); err != nil {
		t.Fatal(err)
	}
	var doc slsDoc
	if err := json.Unmarshal(sls.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	n := func(v int) num { return numOf(v) }
	want := slsDoc{AMType: "mapreduce", Start: n(0), End: n(30500), Queue: "root.prod", ID: "job_1_0007", User: "ann",
		Tasks: []slsTask{
			{Host: "/r1/n1", Start: n(3500), End: n(8500), Priority: n(20), Type: "map", Memory: n(1536), VCores: n(1)},
			{Host: "/r1/n2", Start: n(3600), End: n(7500), Priority: n(20), Type: "map", Memory: n(1536), VCores: n(1)},
			{Host: "/r1/n1", Start: n(19500), End: n(29500), Priority: n(10), Type: "reduce", Memory: n(2048), VCores: n(2)}}}
	if d := cmp.Diff(want, doc, cmp.AllowUnexported(num{})); d != "" {
		t.Error(d)
	}
	tr.Jobs[0].Queue = ""
	sls.Reset()
	if err := tr.WriteSLS(&sls); err != nil || !strings.Contains(sls.String(), `"job.queue.name": "default"`) {
		t.Errorf("%v: a job without a queue is\n%.200s", err, sls.String())
	}
	var nodes bytes.Buffer
	if err := tr.WriteSLSNodes(&nodes); err != nil {
		t.Fatal(err)
	}
	back, err := readNodes(&nodes, "nodes")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Node{{Name: "n1", Rack: "r1", Size: Size{4096, 4}}, {Name: "n2", Rack: "r1", Size: Size{4096, 4}},
		{Name: "n3", Rack: "default-rack"}}, back); d != "" {
		t.Errorf("nodes: %s", d)
	}
}

// Lines may be long: a name of 200 KB in a log of the ResourceManager, though not of 17 MB.
func TestLongLines(t *testing.T) {
	line := func(n int) string {
		return "2024-01-01 00:00:00,000 INFO x: appId=application_1_1,name=" + strings.Repeat("n", n) +
			",user=u,queue=q,state=FINISHED,submitTime=1000,finishTime=2000,finalStatus=SUCCEEDED\n"
	}
	tr, err := Read(strings.NewReader(line(200_000)), "rm.log", Options{})
	if err != nil || len(tr.Jobs) != 1 || tr.Jobs[0].Finish != 2000 {
		t.Errorf("%v", err)
	}
	if _, err := Read(strings.NewReader(line(10)+line(17<<20)), "rm.log", Options{}); err == nil ||
		!strings.HasPrefix(err.Error(), "rm.log:2: the line is longer than 16 MiB") {
		t.Errorf("%v", err)
	}
}

// What other formats refuse, and what they note.
func TestFormatsByHand(t *testing.T) {
	for _, c := range []struct{ text, err, note string }{
		{`{"num.nodes":1048577,"num.racks":1}`, "num.nodes 1048577, num.racks 1: must be at most 1048576", ""},
		{`{"num.nodes":1,"num.racks":1048577}`, "num.racks 1048577: must be", ""},
		{`{"num_jobs":1,"workloads":[]}`, "no workloads", ""},
		{`{"jobID":"job_1_1","submitTime":1,"finishTime":9,"totalMaps":2,"mapTasks":[{"taskID":"task_1_1_m_000000"}]}`, "",
			"tasks that the job announced but the trace does not list"},
		{`{"jobID":"job_1_1","submitTime":1,"finishTime":9,"totalReduces":1,"mapTasks":[{"taskID":"task_1_1_m_000000"}]}`,
			"", "tasks that the job announced but the trace does not list"},
	} {
		tr, err := Read(strings.NewReader(c.text), "f", Options{})
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), "f:1: ") || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		found := false
		for _, n := range tr.Notes {
			found = found || n.Text == c.note
		}
		if !found {
			t.Errorf("%s: no %q in %v", c.text, c.note, tr.Notes)
		}
	}
}

// The example's event logs, counted by the lines of their events.
func TestSparkInfoAgainstLines(t *testing.T) {
	const dir = "../datasets/spark/eventlogs"
	want := SparkInfo{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	stages := map[string]int{}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		in, err := newInput(bytes.NewReader(b), f.Name())
		if err != nil {
			t.Fatal(err)
		}
		want.Applications++
		if err := in.eachLine(func(line []byte, _ int64) error {
			var e struct {
				Event string
				End   struct{ Reason string } `json:"Task End Reason"`
			}
			if err := json.Unmarshal(line, &e); err != nil {
				return err
			}
			switch e.Event {
			case "SparkListenerJobStart":
				want.Jobs++
			case "SparkListenerStageSubmitted":
				want.Stages++
				stages[f.Name()]++
			case "SparkListenerExecutorAdded":
				want.Executors++
			case "SparkListenerTaskEnd":
				want.Tasks++
				if e.End.Reason != "Success" {
					want.FailedTasks++
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := tr.Info().Spark
	if got.Applications != want.Applications || got.Jobs != want.Jobs || got.Stages != want.Stages ||
		got.Executors != want.Executors || got.Tasks != want.Tasks || got.FailedTasks != want.FailedTasks {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	for _, a := range got.Apps {
		if n := stages[a.ID+"_1.zstd"]; n > 0 && a.Stages != n {
			t.Errorf("%s: %d stages, want %d", a.ID, a.Stages, n)
		}
	}
}

// In client mode the driver runs outside: what YARN starts is a master of 512 MiB and 384
// overhead unless spark.yarn.am.* say otherwise; none where it is unmanaged.
func TestSparkClientMode(t *testing.T) {
	log := func(conf string) string {
		return `{"Event":"SparkListenerApplicationStart","App Name":"x","App ID":"application_1_1","Timestamp":1700000000000,"User":"u"}` + "\n" +
			`{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.master":"yarn","spark.driver.memory":"8g"` +
			conf + `}}` + "\n" +
			`{"Event":"SparkListenerApplicationEnd","Timestamp":1700000001000}` + "\n"
	}
	for conf, want := range map[string]simcore.Vec{
		``:                                    {512 + 384, 1}, // which is the default
		`,"spark.master":"yarn-client"`:       {512 + 384, 1},
		`,"spark.master":"yarn-cluster"`:      {8192 + 819, 1},
		`,"spark.submit.deployMode":"client"`: {512 + 384, 1},
		`,"spark.submit.deployMode":"client","spark.yarn.am.memory":"2g","spark.yarn.am.cores":"3"`:                           {2048 + 384, 3},
		`,"spark.submit.deployMode":"client","spark.yarn.am.memory":"2g","spark.yarn.am.memoryOverhead":"1g"`:                 {2048 + 1024, 1},
		`,"spark.submit.deployMode":"client","spark.yarn.unmanagedAM.enabled":"true"`:                                         {},
		`,"spark.submit.deployMode":"client","spark.yarn.am.memory":"nonsense"`:                                               {512 + 384, 1},
		`,"spark.submit.deployMode":"cluster","spark.yarn.driver.memoryOverhead":"1000"`:                                      {8192 + 1000, 1},
		`,"spark.submit.deployMode":"cluster","spark.yarn.driver.memoryOverhead":"1000","spark.driver.memoryOverhead":"500m"`: {8192 + 500, 1},
	} {
		tr, err := Read(strings.NewReader(log(conf)), "x", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s := tr.Jobs[0].AMSize; s != (Size{want[0], want[1]}) {
			t.Errorf("%s: the master has %v, want %v", conf, s, want)
		}
	}
}

// Who is not named has no name afterwards either; users and hosts lose theirs, queues keep
// them.
func TestAnonymiseNames(t *testing.T) {
	tr, err := Read(strings.NewReader(failedMap), "h.jhist", Options{})
	if err != nil {
		t.Fatal(err)
	}
	tr.Jobs[0].Tasks[1].Attempts[0].Host = ""
	j := tr.Anonymise().Jobs[0]
	if j.User == "ann" || j.User == "" || j.Queue != "root.prod" || j.Submit != 0 || j.Finish != 30500 {
		t.Errorf("user %q, queue %q, from %d to %d", j.User, j.Queue, j.Submit, j.Finish)
	}
	if h := j.Tasks[1].Attempts[0].Host; h != "" {
		t.Errorf("a host that was not named is %q", h)
	}
	first := j.Tasks[0]
	if a, b := first.Hosts[0], first.Attempts[0].Host; a != b || strings.Contains(a, "n1") || strings.Contains(a, "/r1/") {
		t.Errorf("the host of the input is %q, the same of an attempt %q", a, b)
	}
	if first.Hosts[1] == first.Hosts[0] {
		t.Errorf("two hosts became one: %v", first.Hosts)
	}
}
