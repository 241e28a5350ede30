// Package cut makes a pulled folder of a recorded run: what the web services of its
// ResourceManager and masters would have told at an instant of the run, and the
// history of what was over by then. Predictions from the folder are judged by what
// the run did next.
package cut

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"schedtune/internal/rm"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/trace/runlog"
)

// Run is a recorded run. Instants count from its time zero.
type Run struct {
	Dir, Name string
	Epoch     int64 // of time zero, ms
	Apps      []App
	Trace     *trace.Trace // times since the epoch
	nodes     []nodeRow
	nodeID    map[string]string
	jobs      map[string]*trace.Job // by application
	asks      map[string][]askRow
}

// App is an application of the run.
type App struct {
	ID, Name, User, Queue, Type              string
	Submit, Activated, Allocated, Registered simcore.Time
	Unregistered, Released                   simcore.Time
	AM                                       int64 // MiB
	containers                               []containerRow
}

type containerRow struct {
	id, node, kind      string
	mib, cores          int64
	priority            int64
	allocated, released simcore.Time
}

type nodeRow struct {
	name, id, rack string
	mib, cores     int64
}

type askRow struct {
	at              simcore.Time
	priority        int64
	mib, cores, num int64
}

// Load reads a run's folder.
func Load(dir string) (*Run, error) {
	r := &Run{Dir: dir, Name: filepath.Base(dir), nodeID: map[string]string{}, jobs: map[string]*trace.Job{},
		asks: map[string][]askRow{}}
	var err error
	if r.Epoch, err = runlog.Epoch(dir); err != nil {
		return nil, err
	}
	for _, f := range []func() error{r.loadTrace, r.loadNodes, r.loadApps, r.loadContainers, r.loadAsks} {
		if err := f(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// appID is an application's id, of a job's.
func appID(id string) string {
	if n, ok := strings.CutPrefix(id, "job_"); ok {
		return "application_" + n
	}
	return id
}

func (r *Run) loadTrace() error {
	t, err := trace.Open(r.Dir, trace.Options{})
	if err != nil {
		return err
	}
	r.Trace = t
	for i := range t.Jobs {
		j := &t.Jobs[i]
		shift(j, trace.Millis(r.Epoch))
		r.jobs[appID(j.ID)] = j
	}
	return nil
}

// shift puts a job's times on the epoch's clock where they are on the run's, and
// forgets what no history server tells.
func shift(j *trace.Job, t0 trace.Millis) {
	at := func(m *trace.Millis) {
		if m.Known() && *m < t0/2 {
			*m += t0
		}
	}
	at(&j.Submit)
	at(&j.Launch)
	at(&j.Finish)
	for i := range j.Tasks {
		t := &j.Tasks[i]
		at(&t.Start)
		at(&t.Finish)
		for k := range t.Attempts {
			a := &t.Attempts[k]
			for _, m := range []*trace.Millis{&a.Start, &a.ShuffleEnd, &a.SortEnd, &a.Finish} {
				at(m)
			}
			a.Up, a.Allocated, a.Released = trace.Unknown, trace.Unknown, trace.Unknown
		}
	}
}

func (r *Run) loadNodes() error {
	return runlog.Table(r.Dir, "nodes.csv", nil, func(w *runlog.Row) error {
		n := nodeRow{w.Str("node"), w.Str("node_id"), w.Str("rack"), w.Int("mib", 0), w.Int("vcores", 1)}
		r.nodes = append(r.nodes, n)
		r.nodeID[n.name] = n.id
		return nil
	})
}

func (r *Run) loadApps() error {
	return runlog.Table(r.Dir, "jobs.csv", nil, func(w *runlog.Row) error {
		id, kind := w.Str("job"), "MAPREDUCE"
		if id == "" {
			id = w.Str("app")
		}
		if w.Str("kind") == "spark" {
			kind = "SPARK"
		}
		r.Apps = append(r.Apps, App{ID: appID(id), Name: w.Str("name"), User: w.Str("user"), Queue: w.Str("queue"),
			Type:   kind,
			Submit: w.At("submit_ms"), Activated: w.At("activated_ms"), Allocated: w.At("am_allocated_ms"),
			Registered:   w.At("am_registered_ms"),
			Unregistered: w.At("rm_finish_ms"), Released: w.At("am_released_ms")})
		return nil
	})
}

func (r *Run) app(id string) *App {
	for i := range r.Apps {
		if r.Apps[i].ID == id {
			return &r.Apps[i]
		}
	}
	return nil
}

// priorities of MapReduce's requests by kind of container.
var priorities = map[string]int64{"AM": 0, "REDUCE": 10, "MAP": 20, "UNUSED": 20}

func (r *Run) loadContainers() error {
	err := runlog.Table(r.Dir, "containers.csv", nil, func(w *runlog.Row) error {
		id := w.Str("job")
		if id == "" {
			id = w.Str("app")
		}
		a := r.app(appID(id))
		if a == nil || w.Str("kind") == "RESERVED" {
			return nil
		}
		c := containerRow{id: w.Str("container"), node: w.Str("node"), kind: w.Str("kind"), mib: w.Int("mib", 0),
			cores: w.Int("vcores", 1), released: simcore.Never, allocated: simcore.Never}
		for _, col := range []string{"rm_allocated_ms", "rm_acquired_ms", "nm_start_request_ms"} {
			if at := w.At(col); c.allocated == simcore.Never {
				c.allocated = at
			}
		}
		for _, col := range []string{"rm_released_ms", "nm_done_ms", "nm_exited_ms"} {
			if at := w.At(col); c.released == simcore.Never {
				c.released = at
			}
		}
		c.priority = w.Int("priority", priorities[c.kind])
		if c.kind == "AM" {
			a.AM = c.mib
			if a.Allocated == simcore.Never {
				a.Allocated = c.allocated
			}
			if a.Released == simcore.Never {
				a.Released = c.released
			}
		}
		if c.allocated != simcore.Never {
			a.containers = append(a.containers, c)
		}
		return nil
	})
	return err
}

func (r *Run) loadAsks() error {
	err := runlog.Table(r.Dir, "asks.csv", nil, func(w *runlog.Row) error {
		if w.Str("kind") == "ASK" && w.Str("where") == "*" {
			id := appID(w.Str("app"))
			r.asks[id] = append(r.asks[id], askRow{w.At("t_ms"), w.Int("priority", 0), w.Int("mib", 0), w.Int("vcores", 1),
				w.Int("count", 0)})
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Waiting lists the applications that wait for their master at an instant.
func (r *Run) Waiting(at simcore.Time) (out []*App) {
	for i := range r.Apps {
		if a := &r.Apps[i]; a.Submit <= at && a.Allocated > at && a.Allocated != simcore.Never {
			out = append(out, a)
		}
	}
	return out
}

// Write writes the folder of an instant. Earlier runs are part of its history.
func (r *Run) Write(dir string, at simcore.Time, earlier []*Run) error {
	if err := os.MkdirAll(filepath.Join(dir, "now"), 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, rm.DirTrace), 0o755); err != nil {
		return err
	}
	apps, containers, masters, drivers := r.now(at)
	for name, v := range map[string]any{rm.FileNowApps: map[string]any{"apps": map[string]any{"app": apps}},
		rm.FileNowContainers: containers, rm.FileNowMasters: masters, rm.FileNowDrivers: drivers,
		rm.FileNodes: r.nodesAnswer()} {
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	if err := r.settings(dir); err != nil {
		return err
	}
	return r.history(filepath.Join(dir, rm.DirTrace), at, earlier)
}

// settings copies the queue file and the settings of the run, or of the one it
// repeats.
func (r *Run) settings(dir string) error {
	if err := copyFile(filepath.Join(dir, rm.FileConfig), r.Dir, "capacity-scheduler.xml"); err != nil {
		return err
	}
	at := r.Dir
	if _, err := os.Stat(filepath.Join(at, "settings.xml")); err != nil {
		base := r.Name[:strings.LastIndexByte(r.Name, '-')]
		at = filepath.Join(filepath.Dir(filepath.Dir(r.Dir)), base)
	}
	return copyFile(filepath.Join(dir, rm.FileSite), at, "settings.xml")
}

func copyFile(to, dir, name string) error {
	in, err := runlog.Open(dir, name)
	if err != nil {
		return err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

func (r *Run) nodesAnswer() any {
	var list []any
	for _, n := range r.nodes {
		host, _, _ := strings.Cut(n.id, ":")
		list = append(list, map[string]any{"rack": n.rack, "state": "RUNNING", "id": n.id, "nodeHostName": host,
			"totalResource": map[string]any{"memory": n.mib, "vCores": n.cores}})
	}
	return map[string]any{"nodes": map[string]any{"node": list}}
}

// history writes the jobs that were over.
func (r *Run) history(dir string, at simcore.Time, earlier []*Run) error {
	t := &trace.Trace{Name: r.Name, Format: "native"}
	now := trace.Millis(r.Epoch) + trace.Millis(at/simcore.Millisecond)
	for _, e := range append(earlier, r) {
		for _, j := range e.Trace.Jobs {
			if j.Finish.Known() && j.Finish <= now && j.Result == trace.Succeeded {
				t.Jobs = append(t.Jobs, j)
			}
		}
	}
	if len(t.Jobs) == 0 {
		return nil
	}
	f, err := os.Create(filepath.Join(dir, "history.jsonl"))
	if err != nil {
		return err
	}
	if err := t.WriteNative(f); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return f.Close()
}
