package accuracy

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/fileio"
	"schedtune/internal/rm"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// pulled makes the folder that tune pull would have written from a recorded
// run: the answers of its ResourceManager, its files and its history.
func pulled(t *testing.T, run string) string {
	t.Helper()
	dir := t.TempDir()
	copyFile(t, filepath.Join(run, "capacity-scheduler.xml"), filepath.Join(dir, rm.FileConfig))
	copyFile(t, filepath.Join(run, "settings.xml"), filepath.Join(dir, rm.FileSite))
	firstBody(t, filepath.Join(run, "rest-nodes.jsonl"), filepath.Join(dir, rm.FileNodes))
	firstBody(t, filepath.Join(run, "rest-scheduler.jsonl"), filepath.Join(dir, rm.FileScheduler))
	history, err := filepath.Glob(filepath.Join(run, "history", "*"))
	if err != nil || len(history) == 0 {
		t.Fatalf("%s has no history", run)
	}
	for _, h := range history {
		copyFile(t, h, filepath.Join(dir, rm.DirTrace, filepath.Base(h)))
	}
	return dir
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func firstBody(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.Open(from + ".gz")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := fileio.OpenText(f)
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(z).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var rec struct{ Body json.RawMessage }
	if err := json.Unmarshal(line, &rec); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, rec.Body, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Recorded runs: the evaluation agrees in every figure, makespans within 7 % and
// the median completion time within 13 % (docs/running-cluster.md).
func TestRecordedRuns(t *testing.T) {
	t.Parallel()
	runs := testdata.Runs(t, "minimr/run-0[1-8]*")
	if testing.Short() {
		runs = runs[:min(2, len(runs))]
	}
	for _, run := range runs {
		t.Run(filepath.Base(run), func(t *testing.T) {
			r, err := Examine(t.Context(), pulled(t, run), ClusterOptions{Seed: 1, Replications: 10,
				Calibration: yarn.CalibrationMiniCluster})
			if err != nil {
				t.Fatal(err)
			}
			if r.Evaluation == nil || len(r.Evaluation.Diffs) > 0 || r.Evaluation.Queues != 3 {
				t.Errorf("evaluation: %+v", r.Evaluation)
			}
			if r.Replay == nil {
				t.Fatalf("no replay: %q", r.Missing)
			}
			p := r.Replay
			t.Logf("makespan %.1f s, predicted %.1f (%+.1f %%); completion errors: median %.1f %%, p90 %.1f %%, worst %.1f %%",
				p.Makespan.Observed, p.Makespan.Predicted, p.Makespan.Error*100, p.CompletionErrors.Median*100,
				p.CompletionErrors.P90*100, p.CompletionErrors.Worst*100)
			if math.Abs(p.Makespan.Error) > 0.07 || p.CompletionErrors.Median > 0.13 {
				t.Errorf("far off: %+v", p.CompletionErrors)
			}
			if strings.Contains(doctorText(t, r), "NaN") || r.Verdict == "" {
				t.Errorf("%s", doctorText(t, r))
			}
		})
	}
}

// A file that is not the one in force is found out.
func TestWrongFile(t *testing.T) {
	dir := pulled(t, testdata.Run(t, "mapreduce"))
	path := filepath.Join(dir, rm.FileConfig)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(string(data), "user-limit-factor</name><value>2<", "user-limit-factor</name><value>1.5<", 1)
	if err := os.WriteFile(path, []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Examine(t.Context(), dir, ClusterOptions{Seed: 1, Replications: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Evaluation.Diffs) == 0 || !strings.Contains(r.Verdict, "do not trust predictions") ||
		!strings.Contains(doctorText(t, r), "user-limit-factor") {
		t.Errorf("%s", doctorText(t, r))
	}
}

// A cluster that has run no task yet, or of which no application was pulled, has nothing to
// replay; its configuration is examined. Root's figures are those of the nodes without label.
func TestNothingToReplay(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		rm.FileConfig: `<configuration><property><name>yarn.scheduler.capacity.root.queues</name>
<value>a</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property></configuration>`,
		rm.FileNodes: `{"nodes":{"node":[{"id":"n1:1","state":"RUNNING","usedMemoryMB":0,"availMemoryMB":4096,
"usedVirtualCores":0,"availableVirtualCores":4},
{"id":"n2:1","state":"RUNNING","usedMemoryMB":0,"availMemoryMB":8192,"usedVirtualCores":0,"availableVirtualCores":8,
"nodeLabels":["gpu"]}]},
"partitions":{"nodeLabelInfo":[{"name":"gpu","exclusivity":true}]}}`,
		rm.FileScheduler: `{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","queueName":"root",
"queuePath":"root","capacity":100,"maxCapacity":100,
"capacities":{"queueCapacitiesByPartition":[{"partitionName":"","capacity":100,"maxCapacity":100,
"absoluteCapacity":100,"absoluteMaxCapacity":100,"effectiveMinResource":{"memory":4096,"vCores":4},
"effectiveMaxResource":{"memory":4096,"vCores":4}}]},
"queues":{"queue":[{"type":"capacitySchedulerLeafQueueInfo","queueName":"a","queuePath":"root.a","state":"RUNNING",
"capacity":100,"maxCapacity":100,"absoluteCapacity":100,"absoluteMaxCapacity":100}]}}}}`,
		filepath.Join(rm.DirTrace,
			"apps.json"): `{"apps":{"app":[{"id":"application_1700000000000_0001","user":"u","name":"x",
"queue":"root.a","state":"ACCEPTED","finalStatus":"UNDEFINED","startedTime":1700000100000,"finishedTime":0,
"elapsedTime":1000}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, want := range []string{"ran no task", "no applications were pulled"} {
		t.Run(want, func(t *testing.T) {
			r, err := Examine(t.Context(), dir, ClusterOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Evaluation == nil || r.Evaluation.Figures == 0 || r.Replay != nil || len(r.Missing) != 1 ||
				!strings.Contains(r.Missing[0], want) {
				t.Errorf("%+v, want the configuration examined and %q", r, want)
			}
			if notes := strings.Join(r.Notes, "\n"); strings.Contains(notes, "the scheduler counts") {
				t.Errorf("nodes with a label are counted for root: %s", notes)
			}
			if err := os.RemoveAll(filepath.Join(dir, rm.DirTrace)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestEmptyFolder(t *testing.T) {
	if _, err := Examine(t.Context(), t.TempDir(), ClusterOptions{}); err == nil || !strings.Contains(err.Error(),
		"a folder written by tune pull") {
		t.Errorf("%v", err)
	}
}

// 100 s in 200 instants, every half second from 0.25: a container from 10 to 20
// is held at the 20 instants 10.25 … 19.75.
func TestHold(t *testing.T) {
	s := seen{end: 100, usage: newCourse(1)}
	s.add(0, 10, 20, 512)
	n := 0
	for k, m := range s.usage[0] {
		if m > 0 {
			n++
			if at := instant(k, 100); at < 10 || at >= 20 {
				t.Errorf("held at %g", at)
			}
		}
	}
	if n != 20 {
		t.Errorf("held at %d instants", n)
	}
}

// Observed 3 among 1 to 4: two below and one equal give rank 2.5/4.
func TestFigureRank(t *testing.T) {
	s := &sample{[]pair{{rec: value{wait: 3}, sim: []value{{wait: 4}, {wait: 2}, {wait: 1}, {wait: 3}}}}}
	if f := figure(s, wait); f.Rank != 0.625 || f.Predicted != 2.5 {
		t.Errorf("%+v, want rank 0.625 and mean 2.5", f)
	}
}

// A folder without anything to compare with does not agree with anything.
func TestNothingCompared(t *testing.T) {
	for want, r := range map[string]*ClusterReport{
		"nothing could be compared":                         {},
		"the configuration agrees as far as it could be co": {Evaluation: &rm.Comparison{Figures: 3}},
	} {
		t.Run(want, func(t *testing.T) {
			if r.verdict(); !strings.HasPrefix(r.Verdict, want) {
				t.Errorf("%q, want %q", r.Verdict, want)
			}
		})
	}
}

// What nothing is known of has no row.
func TestWithoutFigures(t *testing.T) {
	text := doctorText(t, &ClusterReport{Replay: &Replay{Jobs: 1}})
	if strings.Contains(text, "memory held") || strings.Contains(text, "mean waiting time") {
		t.Errorf("%s", text)
	}
}

// A job that is not simulated, as one that was refused long after the others, ends no
// period; it is told as such and not as one whose tasks were replayed.
func TestRefusedEndsNoPeriod(t *testing.T) {
	ran, refused := trace.NewJob("a"), trace.NewJob("b")
	ran.Submit, ran.Finish = 1000, 61000
	refused.Submit, refused.Finish, refused.Result = 9000000, 9000283, trace.Failed
	doc, err := yarnconf.Parse("c.xml", []byte("<configuration/>"))
	if err != nil {
		t.Fatal(err)
	}
	c := &scenario.Case{Doc: doc, Work: &simcore.Workload{Queues: []string{"root.a"}, Jobs: []simcore.Job{{ID: "a"}}}}
	tr := &trace.Trace{Jobs: []trace.Job{ran, refused}}
	if s := observeUsage(tr, c); s.end != 60 || s.compared() != 1 {
		t.Errorf("the period ends at %g s with %d jobs, want 60 s with one", s.end, s.compared())
	}
	e := &experiment{seen: &seen{Period: &Period{Case: c}}}
	if got := e.unexplained(tr, &Replay{}); len(got) != 1 ||
		!strings.Contains(got[0], "1 of 2 jobs ran no recorded task, or were rejected") {
		t.Errorf("%q", got)
	}
}

// A job with an AM of 1000 MiB from 0 to 100 s, a map of 1960 MiB that was allocated at 20 s, started at 30 s and
// released at 90 s, and a killed one of unknown size from 50 to 70 s: on average
// 1000 + 0.7 * 2000 + 0.2 * 1100 = 2620 MiB. Containers are multiples of 100 MiB.
func TestHoldByAllocation(t *testing.T) {
	at := func(from, start, to trace.Millis, mib int64, result trace.Result) trace.Attempt {
		a := trace.NewAttempt(0)
		a.Allocated, a.Start, a.Released, a.Size.MiB, a.Result = from, start, to, mib, result
		return a
	}
	task := func(kind trace.Kind, list ...trace.Attempt) trace.Task {
		x := trace.NewTask(kind, 0)
		x.Attempts = list
		return x
	}
	j := trace.NewJob("job_1_0001")
	j.Submit, j.Finish = 0, 100000
	j.Tasks = []trace.Task{task(trace.AM, at(0, 0, 100000, 1000, trace.Succeeded)), task(trace.Map,
		at(20000, 30000, 90000, 1960, trace.Succeeded), at(50000, 50000, 70000, 0, trace.Killed))}
	c := &scenario.Case{Work: &simcore.Workload{Queues: []string{"root.a"}, Jobs: []simcore.Job{{ID: j.ID}}}}
	s := &seen{end: 100, step: 100}
	s.hold(&trace.Trace{Jobs: []trace.Job{j}}, c, func(m trace.Millis) float64 { return float64(m) / 1000 })
	sum := 0.0
	for _, m := range s.usage[0] {
		sum += m / samples
	}
	if math.Abs(sum-2620) > 1 {
		t.Errorf("%g MiB on average, want 2620", sum)
	}
}

func doctorText(t *testing.T, r *ClusterReport) string {
	t.Helper()
	var b strings.Builder
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
