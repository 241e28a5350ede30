package sparkreplay

import (
	"errors"
	"fmt"
	"path/filepath"

	"schedtune/internal/fileio"
	"schedtune/simcore"
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
		w.Fail(fmt.Errorf("column %s: %.80q; allowed: 0 to %d", col, w.Str(col), most))
		return none
	}
	return v
}

// must is a time that has to be there, within the longest span from time zero.
func (w row) must(col string) simcore.Time {
	t := w.At(col)
	if t == simcore.Never {
		w.Fail(fmt.Errorf("column %s: empty; allowed: a time in milliseconds, of what was over when the run ended", col))
		return 0
	}
	return t
}

// At is a time of the row: none, or within the longest span from time zero.
func (w row) At(col string) simcore.Time {
	t := w.Row.At(col)
	if t != simcore.Never && (t > maxSpan || t < -maxSpan) {
		w.Fail(fmt.Errorf("column %s: %.80q; allowed: up to %d ms before and after time zero", col, w.Str(col), maxSpan/simcore.Millisecond))
		return simcore.Never
	}
	return t
}

// unknown is the fault of a cell that names what another table does not have.
func (w row) unknown(col, table string) {
	w.Fail(fmt.Errorf("column %s: %.80q is not in %s; allowed: what is there", col, w.Str(col), table))
}

// nodeOf is the number of a node, -1 where the cell is empty.
func (l *loader) nodeOf(w row, col string) int32 {
	name := w.Str(col)
	if n, ok := l.nodes[name]; ok {
		return n
	}
	if name != "" {
		w.unknown(col, "nodes.csv")
	}
	return -1
}

// mustNode is nodeOf for a cell that has to be there.
func (l *loader) mustNode(w row, col string) int32 {
	n := l.nodeOf(w, col)
	if n < 0 && w.Str(col) == "" {
		w.unknown(col, "nodes.csv")
	}
	return max(n, 0)
}

// key names a stage attempt or an executor of an application.
type key struct {
	app         *App
	id, attempt int32
}

// stageSize is what is known of a stage attempt while tasks are read.
type stageSize struct {
	tasks  int32
	submit simcore.Time
}

// checkTask checks that a task has its stage attempt and its executor, runs after
// both have come, and ends after it began.
func (l *loader) checkTask(w row, a *App, t *Task) {
	st, ok := l.stages[key{a, t.Stage, t.StageAttempt}]
	first := l.stages[key{a, t.Stage, 0}]
	added, known := l.executors[key{app: a, id: t.Executor}]
	switch {
	case t.Finish < t.Launch:
		w.Fail(fmt.Errorf("column finish_ms: %.80q; allowed: not before launch_ms", w.Str("finish_ms")))
	case t.Kind != "SPARK":
	case !ok:
		w.Fail(fmt.Errorf("stage %d attempt %d is not in stages.csv; allowed: what is there", t.Stage, t.StageAttempt))
	case t.Index < 0 || t.Index >= first.tasks:
		w.Fail(fmt.Errorf("column task: %.80q; allowed: 0 to %d, below the number of tasks of the stage's first attempt", w.Str("task"), first.tasks-1))
	case !known:
		w.unknown("executor", "executors.csv")
	case t.Launch < st.submit || t.Launch < added:
		w.Fail(fmt.Errorf("column launch_ms: %.80q; allowed: not before the stage's submit_ms and the executor's added_ms", w.Str("launch_ms")))
	}
}

// fault is an error of a whole file of the run.
func (l *loader) fault(file, format string, args ...any) error {
	return &fileio.FileError{File: filepath.Join(l.r.Dir, file), Err: fmt.Errorf(format, args...)}
}

// whole checks what no row can tell.
func (l *loader) whole() error {
	r := l.r
	switch {
	case len(r.Nodes) == 0:
		return l.fault("nodes.csv", "no nodes; allowed: one or more")
	case len(r.Apps) == 0:
		return l.fault("jobs.csv", "no applications; allowed: one or more")
	}
	for i := range r.Plan.Jobs {
		if err := r.Plan.Jobs[i].check(); err != nil {
			return l.fault("scenario.json", "job %q: %w", r.Plan.Jobs[i].Name, err)
		}
	}
	for i := range r.Apps {
		a := &r.Apps[i]
		p := r.planned(a.Name)
		if p == nil {
			return l.fault("jobs.csv", "application %q is not in scenario.json; allowed: what is there", a.Name)
		}
		if p.Kind == "spark" != (a.Kind == "spark") {
			return l.fault("jobs.csv", "application %q is of kind %q, in scenario.json of kind %q; allowed: the same", a.Name, a.Kind, p.Kind)
		}
		if err := a.check(p); err != nil {
			return fmt.Errorf("%s: application %q: %w", r.Dir, a.Name, err)
		}
	}
	return nil
}

