package sparklog

import (
	"strconv"

	"schedtune/trace/internal/history"
)

// Progress is how far an application has come at an instant, as its driver tells.
type Progress struct {
	Slots    []int32         `json:"slots"`    // tasks at a time of each registered executor
	Stages   []StageProgress `json:"stages"`   // begun by then, and those to come of jobs under way
	Jobs     int             `json:"jobs"`     // begun by then
	JobsOver int             `json:"jobsOver"` // of them
	LastEnd  Millis          `json:"lastEnd"`  // of a job, Unknown: none is over
}

// StageProgress is one stage, its last attempt. Times are milliseconds.
type StageProgress struct {
	ID      int32    `json:"id"`                // of Spark
	Tasks   int32    `json:"tasks"`             // in all
	Begun   bool     `json:"begun"`             // submitted
	Over    bool     `json:"over"`              // its last attempt has ended
	Running []Millis `json:"running,omitempty"` // when its running tasks were launched
	Took    []Millis `json:"took,omitempty"`    // what its tasks that are over took
}

// Progress is the application's at an instant; of an application under way with
// Unknown, that of the last thing told.
func (a *App) Progress(at Millis) *Progress {
	if at == Unknown {
		at = 1 << 60
	}
	p := &Progress{Slots: []int32{}, Stages: []StageProgress{}, LastEnd: Unknown}
	per := int32(1)
	if n, err := strconv.Atoi(a.Conf["spark.task.cpus"]); err == nil && n > 0 && n < 1<<20 {
		per = int32(n)
	}
	for _, e := range a.Executors {
		if e.Added.Known() && e.Added <= at && !(e.Removed.Known() && e.Removed <= at) && e.ID != "driver" {
			p.Slots = append(p.Slots, max(e.Cores/per, 1))
		}
	}
	tasks, begun := a.stagesBy(at)
	for _, j := range a.Jobs {
		if !j.Submit.Known() || j.Submit > at {
			continue
		}
		p.Jobs++
		if j.End.Known() && j.End <= at {
			p.JobsOver++
			p.LastEnd = max(p.LastEnd, j.End)
			continue
		}
		for _, id := range j.Stages {
			if n, known := tasks[id]; known && begun[id] == nil {
				p.Stages = append(p.Stages, StageProgress{ID: id, Tasks: n})
				begun[id] = &Stage{}
			}
		}
	}
	for s := range history.Pointers(a.Stages) {
		if begun[s.ID] == s {
			p.Stages = append(p.Stages, s.progress(at))
		}
	}
	return p
}

// stagesBy finds how many tasks each stage has, and the last attempt of those that
// had begun by an instant. Stages that never ran count where the application had not
// ended: their turn may come.
func (a *App) stagesBy(at Millis) (tasks map[int32]int32, begun map[int32]*Stage) {
	tasks, begun = map[int32]int32{}, map[int32]*Stage{}
	for s := range history.Pointers(a.Stages) {
		tasks[s.ID] = s.Tasks
		if s.Submit.Known() && s.Submit <= at {
			begun[s.ID] = s
		}
	}
	if !a.End.Known() {
		for _, s := range a.Skipped {
			if _, known := tasks[s.ID]; !known {
				tasks[s.ID] = s.Tasks
			}
		}
	}
	return tasks, begun
}

func (s *Stage) progress(at Millis) StageProgress {
	p := StageProgress{ID: s.ID, Tasks: s.Tasks, Begun: true, Over: s.End.Known() && s.End <= at}
	for t := range history.Pointers(s.Attempts) {
		switch {
		case !t.Launch.Known() || t.Launch > at:
		case !t.Finish.Known() || t.Finish > at:
			p.Running = append(p.Running, t.Launch)
		case t.Reason == Success:
			p.Took = append(p.Took, t.Finish-t.Launch)
		}
	}
	return p
}
