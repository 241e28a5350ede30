package trace

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/simcore"
	"schedtune/validation/testdata"
)

// Every public sample, with the counts that its origin documents.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		path, format        string
		jobs, maps, reduces int
		queues              string
	}{
		{"hadoop/mumak-19-jobs.trace.json.gz", "rumen", 19, 8573, 3256, ""},
		{"hadoop/2jobs2min-rumen-jh.json.gz", "rumen", 2, 192, 0, "sls_queue_1"},
		{"hadoop/job_1329348432655_0001-1329348443227-user-Sleep+job-1329348468601-10-1-SUCCEEDED-default.jhist", "jhist", 1,
			10, 2, "default"},
		{"hadoop/job_1393307629410_0001-1393307687476-user-Sleep+job-1393307723835-0-0-FAILED-default-1393307693920.jhist",
			"jhist", 1, 1, 0, "default"},
		{"hadoop/inputsls.json", "sls", 2, 5, 0, "sls_queue_1 sls_queue_2"},
		{"swim/FB-2009_samples_24_times_1hr_0_first50jobs.tsv", "swim", 50, 0, 0, ""},
		{"swim/FB-2009_samples_24_times_1hr_0.tsv.gz", "swim", 5894, 0, 0, ""},
	} {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			tr := openT(t, testdata.Shared(t, "traces", c.path))
			maps, reduces, _ := countTasks(tr)
			if tr.Format != c.format || len(tr.Jobs) != c.jobs || maps != c.maps || reduces != c.reduces {
				t.Errorf("%s: %d jobs, %d maps, %d reduces; want %s: %d, %d, %d", tr.Format, len(tr.Jobs), maps, reduces, c.format,
					c.jobs, c.maps, c.reduces)
			}
			var queues []string
			for i := range tr.Jobs {
				if q := tr.Jobs[i].Queue; q != "" && !strings.Contains(strings.Join(queues, " "), q) {
					queues = append(queues, q)
				}
			}
			if got := strings.Join(queues, " "); got != c.queues {
				t.Errorf("queues %q, want %q", got, c.queues)
			}
			if _, _, err := tr.Workload(WorkloadOptions{}); err != nil {
				t.Error(err)
			}
			roundTrip(t, tr)
		})
	}
}

