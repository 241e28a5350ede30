package trace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/simcore"
	"schedtune/validation/testdata"
)

// countTasks counts maps and reduces of all jobs.
func countTasks(t *Trace) (maps, reduces, other int) {
	for i := range t.Jobs {
		for k := range t.Jobs[i].Tasks {
			switch t.Jobs[i].Tasks[k].Kind {
			case Map:
				maps++
			case Reduce:
				reduces++
			default:
				other++
			}
		}
	}
	return
}

func mustOpen(t testing.TB, elem ...string) *Trace {
	t.Helper()
	tr, err := Open(testdata.Shared(t, elem...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// The documented sizes of the two public Rumen samples: 19 jobs with 11,829
// tasks of 5 users, and 2 jobs of 96 maps each.
func TestRumenSamples(t *testing.T) {
	tr := mustOpen(t, "traces", "hadoop", "mumak-19-jobs.trace.json.gz")
	maps, reduces, _ := countTasks(tr)
	if len(tr.Jobs) != 19 || maps+reduces != 11829 {
		t.Errorf("%d jobs, %d tasks; want 19 and 11829", len(tr.Jobs), maps+reduces)
	}
	w, _, err := tr.Workload(WorkloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Users) != 5 {
		t.Errorf("users %v, want 5", w.Users)
	}
	if len(w.Queues) != 1 || w.Queues[0] != "root.default" {
		t.Errorf("queues %v: the sample names none, so root.default is used", w.Queues)
	}
	tr = mustOpen(t, "traces", "hadoop", "2jobs2min-rumen-jh.json.gz")
	if len(tr.Jobs) != 2 {
		t.Fatalf("%d jobs, want 2", len(tr.Jobs))
	}
	for i := range tr.Jobs {
		if j := &tr.Jobs[i]; j.Maps != 96 || len(j.Tasks) != 96 || j.MapSize.MiB != 1024 || j.Slowstart != 0.8 {
			t.Errorf("%s: %d maps of %d MiB, slowstart %v; want 96 of 1024, 0.8", j.ID, len(j.Tasks), j.MapSize.MiB, j.Slowstart)
		}
	}
}

// Conversion derives every figure by hand from two small jobs: submissions
// 1000 and 3500 ms, so 0 and 2.5 s; one map of 4 s on /r1/a; the last map ends
// at 9000; the reduce runs 8000 to 15000 with its shuffle over at 11000, so 2 s
// of shuffle lie beyond the last map and 4 s follow it.
const smallRumen = `{"jobID":"job_1_0002","user":"u2","submitTime":3500,"finishTime":8000,"outcome":"KILLED","queue":"b",
 "mapTasks":[{"taskID":"task_1_0002_m_000000","attempts":[{"attemptID":"attempt_1_0002_m_000000_0","result":"KILLED","startTime":4000,"finishTime":6000}]},
  {"taskID":"task_1_0002_m_000001","attempts":[]}],"reduceTasks":[]}
{"jobID":"job_1_0001","user":"u1","submitTime":1000,"finishTime":16000,"outcome":"SUCCESS","queue":null,
 "jobProperties":{"mapreduce.map.memory.mb":"2048","mapreduce.job.reduce.slowstart.completedmaps":"0.5","yarn.app.mapreduce.am.resource.mb":1536},
 "mapTasks":[{"taskID":"task_1_0001_m_000000","taskStatus":"SUCCESS","preferredLocations":[{"layers":["r1","a"]},{"layers":["r2","x"]}],
   "attempts":[{"attemptID":"attempt_1_0001_m_000000_0","result":"SUCCESS","startTime":5000,"finishTime":9000,"hdfsBytesRead":77}]}],
 "reduceTasks":[{"taskID":"task_1_0001_r_000000","attempts":[
   {"attemptID":"attempt_1_0001_r_000000_0","result":"FAILED","startTime":7000,"finishTime":7500},
   {"attemptID":"attempt_1_0001_r_000000_1","result":"SUCCESS","startTime":8000,"finishTime":15000,"shuffleFinished":11000,"sortFinished":11500}]}]}
`

func TestRumenWorkload(t *testing.T) {
	tr, err := Read(strings.NewReader(smallRumen), "small", Options{})
	if err != nil {
		t.Fatal(err)
	}
	cluster := &simcore.Cluster{Racks: []string{"r1", "r2"}, Nodes: []simcore.Node{{Name: "a"}, {Name: "b", Rack: 1}}}
	w, notes, err := tr.Workload(WorkloadOptions{Cluster: cluster})
	if err != nil {
		t.Fatal(err)
	}
	want := &simcore.Workload{Name: "small", Queues: []string{"root.default", "root.b"}, Users: []string{"u1", "u2"},
		Jobs: []simcore.Job{
			{ID: "job_1_0001", Queue: 0, User: 0, Class: -1, Maps: 1, Reduces: 1, FirstTask: 0, MapAsk: simcore.Vec{2048, 0},
				AMAsk: simcore.Vec{1536, 0}, Slowstart: 0.5, InputBytes: 77, MapDist: -1, ReduceDist: -1},
			{ID: "job_1_0002", Queue: 1, User: 1, Class: -1, Submit: 2500 * simcore.Millisecond, Maps: 1, FirstTask: 2,
				Slowstart: -1, MapDist: -1, ReduceDist: -1},
		},
		Tasks: simcore.Tasks{
			Duration: []simcore.Time{4 * simcore.Second, 4 * simcore.Second, 2 * simcore.Second},
			Shuffle:  []simcore.Time{0, 2 * simcore.Second, 0},
			Input:    []int64{77, 0, 0},
			// "x" is unknown; recorded rack /r2 is the first with unknown hosts,
			// so it stands for the first rack, where node a is the only one.
			HostAt: []int32{0, 1, 1, 1}, Hosts: []int32{0},
		}}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Error(diff)
	}
	if len(notes) == 0 {
		t.Error("no notes although a queue and hosts were assumed")
	}
}

func TestRumenErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"truncated", smallRumen[:300], fmt.Sprintf("small:%d: the file ends inside an object; it is truncated",
			1+strings.Count(smallRumen[:300], "\n"))},
		{"backwards job", `{"jobID":"job_9_0001","submitTime":5,"finishTime":3,"mapTasks":[]}`,
			"small:1: job_9_0001: job ends at 3 ms, 2 ms before its start"},
		{"backwards attempt",
			"\n\n" + `{"jobID":"j","mapTasks":[{"attempts":[{"attemptID":"x_1","result":"SUCCESS","startTime":9,"finishTime":4}]}]}`,
			"small:3: j: attempt x_1 ends at 4 ms"},
		{"wrong type", `{"jobID":"j",` + "\n" + `"mapTasks":[{"attempts":7}]}`, "small:2: field"},
		{"other JSON", `{"a":1}`, "small:1: unknown format JSON"},
		{"second object broken", smallRumen + "{]", "small:11: invalid character"},
	} {
		_, err := Read(strings.NewReader(c.text), "small", Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that contains %q", c.name, err, c.want)
		}
	}
}

func FuzzRumen(f *testing.F) {
	f.Add(smallRumen)
	f.Add(`{"jobID":1,"mapTasks":[{"attempts":[{"startTime":"5","finishTime":6.5}]}]}`)
	fuzzFormat(f, "rumen")
}

// fuzzFormat checks that a reader neither panics nor returns a trace that
// cannot be converted without a stated reason.
func fuzzFormat(f *testing.F, format string) {
	f.Fuzz(func(t *testing.T, text string) {
		tr, err := Read(strings.NewReader(text), "fuzz", Options{Format: format})
		if err != nil {
			return
		}
		if len(tr.Jobs) == 0 {
			t.Fatal("no error and no jobs")
		}
		w, _, err := tr.Workload(WorkloadOptions{})
		if err != nil {
			return
		}
		for _, d := range w.Tasks.Duration {
			if d < 0 {
				t.Fatalf("negative duration %d", d)
			}
		}
		for i := range w.Jobs {
			if w.Jobs[i].Submit < 0 {
				t.Fatalf("negative submission %d", w.Jobs[i].Submit)
			}
		}
	})
}
