package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"schedtune/trace/internal/history"
	"schedtune/trace/runlog"
)

// This file reads a recorded run: a folder with jobs.csv, tasks.csv and
// containers.csv (times in milliseconds from the run's time zero) and
// nodes.csv. It is the fullest source: it knows when each container was
// allocated, launched, up and released.

const runFormat = "run-folder"

func readRunFolder(dir string, t *Trace, n *notes) error {
	index := map[string]int{}
	err := runlog.Table(dir, "jobs.csv", []string{"job", "name", "queue", "user", "submit_ms"}, func(r *runlog.Row) error {
		j := NewJob(r.Str("job"))
		j.Name, j.Queue, j.User, j.Type = r.Str("name"), r.Str("queue"), r.Str("user"), "MAPREDUCE"
		j.Maps, j.Reduces = int(r.Num("maps")), int(r.Num("reduces"))
		j.Submit, j.Launch = r.Millis("submit_ms"), r.Millis("launch_ms")
		j.Finish = r.Millis("finish_ms").Or(r.Millis("rm_finish_ms"))
		if s := r.Str("slowstart"); s != "" {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil || !(v >= 0 && v <= 1) {
				return fmt.Errorf("column slowstart: %q: must be between 0 and 1, or empty", clip(s))
			}
			j.Slowstart = v
		}
		j.Result = parseResult(r.Str("final_status"))
		index[j.ID] = len(t.Jobs)
		t.Jobs = append(t.Jobs, j)
		return checkSpan(j.ID, "job", j.Submit, j.Finish)
	})
	if err != nil {
		return err
	}
	run := runReader{t: t, n: n, dir: dir, job: index, attempt: map[string]attemptAt{}, task: map[string]int{}}
	if err := runlog.Table(dir, "tasks.csv", []string{"job", "type", "task", "attempt", "start_ms", "finish_ms"},
		run.taskRow); err != nil {
		return err
	}
	if err := runlog.Table(dir, "containers.csv", []string{"container", "job", "kind", "attempt", "mib"},
		run.containerRow); err != nil {
		return err
	}
	run.sizes()
	return run.nodes(dir)
}

// attemptAt is the place of an attempt in the trace.
type attemptAt struct{ job, task, attempt int }

// runReader joins the tables of a run.
type runReader struct {
	t       *Trace
	n       *notes
	job     map[string]int
	task    map[string]int       // task id to index in its job
	attempt map[string]attemptAt // by container id
	dir     string
	past    map[string]pastAttempt // of the histories by container id; nil = not read
}

func (r *runReader) jobOf(row *runlog.Row) (*Job, int, error) {
	i, ok := r.job[row.Str("job")]
	if !ok {
		return nil, 0, fmt.Errorf("job %q is not in jobs.csv", clip(row.Str("job")))
	}
	return &r.t.Jobs[i], i, nil
}

func (r *runReader) taskRow(row *runlog.Row) error {
	j, ji, err := r.jobOf(row)
	if err != nil {
		return err
	}
	id := row.Str("task")
	a := NewAttempt(trailingNumber(row.Str("attempt")))
	a.Host, a.Container = row.Str("node"), row.Str("container")
	a.Start, a.Up, a.Finish = row.Millis("start_ms"), row.Millis("jvm_up_ms"), row.Millis("finish_ms")
	a.ShuffleEnd, a.SortEnd = row.Millis("shuffle_finish_ms"), row.Millis("sort_finish_ms")
	a.Result = parseResult(row.Str("status"))
	r.attach(ji, id, NewTask(parseKind(row.Str("type")), trailingNumber(id)), a)
	return checkAttempt(j.ID, row.Str("attempt"), &a, r.n)
}

