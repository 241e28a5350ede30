package trace

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"schedtune/internal/bounded"
	"schedtune/internal/plaintext"
)

// This file reads a recorded run: a folder with jobs.csv, tasks.csv and
// containers.csv (times in milliseconds from the run's time zero) and
// nodes.csv. It is the fullest source: it knows when each container was
// allocated, launched, up and released.

const runFormat = "run-folder"

// isRunFolder reports whether a folder holds the tables of a recorded run.
func isRunFolder(dir string) bool {
	for _, f := range []string{"jobs.csv", "tasks.csv", "containers.csv"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			return false
		}
	}
	return true
}

// table is a CSV file with a header, read row by row.
type table struct {
	file string
	line int
	cols map[string]int
	row  []string
	err  error
}

// eachRow calls f for every row of a table that has all the columns.
func eachRow(path string, need []string, f func(*table) error) error {
	file, err := bounded.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := plaintext.Open(file)
	if err != nil {
		return &Error{File: path, Offset: -1, Err: err}
	}
	r := csv.NewReader(bounded.Reader(plain, bounded.Table))
	r.ReuseRecord = true
	head, err := r.Read()
	if err == io.EOF {
		return &Error{File: path, Offset: -1, Err: errors.New("the file is empty; allowed: a header and rows")}
	}
	if err != nil {
		return csvError(path, err)
	}
	t := &table{file: path, cols: map[string]int{}}
	for i, h := range head {
		t.cols[h] = i
	}
	for _, c := range need {
		if _, ok := t.cols[c]; !ok {
			return &Error{File: path, Line: 1, Offset: -1, Err: fmt.Errorf("no column %q; allowed: a header with %s", c, strings.Join(need, ", "))}
		}
	}
	for {
		t.row, err = r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return csvError(path, err)
		}
		t.line, _ = r.FieldPos(0)
		if err := errors.Join(f(t), t.err); err != nil {
			return &Error{File: path, Line: int64(t.line), Offset: -1, Err: err}
		}
	}
}

// csvError puts the place of a CSV fault where all errors have it.
func csvError(path string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return &Error{File: path, Line: int64(p.StartLine), Offset: -1, Err: p.Err}
	}
	return &Error{File: path, Offset: -1, Err: err}
}

func (t *table) str(col string) string {
	if i, ok := t.cols[col]; ok {
		return t.row[i]
	}
	return ""
}

// num reads a number; an empty cell is Unknown.
func (t *table) num(col string) int64 {
	s := t.str(col)
	if s == "" {
		return Unknown
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("column %s: %q where a number is expected", col, clip(s))
	}
	return v
}

func (t *table) millis(col string) Millis { return Millis(t.num(col)) }

func readRunFolder(dir string, t *Trace, n *notes) error {
	index := map[string]int{}
	err := eachRow(filepath.Join(dir, "jobs.csv"), []string{"job", "name", "queue", "user", "submit_ms"}, func(r *table) error {
		j := NewJob(r.str("job"))
		j.Name, j.Queue, j.User, j.Type = r.str("name"), r.str("queue"), r.str("user"), "MAPREDUCE"
		j.Maps, j.Reduces = int(r.num("maps")), int(r.num("reduces"))
		j.Submit, j.Launch, j.Finish = r.millis("submit_ms"), r.millis("launch_ms"), r.millis("finish_ms")
		if !j.Finish.Known() {
			j.Finish = r.millis("rm_finish_ms")
		}
		if s := r.str("slowstart"); s != "" {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil || !(v >= 0 && v <= 1) {
				return fmt.Errorf("column slowstart: %q; allowed: 0 to 1, or empty", clip(s))
			}
			j.Slowstart = v
		}
		j.Result = parseResult(r.str("final_status"))
		index[j.ID] = len(t.Jobs)
		t.Jobs = append(t.Jobs, j)
		return checkSpan(j.ID, "job", j.Submit, j.Finish)
	})
	if err != nil {
		return err
	}
	run := runReader{t: t, n: n, job: index, attempt: map[string]attemptAt{}, task: map[string]int{}}
	if err := eachRow(filepath.Join(dir, "tasks.csv"), []string{"job", "type", "task", "attempt", "start_ms", "finish_ms"}, run.taskRow); err != nil {
		return err
	}
	if err := eachRow(filepath.Join(dir, "containers.csv"), []string{"container", "job", "kind", "attempt", "mib"}, run.containerRow); err != nil {
		return err
	}
	run.sizes()
	return run.nodes(filepath.Join(dir, "nodes.csv"))
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
}

