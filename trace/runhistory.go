package trace

import (
	"os"
	"path/filepath"

	"schedtune/trace/runlog"
)

// What a run's tasks.csv lacks may be in the job history files of its folder
// history: the times of attempts, which end before their containers do.

// historyDir is the folder of a run with its jobs' history files.
const historyDir = "history"

// pastAttempt is an attempt of a history, in milliseconds from the run's time zero.
type pastAttempt struct {
	kind  Kind
	index int
	Attempt
}

// history reads the attempts of a run's history files by container; none where
// there are no such files, or nobody knows the time zero.
func (r *runReader) history(dir string) map[string]pastAttempt {
	out := map[string]pastAttempt{}
	t0, err := runlog.Epoch(dir)
	path := filepath.Join(dir, historyDir)
	if info, statErr := os.Stat(path); err != nil || statErr != nil || !info.IsDir() {
		return out
	}
	t, err := Open(path, Options{})
	if err != nil {
		r.n.add(Dropped, "the job histories of the run: %v", err)
		return out
	}
	for i := range t.Jobs {
		for k := range t.Jobs[i].Tasks {
			addPast(out, &t.Jobs[i].Tasks[k], Millis(t0))
		}
	}
	return out
}

// addPast adds the attempts of a map or reduce that ended, by container, in times
// from the time zero t0.
func addPast(out map[string]pastAttempt, task *Task, t0 Millis) {
	if task.Kind != Map && task.Kind != Reduce {
		return
	}
	for _, a := range task.Attempts {
		if a.Container == "" || !a.Finish.Known() {
			continue
		}
		for _, m := range []*Millis{&a.Start, &a.ShuffleEnd, &a.SortEnd, &a.Finish} {
			if m.Known() {
				*m -= t0
			}
		}
		out[a.Container] = pastAttempt{task.Kind, int(task.Index), a}
	}
}

// fromHistory adds the attempt of a container that tasks.csv lacks and a history
// has; false where none has.
func (r *runReader) fromHistory(row *runlog.Row, ji int, kind Kind, size Size) bool {
	id := row.Str("container")
	if r.past == nil {
		r.past = r.history(r.dir)
	}
	h, ok := r.past[id]
	if !ok || h.kind != kind {
		return false
	}
	a := NewAttempt(int(h.Number))
	a.Host, a.Container, a.Size, a.Result = row.Str("node"), id, size, h.Result
	a.Allocated, a.Released = row.Millis("rm_allocated_ms"), row.Millis("rm_released_ms")
	a.Start, a.Up, a.ShuffleEnd, a.SortEnd, a.Finish = h.Start, row.Millis("nm_exec_ms"), h.ShuffleEnd, h.SortEnd, h.Finish
	if a.Up.Known() && a.Up > a.Finish {
		a.Up = Unknown
	}
	r.attach(ji, taskOf(row.Str("attempt")), NewTask(kind, h.index), a)
	r.n.add(Assumed, "attempts that tasks.csv lacks take their times from the job histories of the run")
	return true
}
