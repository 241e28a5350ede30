package trace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedtune/simcore"
	"schedtune/trace/sparklog"
)

const unknown = sparklog.Unknown

// span of a job in a drawn program.
func job(id int32, from, to sparklog.Millis, execution int64, group string) sparklog.Job {
	return sparklog.Job{ID: id, Submit: from, End: to, Execution: execution, Group: group, Result: sparklog.Succeeded}
}

// Each program below is drawn as times; what waits for what follows from the
// rule in order's comment.
func TestJobOrder(t *testing.T) {
	for _, c := range []struct {
		name  string
		jobs  []sparklog.Job
		after [][]int32
		gap   []sparklog.Millis
	}{
		{"one after another, with a pause", []sparklog.Job{job(0, 100, 200, -1, ""), job(1, 210, 300, -1, ""),
			job(2, 5300, 5400, -1, "")},
			[][]int32{nil, {0}, {1}}, []sparklog.Millis{100, 10, 5000}},
		{"two threads, joined, then one", []sparklog.Job{job(0, 100, 200, -1, ""), job(1, 210, 400, -1, ""),
			job(2, 240, 300, -1, ""), job(3, 410, 500, -1, "")},
			[][]int32{nil, {0}, {0}, {2, 1}}, []sparklog.Millis{100, 10, 40, 10}},
		{"two threads, each a chain", []sparklog.Job{job(0, 100, 300, -1, ""), job(1, 100, 200, -1, ""),
			job(2, 205, 400, -1, ""), job(3, 310, 500, -1, "")},
			[][]int32{nil, nil, {1}, {0}}, []sparklog.Millis{100, 100, 5, 10}},
		{"stages of one SQL execution beside another's", []sparklog.Job{job(0, 0, 900, 1, ""), job(1, 10, 100, 2, ""),
			job(2, 12, 150, 2, ""), job(3, 160, 200, 2, "")},
			[][]int32{nil, nil, nil, {1, 2}}, []sparklog.Millis{0, 10, 12, 10}},
		{"threads known by their job groups", []sparklog.Job{job(0, 0, 900, -1, "a"), job(1, 10, 100, -1, "b"),
			job(2, 12, 150, -1, "c"), job(3, 160, 200, -1, "b")},
			[][]int32{nil, nil, nil, {1}}, []sparklog.Millis{0, 10, 12, 60}},
		{"a job that never ended holds nobody up", []sparklog.Job{job(0, 0, unknown, -1, ""), job(1, 10, 100, -1, ""),
			job(2, 120, 150, -1, "")},
			[][]int32{nil, nil, {1}}, []sparklog.Millis{0, 10, 20}},
	} {
		o := jobOrder(c.jobs, 0)
		if d := cmp.Diff(c.after, o.after, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: waits for %s", c.name, d)
		}
		if d := cmp.Diff(c.gap, o.gap); d != "" {
			t.Errorf("%s: gaps %s", c.name, d)
		}
	}
}

