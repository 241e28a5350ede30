package sparkreplay

import (
	"cmp"
	"fmt"
	"path/filepath"

	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/validation/replay"
)

// What a run must have to be judged and replayed: its tables refer to each other,
// and a damaged one ends in an error that names file and line.

// Bounds of what a folder may hold, far above any that was recorded.
const (
	maxID      = 1 << 20               // stages, executors, tasks of a stage
	maxSpan    = 7 * 24 * simcore.Hour // of a run
	maxKB      = 1 << 20               // that a task writes
	maxBlocks  = 1 << 24               // of a shuffle
	maxNodeMiB = int64(1) << 40        // of a node
)

// number reads a whole number from 0 to most; where the cell is empty, none.
func (w row) number(col string, most, none int64) int64 {
	if w.Str(col) == "" {
		return none
	}
	v := w.Int(col, none)
	if v < 0 || v > most {
		w.Fail(fmt.Errorf("column %s: %.80q: must be from 0 to %d", col, w.Str(col), most))
		return none
	}
	return v
}

// must is a time that has to be there, within the longest span from time zero.
func (w row) must(col string) simcore.Time {
	t := w.At(col)
	if t == simcore.Never {
		w.Fail(fmt.Errorf("column %s is empty: it needs a time in milliseconds", col))
		return 0
	}
	return t
}

// At is a time of the row: none, or within the longest span from time zero.
func (w row) At(col string) simcore.Time {
	t := w.Row.At(col)
	if t != simcore.Never && (t > maxSpan || t < -maxSpan) {
		w.Fail(fmt.Errorf("column %s: %.80q: must be within %d ms of time zero", col, w.Str(col),
			maxSpan/simcore.Millisecond))
		return simcore.Never
	}
	return t
}

// unknown is the fault of a cell that names what another table does not have.
func (w row) unknown(col, table string) {
	w.Fail(fmt.Errorf("column %s: %.80q is not in %s", col, w.Str(col), table))
}

// nodeOf is the number of the row's node, -1 where the cell is empty.
func (r *Run) nodeOf(w row) int32 {
	n := r.NodeIndex(w.Str("node"))
	if n < 0 && w.Str("node") != "" {
		w.unknown("node", "nodes.csv")
	}
	return n
}

// stage returns a stage attempt, nil if there is none.
func (a *App) stage(id, attempt int32) *Stage {
	return replay.Find(a.Stages, func(st *Stage) bool { return st.ID == id && st.Attempt == attempt })
}

// stageOf returns the stage attempt of a task.
func (a *App) stageOf(t *Task) *Stage { return a.stage(t.Stage, t.StageAttempt) }

// executor returns an executor by its number, nil if there is none.
func (a *App) executor(id int32) *Executor {
	return replay.Find(a.Executors, func(e *Executor) bool { return e.ID == id })
}

// checkTask checks that a task has its stage attempt and its executor, runs after
// both have come, and ends after it began.
func (r *Run) checkTask(w row, a *App, t *Task) {
	st, first, e := a.stageOf(t), a.stage(t.Stage, 0), a.executor(t.Executor)
	switch {
	case t.Finish < t.Launch:
		w.Fail(fmt.Errorf("column finish_ms: %.80q: must not be before launch_ms", w.Str("finish_ms")))
	case t.Kind != "SPARK" || r.beside:
	case st == nil || first == nil:
		w.Fail(fmt.Errorf("stage %d attempt %d is not in stages.csv", t.Stage, t.StageAttempt))
	case t.Index < 0 || t.Index >= first.Tasks:
		w.Fail(fmt.Errorf("column task: %.80q: must be from 0 to %d, as the stage's first attempt has tasks", w.Str("task"),
			first.Tasks-1))
	case e == nil:
		w.unknown("executor", "executors.csv")
	case t.Launch < st.Submit || t.Launch < e.Added:
		w.Fail(fmt.Errorf("column launch_ms: %.80q: must not be before the stage's submit_ms or the executor's added_ms",
			w.Str("launch_ms")))
	}
}

// fault is an error of a whole file of the run.
func (r *Run) fault(file, format string, args ...any) error {
	return &fileio.FileError{File: filepath.Join(r.Dir, file), Err: fmt.Errorf(format, args...)}
}

