package sparklog

import (
	"slices"
	"time"

	"schedtune/trace/internal/history"
)

type taskStart struct {
	Stage   num `json:"Stage ID"`
	Attempt num `json:"Stage Attempt ID"`
}

// taskStart counts the starts of a stage; all else is in the task's end.
func (r *Reader) taskStart(e *taskStart) {
	if id := e.Stage.Or(Unknown); id >= 0 {
		r.taskStage(int32(id), int32(e.Attempt.Or(0))).Started++
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

type taskEnd struct {
	taskStart
	Type   text `json:"Task Type"`
	Reason struct {
		Reason text `json:"Reason"`
	} `json:"Task End Reason"`
	Info struct {
		ID       num  `json:"Task ID"`
		Index    num  `json:"Index"`
		Attempt  num  `json:"Attempt"`
		Launch   num  `json:"Launch Time"`
		Finish   num  `json:"Finish Time"`
		Getting  num  `json:"Getting Result Time"`
		Executor text `json:"Executor ID"`
		Host     text `json:"Host"`
		Locality text `json:"Locality"`
		Spec     flag `json:"Speculative"`
	} `json:"Task Info"`
	Metrics *struct {
		Run         num `json:"Executor Run Time"`
		Deserialize num `json:"Executor Deserialize Time"`
		GC          num `json:"JVM GC Time"`
		Read        struct {
			Remote num `json:"Remote Bytes Read"`
			Local  num `json:"Local Bytes Read"`
		} `json:"Shuffle Read Metrics"`
		Write struct {
			Bytes num `json:"Shuffle Bytes Written"`
		} `json:"Shuffle Write Metrics"`
		Input struct {
			Bytes num `json:"Bytes Read"`
		} `json:"Input Metrics"`
		Output struct {
			Bytes num `json:"Bytes Written"`
		} `json:"Output Metrics"`
	} `json:"Task Metrics"`
}

func (r *Reader) taskEnd(e *taskEnd) {
	id := int32(e.Stage.Or(Unknown))
	if id < 0 {
		return
	}
	t := r.task(e)
	if t.Finish.Known() && t.Launch.Known() && t.Finish < t.Launch {
		r.note(Assumed, "tasks that end before they start (a clock set back): the end is forgotten, their run time counts")
		t.Finish = Unknown
	}
	r.seen(t.Finish)
	st := r.taskStage(id, int32(e.Attempt.Or(0)))
	st.Writes = st.Writes || e.Type == "ShuffleMapTask"
	st.Attempts = append(st.Attempts, t)
}

// task returns the attempt of a task's end.
func (r *Reader) task(e *taskEnd) Task {
	in := &e.Info
	t := Task{ID: in.ID.Or(0), Index: within(in.Index, mostTasks), Attempt: within(in.Attempt, mostTasks),
		Executor: r.executor(string(in.Executor)), Spec: bool(in.Spec), Reason: OtherReason,
		Launch: positive(in.Launch.V), Finish: positive(in.Finish.V), Getting: positive(in.Getting.V),
		Run: Unknown, Deserialize: Unknown, GC: Unknown,
		Input: Unknown, Output: Unknown, ShuffleRead: Unknown, ShuffleRemote: Unknown, ShuffleWrite: Unknown}
	if i := slices.Index(reasonNames[:], string(e.Reason.Reason)); i >= 0 {
		t.Reason = Reason(i)
	}
	if t.Executor >= 0 && r.app.Executors[t.Executor].Host == "" {
		r.app.Executors[t.Executor].Host = r.strings.Get(string(in.Host))
	}
	if i := slices.Index(localityNames[:], string(in.Locality)); i >= 0 {
		t.Locality = Locality(i)
	} else if in.Locality != "" {
		t.Locality = AnyPlace
	}
	if m := e.Metrics; m != nil {
		t.Run, t.Deserialize, t.GC = span(m.Run), span(m.Deserialize), span(m.GC)
		t.Input, t.Output, t.ShuffleWrite = amountOf(m.Input.Bytes), amountOf(m.Output.Bytes), amountOf(m.Write.Bytes)
		t.ShuffleRemote = amountOf(m.Read.Remote)
		t.ShuffleRead = t.ShuffleRemote + amountOf(m.Read.Local)
	}
	return t
}

// mostBytes bounds the bytes of a task.
const mostBytes = 1 << 60

// amountOf is a number of bytes of a task.
func amountOf(n num) int64 { return min(n.Or(0), mostBytes) }

// span returns a length of time as read, Unknown where it can't be one.
func span(n num) Millis {
	if v := n.Or(Unknown); v <= maxMillis {
		return Millis(v)
	}
	return Unknown
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
	for st := range history.Pointers(r.app.Stages) {
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
		r.app.Notes = append(r.app.Notes, Note{Kind: Dropped, Text: "duplicate task-end events (the first counts)",
			Count: dropped})
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
		a.Notes = append(a.Notes, Note{Kind: Dropped, Count: len(st.Attempts),
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
	for st := range history.Pointers(a.Stages) {
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
			a.Notes = append(a.Notes, Note{Kind: Missing, Text: text, Count: count})
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