// app is an application of three jobs on two executors of two cores: job 0
// leaves a cached data set and shuffle output; job 1, six seconds later, reads
// the cached set, and its own first stage's output; job 2 joins job 1's
// shuffle, which Spark skips, to a new stage.
func app() *sparklog.App {
	a := &sparklog.App{ID: "application_1700000000000_0007", Name: "report", User: "ann", Version: "3.5.5",
		Start: 1_700_000_000_000, Ready: 1_700_000_000_300, Last: unknown,
		Conf: map[string]string{"spark.master": "yarn", "spark.submit.deployMode": "cluster", "spark.yarn.queue": "prod",
			"spark.executor.memory": "2g",
			"spark.executor.cores":  "2", "spark.driver.memory": "1g", "spark.dynamicAllocation.enabled": "true",
			"spark.dynamicAllocation.initialExecutors": "2", "spark.scheduler.minRegisteredResourcesRatio": "0",
			"spark.shuffle.service.enabled": "true"},
		Profiles: []sparklog.Profile{{Cores: 2, Memory: 2048, Overhead: unknown, TaskCPUs: 1}},
		Caches:   []sparklog.Cache{{RDD: 5, Name: "kept", Memory: true, Partitions: 2, Replicas: 1}}}
	for i := range 2 {
		at := a.Start + 3000 + sparklog.Millis(i)*100
		a.Executors = append(a.Executors, sparklog.Executor{ID: fmt.Sprint(i + 1), Host: fmt.Sprintf("n%d", i+1), Cores: 2,
			Requested: unknown, Added: at, Storage: at + 50, Removed: unknown})
	}
	id := int64(0)
	add := func(stage, job int32, from sparklog.Millis, writes bool, rdd int32, cached, parents []int32,
		times ...sparklog.Millis) sparklog.Millis {
		st := sparklog.Stage{ID: stage, Job: job, Tasks: int32(len(times)), Submit: from, Result: sparklog.Succeeded,
			Writes: writes, RDD: rdd, Cached: cached, Parents: parents, Started: int32(len(times))}
		for i, d := range times {
			over := sparklog.Millis(20) // and 300 more for the first tasks of an executor
			if stage == 0 {
				over += 300
			}
			st.Attempts = append(st.Attempts, sparklog.Task{ID: id, Index: int32(i), Executor: int32(i % 2),
				Locality: sparklog.NodeLocal, Launch: from + 5, Finish: from + 5 + d + over,
				Getting: unknown, Run: d, Deserialize: 1, GC: 0, Input: 100, ShuffleWrite: 10})
			id++
			st.End = max(st.End, from+5+d+over)
		}
		a.Stages = append(a.Stages, st)
		return st.End
	}
	s := a.Start + 3200
	end := add(0, 0, s+5, false, 5, []int32{5}, nil, 1000, 2000)
	a.Jobs = append(a.Jobs, sparklog.Job{ID: 0, Submit: s, End: end + 1, Result: sparklog.Succeeded, Execution: unknown,
		Stages: []int32{0}})
	s = end + 1 + 6000
	end = add(1, 1, s+5, true, 7, []int32{5}, nil, 500, 600)
	end = add(2, 1, end+4, false, 9, nil, []int32{1}, 700)
	a.Jobs = append(a.Jobs, sparklog.Job{ID: 1, Submit: s, End: end + 1, Result: sparklog.Succeeded, Execution: unknown,
		Stages: []int32{1, 2}})
	s = end + 1 + 10
	a.Skipped = []sparklog.SkippedStage{{ID: 3, Tasks: 2, RDD: 7}}
	end = add(4, 2, s+5, false, 11, nil, []int32{3}, 800)
	a.Jobs = append(a.Jobs, sparklog.Job{ID: 2, Submit: s, End: end + 1, Result: sparklog.Succeeded, Execution: unknown,
		Stages: []int32{3, 4}, Unpersisted: []int32{5}})
	a.End = end + 1 + 2500
	return a
}

// sparkText is the log of app as Spark writes it, with texts replaced: each by the next.
func sparkText(t testing.TB, edits ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "spark.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.NewReplacer(edits...).Replace(string(text)))
}

func eventLog(t testing.TB, a *sparklog.App) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := a.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The numbers below are those of app: executors of 2048 MiB and 384 beside,
// the driver's 1024 and 384; the user's code goes on 300 ms after the block
// manager, 3.2 s before the first job; tasks as they ran, the 300 ms of an
// executor's first left out.
func TestSparkWorkload(t *testing.T) {
	tr, err := Read(bytes.NewReader(sparkText(t)), "log", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tr.Format != "spark" || len(tr.Jobs) != 1 || tr.Jobs[0].Queue != "prod" || tr.Jobs[0].Type != "SPARK" {
		t.Fatalf("%s %+v", tr.Format, tr.Jobs)
	}
	cluster := &simcore.Cluster{Racks: []string{"r"}, Nodes: []simcore.Node{{Name: "n1"}, {Name: "n2"}}}
	w, notes, err := tr.Workload(WorkloadOptions{Cluster: cluster})
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) != 0 {
		t.Errorf("notes %v", notes)
	}
	j := &w.Jobs[0]
	if j.AMAsk != (simcore.Vec{1408, 1}) || j.Maps != 0 || j.Spark == nil {
		t.Fatalf("%+v", j)
	}
	if err := j.Spark.Validate(w); err != nil {
		t.Fatal(err)
	}
	ms := simcore.Millisecond
	want := &simcore.SparkApp{
		Settings:  j.Spark.Settings,
		Executors: []simcore.SparkExecutor{{Container: simcore.Vec{2432, 2}, Cores: 2, TaskCPUs: 1}},
		Jobs: []simcore.SparkJob{
			{Delay: 2600 * ms, FirstStage: 0, Stages: 1},
			{After: []int32{0}, Delay: 6000 * ms, FirstStage: 1, Stages: 2},
			{After: []int32{1}, Delay: 10 * ms, FirstStage: 3, Stages: 1, Unpersist: []int32{0}},
			{After: []int32{2}, Delay: 2500 * ms, FirstStage: 4},
		},
		Stages: []simcore.SparkStage{
			{Job: 0, Tasks: 2, FirstTask: 0, Dist: -1, Reads: -1, Caches: 0, OutputBytes: 20},
			{Job: 1, Tasks: 2, FirstTask: 2, Dist: -1, ShuffleWrite: true, Reads: 0, Caches: -1, OutputBytes: 20},
			{Job: 1, Tasks: 1, FirstTask: 4, Dist: -1, Parents: []int32{1}, Reads: -1, Caches: -1, OutputBytes: 10},
			{Job: 2, Tasks: 1, FirstTask: 5, Dist: -1, Parents: []int32{1}, Reads: -1, Caches: -1, OutputBytes: 10},
		},
	}
	if d := cmp.Diff(want, j.Spark, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if !j.Spark.Settings.Dynamic || !j.Spark.Settings.ShuffleService {
		t.Errorf("%+v", j.Spark.Settings)
	}
	if d := cmp.Diff([]simcore.Time{1020 * ms, 2020 * ms, 520 * ms, 620 * ms, 720 * ms, 820 * ms},
		w.Tasks.Duration); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int32{0, 1, 2, 2, 2, 2, 2}, w.Tasks.HostAt); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int32{0, 1}, w.Tasks.Hosts); d != "" {
		t.Error(d)
	}
}

