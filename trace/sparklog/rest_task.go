package sparklog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"schedtune/trace/internal/history"
)

// restTask is an attempt of the answer to taskList. Times and spans are
// milliseconds, amounts bytes.
type restTask struct {
	ID       int64    `json:"taskId"`
	Index    int32    `json:"index"`
	Attempt  int32    `json:"attempt"`
	Launch   restTime `json:"launchTime"`
	Duration *int64   `json:"duration"`
	Executor string   `json:"executorId"`
	Status   string   `json:"status"`
	Locality string   `json:"taskLocality"`
	Spec     bool     `json:"speculative"`
	Error    string   `json:"errorMessage"`
	Getting  int64    `json:"gettingResultTime"`
	Metrics  struct {
		Deserialize int64                                           `json:"executorDeserializeTime"`
		Run         int64                                           `json:"executorRunTime"`
		GC          int64                                           `json:"jvmGcTime"`
		Input       struct{ BytesRead int64 }                       `json:"inputMetrics"`
		Output      struct{ BytesWritten int64 }                    `json:"outputMetrics"`
		Read        struct{ RemoteBytesRead, LocalBytesRead int64 } `json:"shuffleReadMetrics"`
		Write       struct{ BytesWritten int64 }                    `json:"shuffleWriteMetrics"`
	} `json:"taskMetrics"`
}

// mostTaskMillis bounds how long a task ran: 35 years.
const mostTaskMillis = 1 << 40

// ended reports whether the answer tells when the attempt ended.
func (t *restTask) ended() bool {
	return t.Duration != nil && *t.Duration >= 0 && *t.Duration <= mostTaskMillis && t.Launch.millis().Known() &&
		t.Status != "RUNNING"
}

// task returns the attempt as this package keeps it.
func (t *restTask) task(executor int32) Task {
	m := &t.Metrics
	task := Task{ID: t.ID, Index: t.Index, Attempt: t.Attempt, Executor: executor, Spec: t.Spec, Locality: AnyPlace,
		Launch: t.Launch.millis(), Finish: Unknown, Getting: Unknown, Reason: restReason(t.Status, t.Error),
		Run: positive(m.Run), Deserialize: positive(m.Deserialize), GC: positive(m.GC),
		Input: max(m.Input.BytesRead, 0), Output: max(m.Output.BytesWritten, 0), ShuffleRemote: max(m.Read.RemoteBytesRead,
			0),
		ShuffleRead: max(m.Read.RemoteBytesRead, 0) + max(m.Read.LocalBytesRead, 0), ShuffleWrite: max(m.Write.BytesWritten,
			0)}
	if l := slices.Index(localityNames[:], t.Locality); l >= 0 {
		task.Locality = Locality(l)
	}
	if t.ended() {
		task.Finish = task.Launch + Millis(*t.Duration)
		if t.Getting > 0 && t.Getting < *t.Duration {
			task.Getting = task.Finish - Millis(t.Getting)
		}
	}
	return task
}

// Tasks takes an answer to taskList of the i-th stage attempt that Stages
// returned, and tells how many tasks were in it. Attempts that had not ended are
// kept only where the application is UnderWay.
func (r *REST) Tasks(i int, data []byte) (int, error) {
	var in []restTask
	if err := json.Unmarshal(data, &in); err != nil {
		return 0, err
	}
	if i < 0 || i >= len(r.app.Stages) {
		return 0, fmt.Errorf("stage attempt %d: must be between 0 and %d", i, len(r.app.Stages)-1)
	}
	st := &r.app.Stages[i]
	for t := range history.Pointers(in) {
		if t.Index < 0 || t.Attempt < 0 || !plainExecutor(t.Executor) && t.Executor != "driver" {
			return 0, fmt.Errorf("stage %d: task %d, attempt %d, on executor %q: must be 0 or more, on the number of an "+
				"executor", st.ID, t.Index, t.Attempt, clip(t.Executor))
		}
		task := t.task(r.reader.executor(t.Executor))
		st.Started++
		if !t.ended() && !(r.UnderWay && t.Status == "RUNNING" && task.Launch.Known()) {
			continue
		}
		st.Attempts = append(st.Attempts, task)
		r.app.Last = max(r.app.Last, task.Finish)
	}
	return len(in), nil
}

func restReason(status, message string) Reason {
	switch status {
	case "SUCCESS":
		return Success
	case "KILLED":
		return TaskKilled
	}
	for _, r := range []Reason{FetchFailed, ExecutorLostFailure, TaskResultLost, Resubmitted} {
		if strings.HasPrefix(message, r.String()) {
			return r
		}
	}
	return ExceptionFailure
}

// Wanted reports whether the tasks of the i-th stage attempt tell how an application
// under way goes on: its job is not over, or it is one of the last.
func (r *REST) Wanted(i int) bool {
	if i < 0 || i >= len(r.app.Stages) {
		return false
	}
	st := &r.app.Stages[i]
	if !st.End.Known() || i >= len(r.app.Stages)-lastStages {
		return true
	}
	return slices.ContainsFunc(r.app.Jobs, func(j Job) bool { return j.ID == st.Job && !j.End.Known() })
}
