package sparklog

import (
	"cmp"
	"slices"

	"schedtune/trace/internal/history"
)

// stageInfo is a StageInfo of JobStart, StageSubmitted or StageCompleted.
type stageInfo struct {
	ID      num       `json:"Stage ID"`
	Attempt num       `json:"Stage Attempt ID"`
	Name    text      `json:"Stage Name"`
	Tasks   num       `json:"Number of Tasks"`
	Profile num       `json:"Resource Profile Id"`
	Parents []num     `json:"Parent IDs"`
	RDDs    []rddInfo `json:"RDD Info"`
	Submit  num       `json:"Submission Time"`
	End     num       `json:"Completion Time"`
	Failure text      `json:"Failure Reason"`
}

// rddInfo is a data set on a stage's way; the first is the stage's own.
type rddInfo struct {
	ID         num          `json:"RDD ID"`
	Name       text         `json:"Name"`
	Level      storageLevel `json:"Storage Level"`
	Barrier    flag         `json:"Barrier"`
	Partitions num          `json:"Number of Partitions"`
}

func (in *stageInfo) id() int32 { return int32(in.ID.Or(Unknown)) }

// rdd is the stage's own data set.
func (in *stageInfo) rdd() int32 {
	if len(in.RDDs) == 0 {
		return Unknown
	}
	return int32(in.RDDs[0].ID.Or(Unknown))
}

func ids(list []num) (out []int32) {
	for _, id := range list {
		out = append(out, int32(id.Or(Unknown)))
	}
	return out
}

type jobStart struct {
	ID         num         `json:"Job ID"`
	At         num         `json:"Submission Time"`
	Infos      []stageInfo `json:"Stage Infos"`
	Stages     []num       `json:"Stage IDs"`
	Properties struct {
		Pool      text `json:"spark.scheduler.pool"`
		Group     text `json:"spark.jobGroup.id"`
		Execution num  `json:"spark.sql.execution.id"`
	} `json:"Properties"`
}

func (r *Reader) jobStart(e *jobStart) {
	p := &e.Properties
	j := Job{ID: int32(e.ID.Or(Unknown)), Submit: Millis(e.At.Or(Unknown)), End: Unknown, Stages: ids(e.Stages),
		Pool: r.strings.Get(string(p.Pool)), Group: r.strings.Get(string(p.Group)), Execution: p.Execution.Or(Unknown)}
	if j.ID >= 0 {
		r.addJob(j, e.Infos)
	}
}

// addJob takes in the start of a job with what it plans of stages.
func (r *Reader) addJob(j Job, infos []stageInfo) {
	j.Submit = r.seen(j.Submit)
	if _, twice := r.jobs[j.ID]; twice {
		r.note(Dropped, "starts of jobs that have started before")
		return
	}
	if len(infos) == 0 && len(j.Stages) > 0 { // as Spark 1 wrote it
		r.note(Missing, "the stages of a job (Stage Infos): parents are known only of stages that ran")
	}
	for i := range infos {
		r.plan(&infos[i])
		if id := infos[i].id(); !slices.Contains(j.Stages, id) {
			j.Stages = append(j.Stages, id)
		}
	}
	for _, id := range j.Stages {
		if _, named := r.jobOf[id]; !named {
			r.jobOf[id] = j.ID
		}
	}
	slices.Sort(r.dropped)
	j.Unpersisted, r.dropped = slices.Compact(r.dropped), nil
	r.jobs[j.ID] = int32(len(r.app.Jobs))
	r.app.Jobs = append(r.app.Jobs, j)
}

// plan keeps what a job says of a stage, until it runs.
func (r *Reader) plan(in *stageInfo) {
	r.cached(in.RDDs)
	id := in.id()
	if _, ok := r.planned[id]; ok || r.ran[id] {
		return
	}
	r.planned[id] = int32(len(r.app.Skipped))
	r.app.Skipped = append(r.app.Skipped, SkippedStage{ID: id, Tasks: within(in.Tasks, mostTasks), RDD: in.rdd(),
		Parents: ids(in.Parents)})
}

