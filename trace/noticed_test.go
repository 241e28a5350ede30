package trace

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/simcore"
	"schedtune/trace/sparklog"
)

// Single rules that whole formats seldom show, each by hand.

// A folder of a recorded run: the second attempt of a map wins; the master's first reservation
// was given up, so that its container is the second and of no kind; a third container was never
// used.
func TestRunFolderByHand(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"jobs.csv": "job,name,queue,user,submit_ms,launch_ms,finish_ms,maps,reduces,slowstart,final_status\n" +
			"job_1_0001,sort,root.a,ann,0,100,,1,0,0.5,SUCCEEDED\n",
		"tasks.csv": "job,type,task,attempt,container,node,start_ms,finish_ms,status\n" +
			"job_1_0001,MAP,task_1_0001_m_000000,attempt_1_0001_m_000000_0,container_1_0001_01_000003,n1,1000,2000,FAILED\n" +
			"job_1_0001,MAP,task_1_0001_m_000000,attempt_1_0001_m_000000_1,container_1_0001_01_000004,n2,3000,5000,SUCCEEDED\n",
		"containers.csv": "container,job,kind,attempt,mib,vcores,node,rm_allocated_ms,rm_released_ms,nm_start_request_ms,nm_exited_ms\n" +
			"container_1_0001_01_000001,job_1_0001,,,,,n1,,,,\n" +
			"container_1_0001_01_000002,job_1_0001,,,1536,1,n1,200,5500,250,5400\n" +
			"container_1_0001_01_000003,job_1_0001,MAP,attempt_1_0001_m_000000_0,1024,1,n1,800,2100,,\n" +
			"container_1_0001_01_000004,job_1_0001,MAP,attempt_1_0001_m_000000_1,1024,1,n2,2900,5100,,\n" +
			"container_1_0001_01_000005,job_1_0001,,,1024,1,n2,3000,3100,,\n",
		"nodes.csv": "node,rack,mib,vcores\nn1,/r1,8192,8\nn2,/r1,8192,4\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := NewJob("job_1_0001")
	want.Name, want.Queue, want.User, want.Type, want.Result = "sort", "root.a", "ann", "MAPREDUCE", Succeeded
	want.Submit, want.Launch, want.Maps, want.Reduces, want.Slowstart = 0, 100, 1, 0, 0.5
	want.MapSize, want.AMSize = Size{1024, 1}, Size{1536, 1}
	attempt := func(number int, r Result, host string, container int, times ...Millis) Attempt {
		a := NewAttempt(number)
		a.Result, a.Host, a.Container, a.Size = r, host, fmt.Sprintf("container_1_0001_01_%06d", container), Size{1024, 1}
		a.Allocated, a.Released, a.Start, a.Finish = times[0], times[1], times[2], times[3]
		return a
	}
	m := NewTask(Map, 0)
	m.Result, m.Finish = Succeeded, 5000
	m.Attempts = []Attempt{attempt(0, Failed, "n1", 3, 800, 2100, 1000, 2000), attempt(1, Succeeded, "n2", 4, 2900, 5100,
		3000, 5000)}
	master := NewTask(AM, 2)
	master.Attempts = []Attempt{attempt(0, Unfinished, "n1", 2, 200, 5500, 250, 5400)}
	master.Attempts[0].Size = Size{1536, 1}
	unused := NewTask(Unused, 5)
	unused.Attempts = []Attempt{attempt(0, Unfinished, "n2", 5, 3000, 3100, Unknown, Unknown)}
	want.Tasks = []Task{m, master, unused}
	if d := cmp.Diff([]Job{want}, tr.Jobs); d != "" {
		t.Errorf("want -, got +:\n%s", d)
	}
	if len(tr.Nodes) != 2 || tr.Nodes[1].Name != "n2" || tr.Nodes[1].Rack != "/r1" || tr.Nodes[1].Size != (Size{8192, 4}) {
		t.Errorf("nodes %+v", tr.Nodes)
	}
	if !slices.ContainsFunc(tr.Notes, func(n Note) bool {
		return n.Text == "containers that were reserved and never allocated" && n.Count == 1
	}) {
		t.Errorf("notes %v", tr.Notes)
	}
	// A job whose tasks are known is counted by them, its master and unused containers left out.
	if n := tr.Jobs[0].countTasks(); n != 1 {
		t.Errorf("%d tasks, want 1", n)
	}
}

