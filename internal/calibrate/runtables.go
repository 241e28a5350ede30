package calibrate

import (
	"errors"
	"io/fs"
	"math"
	"slices"

	"schedtune/trace/runlog"
)

// The tables of a recorded run, as they are: a time that was not recorded stays
// unknown, so that latencies are measured and never modelled.

// runTables are the tables of one run.
type runTables struct {
	jobs, tasks, containers []*runlog.Row
	beats                   []*runlog.Row // nil without heartbeats.csv
}

// ms returns a time in milliseconds, NaN where it is empty or no number, or
// where there is no row.
func ms(r *runlog.Row, column string) float64 {
	if v, ok := r.Float(column, math.MaxFloat64); ok {
		return v
	}
	return math.NaN()
}

func readRunTables(dir string) (*runTables, error) {
	t := &runTables{}
	for _, f := range []struct {
		name string
		to   *[]*runlog.Row
	}{{"jobs.csv", &t.jobs}, {"tasks.csv", &t.tasks}, {"containers.csv", &t.containers}, {"heartbeats.csv", &t.beats}} {
		err := runlog.Table(dir, f.name, nil, func(r *runlog.Row) error {
			*f.to = append(*f.to, r.Clone())
			return nil
		})
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && f.name == "heartbeats.csv") {
			return nil, err
		}
	}
	return t, nil
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
	by := map[string]*runlog.Row{} // by container, read by key only
	master := map[string]*runlog.Row{}
	for _, c := range t.containers {
		by[c.Str("container")] = c
		if c.Str("kind") == "AM" {
			master[c.Str("job")] = c
		}
	}
	for _, j := range t.jobs {
		l.addJob(j, master[j.Str("job")])
	}
	ends := map[string]float64{} // last map of each job
	for _, r := range t.tasks {
		if r.Str("type") == "MAP" {
			ends[r.Str("job")] = math.Max(ends[r.Str("job")], ms(r, "finish_ms"))
		}
	}
	for _, r := range t.tasks {
		if r.Str("status") == "SUCCEEDED" {
			a, known := ask[r.Str("name")]
			l.addTask(r, by[r.Str("container")], ends[r.Str("job")], a, known)
		}
	}
	for _, c := range t.containers {
		if c.Str("kind") == "UNUSED" {
			l.between(latUnused, ms(c, "rm_allocated_ms"), ms(c, "rm_released_ms"))
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

func (l *latencySet) addJob(j, am *runlog.Row) {
	l.between(latSubmit, ms(j, "planned_submit_ms"), ms(j, "submit_ms"))
	l.between("submit -> AM container allocated, all jobs", ms(j, "submit_ms"), ms(j, "am_allocated_ms"))
	l.between("AM allocated -> AM process started by NM", ms(j, "am_allocated_ms"), ms(am, "nm_exec_ms"))
	l.between("AM process started -> AM main running (JVM start)", ms(am, "nm_exec_ms"), ms(j, "am_start_ms"))
	l.between(latAM, ms(j, "am_allocated_ms"), ms(j, "am_registered_ms"))
	l.between(latCommit, ms(j, "last_task_finish_ms"), ms(j, "finish_ms"))
	l.between(latUnregister, ms(j, "finish_ms"), ms(j, "rm_finish_ms"))
	l.between(latGone, ms(j, "rm_finish_ms"), ms(j, "am_released_ms"))
}

func (l *latencySet) addTask(r, c *runlog.Row, lastMap float64, a asked, known bool) {
	up, finish := ms(r, "jvm_up_ms"), ms(r, "finish_ms")
	l.between(latAcquired, ms(c, "rm_allocated_ms"), ms(c, "rm_acquired_ms"))
	l.between(latStart, ms(c, "rm_acquired_ms"), ms(c, "nm_start_request_ms"))
	l.between(latExec, ms(c, "nm_start_request_ms"), ms(c, "nm_exec_ms"))
	l.between(latJVM, ms(c, "nm_exec_ms"), up)
	l.between(latAttempt, ms(c, "rm_allocated_ms"), ms(r, "start_ms"))
	l.between(latLaunch, ms(r, "start_ms"), up)
	l.between(latUp, ms(c, "rm_allocated_ms"), up)
	l.between(latExit, finish, ms(c, "nm_exited_ms"))
	l.between(latReleased, ms(c, "nm_exited_ms"), ms(c, "rm_released_ms"))
	l.between(latFree, finish, ms(c, "rm_released_ms"))
	sleeps := known && a.sleep
	if r.Str("type") == "MAP" && sleeps {
		l.between("map: JVM up -> finish, less the asked sleep", up, finish-a.mapTime)
		l.between("map: attempt start -> finish (history), less the asked sleep", ms(r, "start_ms"), finish-a.mapTime)
	}
	if shuffled := ms(r, "shuffle_finish_ms"); r.Str("type") == "REDUCE" && known && !math.IsNaN(shuffled) {
		if up < lastMap-2000 {
			l.between("last map finished -> shuffle end, reduces already running", lastMap, shuffled)
		} else {
			l.between("reduce JVM up -> shuffle end, reduces started after the last map", math.Max(up, lastMap), shuffled)
		}
		l.between(latSort, shuffled, ms(r, "sort_finish_ms"))
		if sleeps {
			l.between("reduce: sort end -> finish, less the asked sleep", ms(r, "sort_finish_ms"), finish-a.reduceTime)
		}
	}
}

// addBeats takes the gaps between the heartbeats of each node.
func (l *latencySet) addBeats(rows []*runlog.Row) {
	var nodes []string
	times := map[string][]float64{}
	for _, b := range rows {
		if times[b.Str("node")] == nil {
			nodes = append(nodes, b.Str("node"))
		}
		if t := ms(b, "t_ms"); !math.IsNaN(t) {
			times[b.Str("node")] = append(times[b.Str("node")], t)
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
