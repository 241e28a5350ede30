package trace

import (
	"cmp"
	"slices"

	"schedtune/trace/internal/history"
	"schedtune/trace/sparklog"
)

// SparkInfo sums the Spark applications of a trace up.
type SparkInfo struct {
	Applications int     `json:"applications"`   // how many
	Versions     []Count `json:"versions"`       // applications by version of Spark
	Managers     []Count `json:"managers"`       // applications by cluster manager
	Dynamic      int     `json:"dynamic"`        // with dynamic allocation
	Jobs         int     `json:"jobs"`           // that began
	Stages       int     `json:"stages"`         // attempts of stages
	Skipped      int     `json:"skipped_stages"` // their output was there
	Tasks        int     `json:"tasks"`          // attempts that ended
	FailedTasks  int     `json:"failed_tasks"`   // of them, without success
	Executors    int     `json:"executors"`      // that registered
	// ExecutorSeconds are from registration to removal; Busy is the share of
	// their cores' time in which a task ran.
	ExecutorSeconds float64         `json:"executor_seconds"`
	Busy            float64         `json:"busy"`
	Ends            []Count         `json:"executor_ends"`       // executors by how they ended
	Caches          int             `json:"cached_sets"`         // data sets that were to be kept
	Idle            float64         `json:"think_seconds"`       // in which no job ran between the first and the end
	Apps            []SparkAppInfo  `json:"apps"`                // one by one
	Load            []ExecutorPoint `json:"executors_over_time"` // as Info.Load is cut
}

// SparkAppInfo is one application.
type SparkAppInfo struct {
	ID              string           `json:"id"`               // of YARN or Spark
	Name            string           `json:"name,omitempty"`   // given by the user
	Queue           string           `json:"queue,omitempty"`  // where it was submitted
	Jobs            int              `json:"jobs"`             // that began
	Stages          int              `json:"stages"`           // attempts of stages
	Tasks           int              `json:"tasks"`            // attempts that ended
	Executors       int              `json:"executors"`        // that registered
	MostExecutors   int              `json:"most_executors"`   // at a time
	Dynamic         bool             `json:"dynamic"`          // dynamic allocation
	SpanMS          Millis           `json:"span_ms"`          // from its start to its end
	ExecutorSeconds float64          `json:"executor_seconds"` // from registration to removal
	Busy            float64          `json:"busy"`             // share of their time in which a task ran
	Result          string           `json:"result"`           // how it ended
	StageList       []SparkStageInfo `json:"stage_list"`       // where the trace is one application
}

// SparkStageInfo is one stage attempt.
type SparkStageInfo struct {
	ID         int32   `json:"id"`                  // of Spark
	Attempt    int32   `json:"attempt"`             // 0 is the first
	Job        int32   `json:"job"`                 // that submitted it
	Name       string  `json:"name,omitempty"`      // call site
	Tasks      int     `json:"tasks"`               // of the attempt
	Parents    []int32 `json:"parents"`             // stages whose output it reads
	FromMS     Millis  `json:"from_ms"`             // since the application's start
	SpanMS     Millis  `json:"span_ms"`             // from submission to completion
	MedianMS   Millis  `json:"median_ms"`           // of its tasks
	LongestMS  Millis  `json:"longest_ms"`          // of its tasks
	InputBytes int64   `json:"input_bytes"`         // over the shuffle too
	WriteBytes int64   `json:"shuffle_write_bytes"` // to the shuffle
}

// ExecutorPoint is the mean number of registered executors in one part of the
// trace's span.
type ExecutorPoint struct {
	FromMS    Millis  `json:"from_ms"`   // since the first submission
	Executors float64 `json:"executors"` // mean number registered
}

// spark sums up the Spark applications; nil where there is none.
func (t *Trace) spark(in *Info) *SparkInfo {
	s := &SparkInfo{Apps: []SparkAppInfo{}}
	versions, managers, ends := map[string]int{}, map[string]int{}, map[string]int{}
	var taskTime, coreTime Millis
	for j := range history.Pointers(t.Jobs) {
		app := j.Spark
		if app == nil {
			continue
		}
		row := appInfo(j)
		s.add(app, &row)
		versions[app.Version]++
		managers[string(app.Manager())]++
		for _, t := range app.Tasks() {
			if t.Reason != sparklog.Success {
				s.FailedTasks++
			}
		}
		for k := range app.Executors {
			if app.Executors[k].ID != "driver" {
				ends[app.Executors[k].End.String()]++
			}
		}
		_, cores := app.ExecutorTime()
		coreTime += cores
		if cores > 0 {
			taskTime += app.TaskTime()
		}
	}
	if s.Applications == 0 {
		return nil
	}
	if coreTime > 0 {
		s.Busy = float64(taskTime) / float64(coreTime)
	}
	if len(t.Jobs) == 1 {
		s.Apps[0].StageList = stageList(t.Jobs[0].Spark)
	}
	s.Versions, s.Managers, s.Ends = sorted(versions), sorted(managers), sorted(ends)
	s.Load = t.executorLoad(in)
	return s
}

