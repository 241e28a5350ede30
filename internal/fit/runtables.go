package fit

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"schedtune/internal/bounded"
	"schedtune/internal/plaintext"
)

// The tables of a recorded run, as they are: a time that was not recorded stays
// unknown, so that latencies are measured and never modelled.

// tableRow is one row by column; numbers are milliseconds.
type tableRow map[string]string

// ms returns a time, NaN where it is empty or no number.
func (r tableRow) ms(column string) float64 {
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// runTables are the tables of one run.
type runTables struct {
	jobs, tasks, containers []tableRow
	beats                   []tableRow // nil without heartbeats.csv
}

func readRunTables(dir string) (*runTables, error) {
	t := &runTables{}
	for _, f := range []struct {
		name string
		to   *[]tableRow
	}{{"jobs.csv", &t.jobs}, {"tasks.csv", &t.tasks}, {"containers.csv", &t.containers}, {"heartbeats.csv", &t.beats}} {
		rows, err := readTable(filepath.Join(dir, f.name))
		if errors.Is(err, fs.ErrNotExist) && f.name == "heartbeats.csv" {
			continue
		}
		if err != nil {
			return nil, err
		}
		*f.to = rows
	}
	return t, nil
}

// readTable reads a CSV file, or its gzipped form.
func readTable(path string) ([]tableRow, error) {
	f, err := bounded.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		path += ".gz"
		if f, err = bounded.Open(path); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := plaintext.Open(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	rows, err := csv.NewReader(bounded.Reader(in, bounded.Table)).ReadAll()
	if err != nil {
		return nil, plaintext.CSVError(path, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: the file is empty; allowed: a header and rows", path)
	}
	out := make([]tableRow, 0, len(rows)-1)
	for _, r := range rows[1:] {
		m := make(tableRow, len(r))
		for i, v := range r {
			m[rows[0][i]] = v
		}
		out = append(out, m)
	}
	return out, nil
}

// asked is what a scenario asked of a job, ms; sleep tells that its tasks do
// nothing but sleep.
type asked struct {
	mapTime, reduceTime float64
	sleep               bool
}

// addRun takes the latencies of a recorded run. ask holds the scenario's jobs
// by name.
func (l *latencySet) addRun(t *runTables, ask map[string]asked) {
	l.begin()
	by := map[string]tableRow{} // by container, read by key only
	master := map[string]tableRow{}
	for _, c := range t.containers {
		by[c["container"]] = c
		if c["kind"] == "AM" {
			master[c["job"]] = c
		}
	}
	for _, j := range t.jobs {
		l.addJob(j, master[j["job"]])
	}
	ends := map[string]float64{} // last map of each job
	for _, r := range t.tasks {
		if r["type"] == "MAP" {
			ends[r["job"]] = math.Max(ends[r["job"]], r.ms("finish_ms"))
		}
	}
	for _, r := range t.tasks {
		if r["status"] == "SUCCEEDED" {
			a, known := ask[r["name"]]
			l.addTask(r, by[r["container"]], ends[r["job"]], a, known)
		}
	}
	for _, c := range t.containers {
		if c["kind"] == "UNUSED" {
			l.between(latUnused, c.ms("rm_allocated_ms"), c.ms("rm_released_ms"))
		}
	}
	l.addBeats(t.beats)
}

// between adds the time from a to b where both are known.
func (l *latencySet) between(name string, a, b float64) {
	if !math.IsNaN(b - a) {
		l.add(name, b-a)
	}
}

func (l *latencySet) addJob(j, am tableRow) {
	l.between(latSubmit, j.ms("planned_submit_ms"), j.ms("submit_ms"))
	l.between("submit -> AM container allocated, all jobs", j.ms("submit_ms"), j.ms("am_allocated_ms"))
	l.between("AM allocated -> AM process started by NM", j.ms("am_allocated_ms"), am.ms("nm_exec_ms"))
	l.between("AM process started -> AM main running (JVM start)", am.ms("nm_exec_ms"), j.ms("am_start_ms"))
	l.between(latAM, j.ms("am_allocated_ms"), j.ms("am_registered_ms"))
	l.between(latCommit, j.ms("last_task_finish_ms"), j.ms("finish_ms"))
	l.between(latUnregister, j.ms("finish_ms"), j.ms("rm_finish_ms"))
	l.between(latGone, j.ms("rm_finish_ms"), j.ms("am_released_ms"))
}

func (l *latencySet) addTask(r, c tableRow, lastMap float64, a asked, known bool) {
	up, finish := r.ms("jvm_up_ms"), r.ms("finish_ms")
	l.between(latAcquired, c.ms("rm_allocated_ms"), c.ms("rm_acquired_ms"))
	l.between(latStart, c.ms("rm_acquired_ms"), c.ms("nm_start_request_ms"))
	l.between(latExec, c.ms("nm_start_request_ms"), c.ms("nm_exec_ms"))
	l.between(latJVM, c.ms("nm_exec_ms"), up)
	l.between(latAttempt, c.ms("rm_allocated_ms"), r.ms("start_ms"))
	l.between(latLaunch, r.ms("start_ms"), up)
	l.between(latUp, c.ms("rm_allocated_ms"), up)
	l.between(latExit, finish, c.ms("nm_exited_ms"))
	l.between(latReleased, c.ms("nm_exited_ms"), c.ms("rm_released_ms"))
	l.between(latFree, finish, c.ms("rm_released_ms"))
	sleeps := known && a.sleep
	if r["type"] == "MAP" && sleeps {
		l.between("map: JVM up -> finish, less the asked sleep", up, finish-a.mapTime)
		l.between("map: attempt start -> finish (history), less the asked sleep", r.ms("start_ms"), finish-a.mapTime)
	}
	if shuffled := r.ms("shuffle_finish_ms"); r["type"] == "REDUCE" && known && !math.IsNaN(shuffled) {
		if up < lastMap-2000 {
			l.between("last map finished -> shuffle end, reduces already running", lastMap, shuffled)
		} else {
			l.between("reduce JVM up -> shuffle end, reduces started after the last map", math.Max(up, lastMap), shuffled)
		}
		l.between(latSort, shuffled, r.ms("sort_finish_ms"))
		if sleeps {
			l.between("reduce: sort end -> finish, less the asked sleep", r.ms("sort_finish_ms"), finish-a.reduceTime)
		}
	}
}

// addBeats takes the gaps between the heartbeats of each node.
func (l *latencySet) addBeats(rows []tableRow) {
	var nodes []string
	times := map[string][]float64{}
	for _, b := range rows {
		if times[b["node"]] == nil {
			nodes = append(nodes, b["node"])
		}
		if t := b.ms("t_ms"); !math.IsNaN(t) {
			times[b["node"]] = append(times[b["node"]], t)
		}
	}
	for _, n := range nodes {
		t := times[n]
		slices.Sort(t)
		for i := 1; i < len(t); i++ {
			l.add(latBeat, t[i]-t[i-1])
		}
	}
}