// roundTrip writes and reads the native format; nothing may be lost.
func roundTrip(t *testing.T, tr *Trace) {
	t.Helper()
	exts := []string{"", ".gz", ".zst"}
	if len(tr.Jobs) > 0 && len(tr.Jobs[0].Tasks) > 1000 || len(tr.Jobs) > 10 {
		exts = exts[:1] // packing has nothing to do with size
	}
	for _, ext := range exts {
		var b bytes.Buffer
		if err := tr.Write(&b, "x"+ext, "native"); err != nil {
			t.Fatal(err)
		}
		back, err := Read(bytes.NewReader(b.Bytes()), "x"+ext, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(tr, back) { // faster than cmp on large traces
			t.Fatalf("native%s: %.2000s", ext, cmp.Diff(tr, back))
		}
	}
}

// SYNTH's two sample files say the same in the old and the new form, so they
// draw the same jobs.
func TestSynthForms(t *testing.T) {
	old := openT(t, testdata.Shared(t, "traces", "hadoop", "syn.json"))
	now := openT(t, testdata.Shared(t, "traces", "hadoop", "syn_generic.json"))
	if len(old.Jobs) != 10 || len(now.Jobs) != 10 || len(old.Nodes) != 20 {
		t.Fatalf("%d and %d jobs on %d nodes, want 10, 10, 20", len(old.Jobs), len(now.Jobs), len(old.Nodes))
	}
	for i := range old.Jobs {
		a, b := &old.Jobs[i], &now.Jobs[i]
		if a.Maps != b.Maps || a.Reduces != b.Reduces || a.Submit != b.Submit || a.Queue != "sls_queue_1" ||
			a.MapSize.MiB != 1024 || a.ReduceSize.MiB != 2048 {
			t.Errorf("old %+v\nnew %+v", a.Maps, b.Maps)
		}
		if a.Submit < 1000 || a.Submit >= 60000 {
			t.Errorf("submitted at %d ms; the file says between 1 and 60 s", a.Submit)
		}
	}
	roundTrip(t, now)
}

// A log-normal quantity has the mean and the deviation it is given: the mean of
// n draws lies within 5 s/sqrt(n) of it.
func TestSynthQuantity(t *testing.T) {
	text := `{"num_jobs":1,"rand_seed":3,"workloads":[{"queue_name":"q","job_classes":[{"class_weight":1,"tasks":[
	 {"type":"map","count":{"val":40000},"time":{"val":10000,"std":2000},"max_memory":{"discrete":[1024,2048],"weights":[1,0]}}]}]}]}`
	tr, err := Read(strings.NewReader(text), "s", Options{})
	if err != nil {
		t.Fatal(err)
	}
	mean := float64(tr.Jobs[0].TaskTime(Map)) / 1000 / 40000
	if d := mean - 10; d > 5*2/200.0 || d < -5*2/200.0 {
		t.Errorf("mean %v, want 10 ± 0.05", mean)
	}
	if tr.Jobs[0].MapSize.MiB != 1024 {
		t.Errorf("a choice of weight 0 was drawn: %v", tr.Jobs[0].MapSize)
	}
}

func TestReadNodesSamples(t *testing.T) {
	for _, c := range []struct {
		path string
		n    int
		last Node
	}{
		{"hadoop/nodes.json", 19, Node{Name: "node19", Rack: "rack5"}},
		{"hadoop/nodes-with-resources.json", 4, Node{Name: "node4", Rack: "rack1", Size: Size{6144, 12}}},
		{"hadoop/mumak-19-jobs.topology.json.gz", 1545, Node{}},
	} {
		nodes := openNodes(t, testdata.Shared(t, "traces", c.path))
		if len(nodes) != c.n || c.last.Name != "" && !reflect.DeepEqual(nodes[len(nodes)-1], c.last) {
			t.Errorf("%s: %d nodes, last %v; want %d, %v", c.path, len(nodes), nodes[len(nodes)-1], c.n, c.last)
		}
	}
}

// The load simulator's own file, read and written and read: jobs, queues and
// task times are the same.
func TestSLSRoundTrip(t *testing.T) {
	for _, path := range []string{"hadoop/inputsls.json", "hadoop/2jobs2min-rumen-jh.json.gz"} {
		tr := openT(t, testdata.Shared(t, "traces", path))
		var b bytes.Buffer
		if err := tr.WriteSLS(&b); err != nil {
			t.Fatal(err)
		}
		back, err := Read(&b, "back", Options{})
		if err != nil {
			t.Fatal(err)
		}
		w1, _, err1 := tr.Workload(WorkloadOptions{})
		w2, _, err2 := back.Workload(WorkloadOptions{})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if diff := cmp.Diff(w1.Queues, w2.Queues); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(w1.Tasks.Duration, w2.Tasks.Duration); diff != "" {
			t.Error(diff)
		}
		for i := range w1.Jobs {
			a, b := &w1.Jobs[i], &w2.Jobs[i]
			if a.ID != b.ID || a.Submit != b.Submit || a.Maps != b.Maps || a.Reduces != b.Reduces || a.MapAsk != b.MapAsk {
				t.Errorf("%s: %+v\n%+v", path, a, b)
			}
		}
	}
}

// SWF by hand: 3 processors for 10 s, submitted 5 s after the header's start
// time; a cancelled job is dropped; unknown processors fall back to the asked.
func TestSWF(t *testing.T) {
	text := "; Version: 2.2\n; UnixStartTime: 1000\n\n" +
		"1 5 2 10 3 -1 -1 3 60 -1 1 7 1 4 2 -1 -1 -1\n" +
		"2 6 -1 -1 -1 -1 -1 3 60 -1 5 7 1 4 2 -1 -1 -1\n" +
		"3 9 0 4 -1 -1 2048 2 60 -1 0 8 1 -1 -1 -1 -1 -1\n"
	tr, err := Read(strings.NewReader(text), "x.swf", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tr.Format != "swf" || len(tr.Jobs) != 2 {
		t.Fatalf("%s, %d jobs", tr.Format, len(tr.Jobs))
	}
	a, b := &tr.Jobs[0], &tr.Jobs[1]
	if a.Submit != 1005_000 || a.Launch != 1007_000 || a.Finish != 1017_000 || a.Maps != 3 || a.MapTime != 10_000 ||
		a.Queue != "queue2" || a.User != "user7" || a.Result != Succeeded {
		t.Errorf("%+v", *a)
	}
	if b.Maps != 2 || b.Queue != "" || b.Result != Failed || b.MapSize.MiB != 2 {
		t.Errorf("%+v", *b)
	}
	w, _, err := tr.Workload(WorkloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []simcore.Dist{{Kind: simcore.Constant, A: 10}, {Kind: simcore.Constant, A: 4}}
	if diff := cmp.Diff(want, w.Dists); diff != "" || w.Jobs[1].Submit != 4*simcore.Second {
		t.Error(diff, w.Jobs[1].Submit)
	}
	roundTrip(t, tr)
}

// SWIM's rule by hand. A job of exactly the centre of "aggregate, fast" (230
// GiB in, 8.8 GiB shuffled): 1840 blocks of 128 MiB share 104338 s, 9 reduces
// of at most 1 GiB would last 7418 s, more than the class's 900 s, so there are
// 66760/900 = 74.2, that is 75.
func TestSWIMRule(t *testing.T) {
	in, shuffle, out := int64(230)<<30, int64(88)<<30/10, int64(491)<<20
	tr, err := Read(strings.NewReader(fmt.Sprintf("j\t5\t0\t%d\t%d\t%d\n", in, shuffle, out)), "FB-2009", Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := &tr.Jobs[0]
	if j.Class != "aggregate, fast" || j.Maps != 1840 || j.Reduces != 75 {
		t.Errorf("%s: %d maps, %d reduces", j.Class, j.Maps, j.Reduces)
	}
	if want := Millis(104338000 / 1840); diff(j.MapTime, want) > 1 {
		t.Errorf("map time %d, want %d", j.MapTime, want)
	}
	roundTrip(t, tr)
}

// The exponent of the rule is the slope of log task-seconds over log bytes
// across the table's centres, and what the rule makes of a whole day agrees with
// what the papers say of the traces: most jobs are small, and about two thirds
// of the compute time is spent in maps (68 % over the seven traces of VLDB'12;
// the bounds allow for one trace being unlike the rest).
func TestSWIMRuleIsPlausible(t *testing.T) {
	var sx, sy, sxx, sxy float64
	table := swimTable("FB-2009")
	for _, c := range table.classes {
		x, y := math.Log(c.input+c.shuffle+c.output), math.Log(c.mapSeconds+c.reduceSeconds)
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(table.classes))
	if slope := (n*sxy - sx*sy) / (n*sxx - sx*sx); math.Abs(slope-swimPower) > 0.05 {
		t.Errorf("slope %v, the rule uses %v", slope, swimPower)
	}
	tr := openT(t, testdata.Shared(t, "traces", "swim", "FB-2009_samples_24_times_1hr_0.tsv.gz"))
	var maps, reduces Millis
	small := 0
	for i := range tr.Jobs {
		j := &tr.Jobs[i]
		maps += j.TaskTime(Map)
		reduces += j.TaskTime(Reduce)
		if j.Class == "small jobs" {
			small++
		}
	}
	share := float64(maps) / float64(maps+reduces)
	t.Logf("%d of %d jobs small, %.0f task-seconds per job, %.0f %% in maps", small, len(tr.Jobs),
		float64(maps+reduces)/1000/float64(len(tr.Jobs)), 100*share)
	if share < 0.5 || share > 0.9 || 10*small < 7*len(tr.Jobs) {
		t.Errorf("map share %.2f, %d small jobs of %d", share, small, len(tr.Jobs))
	}
}

// A byte order mark is no part of a text, packed or not: neither of its form nor
// of the first job's name.
func TestByteOrderMark(t *testing.T) {
	for form, text := range map[string]string{
		"swim":  "job0\t1\t1\t3\t4\t5\n",
		"swf":   "1 5 2 10 3 -1 -1 3 60 -1 1 7 1 4 2 -1 -1 -1\n",
		"rumen": `{"jobID":"job_1_0001","submitTime":1,"mapTasks":[]}`,
	} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write([]byte("\ufeff" + text)) //nolint:errcheck // a buffer
		z.Close()
		want, err := Read(strings.NewReader(text), "f", Options{})
		if err != nil {
			t.Fatal(form, err)
		}
		for how, in := range map[string]string{"plain": "\ufeff" + text, "gzip": packed.String()} {
			got, err := Read(strings.NewReader(in), "f", Options{})
			if err != nil || got.Format != form || got.Jobs[0].ID != want.Jobs[0].ID {
				t.Errorf("%s, %s: %+v, %v", form, how, got, err)
			}
		}
	}
}
