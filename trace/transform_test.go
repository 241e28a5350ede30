package trace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedtune/simcore"
)

// made builds n jobs, one every 10 s, each with three maps of 4 s and a reduce.
func made(n int) *Trace {
	t := &Trace{Name: "made", Format: "native", Nodes: []Node{{Name: "a", Rack: "/r"}, {Name: "b", Rack: "/r"}}}
	for i := range n {
		j := NewJob(fmt.Sprintf("job_1_%04d", i+1))
		j.User, j.Queue, j.Name = fmt.Sprintf("u%d", i%3), "root.q", "secret"
		j.Submit = 1000 + Millis(i)*10_000
		j.Finish = j.Submit + 20_000
		j.Maps, j.Reduces, j.InputBytes = 3, 1, 300
		for k := range 4 {
			kind, index := Map, k
			if k == 3 {
				kind, index = Reduce, 0
			}
			task := NewTask(kind, index)
			a := NewAttempt(0)
			a.Start, a.Finish, a.Result, a.Host = j.Submit+1000, j.Submit+5000, Succeeded, "/r/a"
			if kind == Reduce {
				a.ShuffleEnd, a.SortEnd = j.Submit+4000, j.Submit+4100
			} else {
				task.Hosts = []string{"/r/a", "/r/b"}
			}
			task.Attempts = []Attempt{a}
			j.Tasks = append(j.Tasks, task)
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// Six jobs at 0, 10, … 50 s after the first: [10, 40) holds three of them.
func TestWindow(t *testing.T) {
	tr, err := made(6).Window(10_000, 40_000)
	if err != nil || len(tr.Jobs) != 3 || tr.Jobs[0].ID != "job_1_0002" {
		t.Fatal(err, len(tr.Jobs))
	}
	if _, err := made(6).Window(60_000, 70_000); err == nil {
		t.Error("an empty window gave no error")
	}
	if _, err := made(6).Window(5, 5); err == nil || !strings.Contains(err.Error(), "must be 0 <= from < to") {
		t.Error(err)
	}
}

// Twice the load: gaps of 5 s; a job's own times move with its submission.
func TestScaleLoad(t *testing.T) {
	src := made(6)
	tr, err := src.ScaleLoad(2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tr.Jobs {
		j := &tr.Jobs[i]
		a := &j.Tasks[0].Attempts[0]
		if j.Submit != 1000+Millis(i)*5000 || a.Start-j.Submit != 1000 || a.Finish-a.Start != 4000 ||
			j.Finish-j.Submit != 20_000 {
			t.Errorf("%s: %d %d %d", j.ID, j.Submit, a.Start, a.Finish)
		}
	}
	if diff := cmp.Diff(made(6), src); diff != "" {
		t.Error("the source changed:", diff)
	}
	for _, bad := range []float64{0, -1} {
		if _, err := src.ScaleLoad(bad); err == nil {
			t.Errorf("factor %v accepted", bad)
		}
	}
}

// Twice the cluster: 6 maps of 4 s, 2 reduces, 600 bytes, 4 nodes. A third of
// it: one map, one reduce (never none), 100 bytes, one node.
func TestScaleCluster(t *testing.T) {
	for _, c := range []struct {
		factor               float64
		maps, reduces, nodes int
		bytes                int64
	}{{2, 6, 2, 4, 600}, {1.0 / 3, 1, 1, 1, 100}} {
		tr, err := made(2).ScaleCluster(c.factor)
		if err != nil {
			t.Fatal(err)
		}
		m, r, _ := countTasks(tr)
		j := &tr.Jobs[0]
		if m != 2*c.maps || r != 2*c.reduces || j.Maps != c.maps || j.Reduces != c.reduces || len(tr.Nodes) != c.nodes ||
			j.InputBytes != c.bytes {
			t.Errorf("factor %v: %d maps, %d reduces, %d nodes, %d bytes", c.factor, m, r, len(tr.Nodes), j.InputBytes)
		}
		if j.TaskTime(Map) != Millis(c.maps)*4000 {
			t.Errorf("map time %d", j.TaskTime(Map))
		}
	}
}

// Two traces of equal ids start together; ids stay unique.
func TestMerge(t *testing.T) {
	late := made(2)
	for i := range late.Jobs {
		late.Jobs[i].shift(500_000)
	}
	tr, err := Merge(made(2), late)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for i := range tr.Jobs {
		ids[tr.Jobs[i].ID] = true
		if want := Millis(i/2) * 10_000; tr.Jobs[i].Submit != want {
			t.Errorf("job %d submitted at %d, want %d", i, tr.Jobs[i].Submit, want)
		}
	}
	if len(ids) != 4 || tr.Name != "made+made" {
		t.Errorf("ids %v, name %s", ids, tr.Name)
	}
}

// Traces of one day keep their times: the second begins an hour after the
// first. A year apart they start together.
func TestMergeKeepsRealTimes(t *testing.T) {
	for _, c := range []struct{ apart, want Millis }{{3_600_000, 3_600_000}, {365 * 86400_000, 0}} {
		a, b := made(1), made(1)
		a.Jobs[0].shift(1e12)
		b.Jobs[0].shift(1e12 + c.apart)
		tr, err := Merge(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if got := tr.Jobs[1].Submit - tr.Jobs[0].Submit; got != c.want {
			t.Errorf("%d ms apart become %d, want %d", c.apart, got, c.want)
		}
	}
}

// Six windows of 10 s with one job each give six jobs, one per window, for any
// seed; equal seeds give equal traces, and seeds differ.
func TestBootstrap(t *testing.T) {
	a, err := made(6).Bootstrap(10_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := made(6).Bootstrap(10_000, 1)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	if len(a.Jobs) != 6 {
		t.Fatalf("%d jobs", len(a.Jobs))
	}
	for i := range a.Jobs {
		j := &a.Jobs[i]
		if j.Submit != 1000+Millis(i)*10_000 || j.Tasks[0].Attempts[0].Start != j.Submit+1000 {
			t.Errorf("%s at %d", j.ID, j.Submit)
		}
	}
	other := false
	for seed := uint64(2); seed < 6 && !other; seed++ {
		c, _ := made(6).Bootstrap(10_000, seed)
		other = !cmp.Equal(a, c)
	}
	if !other {
		t.Error("five seeds drew the same windows")
	}
}

// Nothing that names a job, a person or a machine is left; the workload is the
// same but for names.
func TestAnonymise(t *testing.T) {
	src := made(4)
	src.Nodes[0].Name = "node.example.com"
	anon := src.Anonymise()
	var b bytes.Buffer
	if err := anon.WriteNative(&b); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"secret", `"u1"`, "job_1_0001", "example", `"made"`, "/r/a"} {
		if strings.Contains(b.String(), secret) {
			t.Errorf("%s is still there", secret)
		}
	}
	w1, _, _ := src.Workload(WorkloadOptions{})
	w2, _, _ := anon.Workload(WorkloadOptions{})
	if diff := cmp.Diff(w1.Tasks, w2.Tasks); diff != "" {
		t.Error(diff)
	}
	if len(w1.Users) != len(w2.Users) || w2.Queues[0] != "root.q" {
		t.Errorf("users %v, queues %v", w2.Users, w2.Queues)
	}
}

// All made jobs: 24 maps and reduces of 4 s each in queue root.q.
func TestInfo(t *testing.T) {
	in := made(6).Info()
	if in.Jobs != 6 || in.Tasks.Maps != 18 || in.Tasks.Reduces != 6 || in.Tasks.Attempts != 24 || len(in.Users) != 3 ||
		in.SpanMS != 70_000 {
		t.Errorf("%+v", in)
	}
	if q := in.Queues[0]; q.TaskSeconds != 96 || q.Share != 1 {
		t.Errorf("%+v", q)
	}
	var jobs int
	var running float64
	for _, p := range in.Load {
		jobs += p.Jobs
		running += p.Running * float64(in.BucketMS) / 1000
	}
	// Load is a partition of the jobs and of the task-seconds.
	if jobs != 6 || running < 95.99 || running > 96.01 {
		t.Errorf("%d jobs, %v task-seconds over the buckets; want 6, 96", jobs, running)
	}
}

// The audit log has local time without a zone. A summary in the same log tells
// it: submitted at 08:00:01 by the log and at 06:00:00.9 UTC by the summary, so
// the clock is two hours ahead.
func TestAuditZone(t *testing.T) {
	submit := time.Date(2026, 3, 1, 6, 0, 0, 900e6, time.UTC).UnixMilli()
	text := "2026-03-01 08:00:01,000 INFO RMAuditLogger: USER=a\tOPERATION=Submit Application " +
		"Request\tRESULT=SUCCESS\tAPPID=application_1_0001\tQUEUENAME=q\n" +
		"2026-03-01 08:00:02,000 INFO X: USER=a\tOPERATION=AM Allocated " +
		"Container\tAPPID=application_1_0001\tCONTAINERID=container_1_0001_01_000001\tRESOURCE=<memory:256, vCores:1>\n" +
		"2026-03-01 08:00:03,000 INFO X: USER=a\tOPERATION=AM Allocated " +
		"Container\tAPPID=application_1_0001\tCONTAINERID=container_1_0001_01_000002\tRESOURCE=<memory:512, vCores:2>\n" +
		"2026-03-01 08:00:09,000 INFO X: USER=a\tOPERATION=AM Released " +
		"Container\tAPPID=application_1_0001\tCONTAINERID=container_1_0001_01_000002\tRESOURCE=<memory:512, vCores:2>\n" +
		fmt.Sprintf("2026-03-01 08:00:10,000 INFO S: "+
			"appId=application_1_0001,name=x\\,y,user=a,queue=root.q,submitTime=%d,launchTime=%d,finishTime=%d,finalStatus=SUCCEEDED,memorySeconds=9,vcoreSeconds=8,applicationType=SPARK\n", submit, submit+100, submit+9000)
	tr, err := Read(strings.NewReader(text), "audit", Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := &tr.Jobs[0]
	if j.Name != "x,y" || j.Type != "SPARK" || j.Queue != "root.q" || j.Submit != Millis(submit) || j.Maps != 1 {
		t.Errorf("%+v", *j)
	}
	c := containersOf(j)["container_1_0001_01_000002"]
	want := Millis(time.Date(2026, 3, 1, 6, 0, 3, 0, time.UTC).UnixMilli())
	if c.Allocated != want || c.Released != want+6000 || c.Size != (Size{512, 2}) {
		t.Errorf("%+v, want allocated at %d", *c, want)
	}
	w, _, err := tr.Workload(WorkloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if w.Jobs[0].Maps != 1 || w.Tasks.Duration[0] != 6*simcore.Second || w.Jobs[0].MapAsk != (simcore.Vec{512, 2}) ||
		w.Jobs[0].AMAsk != (simcore.Vec{256, 1}) {
		t.Errorf("%+v %v", w.Jobs[0], w.Tasks)
	}
}

// The JobHistoryServer's answers, one after another: a job, its tasks and the
// attempts of one of them; the other task stands for itself.
func TestHistoryServer(t *testing.T) {
	text := `{"jobs":{"job":[{"id":"job_1_0001","user":"u","queue":"q","state":"SUCCEEDED","submitTime":1000,"startTime":1500,"finishTime":20000,"mapsTotal":1,"reducesTotal":1}]}}
{"tasks":{"task":[{"id":"task_1_0001_m_000000","type":"MAP","state":"SUCCEEDED","startTime":2000,"finishTime":6000},
 {"id":"task_1_0001_r_000000","type":"REDUCE","state":"SUCCEEDED","startTime":6000,"finishTime":19000}]}}
{"taskAttempts":{"taskAttempt":[{"id":"attempt_1_0001_r_000000_0","type":"REDUCE","state":"SUCCEEDED","startTime":7000,"finishTime":18000,
 "rack":"/r","nodeHttpAddress":"n:8042","assignedContainerId":"container_1_0001_01_000003","shuffleFinishTime":9000,"mergeFinishTime":9500}]}}
{"conf":{"path":"hdfs://x/done/job_1_0001_conf.xml","property":[{"name":"mapreduce.map.memory.mb","value":"2048"}]}}
{"jobs":{"job":[{"id":"job_1_0002","user":"u","queue":"q","state":"KILLED","submitTime":5000,"finishTime":9000,"mapsTotal":4,"reducesTotal":2,"avgMapTime":300,"avgReduceTime":50,"avgShuffleTime":20,"avgMergeTime":5}]}}`
	tr, err := Read(strings.NewReader(text), "history", Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := tr.Workload(WorkloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Map 4 s; the reduce's shuffle lasts 9000 - 7000 ms, all of it after the
	// last map's end at 6000; then 9 s. Job 2: 4 maps of 0.3 s, 2 reduces of
	// 50 + 5 + 20 ms.
	if d, s := w.Tasks.Duration, w.Tasks.Shuffle; d[0] != 4*simcore.Second || d[1] != 9*simcore.Second ||
		s[1] != 2*simcore.Second {
		t.Errorf("%v %v", d, s)
	}
	if a := tr.Jobs[0].Tasks[1].Attempts[0]; a.Host != "/r/n" || a.SortEnd != 9500 || tr.Jobs[0].MapSize.MiB != 2048 {
		t.Errorf("%+v", a)
	}
	b := w.Jobs[1]
	if b.FirstTask != -1 || b.Maps != 4 || b.Reduces != 2 || w.Dists[b.MapDist].A != 0.3 ||
		w.Dists[b.ReduceDist].A != 0.075 {
		t.Errorf("%+v %v", b, w.Dists)
	}
	roundTrip(t, tr)
}

// The history server of Hadoop 3.5.0 writes lists of one member without brackets, empty
// ones as "", and values that look like numbers as such.
func TestHistoryServerOfOne(t *testing.T) {
	text := `{"jobs":""}
{"jobs":{"job":{"id":"job_1_0001","user":1001,"name":20261124,"queue":"q","state":"SUCCEEDED","submitTime":1000,"startTime":1500,"finishTime":20000,"mapsTotal":1,"reducesTotal":0}}}
{"tasks":{"task":{"id":"task_1_0001_m_000000","type":"MAP","state":"SUCCEEDED","startTime":2000,"finishTime":6000}}}
{"taskAttempts":{"taskAttempt":{"id":"attempt_1_0001_m_000000_0","type":"MAP","state":"SUCCEEDED","startTime":2100,"finishTime":5900,"rack":"/r","nodeHttpAddress":"n:8042"}}}
{"conf":{"path":"hdfs://x/done/job_1_0001_conf.xml","property":{"name":"mapreduce.map.memory.mb","value":2048}}}
{"job":{"id":"job_1_0002","user":"u","queue":"q","state":"FAILED","submitTime":5000,"startTime":5600,"finishTime":9000,"mapsTotal":0,"reducesTotal":0}}
{"tasks":""}`
	tr, err := Read(strings.NewReader(text), "history", Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := &tr.Jobs[0]
	if len(tr.Jobs) != 2 || j.User != "1001" || j.Name != "20261124" || j.MapSize.MiB != 2048 || len(j.Tasks) != 1 ||
		len(j.Tasks[0].Attempts) != 1 || j.Tasks[0].Attempts[0].Start != 2100 {
		t.Errorf("%d jobs, %+v", len(tr.Jobs), j)
	}
}

// What scaling did to load and cluster is taken back, to the millisecond and with all tasks; a trace that
// says nothing of it stays.
func TestUntransformed(t *testing.T) {
	tr := made(8)
	if same, said := tr.Untransformed(); same != tr || said != nil {
		t.Errorf("a plain trace: %v", said)
	}
	fast, err := tr.ScaleLoad(4)
	if err != nil {
		t.Fatal(err)
	}
	large, err := fast.ScaleCluster(3)
	if err != nil {
		t.Fatal(err)
	}
	back, said := large.Untransformed()
	if len(said) != 2 || len(back.Nodes) != len(tr.Nodes) || len(back.Notes) != len(tr.Notes) {
		t.Errorf("said %q, nodes %d, notes %v", said, len(back.Nodes), back.Notes)
	}
	for i := range tr.Jobs {
		a, b := &tr.Jobs[i], &back.Jobs[i]
		if a.Submit != b.Submit || a.Finish != b.Finish || a.Maps != b.Maps || len(a.Tasks) != len(b.Tasks) {
			t.Errorf("job %d: %d to %d with %d tasks, was %d to %d with %d", i, b.Submit, b.Finish, len(b.Tasks), a.Submit,
				a.Finish,
				len(a.Tasks))
		}
	}
}
