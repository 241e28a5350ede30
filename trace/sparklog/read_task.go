package sparklog

import (
	"slices"
	"time"
)

// taskStart counts the starts of a stage; all else is in the task's end.
func (r *Reader) taskStart(s *scan) {
	id, attempt := int64(Unknown), int64(0)
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Stage ID":
			id = s.int(Unknown)
		case "Stage Attempt ID":
			attempt = s.int(0)
			if id >= 0 { // both stand first; the rest is not looked at
				r.taskStage(int32(id), int32(attempt)).Started++
				return
			}
		}
	}
	if s.err == nil && id >= 0 {
		r.taskStage(int32(id), int32(attempt)).Started++
	}
}

// taskStage is stage with a memory: most tasks belong to the stage of the task
// before.
func (r *Reader) taskStage(id, attempt int32) *Stage {
	if r.last >= 0 {
		if st := &r.app.Stages[r.last]; st.ID == id && st.Attempt == attempt {
			return st
		}
	}
	if _, ok := r.stages[stageKey{id, attempt}]; !ok {
		r.note(Missing, "stages whose tasks ran and whose submission is not in the log")
	}
	return r.stage(id, attempt)
}

func (r *Reader) taskEnd(s *scan) {
	id, attempt := int64(Unknown), int64(0)
	writes := false
	t := Task{Executor: Unknown, Launch: Unknown, Finish: Unknown, Getting: Unknown, Run: Unknown, Deserialize: Unknown,
		GC:    Unknown,
		Input: Unknown, Output: Unknown, ShuffleRead: Unknown, ShuffleRemote: Unknown, ShuffleWrite: Unknown,
		Reason: OtherReason}
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Stage ID":
			id = s.int(Unknown)
		case "Stage Attempt ID":
			attempt = s.int(0)
		case "Task Type":
			b := s.raw()
			writes = string(b) == "ShuffleMapTask"
		case "Task End Reason":
			t.Reason = reason(s)
		case "Task Info":
			r.taskInfo(s, &t)
		case "Task Metrics":
			taskMetrics(s, &t)
		}
	}
	if s.err != nil || id < 0 {
		return
	}
	if t.Finish.Known() && t.Launch.Known() && t.Finish < t.Launch {
		r.note(Assumed, "tasks that end before they start (a clock set back): the end is forgotten, their run time counts")
		t.Finish = Unknown
	}
	r.seen(t.Finish)
	st := r.taskStage(int32(id), int32(attempt))
	st.Writes = st.Writes || writes
	st.Attempts = append(st.Attempts, t)
}

func reason(s *scan) Reason {
	got := OtherReason
	for k, ok := s.object(); ok; k, ok = s.member() {
		if string(k) == "Reason" && s.blank() == '"' {
			b := s.raw()
			if got = OtherReason; place(reasonNames[:], b) >= 0 {
				got = Reason(place(reasonNames[:], b))
			}
		}
	}
	return got
}

func (r *Reader) taskInfo(s *scan, t *Task) {
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Task ID":
			t.ID = s.int(0)
		case "Index":
			t.Index = int32(min(max(s.int(0), 0), mostTasks))
		case "Attempt":
			t.Attempt = int32(min(max(s.int(0), 0), mostTasks))
		case "Launch Time":
			t.Launch = positive(s.int(Unknown))
		case "Finish Time":
			t.Finish = positive(s.int(Unknown))
		case "Getting Result Time":
			t.Getting = positive(s.int(Unknown))
		case "Executor ID":
			b := s.raw()
			t.Executor = r.executor(b)
		case "Host":
			b := s.raw()
			if t.Executor >= 0 && r.app.Executors[t.Executor].Host == "" {
				r.app.Executors[t.Executor].Host = r.shared(b)
			}
		case "Locality":
			b := s.raw()
			if t.Locality = AnyPlace; place(localityNames[:], b) >= 0 {
				t.Locality = Locality(place(localityNames[:], b))
			}
		case "Speculative":
			t.Spec = s.bool()
		}
	}
}

func taskMetrics(s *scan, t *Task) {
	if s.blank() == '{' {
		t.Input, t.Output, t.ShuffleRead, t.ShuffleRemote, t.ShuffleWrite = 0, 0, 0, 0, 0
	}
	for k, ok := s.object(); ok; k, ok = s.member() {
		switch string(k) {
		case "Executor Run Time":
			t.Run = span(s.int(Unknown))
		case "Executor Deserialize Time":
			t.Deserialize = span(s.int(Unknown))
		case "JVM GC Time":
			t.GC = span(s.int(Unknown))
		case "Shuffle Read Metrics":
			v := bytesOf(s, "Remote Bytes Read", "Local Bytes Read")
			t.ShuffleRemote, t.ShuffleRead = v[0], v[0]+v[1]
		case "Shuffle Write Metrics":
			t.ShuffleWrite = bytesOf(s, "Shuffle Bytes Written")[0]
		case "Input Metrics":
			t.Input = bytesOf(s, "Bytes Read")[0]
		case "Output Metrics":
			t.Output = bytesOf(s, "Bytes Written")[0]
		}
	}
}