// Spark applications pass through the native format, through transforms, and
// beside job histories in one folder.
func TestSparkInTraces(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "eventlog_v2_application_1700000000000_0009"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	write("application_1700000000000_0007", sparkText(t))
	const id = `"App ID":"application_1700000000000_000`
	write("application_1700000000000_0008_1", sparkText(t, id+`7"`, id+`8","App Attempt ID":"1"`))
	write("application_1700000000000_0008_2", sparkText(t, id+`7"`, id+`8","App Attempt ID":"2"`,
		"1700000016232", "1700000016332")) // ends 100 ms later
	text := bytes.SplitAfter(sparkText(t, id+"7", id+"9", "1700000016232", "1700000016332"), []byte("\n"))
	write("eventlog_v2_application_1700000000000_0009/events_1_application_1700000000000_0009", bytes.Join(text[:9], nil))
	write("eventlog_v2_application_1700000000000_0009/events_2_application_1700000000000_0009", bytes.Join(text[9:], nil))
	write("eventlog_v2_application_1700000000000_0009/appstatus_application_1700000000000_0009", nil)
	write("application_1700000000000_0010.zstd.inprogress", nil)
	write("rm.json",
		[]byte(`{"apps":{"app":[{"id":"application_1700000000000_0007","user":"ann","name":"report","queue":"adhoc","state":"FINISHED","finalStatus":"SUCCEEDED","applicationType":"SPARK","startedTime":1699999990000,"launchTime":1699999995000,"finishedTime":1700000014000,"elapsedTime":24000,"memorySeconds":1000,"vcoreSeconds":10}]}}`))
	tr, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ids, texts []string
	for i := range tr.Jobs {
		ids = append(ids, tr.Jobs[i].ID+" "+tr.Jobs[i].Spark.Attempt)
	}
	if d := cmp.Diff([]string{"application_1700000000000_0007 ", "application_1700000000000_0008 2",
		"application_1700000000000_0009 "}, ids); d != "" {
		t.Fatal(d)
	}
	for _, n := range tr.Notes {
		texts = append(texts, n.Text)
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"attempts of Spark applications before the last; the first: " +
		"application_1700000000000_0008 attempt 1", "applications that have just begun", "another source tells more of"} {
		if !strings.Contains(all, want) {
			t.Errorf("no note %q in\n%s", want, all)
		}
	}
	// the ResourceManager knows when and to which queue the first was submitted
	if j := &tr.Jobs[0]; j.Submit != 1_699_999_990_000 || j.Queue != "adhoc" || j.MemorySeconds != 1000 {
		t.Errorf("%d %s %d", j.Submit, j.Queue, j.MemorySeconds)
	}
	var buf bytes.Buffer
	if err := tr.WriteNative(&buf); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&buf, "native", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(tr, again); d != "" {
		t.Error(d)
	}
	later := *again
	later.Jobs = append([]Job(nil), again.Jobs...)
	later.Jobs[1].shift(1000)
	if later.Jobs[1].Spark.Stages[0].Attempts[0].Launch != again.Jobs[1].Spark.Stages[0].Attempts[0].Launch+1000 {
		t.Error("tasks are not moved with their application")
	}
	twice, err := tr.ScaleCluster(2)
	if err != nil {
		t.Fatal(err)
	}
	w1, _, err1 := tr.Workload(WorkloadOptions{})
	w2, _, err2 := twice.Workload(WorkloadOptions{})
	if err1 != nil || err2 != nil || w2.Jobs[0].Spark.TaskCount() != 2*w1.Jobs[0].Spark.TaskCount() {
		t.Errorf("twice the cluster: %v %v", err1, err2)
	}
	anon := tr.Anonymise()
	buf.Reset()
	if err := anon.WriteNative(&buf); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "report", "n1", "application_17", "kept"} {
		if strings.Contains(buf.String(), `"`+name) {
			t.Errorf("%q is in the anonymous trace", name)
		}
	}
	in := tr.Info()
	if in.Spark == nil || in.Spark.Executors != 6 || in.Tasks.Spark != 18 || in.Problem != "" {
		t.Errorf("%+v %s", in.Spark, in.Problem)
	}
}
