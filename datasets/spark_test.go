package datasets

import (
	"bytes"
	cmp2 "cmp"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"schedtune/trace"
	"schedtune/trace/sparklog"
)

var update = flag.Bool("update", false, "write the logs of the Spark example anew")

const sparkDir = "spark/eventlogs"

// The logs of the example hold the applications that sparkLogs makes, to the last task:
// `go test ./datasets -run SparkExample -update` writes them anew.
func TestSparkExample(t *testing.T) {
	apps := sparkLogs()
	for _, a := range apps {
		var text bytes.Buffer
		if err := a.Write(&text); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(sparkDir, a.ID+"_"+a.Attempt+".zstd")
		if *update {
			var packed bytes.Buffer
			z, err := zstd.NewWriter(&packed, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
			if err != nil {
				t.Fatal(err)
			}
			z.Write(text.Bytes())
			z.Close()
			if err := os.MkdirAll(sparkDir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, packed.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		back, err := sparklog.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(back.Notes) != 0 || back.Events.Unknown+back.Events.Broken != 0 || back.TaskCount() != a.TaskCount() {
			t.Errorf("%s: got notes %v and events %+v, want the application that was written", path, back.Notes, back.Events)
		}
		if d := cmp.Diff(ordered(a), ordered(back)); d != "" {
			t.Errorf("%s: other than the code makes (run with -update): %s", path, d)
		}
		overlap(t, back)
	}
	files, err := filepath.Glob(filepath.Join(sparkDir, "*"))
	if err != nil || len(files) != len(apps) {
		t.Errorf("got %d files, %v, want one for each of %d applications", len(files), err, len(apps))
	}
	tr, err := trace.Open(sparkDir, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := tr.Workload(trace.WorkloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tasks, executors := 0, 0
	for i := range w.Jobs {
		if err := w.Jobs[i].Spark.Validate(w); err != nil {
			t.Errorf("%s: %v", w.Jobs[i].Name, err)
		}
		tasks += int(w.Jobs[i].Spark.TaskCount())
		executors += len(tr.Jobs[i].Spark.Executors)
	}
	if d := cmp.Diff([]int{28, 28}, []int{len(w.Jobs), len(apps)}); d != "" {
		t.Error(d)
	}
	t.Logf("%d applications, %d tasks, %d executors", len(w.Jobs), tasks, executors)
}

// ordered is an application with executors and attempts in an order that no log decides.
func ordered(a *sparklog.App) sparklog.App {
	c := *a
	c.Notes, c.Events, c.Last = nil, sparklog.Events{}, 0
	c.Executors = slices.SortedFunc(slices.Values(a.Executors), func(x, y sparklog.Executor) int {
		return cmp2.Compare(x.ID, y.ID)
	})
	c.Stages = slices.Clone(a.Stages)
	for i := range c.Stages {
		st := &c.Stages[i]
		st.Attempts = slices.SortedFunc(slices.Values(st.Attempts), func(x, y sparklog.Task) int {
			return cmp2.Compare(x.ID, y.ID)
		})
		for k := range st.Attempts {
			id := a.Executors[st.Attempts[k].Executor].ID
			st.Attempts[k].Executor = int32(slices.IndexFunc(c.Executors, func(e sparklog.Executor) bool { return e.ID == id }))
		}
	}
	return c
}

// overlap: no executor ever runs more tasks than it has cores.
func overlap(t *testing.T, a *sparklog.App) {
	t.Helper()
	type edge struct {
		at sparklog.Millis
		by int
	}
	edges := make([][]edge, len(a.Executors))
	for _, x := range a.Tasks() {
		edges[x.Executor] = append(edges[x.Executor], edge{x.Launch, 1}, edge{x.Finish, -1})
	}
	for e, list := range edges {
		slices.SortFunc(list, func(x, y edge) int { return cmp2.Or(cmp2.Compare(x.at, y.at), cmp2.Compare(x.by, y.by)) })
		running := 0
		for _, x := range list {
			if running += x.by; running > int(a.Executors[e].Cores) {
				t.Fatalf("%s: got %d tasks on executor %d at %d, want at most its cores", a.ID, running, e, x.at)
			}
		}
	}
}