// mostBytes bounds the bytes of a task.
const mostBytes = 1 << 60

// bytesOf reads up to two members of an object, each between 0 and mostBytes.
func bytesOf(s *scan, names ...string) (v [2]int64) {
	for k, ok := s.object(); ok; k, ok = s.member() {
		if i := place(names, k); i >= 0 {
			v[i] = min(max(s.int(0), 0), mostBytes)
		}
	}
	return v
}

// span returns a length of time as read, Unknown where it can't be one.
func span(v int64) Millis {
	if v < 0 || v > maxMillis {
		return Unknown
	}
	return Millis(v)
}

// dropRepeated leaves one of equal ends of a task, as where a part of a rolling log is
// there packed and unpacked. A task may end twice: with success, and as resubmitted.
func (r *Reader) dropRepeated() {
	type end struct {
		id             int64
		index          int32
		reason         Reason
		launch, finish Millis
	}
	dropped := 0
	for i := range r.app.Stages {
		st := &r.app.Stages[i]
		if !st.indexTwice() {
			continue
		}
		seen := make(map[end]bool, len(st.Attempts))
		before := len(st.Attempts)
		st.Attempts = slices.DeleteFunc(st.Attempts, func(t Task) bool {
			e := end{t.ID, t.Index, t.Reason, t.Launch, t.Finish}
			again := seen[e]
			seen[e] = true
			return again
		})
		twice := before - len(st.Attempts)
		dropped += twice
		st.Started = max(st.Started-int32(twice), min(st.Started, int32(len(st.Attempts))))
	}
	if dropped > 0 {
		r.app.Notes = append(r.app.Notes, Note{Kind: Dropped, Text: "ends of tasks that are there twice",
			Count: int64(dropped)})
	}
}

// dropOutside leaves out stages that the application did not submit and whose tasks all ran
// outside its own time, as of another log.
func (r *Reader) dropOutside() {
	a := &r.app
	if !a.Start.Known() || !a.End.Known() {
		return
	}
	outside := func(t Task) bool {
		return t.Finish.Known() && (t.Finish < a.Start-clockSlack || max(t.Launch, 0) > a.End+clockSlack)
	}
	a.Stages = slices.DeleteFunc(a.Stages, func(st Stage) bool {
		if st.Submit.Known() || len(st.Attempts) == 0 || slices.ContainsFunc(st.Attempts, func(t Task) bool {
			return !outside(t)
		}) {
			return false
		}
		for _, t := range st.Attempts { // what they made older than themselves is not
			delete(r.back, t.Launch)
			delete(r.back, t.Finish)
		}
		first := time.UnixMilli(int64(st.Attempts[0].Finish)).UTC().Format(time.RFC3339)
		a.Notes = append(a.Notes, Note{Kind: Dropped, Count: int64(len(st.Attempts)),
			Text: "tasks outside the time of the application, of a stage that it did not submit, from " + first + " on"})
		return true
	})
}

// indexTwice reports whether two ends are of one task.
func (st *Stage) indexTwice() bool {
	var seen []uint64
	for k := range st.Attempts {
		x := int(st.Attempts[k].Index)
		if x >= 4*len(st.Attempts)+64*64 { // no reason to hold memory for it
			return true
		}
		for x/64 >= len(seen) {
			seen = append(seen, make([]uint64, len(seen)+64)...)
		}
		if seen[x/64]&(1<<(x%64)) != 0 {
			return true
		}
		seen[x/64] |= 1 << (x % 64)
	}
	return false
}

// complete notes what the log as a whole lacks.
func (r *Reader) complete() {
	a := &r.app
	stages, tasks, executors, jobs := 0, 0, 0, 0
	for i := range a.Stages {
		st := &a.Stages[i]
		if st.Result == Unfinished {
			stages++
		}
		tasks += max(0, int(st.Started)-len(st.Attempts))
	}
	for i := range a.Executors {
		if !a.Executors[i].Added.Known() && a.Executors[i].ID != "driver" {
			executors++
		}
	}
	for i := range a.Jobs {
		if a.Jobs[i].Result == Unfinished {
			jobs++
		}
	}
	lacks := func(count int, text string) {
		if count > 0 {
			a.Notes = append(a.Notes, Note{Kind: Missing, Text: text, Count: int64(count)})
		}
	}
	if a.ID == "" {
		lacks(1, "the start of the application: its id is the file's name")
	}
	if a.Conf == nil {
		lacks(1, "settings of the application: Spark's defaults count")
	}
	if !a.End.Known() {
		lacks(1, "the end of the application: it was running, or its driver died")
	}
	lacks(stages, "ends of stages")
	lacks(tasks, "ends of tasks that started")
	lacks(executors, "starts of executors: they count from their first task")
	lacks(jobs, "ends of jobs")
}
