package sparklog

import (
	"cmp"
	"slices"
)

// stageInfo is a StageInfo of JobStart, StageSubmitted or StageCompleted.
type stageInfo struct {
	id, attempt, tasks, profile int32
	name, failure               string
	submit, end                 int64
	parents                     []int32
	rdds                        []rddInfo
	barrier                     bool // one of its data sets: its tasks start together
}

// rddInfo is a data set on a stage's way; the first is the stage's own.
type rddInfo struct {
	id, partitions int32
	name           string
	memory, disk   bool
	replicas       int64
}

func (r *Reader) jobStart(s *scan) {
	j := Job{ID: Unknown, Submit: Unknown, End: Unknown, Execution: Unknown}
	var infos []stageInfo
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Job ID":
			j.ID = int32(s.int(Unknown))
		case "Submission Time":
			j.Submit = Millis(s.int(Unknown))
		case "Stage Infos":
			for ok := s.enter('['); ok && s.element(']'); {
				infos = append(infos, r.stageInfo(s))
			}
		case "Stage IDs":
			j.Stages = ids(s)
		case "Properties":
			v := s.texts("spark.scheduler.pool", "spark.jobGroup.id", "spark.sql.execution.id")
			j.Pool, j.Group, j.Execution = r.shared([]byte(v[0])), r.shared([]byte(v[1])), s.number(v[2], Unknown)
		}
	}
	if s.err == nil && j.ID >= 0 {
		r.addJob(j, infos)
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
		r.note(Missing, "stage infos of jobs: parents of stages are known where the stages ran")
	}
	for i := range infos {
		r.plan(&infos[i])
		if !slices.Contains(j.Stages, infos[i].id) {
			j.Stages = append(j.Stages, infos[i].id)
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

func ids(s *scan) (list []int32) {
	for ok := s.enter('['); ok && s.element(']'); {
		list = append(list, int32(s.int(Unknown)))
	}
	return list
}

// plan keeps what a job says of a stage, until it runs.
func (r *Reader) plan(in *stageInfo) {
	r.cached(in.rdds)
	if _, ok := r.planned[in.id]; ok || r.ran[in.id] {
		return
	}
	r.planned[in.id] = int32(len(r.app.Skipped))
	r.app.Skipped = append(r.app.Skipped, SkippedStage{ID: in.id, Tasks: in.tasks, RDD: own(in.rdds), Parents: in.parents})
}

func own(rdds []rddInfo) int32 {
	if len(rdds) == 0 {
		return Unknown
	}
	return rdds[0].id
}

// cached keeps the data sets that are to be kept.
func (r *Reader) cached(rdds []rddInfo) (ids []int32) {
	for _, d := range rdds {
		if !d.memory && !d.disk {
			continue
		}
		ids = append(ids, d.id)
		if _, ok := r.caches[d.id]; !ok {
			r.caches[d.id] = int32(len(r.app.Caches))
			r.app.Caches = append(r.app.Caches, Cache{RDD: d.id, Name: d.name, Memory: d.memory, Disk: d.disk,
				Partitions: d.partitions, Replicas: int32(min(d.replicas, 1<<10))})
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (r *Reader) stageInfo(s *scan) stageInfo {
	in := stageInfo{id: Unknown, submit: Unknown, end: Unknown}
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Stage ID":
			in.id = int32(s.int(Unknown))
		case "Stage Attempt ID":
			in.attempt = int32(s.int(0))
		case "Stage Name":
			in.name = r.shared([]byte(clip(s.text())))
		case "Number of Tasks":
			in.tasks = int32(min(max(s.int(0), 0), mostTasks))
		case "Parent IDs":
			in.parents = ids(s)
		case "RDD Info":
			in.rdds, in.barrier = r.rddInfos(s)
		case "Submission Time":
			in.submit = s.int(Unknown)
		case "Completion Time":
			in.end = s.int(Unknown)
		case "Failure Reason":
			in.failure = clip(s.text())
		case "Resource Profile Id":
			in.profile = int32(s.int(0))
		}
	}
	return in
}

// mostTasks bounds the tasks of a stage.
const mostTasks = 1 << 28

// rddInfos returns the data sets that are looked at, and whether any is computed behind a
// barrier.
func (r *Reader) rddInfos(s *scan) (list []rddInfo, barrier bool) {
	for ok := s.enter('['); ok && s.element(']'); {
		if !s.enter('{') {
			continue
		}
		var d rddInfo
		name := ""
		for k, ok := s.member(); ok; k, ok = s.member() {
			switch string(k) {
			case "RDD ID":
				d.id = int32(s.int(Unknown))
			case "Name":
				from := s.i
				s.skip()
				name = string(s.b[from:s.i])
			case "Storage Level":
				d.memory, d.disk, d.replicas = storageLevel(s)
			case "Barrier":
				barrier = s.bool() || barrier
			case "Number of Partitions":
				d.partitions = int32(min(max(s.int(0), 0), mostTasks))
			}
		}
		if d.memory || d.disk {
			t := scan{b: []byte(name)}
			d.name = clip(t.text())
		}
		if len(list) == 0 || d.memory || d.disk { // the others are not looked at
			list = append(list, d)
		}
	}
	return list, barrier
}

func (r *Reader) jobEnd(s *scan) {
	id, t, result := int64(Unknown), int64(Unknown), Unfinished
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Job ID":
			id = s.int(Unknown)
		case "Completion Time":
			t = s.int(Unknown)
		case "Job Result":
			result = Failed
			if s.texts("Result")[0] == "JobSucceeded" {
				result = Succeeded
			}
		}
	}
	if s.err != nil {
		return
	}
	i, ok := r.jobs[int32(id)]
	if !ok {
		r.note(Dropped, "ends of jobs whose start is not in the log")
		return
	}
	r.app.Jobs[i].End, r.app.Jobs[i].Result = r.seen(Millis(t)), result
}

func (r *Reader) stageSubmitted(s *scan) {
	if in, ok := r.stageEvent(s); ok {
		r.seen(r.stageSeen(&in).Submit)
	}
}

func (r *Reader) stageCompleted(s *scan) { // tells all that stageSubmitted does
	in, ok := r.stageEvent(s)
	if !ok {
		return
	}
	st := r.stageSeen(&in)
	st.End, st.Result = r.seen(Millis(in.end)), Succeeded
	if in.failure != "" {
		st.Result = Failed
	}
}

func (r *Reader) stageEvent(s *scan) (in stageInfo, ok bool) {
	in.id = Unknown
	for k, ok := s.object(); ok; k, ok = s.member() {
		if string(k) == "Stage Info" {
			in = r.stageInfo(s)
		}
	}
	return in, s.err == nil && in.id >= 0
}

// stageSeen takes in what an event says of an attempt.
func (r *Reader) stageSeen(in *stageInfo) *Stage {
	if key := (stageKey{in.id, in.attempt}); in.barrier && !r.barriers[key] {
		r.barriers[key] = true
		r.note(Dropped, "stages with a barrier, whose tasks start together: simulated as others, whose tasks start "+
			"one by one")
	}
	st := r.stage(in.id, in.attempt)
	st.Name, st.Tasks, st.Profile, st.Parents = in.name, in.tasks, in.profile, in.parents
	st.RDD, st.Cached = own(in.rdds), r.cached(in.rdds)
	if in.submit > 0 {
		st.Submit = Millis(in.submit)
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
