package sparklog

import "slices"

// taskStart counts the starts of a stage; all else stands in the task's end.
func (r *Reader) taskStart(s *scan) {
	id, attempt := int64(Unknown), int64(0)
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		switch string(k) {
		case "Stage ID":
			id = s.int(Unknown)
		case "Stage Attempt ID":
			attempt = s.int(0)
			if id >= 0 { // both stand first; the rest is not looked at
				r.taskStage(int32(id), int32(attempt)).Started++
				return
			}
		default:
			s.skip()
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
	t := Task{Executor: Unknown, Launch: Unknown, Finish: Unknown, Getting: Unknown, Run: Unknown, Deserialize: Unknown, GC: Unknown,
		Input: Unknown, Output: Unknown, ShuffleRead: Unknown, ShuffleRemote: Unknown, ShuffleWrite: Unknown, Reason: OtherReason}
	for k, ok := objectMember(s); ok; k, ok = s.member() {
		switch string(k) {
		case "Stage ID":
			id = s.int(Unknown)
		case "Stage Attempt ID":
			attempt = s.int(0)
		case "Task Type":
			b, _ := s.raw()
			writes = string(b) == "ShuffleMapTask"
		case "Task End Reason":
			t.Reason = reason(s)
		case "Task Info":
			r.taskInfo(s, &t)
		case "Task Metrics":
			taskMetrics(s, &t)
		default:
			s.skip()
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
	if !s.object() {
		return got
	}
	for k, ok := s.member(); ok; k, ok = s.member() {
		if string(k) != "Reason" || s.blank() != '"' {
			s.skip()
			continue
		}
		b, _ := s.raw()
		for i, name := range reasonNames {
			if string(b) == name {
				got = Reason(i)
				break
			}
		}
	}
	return got
}

func (r *Reader) taskInfo(s *scan, t *Task) {
	if !s.object() {
		return
	}
	for k, ok := s.member(); ok; k, ok = s.member() {
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
			b, _ := s.raw()
			t.Executor = r.executor(b)
		case "Host":
			b, _ := s.raw()
			if t.Executor >= 0 && r.app.Executors[t.Executor].Host == "" {
				r.app.Executors[t.Executor].Host = r.shared(b)
			}
		case "Locality":
			b, _ := s.raw()
			t.Locality = locality(b)
		case "Speculative":
			t.Spec = s.bool()
		default:
			s.skip()
		}
	}
}

func locality(b []byte) Locality {
	for i, name := range localityNames {
		if string(b) == name {
			return Locality(i)
		}
	}
	return AnyPlace
}

func taskMetrics(s *scan, t *Task) {
	if !s.object() {
		return
	}
	t.Input, t.Output, t.ShuffleRead, t.ShuffleRemote, t.ShuffleWrite = 0, 0, 0, 0, 0
	for k, ok := s.member(); ok; k, ok = s.member() {
		switch string(k) {
		case "Executor Run Time":
			t.Run = span(s.int(Unknown))
		case "Executor Deserialize Time":
			t.Deserialize = span(s.int(Unknown))
		case "JVM GC Time":
			t.GC = span(s.int(Unknown))
		case "Shuffle Read Metrics":
			var remote, local int64
			sums(s, func(k []byte) *int64 {
				switch string(k) {
				case "Remote Bytes Read":
					return &remote
				case "Local Bytes Read":
					return &local
				}
				return nil
			})
			t.ShuffleRemote, t.ShuffleRead = remote, remote+local
		case "Shuffle Write Metrics":
			sum(s, "Shuffle Bytes Written", &t.ShuffleWrite)
		case "Input Metrics":
			sum(s, "Bytes Read", &t.Input)
		case "Output Metrics":
			sum(s, "Bytes Written", &t.Output)
		default:
			s.skip()
		}
	}
}

// mostBytes bounds the bytes of a task.
const mostBytes = 1 << 60

// sums reads the members that at names, each between 0 and mostBytes.
func sums(s *scan, at func(key []byte) *int64) {
	if !s.object() {
		return
	}
	for k, ok := s.member(); ok; k, ok = s.member() {
		if p := at(k); p != nil {
			*p = min(max(s.int(0), 0), mostBytes)
		} else {
			s.skip()
		}
	}
}

// sum reads one member into v, between 0 and mostBytes.
func sum(s *scan, name string, v *int64) {
	sums(s, func(key []byte) *int64 {
		if string(key) == name {
			return v
		}
		return nil
	})
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
		r.app.Notes = append(r.app.Notes, Note{Kind: Dropped, Text: "ends of tasks that are there twice", Count: int64(dropped)})
	}
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

// complete notes what the log as a whole lacks, and closes what an end of the
// application closes.
func (r *Reader) complete() {
	a := &r.app
	count := func(missing bool, text string) {
		if missing {
			r.noteMissing(1, text)
		}
	}
	count(a.ID == "", "the start of the application: its id is the file's name")
	count(a.Conf == nil, "settings of the application: Spark's defaults count")
	count(!a.End.Known(), "the end of the application: it was running, or its driver died")
	open, started, lost := 0, 0, 0
	for i := range a.Stages {
		st := &a.Stages[i]
		if st.Result == Unfinished {
			open++
		}
		started += max(0, int(st.Started)-len(st.Attempts))
	}
	for i := range a.Executors {
		if !a.Executors[i].Added.Known() && a.Executors[i].ID != "driver" {
			lost++
		}
	}
	r.noteMissing(open, "ends of stages")
	r.noteMissing(started, "ends of tasks that started")
	r.noteMissing(lost, "starts of executors: they count from their first task")
	jobs := 0
	for i := range a.Jobs {
		if a.Jobs[i].Result == Unfinished {
			jobs++
		}
	}
	r.noteMissing(jobs, "ends of jobs")
}