// add counts an application and what its row tells.
func (s *SparkInfo) add(app *sparklog.App, row *SparkAppInfo) {
	s.Applications++
	if row.Dynamic {
		s.Dynamic++
	}
	s.Jobs += row.Jobs
	s.Stages += row.Stages
	s.Tasks += row.Tasks
	s.Executors += row.Executors
	s.ExecutorSeconds += row.ExecutorSeconds
	s.Skipped += len(app.Skipped)
	s.Caches += len(app.Caches)
	s.Idle += float64(thinkTime(app)) / 1000
	s.Apps = append(s.Apps, *row)
}

func appInfo(j *Job) SparkAppInfo {
	app := j.Spark
	row := SparkAppInfo{ID: j.ID, Name: j.Name, Queue: j.Queue, Jobs: len(app.Jobs), Stages: len(app.Stages),
		Tasks:         app.TaskCount(),
		MostExecutors: app.MostExecutors(), Dynamic: app.Dynamic(), Result: j.Result.String(), SpanMS: Unknown}
	for i := range app.Executors {
		if app.Executors[i].ID != "driver" {
			row.Executors++
		}
	}
	if from, to := app.From(), app.To(); from.Known() && to >= from {
		row.SpanMS = to - from
	}
	executors, cores := app.ExecutorTime()
	row.ExecutorSeconds = float64(executors) / 1000
	if cores > 0 {
		row.Busy = float64(app.TaskTime()) / float64(cores)
	}
	return row
}

// thinkTime is the time between the first job and the end in which no job ran.
func thinkTime(app *sparklog.App) (idle Millis) {
	jobs := slices.Clone(app.Jobs)
	slices.SortStableFunc(jobs, func(a, b sparklog.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	busy := Millis(Unknown)
	for i := range jobs {
		if busy.Known() && jobs[i].Submit > busy {
			idle += jobs[i].Submit - busy
		}
		busy = max(busy, jobs[i].End.Or(app.To()))
	}
	if busy.Known() && app.To() > busy {
		idle += app.To() - busy
	}
	return idle
}

// mostStages is how many stages are listed.
const mostStages = 10_000

func stageList(app *sparklog.App) (list []SparkStageInfo) {
	for st := range history.Pointers(app.Stages) {
		if len(list) == mostStages {
			break
		}
		row := SparkStageInfo{ID: st.ID, Attempt: st.Attempt, Job: st.Job, Name: st.Name, Tasks: int(st.Tasks),
			Parents: append([]int32{}, st.Parents...), FromMS: Unknown, SpanMS: Unknown}
		if from := app.From(); st.Submit.Known() && from.Known() {
			row.FromMS = st.Submit - from
			if st.End >= st.Submit {
				row.SpanMS = st.End - st.Submit
			}
		}
		row.MedianMS = typicalTime(st.Attempts)
		for a := range history.Pointers(st.Attempts) {
			row.LongestMS = max(row.LongestMS, a.Time())
			row.InputBytes += max(0, a.Input) + max(0, a.ShuffleRead)
			row.WriteBytes += max(0, a.ShuffleWrite)
		}
		list = append(list, row)
	}
	return list
}

// executorLoad is the mean number of executors in the parts of Info.Load.
func (t *Trace) executorLoad(in *Info) []ExecutorPoint {
	points := make([]ExecutorPoint, len(in.Load))
	origin, _ := t.Begin()
	for i := range points {
		points[i].FromMS = in.Load[i].FromMS
	}
	for i := range t.Jobs {
		app := t.Jobs[i].Spark
		if app == nil {
			continue
		}
		for k := range app.Executors {
			if from, to, ok := app.Life(&app.Executors[k]); ok {
				in.overBuckets(from-origin, to-origin, func(b int, share float64) { points[b].Executors += share })
			}
		}
	}
	return points
}

// overBuckets calls f with every bucket of the load that a span reaches into
// and the share of the bucket that it covers.
func (in *Info) overBuckets(from, to Millis, f func(bucket int, share float64)) {
	if in.BucketMS <= 0 {
		return
	}
	for from = max(0, from); from < to; {
		b := from / in.BucketMS
		if b >= Millis(len(in.Load)) {
			return
		}
		end := min(to, (b+1)*in.BucketMS)
		f(int(b), float64(end-from)/float64(in.BucketMS))
		from = end
	}
}

// sorted lists counts, the largest first.
func sorted(n map[string]int) []Count {
	out := make([]Count, 0, len(n))
	for k, v := range n {
		out = append(out, Count{k, v})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Name, b.Name))
	})
	return out
}
