package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/trace/runlog"
)

// Containers and attempts of a run, and what replaces missing rows.

func (r *Run) loadContainers() error {
	err := r.table("containers.csv", func(w *runlog.Row) error {
		j := r.job(w.Str("job"))
		if j == nil {
			return nil // the warm-up job
		}
		id := w.Str("container")
		try, n, ok := numbersOf(id)
		if !ok {
			return fmt.Errorf("container %.80q: no number from 1 to %d at the end", id, maxOrdinal)
		}
		j.Containers = append(j.Containers, &Container{ID: id, Ordinal: n, Try: try, Kind: w.Str("kind"),
			Node: r.NodeIndex(w.Str("node")), Task: -1,
			MiB: w.Int("mib", 0), Running: simcore.Never, Gone: simcore.Never, Allocated: w.At("rm_allocated_ms"),
			Acquired:  w.At("rm_acquired_ms"),
			rmRunning: w.At("rm_running_ms"), nmDone: w.At("nm_done_ms"),
			StartRequest: w.At("nm_start_request_ms"), Localised: w.At("nm_localized_ms"), Exec: w.At("nm_exec_ms"),
			Exited: w.At("nm_exited_ms"), Released: w.At("rm_released_ms"), attempt: w.Str("attempt"),
			Up: simcore.Never, Shuffled: simcore.Never, Sorted: simcore.Never, Finished: simcore.Never})
		return nil
	})
	for _, j := range r.Jobs {
		j.Containers = slices.DeleteFunc(j.Containers, func(c *Container) bool { return c.Allocated == simcore.Never })
		slices.SortFunc(j.Containers, func(a, b *Container) int {
			return cmp.Or(cmp.Compare(a.Try, b.Try), cmp.Compare(a.Ordinal, b.Ordinal))
		})
		j.findMaster()
	}
	if err != nil {
		return err
	}
	return r.loadTries()
}

// findMaster names the AM's container where the table took a reservation that
// was given up for it: the first one allocated, before the AM registered.
func (j *Job) findMaster() {
	if len(j.Containers) == 0 {
		return
	}
	c := j.Containers[0]
	if c.Kind != "AM" && c.Allocated <= j.Registered {
		c.Kind = "AM"
	}
	if c.Kind == "AM" {
		j.AMAllocated, j.Released = c.Allocated, c.Released
	}
}

// succeeded is the status of an attempt whose result counts, killed of one whose
// task another attempt has done.
const (
	succeeded = "SUCCEEDED"
	killed    = "KILLED"
	failed    = "FAILED"
)

// taskKey is a task within its job.
type taskKey struct {
	kind  string
	index int32
}

func (r *Run) loadTasks() error {
	err := r.table("tasks.csv", func(w *runlog.Row) error {
		j := r.job(w.Str("job"))
		if j == nil {
			return nil
		}
		c := j.Container(w.Str("container"))
		if c == nil {
			return nil
		}
		task := w.Str("task")
		n, err := strconv.Atoi(task[strings.LastIndexByte(task, '_')+1:])
		if err != nil || n < 0 || n >= maxTasks {
			return fmt.Errorf("task %.80q: no number below %d at the end", task, maxTasks)
		}
		c.Task, c.Status = int32(n), w.Str("status")
		c.Up, c.Shuffled, c.Sorted, c.Finished = w.At("jvm_up_ms"), w.At("shuffle_finish_ms"), w.At("sort_finish_ms"),
			w.At("finish_ms")
		if c.Up == simcore.Never {
			c.Up = w.At("start_ms")
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if filled := r.fromHistory(); filled > 0 {
		r.note("tasks.csv lacks %d attempts: their times are those of the histories in history/", filled)
	}
	for j, c := range r.containers() {
		j.LastTask = runlog.Latest(j.LastTask, c.Finished)
	}
	r.outputLost()
	return err
}