// attach adds an attempt to the task of an id, made as given if it is new.
func (r *runReader) attach(job int, id string, made Task, a Attempt) {
	j := &r.t.Jobs[job]
	ti, ok := r.task[id]
	if !ok {
		ti = len(j.Tasks)
		r.task[id] = ti
		j.Tasks = append(j.Tasks, made)
	}
	t := &j.Tasks[ti]
	if a.Result == Succeeded {
		t.Result, t.Finish = Succeeded, a.Finish
	}
	r.attempt[a.Container] = attemptAt{job, ti, len(t.Attempts)}
	t.Attempts = append(t.Attempts, a)
}

func (r *runReader) containerRow(row *runlog.Row) error {
	j, ji, err := r.jobOf(row)
	if err != nil {
		return err
	}
	if row.Str("mib") == "" {
		r.n.add(Dropped, "containers that were reserved and never allocated")
		return nil
	}
	size := Size{max(0, row.Num("mib")), max(0, row.Num("vcores"))}
	alloc, released := row.Millis("rm_allocated_ms"), row.Millis("rm_released_ms")
	if at, ok := r.attempt[row.Str("container")]; ok {
		a := &r.t.Jobs[at.job].Tasks[at.task].Attempts[at.attempt]
		a.Size, a.Allocated, a.Released = size, alloc, released
		return nil
	}
	kind, index, attempt := containerKind(row)
	if kind == Unused && index <= 2 && commonSize(j.Tasks, AM).MiB == 0 {
		kind = AM // its first reservation was given up; the first container allocated is the master's
	}
	if (kind == Map || kind == Reduce) && r.fromHistory(row, ji, kind, size) {
		return nil
	}
	t := NewTask(kind, index)
	a := NewAttempt(attempt)
	a.Host, a.Container, a.Size = row.Str("node"), row.Str("container"), size
	a.Allocated, a.Released = alloc, released
	a.Start, a.Finish = row.Millis("nm_start_request_ms"), row.Millis("nm_exited_ms")
	if kind == Map || kind == Reduce {
		r.n.add(Assumed, "attempts that tasks.csv lacks take their container's launch and exit, and success")
		a.Result, t.Result = Succeeded, Succeeded
	}
	t.Attempts = append(t.Attempts, a)
	j.Tasks = append(j.Tasks, t)
	return checkSpan(j.ID, "container "+a.Container, a.Allocated, a.Released)
}

// containerKind tells what a container was for that tasks.csv does not list.
func containerKind(row *runlog.Row) (kind Kind, index, attempt int) {
	index = trailingNumber(row.Str("container"))
	switch k := row.Str("kind"); k {
	case "AM":
		return AM, index, 0
	case "MAP", "REDUCE":
		id := row.Str("attempt")
		return parseKind(k), trailingNumber(taskOf(id)), trailingNumber(id)
	}
	return Unused, index, 0
}

// sizes sets the jobs' container sizes from their containers.
func (r *runReader) sizes() {
	for j := range history.Pointers(r.t.Jobs) {
		j.MapSize, j.ReduceSize, j.AMSize = commonSize(j.Tasks, Map), commonSize(j.Tasks, Reduce), commonSize(j.Tasks, AM)
	}
}

// nodes reads the inventory, and when its machines came and went; a run without one
// has none.
func (r *runReader) nodes(dir string) error {
	address := map[string]string{}
	err := runlog.Table(dir, "nodes.csv", []string{"node", "mib", "vcores"}, func(row *runlog.Row) error {
		address[row.Str("node")] = row.Str("node_id")
		r.t.Nodes = append(r.t.Nodes, Node{Name: row.Str("node"), Rack: row.Str("rack"),
			Size: Size{row.Num("mib"), row.Num("vcores")}})
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	stays, err := runlog.NodeStays(dir, address)
	if err != nil {
		return &Error{File: dir, Err: err}
	}
	for i := range r.t.Nodes {
		if s := stays[address[r.t.Nodes[i].Name]]; s != nil {
			r.t.Nodes[i].Stays = s
		}
	}
	return nil
}