// whole checks what no row can tell.
func (r *Run) whole() error {
	if len(r.Apps) == 0 {
		return r.fault("jobs.csv", "no applications")
	}
	for i := range r.Plan.Jobs {
		if err := r.Plan.Jobs[i].check(); err != nil {
			return r.fault("scenario.json", "job %q: %w", r.Plan.Jobs[i].Name, err)
		}
	}
	for _, a := range r.Apps {
		p := r.planned(a.Name)
		if p == nil {
			return r.fault("jobs.csv", "application %q is not in scenario.json", a.Name)
		}
		if p.Kind == "spark" != (a.Kind == "spark") {
			return r.fault("jobs.csv", "application %q is of kind %q, in scenario.json of kind %q", a.Name, a.Kind, p.Kind)
		}
		if err := a.check(p); err != nil {
			return fmt.Errorf("%s: application %q: %w", r.Dir, a.Name, err)
		}
	}
	return nil
}

// bounds keeps the first value that is out of bounds.
type bounds struct{ err error }

func (b *bounds) check(what string, v, most float64) {
	if b.err == nil && !(v >= 0 && v <= most) {
		b.err = fmt.Errorf("%s %g: must be from 0 to %g", what, v, most)
	}
}

// check bounds a planned job.
func (p *PlanJob) check() error {
	var b bounds
	const most = float64(maxSpan / simcore.Millisecond)
	b.check("submit_ms", p.Submit, most)
	if p.Kind != "spark" && p.Kind != tezSession && p.Kind != tezSingle {
		b.check("map_ms", p.MapTime, most)
		b.check("reduce_ms", p.RedTime, most)
		b.check("slowstart", p.Slowstart, 1)
		return cmp.Or(b.err, replay.CheckPlanned(&p.ScenarioJob))
	}
	for k := range p.Steps {
		b.check("wait_ms", float64(p.Steps[k].WaitMS), most)
		for _, j := range p.Steps[k].Jobs {
			b.check("after_ms", float64(j.AfterMS), most)
			if len(j.Stages) == 0 {
				return fmt.Errorf("step %d: a job without stages", k)
			}
			for i, st := range j.Stages {
				b.check("kb", float64(st.KB), maxKB)
				b.check("tasks of a stage", float64(len(st.TaskMS)), maxID)
				for _, ms := range st.TaskMS {
					b.check("task_ms", float64(ms), most)
				}
				if len(st.TaskMS) == 0 {
					return fmt.Errorf("step %d: a stage without tasks", k)
				}
				if i > 0 {
					b.check("blocks of a shuffle", float64(len(st.TaskMS))*float64(len(j.Stages[i-1].TaskMS)), maxBlocks)
				}
			}
		}
	}
	return b.err
}

// check holds a recorded application's stages together: attempts follow each
// other, parents come earlier, and a shuffle's blocks are bounded.
func (a *App) check(p *PlanJob) error {
	switch {
	case a.tez():
		return a.checkDAGs()
	case a.Kind != "spark":
		return a.checkTasks(p)
	}
	first := map[int32]int32{}
	for _, st := range a.Stages {
		if st.Attempt == 0 {
			first[st.ID] = st.Tasks
		}
	}
	for _, st := range a.Stages {
		if _, ok := first[st.ID]; !ok {
			return fmt.Errorf("stages.csv: stage %d has an attempt %d and none of number 0", st.ID, st.Attempt)
		}
		for _, q := range st.Parents {
			if q < 0 || q >= st.ID {
				return fmt.Errorf("stages.csv: stage %d has parent %d: must be an earlier one", st.ID, q)
			}
			if int64(first[q])*int64(st.Tasks) > maxBlocks {
				return fmt.Errorf("stages.csv: a shuffle of %d by %d blocks: must be at most %d in all", first[q], st.Tasks,
					maxBlocks)
			}
		}
	}
	return nil
}

// checkTasks bounds the tasks of a MapReduce job by its plan.
func (a *App) checkTasks(p *PlanJob) error {
	for _, t := range a.Tasks {
		most := p.Maps
		if t.Kind == "REDUCE" {
			most = p.Reduces
		}
		if t.Index < 0 || t.Index >= most {
			return fmt.Errorf("tasks.csv: %s %d: must be from 0 to %d, as in scenario.json", t.Kind, t.Index, most-1)
		}
	}
	return nil
}