// check bounds a planned job.
func (p *PlanJob) check() error {
	if p.SubmitMS < 0 || simcore.Time(p.SubmitMS) > maxSpan/simcore.Millisecond {
		return fmt.Errorf("submit_ms %d; allowed: 0 to %d", p.SubmitMS, maxSpan/simcore.Millisecond)
	}
	if p.Kind != "spark" {
		for _, f := range []struct {
			name string
			v    int64
			most int64
		}{
			{"maps", int64(p.Maps), maxID}, {"reduces", int64(p.Reduces), maxID}, {"map_ms", p.MapMS, int64(maxSpan / simcore.Millisecond)},
			{"reduce_ms", p.ReduceMS, int64(maxSpan / simcore.Millisecond)}, {"map_mib", p.MapMiB, maxNodeMiB}, {"reduce_mib", p.ReduceMiB, maxNodeMiB}, {"am_mib", p.AMMiB, maxNodeMiB},
		} {
			if f.v < 0 || f.v > f.most {
				return fmt.Errorf("%s %d; allowed: 0 to %d", f.name, f.v, f.most)
			}
		}
		if !(p.Slowstart >= 0 && p.Slowstart <= 1) {
			return fmt.Errorf("slowstart %g; allowed: 0 to 1", p.Slowstart)
		}
		return nil
	}
	for k := range p.Steps {
		if err := p.Steps[k].check(); err != nil {
			return fmt.Errorf("step %d: %w", k, err)
		}
	}
	return nil
}

func (s *Step) check() error {
	most := int64(maxSpan / simcore.Millisecond)
	if s.WaitMS < 0 || s.WaitMS > most {
		return fmt.Errorf("wait_ms %d; allowed: 0 to %d", s.WaitMS, most)
	}
	for j := range s.Jobs {
		if a := s.Jobs[j].AfterMS; a < 0 || a > most {
			return fmt.Errorf("after_ms %d; allowed: 0 to %d", a, most)
		}
		if len(s.Jobs[j].Stages) == 0 {
			return errors.New("a job without stages; allowed: one or more")
		}
		for i := range s.Jobs[j].Stages {
			st := &s.Jobs[j].Stages[i]
			if st.KB < 0 || st.KB > maxKB {
				return fmt.Errorf("kb %d; allowed: 0 to %d", st.KB, maxKB)
			}
			if len(st.TaskMS) == 0 || len(st.TaskMS) > maxID {
				return fmt.Errorf("a stage of %d tasks; allowed: 1 to %d", len(st.TaskMS), maxID)
			}
			for _, ms := range st.TaskMS {
				if ms < 0 || ms > most {
					return fmt.Errorf("task_ms %d; allowed: 0 to %d", ms, most)
				}
			}
			if i > 0 && int64(len(st.TaskMS))*int64(len(s.Jobs[j].Stages[i-1].TaskMS)) > maxBlocks {
				return fmt.Errorf("a shuffle of %d by %d blocks; allowed: %d in all", len(s.Jobs[j].Stages[i-1].TaskMS), len(st.TaskMS), maxBlocks)
			}
		}
	}
	return nil
}

// check holds a recorded application's stages together: attempts follow each
// other, parents come earlier, and a shuffle's blocks are bounded.
func (a *App) check(p *PlanJob) error {
	if a.Kind != "spark" {
		return a.checkTasks(p)
	}
	first := map[int32]int32{}
	for i := range a.Stages {
		if st := &a.Stages[i]; st.Attempt == 0 {
			first[st.ID] = st.Tasks
		}
	}
	for i := range a.Stages {
		st := &a.Stages[i]
		if _, ok := first[st.ID]; !ok {
			return fmt.Errorf("stages.csv: stage %d has an attempt %d; allowed: attempts from 0 on", st.ID, st.Attempt)
		}
		for _, q := range st.Parents {
			if q < 0 || q >= st.ID {
				return fmt.Errorf("stages.csv: stage %d has parent %d; allowed: 0 to %d", st.ID, q, st.ID-1)
			}
			if int64(first[q])*int64(st.Tasks) > maxBlocks {
				return fmt.Errorf("stages.csv: a shuffle of %d by %d blocks; allowed: %d in all", first[q], st.Tasks, maxBlocks)
			}
		}
	}
	return nil
}

// checkTasks bounds the tasks of a MapReduce job by its plan.
func (a *App) checkTasks(p *PlanJob) error {
	for i := range a.Tasks {
		t := &a.Tasks[i]
		most := p.Maps
		if t.Kind == "REDUCE" {
			most = p.Reduces
		}
		if t.Index < 0 || t.Index >= most {
			return fmt.Errorf("tasks.csv: %s %d; allowed: 0 to %d, as in scenario.json", t.Kind, t.Index, most-1)
		}
	}
	return nil
}
