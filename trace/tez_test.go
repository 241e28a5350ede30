package trace

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/trace/tezlog"
)

const tezSamples = "tezlog/testdata"

func openTez(t *testing.T, o Options, paths ...string) *Trace {
	t.Helper()
	tr, err := OpenAll(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// rmList writes a ResourceManager's list with one application, which has the given members.
func rmList(t *testing.T, members string) string {
	path := filepath.Join(t.TempDir(), "apps.json")
	text := `{"apps":{"app":[{"id":"application_1600000000000_0042","user":"secret-ann","queue":"root.etl",` +
		`"name":"select secret","applicationType":"TEZ",` + members + `}]}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const finished = `"state":"FINISHED","finalStatus":"SUCCEEDED","startedTime":1600000100000,` +
	`"launchTime":1600000100500,"finishedTime":1600000180500,"memorySeconds":%d,"vcoreSeconds":130`

// All files of a folder are one application, whatever forms they have.
func TestTezFolder(t *testing.T) {
	tr := openTez(t, Options{}, tezSamples)
	if len(tr.Jobs) != 1 || tr.Format != tezFormat {
		t.Fatalf("%d jobs of %s", len(tr.Jobs), tr.Format)
	}
	j := &tr.Jobs[0]
	if j.Queue != "root.etl" || j.Asked || j.MapSize != (Size{2048, 2}) || j.AMSize != (Size{1536, 1}) ||
		j.Result != Succeeded || j.Submit != 1_600_000_100_000 || j.Name != "" {
		t.Errorf("got %+v", j)
	}
	w, _, err := tr.Workload(WorkloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	app := w.Jobs[0].Tez
	if app == nil || !app.Session || len(app.DAGs) != 2 || len(app.Vertices) != 4 ||
		app.Settings.IdleMin != 3*simcore.Second || app.Settings.IdleMax != 10*simcore.Second {
		t.Fatalf("got %+v", app)
	}
	// the first query came 1 s after the master was ready, the second 500 ms before the first DAG ended
	first, second := app.DAGs[0], app.DAGs[1]
	if first.Delay != 0 || first.At != 5*simcore.Second || second.At != 16*simcore.Second ||
		second.Delay != 22_500*simcore.Millisecond {
		t.Errorf("got %+v, %+v", first, second)
	}
	// the reducers' containers waited for the last map, which ended 300 ms after they began
	reduce := app.Vertices[1]
	if len(reduce.Sources) != 1 || reduce.Sources[0].Edge != simcore.TezShuffle || reduce.Size != (simcore.Vec{2048, 2}) {
		t.Errorf("got %+v", reduce)
	}
	for i, want := range []simcore.Time{4000, 4100} {
		if got := w.Tasks.Duration[int(reduce.FirstTask)+i]; got != want*simcore.Millisecond {
			t.Errorf("task %d takes %v, want %v ms", i, got, want)
		}
	}
	if in := tr.Info().Tez; in == nil || in.DAGs != 2 || in.Containers != 4 || in.Reused != 8 || in.Arrivals != 2 {
		t.Errorf("info %+v", in)
	}
}

// The native format holds all of an application, and the anonymised form no name.
func TestTezWritten(t *testing.T) {
	tr := openTez(t, Options{}, tezSamples)
	n := &notes{list: tr.Notes}
	n.addFirst(2, Dropped, "/home/secret/history.txt:3", "lines")
	tr.Notes = n.list
	for _, c := range []struct {
		name string
		tr   *Trace
	}{{"as it is", tr}, {"anonymised", tr.Anonymise()}, {"scaled", must(t)(tr.ScaleCluster(2))},
		{"shifted", must(t)(tr.ScaleLoad(3))}} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.tr.WriteNative(&b); err != nil {
				t.Fatal(err)
			}
			words := []string{"select", "Map", "secret-key", "hive_secret", "query.string"}
			if c.name == "anonymised" {
				words = append(words, "secret", "application_", "container_", "1600000")
			}
			for _, w := range words {
				if strings.Contains(b.String(), w) {
					t.Errorf("%q is left in %s", w, b.String())
				}
			}
			back, err := Read(&b, "x", Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.tr.Jobs, back.Jobs, cmpopts.IgnoreUnexported(tezlog.DAG{})); diff != "" {
				t.Error(diff)
			}
			if b.Reset(); c.tr.WriteSLS(&b) != nil || strings.Contains(b.String(), "select") {
				t.Errorf("SLS: %s", b.String())
			}
		})
	}
}

func must(t *testing.T) func(*Trace, error) *Trace {
	return func(tr *Trace, err error) *Trace {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
}

// The ResourceManager's list and a history of the same application are one job; the list
// alone is standing load, and tells the size of containers where nothing else does.
func TestTezInList(t *testing.T) {
	archive := filepath.Join(tezSamples, "archive")
	list := rmList(t, strings.Replace(finished, "%d", "199680", 1))
	t.Run("alone", func(t *testing.T) {
		tr := openTez(t, Options{}, list)
		if j := &tr.Jobs[0]; !j.Standing() || j.Name != "" || len(j.Tasks) != 2 {
			t.Errorf("got %+v", j)
		}
		w, _, err := tr.Workload(WorkloadOptions{Standing: true})
		if err != nil {
			t.Fatal(err)
		}
		if s := &w.Jobs[0]; s.Standing == nil || s.Standing.Hold != 80*simcore.Second || s.Maps != 1 || s.AMAsk[0] != 1248 || s.MapAsk[0] != 1248 {
			t.Errorf("got %+v, %+v", s, s.Standing)
		}
	})
	for _, c := range []struct {
		name  string
		paths []string
		given int64
		want  Size
	}{{"archive", []string{archive}, 0, Size{}}, {"given", []string{archive}, 3000, Size{3000, 1}},
		{"charged", []string{archive, list}, 0, Size{1536, 1}},
		{"settings", []string{list, tezSamples}, 3000, Size{2048, 2}}} {
		t.Run(c.name, func(t *testing.T) {
			tr := openTez(t, Options{TezContainer: c.given}, c.paths...)
			if len(tr.Jobs) != 1 || tr.Jobs[0].Tez == nil || tr.Jobs[0].Name != "" {
				t.Fatalf("got %+v", tr.Jobs)
			}
			if got := tr.Jobs[0].MapSize; got != c.want {
				t.Errorf("size %v, want %v", got, c.want)
			}
			if len(c.paths) > 1 {
				w, _, err := tr.Workload(WorkloadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				// the session ended 80.5 s after its submission, 28 s after its last DAG, of which 5 s are the master's own
				if app := w.Jobs[0].Tez; c.name == "settings" && app.Stop != 23*simcore.Second {
					t.Errorf("stop %v", app.Stop)
				}
			}
		})
	}
}

// Settings that nobody can read are noted, and Tez's defaults count.
func TestTezSettings(t *testing.T) {
	set, problem := TezSettings(&tezlog.App{Scheduler: "YarnTaskSchedulerService", Conf: map[string]string{
		"tez.am.container.idle.release-timeout-min.millis": "-1", "tez.am.vertex.max-task-concurrency": "-1",
		"tez.am.am-rm.heartbeat.interval-ms.max": "250", "tez.shuffle-vertex-manager.max-src-fraction": "1.5"}})
	want := simcore.DefaultTezSettings()
	want.Old, want.IdleMin, want.IdleMax, want.Heartbeat = true, simcore.Never, simcore.Never, 250*simcore.Millisecond
	if set != want || problem == nil {
		t.Errorf("got %+v, %v", set, problem)
	}
}

// A log of a master is told for what it is; an archive with nothing of Tez is an error.
func TestTezNot(t *testing.T) {
	log := "[INFO] [main] |x|: [HISTORY][DAG:dag_1_1_1][Event:DAG_SUBMITTED]: \n"
	_, err := Read(strings.NewReader(log), "x", Options{})
	if !errors.Is(err, errUnknownFormat) {
		t.Errorf("got %v", err)
	}
	_, err = Read(strings.NewReader("SEQ\x06 org.apache.hadoop.io.NullWritable?ProtoMessageWritable"), "x", Options{})
	var known *fileio.FileError
	if !errors.As(err, &known) || known.File != "x" {
		t.Errorf("got %v", err)
	}
}

// FuzzTezZip: whatever an archive holds, the error names it and memory stays bounded.
func FuzzTezZip(f *testing.F) {
	b, err := os.ReadFile(filepath.Join(tezSamples, "archive/dag_1600000000000_0042_1.zip"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "dag.zip")
		if err := os.WriteFile(path, append([]byte("PK\x03\x04"), data[min(4, len(data)):]...), 0o600); err != nil {
			t.Fatal(err)
		}
		tr, err := Open(path, Options{})
		if err != nil && !strings.Contains(err.Error(), "dag.zip") {
			t.Fatalf("%v does not name the file", err)
		}
		if err == nil {
			tr.Info()
		}
	})
}

// TestTezIdle: of a session with two DAGs the time before, between and behind them, and of its
// containers that behind each task.
func TestTezIdle(t *testing.T) {
	j := Job{Finish: 100, Tez: &tezlog.App{Ready: 10, Last: 90, Containers: []tezlog.Container{{Launched: 15, Stopped: 70},
		{Launched: 15, Stopped: Unknown}}, DAGs: []tezlog.DAG{{ID: 1, Submit: 12, End: 40, Vertices: []tezlog.Vertex{{
		Attempts: []tezlog.Attempt{{Start: 20, End: 30}, {Start: 30, End: 40}, {Container: 1, Start: 22, End: 33}}}}},
		{ID: 2, Submit: 50, End: 60, Vertices: []tezlog.Vertex{{Attempts: []tezlog.Attempt{{Start: 51, End: 60}}}}}}}}
	master, containers := j.TezIdle()
	want := [2][][2]Millis{{{10, 12}, {40, 50}, {60, 100}}, {{40, 51}, {60, 70}, {33, 90}}}
	if d := cmp.Diff(want, [2][][2]Millis{master, containers}); d != "" {
		t.Errorf("idle spans of AM and containers: -want +got\n%s", d)
	}
}