func (r *runReader) jobOf(row *table) (*Job, int, error) {
	i, ok := r.job[row.str("job")]
	if !ok {
		return nil, 0, fmt.Errorf("job %q is not in jobs.csv", clip(row.str("job")))
	}
	return &r.t.Jobs[i], i, nil
}

func (r *runReader) taskRow(row *table) error {
	j, ji, err := r.jobOf(row)
	if err != nil {
		return err
	}
	id := row.str("task")
	ti, ok := r.task[id]
	if !ok {
		ti = len(j.Tasks)
		r.task[id] = ti
		j.Tasks = append(j.Tasks, NewTask(parseKind(row.str("type")), trailingNumber(id)))
	}
	t := &j.Tasks[ti]
	a := NewAttempt(trailingNumber(row.str("attempt")))
	a.Host, a.Container = row.str("node"), row.str("container")
	a.Start, a.Up, a.Finish = row.millis("start_ms"), row.millis("jvm_up_ms"), row.millis("finish_ms")
	a.ShuffleEnd, a.SortEnd = row.millis("shuffle_finish_ms"), row.millis("sort_finish_ms")
	a.Result = parseResult(row.str("status"))
	if a.Result == Succeeded {
		t.Result, t.Finish = Succeeded, a.Finish
	}
	r.attempt[row.str("container")] = attemptAt{ji, ti, len(t.Attempts)}
	t.Attempts = append(t.Attempts, a)
	return checkAttempt(j.ID, row.str("attempt"), &a, r.n)
}

func (r *runReader) containerRow(row *table) error {
	j, _, err := r.jobOf(row)
	if err != nil {
		return err
	}
	if row.str("mib") == "" {
		r.n.add(Dropped, "containers that were reserved and never allocated")
		return nil
	}
	size := Size{max(0, row.num("mib")), max(0, row.num("vcores"))}
	alloc, released := row.millis("rm_allocated_ms"), row.millis("rm_released_ms")
	if at, ok := r.attempt[row.str("container")]; ok {
		a := &r.t.Jobs[at.job].Tasks[at.task].Attempts[at.attempt]
		a.Size, a.Allocated, a.Released = size, alloc, released
		return nil
	}
	kind, index, attempt := containerKind(row)
	if kind == Unused && index <= 2 && sizeOf(j.Tasks, AM).MiB == 0 {
		kind = AM // its first reservation was given up; the first container allocated is the master's
	}
	t := NewTask(kind, index)
	a := NewAttempt(attempt)
	a.Host, a.Container, a.Size = row.str("node"), row.str("container"), size
	a.Allocated, a.Released = alloc, released
	a.Start, a.Finish = row.millis("nm_start_request_ms"), row.millis("nm_exited_ms")
	if kind == Map || kind == Reduce {
		r.n.add(Assumed, "attempts that tasks.csv lacks take their container's launch and exit, and success")
		a.Result, t.Result = Succeeded, Succeeded
	}
	t.Attempts = append(t.Attempts, a)
	j.Tasks = append(j.Tasks, t)
	return checkSpan(j.ID, "container "+a.Container, a.Allocated, a.Released)
}

// containerKind tells what a container was for that tasks.csv does not list.
func containerKind(row *table) (kind Kind, index, attempt int) {
	index = trailingNumber(row.str("container"))
	switch k := row.str("kind"); k {
	case "AM":
		return AM, index, 0
	case "MAP", "REDUCE":
		id := row.str("attempt")
		return parseKind(k), trailingNumber(taskOf(id)), trailingNumber(id)
	}
	return Unused, index, 0
}

// sizes sets the jobs' container sizes from their containers.
func (r *runReader) sizes() {
	for i := range r.t.Jobs {
		j := &r.t.Jobs[i]
		j.MapSize, j.ReduceSize, j.AMSize = sizeOf(j.Tasks, Map), sizeOf(j.Tasks, Reduce), sizeOf(j.Tasks, AM)
	}
}

func sizeOf(tasks []Task, k Kind) Size {
	v := commonSize(tasks, k, k)
	return Size{v[0], v[1]}
}

// nodes reads the inventory; a run without one has none.
func (r *runReader) nodes(path string) error {
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return nil
	}
	return eachRow(path, []string{"node", "mib", "vcores"}, func(row *table) error {
		r.t.Nodes = append(r.t.Nodes, Node{Name: row.str("node"), Rack: row.str("rack"), Size: Size{row.num("mib"), row.num("vcores")}})
		return nil
	})
}