// Aggregates alone: 201 core-seconds of 2048 MiB less the master's 50 s are 151 s, four
// containers in the 45 s that the master leaves them.
func TestCoarseByHand(t *testing.T) {
	j := NewJob("job")
	j.Submit, j.Finish, j.VCoreSeconds, j.MemorySeconds = 0, 50_000, 201, 201*2048
	n := &notes{index: map[string]int{}}
	coarse(&j, 0, n)
	if j.Maps != 4 || j.Reduces != 0 || j.MapTime != 151_000/4 || j.MasterTime != 45_000-151_000/4 ||
		j.MapSize != (Size{2048, 1}) || j.AMSize != j.MapSize {
		t.Errorf("%d maps of %d ms and %v, master %v", j.Maps, j.MapTime, j.MapSize, j.AMSize)
	}
}

const (
	mb = 1 << 20
	tb = 1 << 40
)

// Bytes are compared by the sum of squared distances: what is right in input and output and
// far off in shuffle is not the class.
func TestSwimDistance(t *testing.T) {
	table := swimClasses{name: "two", classes: []swimClass{
		{jobs: 100, input: mb, shuffle: tb, output: mb, label: "shuffles"},
		{jobs: 100, input: 3 * mb, shuffle: 0, output: 3 * mb, label: "does not"},
	}}
	for _, c := range []struct {
		shuffle int64
		want    string
	}{{0, "does not"}, {tb, "shuffles"}} {
		if got := table.likeliest(&Job{InputBytes: mb, ShuffleBytes: c.shuffle, OutputBytes: mb}); got.label != c.want {
			t.Errorf("shuffle of %d bytes: class %q, want %q", c.shuffle, got.label, c.want)
		}
	}
}

