package trace

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"schedtune/simcore"
	"schedtune/trace/runlog"
	"schedtune/validation/testdata"
)

// runFolders lists the recorded runs that have all sources.
func runFolders(t *testing.T) []string {
	return testdata.Runs(t, "minimr/run-*")
}

// packed is the path of a run's file, which may be packed.
func packed(dir, name string) string {
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		return path + ".gz"
	}
	return path
}

// epoch reads the time zero of a run.
func epoch(t *testing.T, dir string) Millis {
	b, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		T0 Millis `json:"t0_epoch_ms"`
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r.T0
}

// opened are the traces that openT has read, by path: recorded runs serve several tests, none of
// which changes them.
var opened sync.Map

func openT(t *testing.T, path string) *Trace {
	t.Helper()
	if tr, ok := opened.Load(path); ok {
		return tr.(*Trace)
	}
	tr, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(path, os.TempDir()) {
		opened.Store(path, tr)
	}
	return tr
}

// number is the part of a job's or an application's id that both share.
func number(id string) string { return id[strings.IndexByte(id, '_')+1:] }

func byNumber(t *Trace) map[string]*Job {
	m := map[string]*Job{}
	for i := range t.Jobs {
		m[number(t.Jobs[i].ID)] = &t.Jobs[i]
	}
	return m
}

func leaf(q string) string { return q[strings.LastIndexByte(q, '.')+1:] }

// containersOf maps container ids to attempts.
func containersOf(j *Job) map[string]*Attempt {
	m := map[string]*Attempt{}
	for i := range j.Tasks {
		for k := range j.Tasks[i].Attempts {
			a := &j.Tasks[i].Attempts[k]
			if a.Container != "" {
				m[a.Container] = a
			}
		}
	}
	return m
}

// Every run of the mini cluster was recorded four ways. The jobs and
// containers rebuilt from each must be the same: the history's attempts, the
// audit log's allocations, the web service's charges, and the tables.
func TestSourcesAgree(t *testing.T) {
	dirs := runFolders(t)
	for _, dir := range dirs[:min(len(dirs), testdata.Cases(len(dirs)))] {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			t0 := epoch(t, dir)
			table := openT(t, dir)
			if table.Format != runFormat || len(table.Nodes) == 0 {
				t.Fatalf("format %s, %d nodes", table.Format, len(table.Nodes))
			}
			compareHistory(t, t0, table, openT(t, filepath.Join(dir, "history")), endsKnown(t, dir))
			compareAudit(t, t0, table, openT(t, packed(dir, "rm-audit.log")))
			compareREST(t, t0, table, openT(t, packed(dir, "rest-apps.jsonl")))
			nodes := openNodes(t, packed(dir, "rest-nodes.jsonl"))
			if len(nodes) != len(table.Nodes) || nodes[0].Size != table.Nodes[0].Size {
				t.Errorf("nodes by the web service %v, by the table %v", nodes, table.Nodes)
			}
		})
	}
}

