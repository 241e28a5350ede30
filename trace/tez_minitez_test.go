package trace

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/trace/internal/history"
	"schedtune/trace/runlog"
	"schedtune/trace/tezlog"
)

const minitez = "../../shared/traces/minitez"

// tezRuns are the recorded runs of Tez.
func tezRuns(t *testing.T) []string {
	runs, _ := filepath.Glob(minitez + "/run-*")
	if len(runs) == 0 {
		t.Skip("the recorded runs of Tez are not here")
	}
	return runs
}

// table reads a csv file of a run.
func table(t *testing.T, run, name string) (rows []map[string]string) {
	f, err := os.Open(filepath.Join(run, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all[1:] {
		m := map[string]string{}
		for i, k := range all[0] {
			m[k] = r[i]
		}
		rows = append(rows, m)
	}
	return rows
}

// tezRead reads the histories of a run, or those in a folder of them.
func tezRead(t *testing.T, pattern string) map[string]*tezlog.App {
	t.Helper()
	r := tezlog.NewReader()
	paths, _ := filepath.Glob(pattern)
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		in, err := newInput(f, p)
		if err == nil {
			err = r.Read(in.r, p)
		}
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	if notes := r.Notes(); len(notes) > 0 {
		t.Errorf("notes: %v", notes)
	}
	apps := map[string]*tezlog.App{}
	for _, a := range r.Apps() {
		apps[a.ID] = a
	}
	return apps
}

// Every number and time of the histories of recorded runs is that of their tables.
func TestTezAgainstTables(t *testing.T) {
	for _, run := range tezRuns(t) {
		t.Run(filepath.Base(run), func(t *testing.T) {
			t.Parallel()
			t0, err := runlog.Epoch(run)
			if err != nil {
				t.Fatal(err)
			}
			apps := tezRead(t, run+"/tez-history/history.txt*")
			at := func(m tezlog.Millis) string {
				if !m.Known() {
					return ""
				}
				return strconv.FormatInt(int64(m)-t0, 10)
			}
			num := func(n int32) string { return strconv.Itoa(int(n)) }
			compared := 0
			same := func(row map[string]string, got map[string]string) {
				t.Helper()
				for k, v := range got {
					if compared++; row[k] != v {
						t.Errorf("%s %s %s: %s is %q, want %q", row["dag"], row["vertex"], row["attempt_id"], k, v, row[k])
					}
				}
			}
			n := 0
			for _, row := range table(t, run, "jobs.csv") {
				if app := apps[row["app"]]; strings.HasPrefix(row["kind"], "tez") {
					n++
					same(row, map[string]string{"am_ready_ms": at(app.Ready), "user": app.User, "dags": strconv.Itoa(len(app.DAGs))})
				}
			}
			if n != len(apps) {
				t.Errorf("%d applications, want %d", len(apps), n)
			}
			tezTables(t, run, apps, at, num, same)
			t.Logf("%d values compared", compared)
		})
	}
}

func tezTables(t *testing.T, run string, apps map[string]*tezlog.App, at func(tezlog.Millis) string,
	num func(int32) string, same func(row, got map[string]string)) {
	dags, vertices, attempts := map[string]*tezlog.DAG{}, map[string]*tezlog.Vertex{}, 0
	key := func(app string, n ...int32) string {
		for _, x := range n {
			app += "/" + num(x)
		}
		return app
	}
	for id, app := range apps {
		for d := range history.Pointers(app.DAGs) {
			dags[key(id, d.ID)] = d
			for v := range history.Pointers(d.Vertices) {
				vertices[key(id, d.ID, v.ID)] = v
				attempts += len(v.Attempts)
			}
		}
	}
	result := map[tezlog.Result]string{tezlog.Succeeded: "SUCCEEDED", tezlog.Failed: "FAILED", tezlog.Killed: "KILLED"}
	number := func(dag string) string { return dag[strings.LastIndexByte(dag, '_')+1:] }
	rows := table(t, run, "dags.csv")
	for _, row := range rows {
		d := dags[row["app"]+"/"+number(row["dag"])]
		if d == nil {
			t.Errorf("no DAG %s", row["dag"])
			continue
		}
		same(row, map[string]string{"submit_ms": at(d.Submit), "start_ms": at(d.Start), "finish_ms": at(d.End),
			"status": result[d.Result], "queue": apps[row["app"]].Queue, "vertices": strconv.Itoa(len(d.Vertices))})
		if prewarm := strings.HasPrefix(row["dag_name"], "TezPreWarmDAG"); prewarm != d.Prewarm {
			t.Errorf("%s: prewarm %v", row["dag"], d.Prewarm)
		}
	}
	if len(rows) != len(dags) {
		t.Errorf("%d DAGs, want %d", len(dags), len(rows))
	}
	edge := map[string]tezlog.Edge{"SCATTER_GATHER": tezlog.Shuffle, "BROADCAST": tezlog.Broadcast,
		"ONE_TO_ONE": tezlog.OneToOne}
	rows = table(t, run, "vertices.csv")
	ids := map[string]int32{}
	for _, row := range rows {
		n, _ := strconv.Atoi(row["vertex"])
		ids[row["dag"]+row["vertex_name"]] = int32(n)
	}
	for _, row := range rows {
		v := vertices[row["app"]+"/"+number(row["dag"])+"/"+row["vertex"]]
		if v == nil {
			t.Errorf("no vertex %s of %s", row["vertex"], row["dag"])
			continue
		}
		same(row, map[string]string{"tasks": num(v.Tasks), "init_ms": at(v.Init), "configured_ms": at(v.Configured),
			"start_ms": at(v.Start), "finish_ms": at(v.End), "status": result[v.Result]})
		var want []tezlog.Source
		for _, e := range strings.Fields(row["edges"]) {
			from, kind, _ := strings.Cut(e, ":")
			want = append(want, tezlog.Source{Vertex: ids[row["dag"]+from], Edge: edge[kind]})
		}
		byVertex := cmp.Transformer("set", func(list []tezlog.Source) map[tezlog.Source]bool {
			m := map[tezlog.Source]bool{}
			for _, s := range list {
				m[s] = true
			}
			return m
		})
		if diff := cmp.Diff(want, v.Sources, byVertex); diff != "" {
			t.Errorf("%s %s: %s", row["dag"], row["vertex"], diff)
		}
	}
	if len(rows) != len(vertices) {
		t.Errorf("%d vertices, want %d", len(vertices), len(rows))
	}
	n := 0
	for _, row := range table(t, run, "tasks.csv") {
		if row["kind"] != "TEZ" {
			continue
		}
		n++
		v := vertices[row["app"]+"/"+number(row["dag"])+"/"+row["vertex"]]
		var a *tezlog.Attempt
		for x := range history.Pointers(v.Attempts) {
			if num(x.Task) == row["task"] && num(x.Number) == row["attempt"] {
				a = x
			}
		}
		if a == nil {
			t.Errorf("no %s", row["attempt_id"])
			continue
		}
		c := tezlog.Container{}
		if a.Container >= 0 {
			c = apps[row["app"]].Containers[a.Container]
		}
		same(row, map[string]string{"container": c.ID, "node": c.Host, "scheduled_ms": at(a.Scheduled),
			"created_ms": at(a.Created), "allocation_ms": at(a.Allocated), "launch_ms": at(a.Start),
			"finish_ms": at(a.End), "status": result[a.Result]})
		if preempted := strings.HasSuffix(row["error"], "PREEMPTION"); preempted != a.Preempted {
			t.Errorf("%s: preempted %v, want %s", row["attempt_id"], a.Preempted, row["error"])
		}
	}
	if n != attempts {
		t.Errorf("%d attempts, want %d", attempts, n)
	}
	for _, row := range table(t, run, "containers.csv") {
		app := apps[row["app"]]
		if row["kind"] != "TASK" || app == nil {
			continue
		}
		found := false
		for _, c := range app.Containers {
			if c.ID == row["container"] {
				found = true
				same(row, map[string]string{"history_launched_ms": at(c.Launched), "history_stopped_ms": at(c.Stopped)})
			}
		}
		if !found {
			t.Errorf("no %s", row["container"])
		}
	}
}

// The protobuf form tells the same as the plain one, but for stops of containers outside of
// DAGs, and what was written while the master ended.
func TestTezFormsEqual(t *testing.T) {
	found := 0
	for _, run := range tezRuns(t) {
		if _, err := os.Stat(run + "/tez-history/dag_data"); err != nil {
			continue
		}
		found++
		simple, proto := tezRead(t, run+"/tez-history/history.txt*"), tezRead(t, run+"/tez-history/*_*/*/*")
		for id, a := range simple {
			b := proto[id]
			if b == nil {
				t.Errorf("no %s in the protobuf form", id)
				continue
			}
			for i := range a.Containers {
				if c, d := &a.Containers[i], &b.Containers[i]; !d.Stopped.Known() {
					c.Stopped = tezlog.Unknown
				}
			}
			b.Last = a.Last
			if diff := cmp.Diff(a, b, cmp.AllowUnexported(tezlog.DAG{})); diff != "" {
				t.Errorf("%s: %s", id, diff[:min(len(diff), 1000)])
			}
		}
		if len(simple) != len(proto) {
			t.Errorf("%s: %d applications, protobuf %d", run, len(simple), len(proto))
		}
	}
	if found == 0 {
		t.Error("no run has the protobuf form")
	}
}

// The ResourceManager's charges tell the size that most containers of an application had.
func TestTezSizesFromCharges(t *testing.T) {
	for _, run := range tezRuns(t) {
		t.Run(filepath.Base(run), func(t *testing.T) {
			t.Parallel()
			tr, err := OpenAll([]string{run + "/rest-apps.jsonl.gz", run + "/tez-history"}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]map[string]int{}
			for _, row := range table(t, run, "containers.csv") {
				if m := want[row["app"]]; m == nil {
					want[row["app"]] = map[string]int{}
				}
				if row["kind"] == "TASK" {
					want[row["app"]][row["mib"]]++
				}
			}
			for j := range history.Pointers(tr.Jobs) {
				if j.Tez == nil || len(want[j.ID]) > 1 { // of one size only
					continue
				}
				if want[j.ID][strconv.FormatInt(j.MapSize.MiB, 10)] == 0 || j.MapSize.VCores != 1 {
					t.Errorf("%s: got %+v, want %v", j.ID, j.MapSize, want[j.ID])
				}
			}
		})
	}
}