func TestSortedCounts(t *testing.T) {
	got := sorted(map[string]int{"b": 2, "a": 2, "c": 5, "d": 1})
	if want := []Count{{"c", 5}, {"a", 2}, {"b", 2}, {"d", 1}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Jobs from 10 to 40 and, inside, from 20 to 30 s, then from 50 to 60 s, of an application that
// ends at 75 s: 10 + 15 s without a job. One that does not end lasts to the application's end.
func TestThinkTime(t *testing.T) {
	job := func(from, to sparklog.Millis) sparklog.Job { return sparklog.Job{Submit: from, End: to} }
	app := sparklog.App{Start: 5_000, End: 75_000}
	app.Jobs = []sparklog.Job{job(50_000, 60_000), job(10_000, 40_000), job(20_000, 30_000)}
	if got := thinkTime(&app); got != 25_000 {
		t.Errorf("%d ms, want 25000", got)
	}
	app.Jobs[0].End = sparklog.Unknown
	if got := thinkTime(&app); got != 10_000 {
		t.Errorf("%d ms with a job that does not end, want 10000", got)
	}
}

func TestScaleClusterErrors(t *testing.T) {
	tr := made(2)
	for _, f := range []float64{0, -1, math.NaN(), math.Inf(1), 10001} {
		if _, err := tr.ScaleCluster(f); err == nil || !strings.Contains(err.Error(), "must be above 0, at most 10000") {
			t.Errorf("factor %v: %v", f, err)
		}
	}
	for _, f := range []float64{1e-9, 2} {
		if _, err := tr.ScaleCluster(f); err != nil {
			t.Errorf("factor %v: %v", f, err)
		}
	}
}

// Recorded names of queues are put below the root, or kept.
func TestQueueOfAJob(t *testing.T) {
	for _, c := range []struct {
		name, queue string
		opt         WorkloadOptions
		want        string
		notes       int
	}{
		{"leaf", "z", WorkloadOptions{}, "root.z", 0},
		{"path", "root.b.x", WorkloadOptions{}, "root.b.x", 0},
		{"root", "root", WorkloadOptions{}, "root", 0},
		{"flat", "z", WorkloadOptions{Flat: true}, "z", 0},
		{"none", "", WorkloadOptions{}, "root.default", 1},
		{"none, flat", "", WorkloadOptions{Flat: true}, "default", 1},
		{"none, to be placed", "", WorkloadOptions{Flat: true, DefaultQueue: "(none)"}, "(none)", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := &converter{opt: c.opt}
			if got := k.queueOf(&Job{Queue: c.queue}); got != c.want || len(k.notes.list) != c.notes {
				t.Errorf("%s with %d notes, want %s with %d", got, len(k.notes.list), c.want, c.notes)
			}
		})
	}
}

// A stage caches two blocks, one that took 400 ms and one of whose 900 ms the executor ran for
// 700. The executor of the first has gone when a later stage reads both: the first reader's time
// holds 400 ms of computing the block again, which lies with that reader's executor from then on.
func TestCachedBlocks(t *testing.T) {
	const ms = simcore.Millisecond
	app := &sparklog.App{Executors: []sparklog.Executor{{ID: "1", Removed: 5000}, {ID: "2", Removed: sparklog.Unknown}}}
	k := &sparkConverter{converter: &converter{w: &simcore.Workload{}}, app: app, blocks: map[int32][]block{}}
	k.w.Tasks.Duration = []simcore.Time{400 * ms, 900 * ms, 1000 * ms, 600 * ms}
	task := func(executor int32, launch, run sparklog.Millis) sparklog.Task {
		return sparklog.Task{Executor: executor, Launch: launch, Run: run}
	}
	k.keepBlocks(&simcore.SparkStage{FirstTask: 0, Reads: -1, Caches: 3}, []sparklog.Task{task(0, 1000, sparklog.Unknown),
		task(1, 1000, 700)})
	if want := []block{{0, 400 * ms}, {1, 700 * ms}}; !slices.Equal(k.blocks[3], want) {
		t.Fatalf("blocks %v, want %v", k.blocks[3], want)
	}
	k.keepBlocks(&simcore.SparkStage{FirstTask: 2, Reads: 3, Caches: -1}, []sparklog.Task{task(1, 6000, 900),
		task(1, 6000, 500)})
	if want := []simcore.Time{400 * ms, 900 * ms, 600 * ms, 600 * ms}; !slices.Equal(k.w.Tasks.Duration, want) {
		t.Errorf("times %v, want %v", k.w.Tasks.Duration, want)
	}
	if want := []block{{1, 400 * ms}, {1, 700 * ms}}; !slices.Equal(k.blocks[3], want) {
		t.Errorf("blocks %v, want %v", k.blocks[3], want)
	}
}

// When the code after the SparkContext goes on: at once in client mode and 300 ms later in
// cluster mode where no executor is waited for, else when enough have registered or the longest
// wait is over, seen 100 ms later.
func TestCodeStart(t *testing.T) {
	app := &sparklog.App{Start: 1000, Ready: 2000, Conf: map[string]string{}}
	for _, at := range []sparklog.Millis{4000, 3000, sparklog.Unknown, 5000} {
		app.Executors = append(app.Executors, sparklog.Executor{ID: "1", Added: at})
	}
	app.Executors = append(app.Executors, sparklog.Executor{ID: "driver", Added: 2100})
	for _, c := range []struct {
		atFirst int32
		ratio   float64
		mode    string
		want    sparklog.Millis
	}{
		{0, 0.8, "cluster", 2300}, {0, 0.8, "client", 2000}, {4, 0, "cluster", 2300},
		{2, 0.8, "cluster", 4100}, {4, 0.8, "cluster", 31_100}, {1, 0.8, "client", 3100},
	} {
		app.Conf["spark.submit.deployMode"] = c.mode
		if got := codeStart(app, c.atFirst, c.ratio, 30_000); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// A history cut inside a line says so.
func TestHistoryCut(t *testing.T) {
	_, err := Read(strings.NewReader(failedMap[:len(failedMap)-300]), "h.jhist", Options{})
	if err == nil || !strings.Contains(err.Error(), "h.jhist:23: job_1_0007: the file ends inside an object; it is "+
		"truncated") {
		t.Error(err)
	}
}

// What the history above becomes in a simulation: the maps' and the reduce's output, the reduce
// without the time that it copied and waited.
func TestHistoryWorkload(t *testing.T) {
	tr, err := Read(strings.NewReader(failedMap), "h.jhist", Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := tr.Workload(WorkloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const s = simcore.Second
	ts := w.Tasks
	if !slices.Equal(ts.Input, []int64{1000, 24, 590}) || !slices.Equal(ts.Output, []int64{600, 0, 77}) ||
		!slices.Equal(ts.Duration, []simcore.Time{5 * s, 3900 * simcore.Millisecond, 6 * s}) ||
		!slices.Equal(ts.Shuffle, []simcore.Time{0, 0, 4 * s}) {
		t.Errorf("input %v, output %v, times %v, shuffle %v", ts.Input, ts.Output, ts.Duration, ts.Shuffle)
	}
}

// Times of an audit log in another zone than the summary's move; what is not known stays so.
func TestMoveBy(t *testing.T) {
	a := rmApp{submitted: 1000, finished: Unknown, job: NewJob("job")}
	task := NewTask(Container, 0)
	task.Attempts = []Attempt{NewAttempt(0)}
	task.Attempts[0].Allocated = 2000
	a.job.Tasks = []Task{task}
	a.moveBy(3600)
	if c := &a.job.Tasks[0].Attempts[0]; a.job.Submit != 4600 || a.job.Finish != Unknown || c.Allocated != 5600 ||
		c.Released != Unknown || c.Start != Unknown || a.job.Tasks[0].Start != Unknown {
		t.Errorf("%+v", a.job)
	}
	a.summary = true // then the job's own times are the summary's
	a.moveBy(1)
	if c := &a.job.Tasks[0].Attempts[0]; a.job.Submit != 4600 || c.Allocated != 5601 {
		t.Errorf("%+v", a.job)
	}
}

// Notes of one text are one note; the first place is named, and nothing of nothing.
func TestFirstOfNotes(t *testing.T) {
	n := &notes{index: map[string]int{}}
	n.addFirst(0, Dropped, "line 3", "odd lines")
	n.addFirst(2, Dropped, "line 7", "odd lines")
	n.addFirst(1, Dropped, "line 9", "odd lines")
	if len(n.list) != 1 || n.list[0].Count != 3 || n.list[0].Text != "odd lines; the first: line 7" {
		t.Errorf("%+v", n.list)
	}
}

// A class of SWIM's table whose jobs have no reduces, for a job that has: a tenth of the maps'
// work goes to them. Twice the class's bytes are 2^0.7 its work: of 100 s of maps 16.2 s.
func TestSwimReducesWithoutAny(t *testing.T) {
	table := swimClasses{name: "one", classes: []swimClass{{jobs: 1, input: mb, duration: 1000, mapSeconds: 100,
		label: "maps"}}}
	j := NewJob("job")
	j.InputBytes, j.ShuffleBytes, j.OutputBytes = mb, mb, 0
	swimWork(&j, &table)
	if j.Maps != 1 || j.Reduces != 1 || j.MapTime != 162_450 || j.ReduceTime != 16_245 {
		t.Errorf("%d maps of %d ms, %d reduces of %d ms", j.Maps, j.MapTime, j.Reduces, j.ReduceTime)
	}
}

// The median of what is known of a stage's tasks: spans, else run times.
func TestTypicalTime(t *testing.T) {
	task := func(launch, finish, run sparklog.Millis) sparklog.Task {
		return sparklog.Task{Launch: launch, Finish: finish, Run: run}
	}
	const u = sparklog.Unknown
	if got := typicalTime([]sparklog.Task{task(0, 900, 1), task(u, u, 100), task(u, u, u), task(0, 300, 1)}); got != 300 {
		t.Errorf("%d ms, want 300", got)
	}
	if got := typicalTime([]sparklog.Task{task(u, u, u)}); got != 0 {
		t.Errorf("%d ms of nothing", got)
	}
}

// Hadoop 1's words for priorities; NORMAL is what Rumen writes of a job that says nothing.
func TestPriorityWords(t *testing.T) {
	for word, want := range map[string]int{"VERY_HIGH": 5, "high": 4, "LOW": 2, "VERY_LOW": 1, "DEFAULT": 0, "7": 7,
		"-1": -1, "NORMAL": -99, "": -99} {
		if v, set := parsePriority(word); set != (want != -99) || set && v != want {
			t.Errorf("%q: %d, set %v; want %d", word, v, set, want)
		}
	}
}

// Weights 1, 0 and 3 take a quarter, nothing and the rest; without weights for all, all are equal.
func TestChoose(t *testing.T) {
	for u, want := range map[float64]int{0: 0, 0.24: 0, 0.26: 2, 0.99: 2} {
		if got := choose([]float64{1, 0, 3}, 3, u); got != want {
			t.Errorf("%v with weights: %d, want %d", u, got, want)
		}
	}
	for u, want := range map[float64]int{0: 0, 0.34: 1, 0.67: 2, 1: 2} {
		if got := choose([]float64{1, 3}, 3, u); got != want {
			t.Errorf("%v without: %d, want %d", u, got, want)
		}
	}
}

// Labels of an inventory's machines, and an answer that can't be, wherever it stands among others.
func TestRESTAnswers(t *testing.T) {
	tr, err := Read(
		strings.NewReader(
			`{"apps":{"app":[{"id":"application_1_0002","startedTime":1000,"finishedTime":9000,"state":"FINISHED"}]}}
{"nodes":{"node":[{"id":"n1:45454","rack":"/r1","nodeHostName":"n1","availMemoryMB":1024,"usedMemoryMB":0,"availableVirtualCores":1,"usedVirtualCores":0,"nodeLabels":["gpu"]},
		{"id":"n2:45454","rack":"/r1","nodeHostName":"n2","availMemoryMB":1024,"usedMemoryMB":0,"availableVirtualCores":1,"usedVirtualCores":0}]}}`), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Nodes) != 2 || tr.Nodes[0].Label != "gpu" || tr.Nodes[1].Label != "" {
		t.Errorf("%+v", tr.Nodes)
	}
	_, err = Read(
		strings.NewReader(
			`{"apps":{"app":[{"id":"application_1_0001","startedTime":9000,"finishedTime":1000,"state":"FINISHED"},{"id":"application_1_0002","startedTime":1000,"finishedTime":9000,"state":"FINISHED"}]}}`), "f", Options{})
	if err == nil || !strings.Contains(err.Error(), "application_1_0001") {
		t.Error(err)
	}
}

// A packed file that is cut off says so, with the last line that could be read where there is one;
// a Spark event log is read as far as it goes, however short.
func TestPackedFileIsCutOff(t *testing.T) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Flush(); err != nil { // what follows does not end the stream
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for want, text := range map[string]string{
		"cut: the packed file is truncated":   "",
		"cut:3: the packed file is truncated": "job0\t0\t0\t1000\t0\t10\njob1\t30\t30\t1000\t0\t10\njob2\t40\t10\t10",
	} {
		if _, err := Read(bytes.NewReader(pack(text)), "cut", Options{}); err == nil || !strings.HasPrefix(err.Error(),
			want) {
			t.Errorf("%v, want %s…", err, want)
		}
	}
	start := `{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}` + "\n" +
		`{"Event":"SparkListenerApplicationStart","App Name":"a","App ID":"application_1_0001","Timestamp":1000,"User":"u"}` + "\n"
	got, err := Read(bytes.NewReader(pack(start)), "cut", Options{})
	if err != nil || len(got.Jobs) != 1 || !strings.Contains(fmt.Sprint(got.Notes), "the end of the application") {
		t.Errorf("%v, %v", got, err)
	}
}