// endsKnown reports whether a run's table of jobs has their ends by their masters.
func endsKnown(t *testing.T, dir string) bool {
	t.Helper()
	known := true
	if err := runlog.Table(dir, "jobs.csv", nil, func(w *runlog.Row) error {
		known = known && w.Str("finish_ms") != ""
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return known
}

func compareHistory(t *testing.T, t0 Millis, table, hist *Trace, ends bool) {
	t.Helper()
	if len(hist.Jobs) != len(table.Jobs) {
		t.Fatalf("history has %d jobs, the table %d", len(hist.Jobs), len(table.Jobs))
	}
	// The binary histories of one run did not go into its tables: there the job
	// ends when it leaves the ResourceManager (60 to 391 ms later, by the
	// records' own table).
	finishSlack := Millis(0)
	if !ends {
		finishSlack = 400
	}
	other := byNumber(hist)
	for i := range table.Jobs {
		a := &table.Jobs[i]
		b := other[number(a.ID)]
		if b == nil {
			t.Fatalf("history lacks %s", a.ID)
		}
		if a.Name != b.Name || a.User != b.User || a.Queue != leaf(b.Queue) || a.Maps != b.Maps || a.Reduces != b.Reduces ||
			a.Result != b.Result || a.Slowstart != b.Slowstart || diff(a.Finish, b.Finish-t0) > finishSlack {
			t.Errorf("%s: table %v %v %v %v/%v %v %v %v, history %v %v %v %v/%v %v %v %v", a.ID, a.Name, a.User, a.Queue,
				a.Maps, a.Reduces, a.Result, a.Slowstart, a.Finish,
				b.Name, b.User, b.Queue, b.Maps, b.Reduces, b.Result, b.Slowstart, b.Finish-t0)
		}
		if a.MapSize != b.MapSize || a.AMSize != b.AMSize || a.Reduces > 0 && a.ReduceSize != b.ReduceSize {
			t.Errorf("%s: sizes by the table %v %v %v, by history and configuration %v %v %v", a.ID, a.AMSize, a.MapSize,
				a.ReduceSize, b.AMSize, b.MapSize, b.ReduceSize)
		}
		ca, cb := containersOf(a), containersOf(b)
		for id, x := range cb {
			y := ca[id]
			if y == nil {
				t.Errorf("%s: container %s of the history is not in the table", a.ID, id)
				continue
			}
			slack := Millis(0)
			if !y.ShuffleEnd.Known() && !y.Up.Known() {
				slack = 110
			}
			if x.Start.Known() && (diff(x.Start-t0, y.Start) > slack || diff(x.Finish-t0, y.Finish) > slack ||
				y.ShuffleEnd.Known() && x.ShuffleEnd.Known() && x.ShuffleEnd-t0 != y.ShuffleEnd) {
				t.Errorf("%s: history %d..%d, table %d..%d", id, x.Start-t0, x.Finish-t0, y.Start, y.Finish)
			}
		}
	}
}

func compareAudit(t *testing.T, t0 Millis, table, audit *Trace) {
	t.Helper()
	other := byNumber(audit)
	for i := range table.Jobs {
		a := &table.Jobs[i]
		b := other[number(a.ID)]
		if b == nil {
			t.Fatalf("audit log lacks %s", a.ID)
		}
		if a.User != b.User || a.Queue != leaf(b.Queue) || a.Submit != b.Submit-t0 {
			t.Errorf("%s: table %s %s %d, audit log %s %s %d", a.ID, a.User, a.Queue, a.Submit, b.User, b.Queue, b.Submit-t0)
		}
		ca, cb := containersOf(a), containersOf(b)
		if len(ca) != len(cb) {
			t.Errorf("%s: %d containers in the table, %d in the audit log", a.ID, len(ca), len(cb))
		}
		for id, x := range cb {
			y := ca[id]
			if y == nil {
				t.Errorf("%s: not in the table", id)
				continue
			}
			// The two logs are written one after the other by one thread;
			// 50 ms is far above what parts them and far below a heartbeat.
			if x.Size != y.Size || diff(x.Allocated-t0, y.Allocated) > 50 || y.Released.Known() &&
				diff(x.Released-t0, y.Released) > 50 {
				t.Errorf("%s: audit log %v %d..%d, table %v %d..%d", id, x.Size, x.Allocated-t0, x.Released-t0, y.Size,
					y.Allocated, y.Released)
			}
		}
	}
}

func diff(a, b Millis) Millis { return max(a-b, b-a) }

// compareREST holds the memory-seconds that the ResourceManager charged
// against the containers' sizes and lives. It charges from the allocation's
// transition to the release, so 2 % and 2 s of one container bound the
// difference.
func compareREST(t *testing.T, t0 Millis, table, rest *Trace) {
	t.Helper()
	other := byNumber(rest)
	for i := range table.Jobs {
		a := &table.Jobs[i]
		b := other[number(a.ID)]
		if b == nil {
			t.Fatalf("web service lacks %s", a.ID)
		}
		if a.Name != b.Name || a.User != b.User || a.Queue != leaf(b.Queue) || diff(a.Submit, b.Submit-t0) > 10 ||
			a.Result != b.Result {
			t.Errorf("%s: table %s %s %s %d %v, web service %s %s %s %d %v", a.ID, a.Name, a.User, a.Queue, a.Submit, a.Result,
				b.Name, b.User, b.Queue, b.Submit-t0, b.Result)
		}
		var sum float64
		complete := true
		for _, c := range containersOf(a) {
			complete = complete && c.Released.Known()
			sum += float64(c.Size.MiB) * float64(c.Released-c.Allocated) / 1000
		}
		if d := math.Abs(sum - float64(b.MemorySeconds)); complete && d > 0.02*sum+2*512 {
			t.Errorf("%s: containers add up to %.0f MiB s, charged are %d", a.ID, sum, b.MemorySeconds)
		}
	}
}

// openNodes reads an inventory, which holds no jobs.
func openNodes(t *testing.T, path string) []Node {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	nodes, err := readNodes(f, path)
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

// A folder of history files gives the same summaries by names alone.
func TestNamesOnlyAgree(t *testing.T) {
	for _, dir := range runFolders(t) {
		hist := filepath.Join(dir, "history")
		full := byNumber(openT(t, hist))
		names, err := Open(hist, Options{NamesOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(names.Jobs) != len(full) {
			t.Fatalf("%s: %d jobs by name, %d by content", dir, len(names.Jobs), len(full))
		}
		for i := range names.Jobs {
			a := &names.Jobs[i]
			b := full[number(a.ID)]
			if a.Name != b.Name || a.User != b.User || a.Queue != b.Queue || a.Submit != b.Submit || a.Launch != b.Launch ||
				a.Finish != b.Finish || a.Maps != b.Maps || a.Reduces != b.Reduces || a.Result != b.Result {
				t.Errorf("%s: by name %+v", a.ID, *a)
			}
		}
	}
}

// A folder that holds a run's history, audit log and web service answers gives
// every application once: nine jobs from their histories, the warm-up job, whose
// history was not kept, from the audit log.
func TestFolderOfSeveralSources(t *testing.T) {
	run := testdata.Shared(t, "traces", "minimr", "run-01-A-ss005")
	dir := t.TempDir()
	for _, name := range []string{"history", "rm-audit.log.gz", "rest-apps.jsonl.gz"} {
		if err := os.Symlink(filepath.Join(run, name), filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	// Links to folders below are not followed, lest a walk never ends: the
	// histories are linked singly. The folder itself may be a link.
	files, err := filepath.Glob(filepath.Join(run, "history", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.Symlink(f, filepath.Join(dir, filepath.Base(f))); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	tr := openT(t, link)
	histories := 0
	for i := range tr.Jobs {
		if strings.HasPrefix(tr.Jobs[i].ID, "job_") {
			histories++
		}
	}
	if tr.Format != "mixed" || len(tr.Jobs) != 10 || histories != 9 {
		t.Errorf("%s: %d jobs, %d from histories; want 10 and 9", tr.Format, len(tr.Jobs), histories)
	}
}

// The recorded machines of a run are a cluster: four nodes of 1024 MiB and 8
// vcores in one rack.
func TestClusterOfRun(t *testing.T) {
	tr := openT(t, testdata.Shared(t, "traces", "minimr", "run-01-A-ss005"))
	c, ok := tr.Cluster()
	if !ok || len(c.Nodes) != 4 || len(c.Racks) != 1 || c.Nodes[3].Capacity != (simcore.Vec{1024, 8}) {
		t.Errorf("%v %+v", ok, c)
	}
	if _, ok := openT(t, testdata.Shared(t, "traces", "hadoop", "inputsls.json")).Cluster(); ok {
		t.Error("a trace without machines gave a cluster")
	}
}

// What is written for the load simulator reads back: machines with their sizes
// and racks, hosts as "/rack/host", the only form the simulator takes.
func TestSLSOfRun(t *testing.T) {
	tr := openT(t, testdata.Shared(t, "traces", "minimr", "run-01-A-ss005"))
	var nodes, jobs bytes.Buffer
	if err := tr.Write(&nodes, "x.nodes.json", WriteFormat("x.nodes.json")); err != nil {
		t.Fatal(err)
	}
	got, err := readNodes(&nodes, "x")
	if err != nil || len(got) != 4 || !reflect.DeepEqual(got[0], Node{Name: "n1", Rack: "default-rack",
		Size: Size{1024, 8}}) {
		t.Errorf("%v %v", got, err)
	}
	if err := tr.Write(&jobs, "x.sls.json", WriteFormat("x.sls.json")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(jobs.String(), `"container.host": "/default-rack/n1"`) || strings.Contains(jobs.String(),
		`"container.host": "n`) {
		t.Error("hosts are not of the form /rack/host")
	}
	back, err := Read(&jobs, "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, _, _ := tr.Workload(WorkloadOptions{})
	b, _, _ := back.Workload(WorkloadOptions{})
	for i := range a.Jobs {
		if x, y := &a.Jobs[i], &b.Jobs[i]; x.ID != y.ID || x.Maps != y.Maps || x.Reduces != y.Reduces ||
			x.MapAsk != y.MapAsk || x.AMAsk != y.AMAsk || x.Submit != y.Submit {
			t.Errorf("%+v\n%+v", *x, *y)
		}
	}
}

// Each source of a run survives the native format.
func TestSourcesRoundTrip(t *testing.T) {
	run := testdata.Shared(t, "traces", "minimr", "run-08-A-ss005-mixedsizes")
	for _, name := range []string{"", "history", "rm-audit.log.gz", "rest-apps.jsonl.gz"} {
		roundTrip(t, openT(t, filepath.Join(run, name)))
	}
}

// Hosts that the cluster lacks: racks go to racks and hosts without a rack to
// all nodes, in order of name; a job history's bare host takes the rack of the
// attempts that ran on it.
func TestHostMap(t *testing.T) {
	cluster := &simcore.Cluster{Racks: []string{"A", "B"}, Nodes: []simcore.Node{{Name: "a1"}, {Name: "a2"},
		{Name: "b1", Rack: 1}, {Name: "b2", Rack: 1}}}
	task := NewTask(Map, 0)
	task.Hosts = []string{"/r1/x", "/r1/y", "/r2/z", "w", "v", "ran", "b2"}
	task.Attempts = []Attempt{NewAttempt(0)}
	task.Attempts[0].Host = "/r2/ran"
	j := NewJob("j")
	j.Tasks = []Task{task}
	var n notes
	m := newHostMap(&Trace{Jobs: []Job{j}}, cluster, &n)
	// r1 → A: x, y = a1, a2. r2 → B, by name of what is written: "/r2/z" before
	// "ran" = b1, b2. No rack: v, w = a1, a2. b2 is itself.
	want := hostMap{"/r1/x": 0, "/r1/y": 1, "/r2/z": 2, "ran": 3, "v": 0, "w": 1, "b2": 3}
	for h, id := range want {
		if m[h] != id {
			t.Errorf("%s is node %d, want %d", h, m[h], id)
		}
	}
	if len(n.list) != 1 || n.list[0].Count != 6 {
		t.Errorf("notes %v, want one of 6 hosts", n.list)
	}
}