// cached keeps the data sets that are to be kept.
func (r *Reader) cached(rdds []rddInfo) (ids []int32) {
	for d := range history.Pointers(rdds) {
		memory, disk, id := d.Level.memory(), bool(d.Level.Disk), int32(d.ID.Or(Unknown))
		if !memory && !disk {
			continue
		}
		ids = append(ids, id)
		if _, ok := r.caches[id]; !ok {
			r.caches[id] = int32(len(r.app.Caches))
			r.app.Caches = append(r.app.Caches, Cache{RDD: id, Name: clip(string(d.Name)), Memory: memory, Disk: disk,
				Partitions: within(d.Partitions, mostTasks), Replicas: within(d.Level.Replication, 1<<10)})
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// mostTasks bounds the tasks of a stage.
const mostTasks = 1 << 28

type jobEnd struct {
	ID     num `json:"Job ID"`
	At     num `json:"Completion Time"`
	Result *struct {
		Result text `json:"Result"`
	} `json:"Job Result"`
}

func (r *Reader) jobEnd(e *jobEnd) {
	i, ok := r.jobs[int32(e.ID.Or(Unknown))]
	if !ok {
		r.note(Dropped, "ends of jobs whose start is not in the log")
		return
	}
	j := &r.app.Jobs[i]
	if j.End, j.Result = r.at(e.At), Unfinished; e.Result != nil {
		if j.Result = Failed; e.Result.Result == "JobSucceeded" {
			j.Result = Succeeded
		}
	}
}

type stageEvent struct {
	Info stageInfo `json:"Stage Info"`
}

func (r *Reader) stageSubmitted(e *stageEvent) {
	if e.Info.id() >= 0 {
		r.seen(r.stageSeen(&e.Info).Submit)
	}
}

func (r *Reader) stageCompleted(e *stageEvent) { // tells all that stageSubmitted does
	if e.Info.id() < 0 {
		return
	}
	st := r.stageSeen(&e.Info)
	if st.End, st.Result = r.at(e.Info.End), Succeeded; e.Info.Failure != "" {
		st.Result = Failed
	}
}

// stageSeen takes in what an event says of an attempt.
func (r *Reader) stageSeen(in *stageInfo) *Stage {
	st := r.stage(in.id(), int32(in.Attempt.Or(0)))
	if key := (stageKey{st.ID, st.Attempt}); !r.barriers[key] &&
		slices.ContainsFunc(in.RDDs, func(d rddInfo) bool { return bool(d.Barrier) }) {
		r.barriers[key] = true
		r.note(Dropped, "stages with a barrier, whose tasks start together: simulated as others, whose tasks start "+
			"one by one")
	}
	st.Name, st.Tasks = r.strings.Get(clip(string(in.Name))), within(in.Tasks, mostTasks)
	st.Profile, st.Parents, st.RDD, st.Cached = int32(in.Profile.V), ids(in.Parents), in.rdd(), r.cached(in.RDDs)
	if in.Submit.Or(0) > 0 {
		st.Submit = Millis(in.Submit.V)
	}
	return st
}

// stage returns an attempt of a stage, a new one where it was not there. The
// pointer is valid until the next call.
func (r *Reader) stage(id, attempt int32) *Stage {
	i, ok := r.stages[stageKey{id, attempt}]
	if !ok {
		i = int32(len(r.app.Stages))
		r.stages[stageKey{id, attempt}] = i
		job, named := r.jobOf[id]
		if !named {
			job = Unknown
		}
		st := Stage{ID: id, Attempt: attempt, Job: job, RDD: Unknown, Submit: Unknown, End: Unknown}
		if p, ok := r.planned[id]; ok {
			plan := &r.app.Skipped[p]
			st.Tasks, st.Parents, st.RDD = plan.Tasks, plan.Parents, plan.RDD
		}
		r.ran[id] = true
		r.app.Stages = append(r.app.Stages, st)
	}
	r.last = i
	return &r.app.Stages[i]
}

// dropRan leaves in Skipped the stages that never ran.
func (r *Reader) dropRan() {
	r.app.Skipped = slices.DeleteFunc(r.app.Skipped, func(p SkippedStage) bool { return r.ran[p.ID] })
	if len(r.app.Skipped) == 0 {
		r.app.Skipped = nil
	}
	slices.SortFunc(r.app.Skipped, func(x, y SkippedStage) int { return cmp.Compare(x.ID, y.ID) })
}
