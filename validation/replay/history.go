package replay

import (
	"os"

	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/trace/runlog"
)

// fromHistory gives attempts that tasks.csv lacks the times that the job's history
// file in history/ has, and returns how many. A container's process lives on for
// some tenths of a second after its task is done, and its master counts the task,
// not the process: it may ask for reduces a heartbeat earlier than the process's
// end would let it.
func (r *Run) fromHistory() (filled int) {
	lacking := map[string]*Container{}
	for _, c := range r.containers() {
		if c.Task < 0 && c.attempt != "" && c.Kind != "AM" {
			lacking[c.ID] = c
		}
	}
	dir := r.path("history")
	t0, err := runlog.Epoch(r.Dir)
	if _, gone := os.Stat(dir); err != nil || gone != nil || len(lacking) == 0 {
		return 0
	}
	t, err := trace.Open(dir, trace.Options{})
	if err != nil {
		r.note("history is not read: %v", err)
		return 0
	}
	for i := range t.Jobs {
		for k := range t.Jobs[i].Tasks {
			task := &t.Jobs[i].Tasks[k]
			for a := range task.Attempts {
				if c := lacking[task.Attempts[a].Container]; c != nil && c.takeAttempt(task, &task.Attempts[a], trace.Millis(t0)) {
					filled++
				}
			}
		}
	}
	return filled
}

// takeAttempt takes the times of an attempt of a history that has an end.
func (c *Container) takeAttempt(task *trace.Task, a *trace.Attempt, t0 trace.Millis) bool {
	status := map[trace.Result]string{trace.Succeeded: succeeded, trace.Killed: killed, trace.Failed: failed}[a.Result]
	kind := map[trace.Kind]string{trace.Map: "MAP", trace.Reduce: "REDUCE"}[task.Kind]
	if status == "" || kind != c.Kind || !a.Finish.Known() {
		return false
	}
	since := func(at trace.Millis) simcore.Time {
		if !at.Known() {
			return simcore.Never
		}
		return simcore.Time(at-t0) * simcore.Millisecond
	}
	c.Task, c.Status, c.Up = int32(task.Index), status, c.Exec
	if c.Up == simcore.Never {
		c.Up = since(a.Start)
	}
	c.Shuffled, c.Sorted, c.Finished = since(a.ShuffleEnd), since(a.SortEnd), since(a.Finish)
	c.Up = min(c.Up, c.Finished)
	return true
}
