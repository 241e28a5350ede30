package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/trace/sparklog"
)

// Latencies that only event logs tell.
const (
	latSparkContext = "Spark: SparkContext begins -> the driver's block manager"
	latSparkAsked   = "Spark: executor asked for -> registered (waiting for a container included)"
	latSparkPlugins = "Spark: executor registered -> first task, applications whose executors start more (plugins)"
	latSparkStorage = "Spark: executor registered -> its block manager"
)

const handOver = sparklog.Millis(HandOver / simcore.Millisecond)

// addSpark takes what the event log of an application reports, whose AM was launched at a time.
func (l *latencySet) addSpark(app *sparklog.App, at trace.Millis) {
	span(l, DriverStart, sparklog.Millis(at), app.Ready)
	span(l, latSparkContext, app.Start, app.Ready)
	first, ended := map[int32]sparklog.Millis{}, map[int32]sparklog.Millis{}
	earlier := func(m map[int32]sparklog.Millis, e int32, t sparklog.Millis) {
		if x, seen := m[e]; t.Known() && (!seen || t < x) {
			m[e] = t
		}
	}
	for _, t := range app.Tasks() {
		earlier(first, t.Executor, t.Launch)
		earlier(ended, t.Executor, t.Finish)
	}
	if d, _ := app.ReadyDelays(); len(d) > 0 && d[len(d)/4] >= sparklog.SlowReady {
		for _, x := range d {
			l.add(latSparkPlugins, float64(x))
		}
	}
	for i := range app.Executors {
		e := &app.Executors[i]
		span(l, latSparkAsked, e.Requested, e.Added)
		span(l, latSparkStorage, e.Added, e.Storage)
		at, ran := first[int32(i)]
		if ran && at-e.Added < 1000 && slices.ContainsFunc(app.Stages, func(st sparklog.Stage) bool {
			return st.Submit.Known() && st.Submit < e.Added && st.End > e.Added
		}) {
			span(l, ExecutorReady, e.Added, at)
		}
	}
	for _, t := range app.Tasks() {
		if o := t.Overhead(); o.Known() && t.Reason == sparklog.Success && t.Executor >= 0 &&
			app.Executors[t.Executor].ID != "driver" {
			name := TaskSpan
			if t.Launch < ended[t.Executor]-handOver {
				name = FirstTask
			}
			l.add(name, float64(o))
		}
	}
	l.addStageGaps(app)
}

func (l *latencySet) addStageGaps(app *sparklog.App) {
	job, end := map[int32]sparklog.Millis{}, map[int32]sparklog.Millis{}
	for i := range app.Jobs {
		job[app.Jobs[i].ID] = app.Jobs[i].Submit
	}
	for i := range app.Stages {
		if st := &app.Stages[i]; st.Attempt == 0 {
			end[st.ID] = st.End
		}
	}
	for i := range app.Stages {
		st := &app.Stages[i]
		from, ok := job[st.Job]
		for _, p := range st.Parents {
			from = max(from, end[p])
		}
		if ok && st.Attempt == 0 {
			span(l, StageGap, from, st.Submit)
		}
	}
}

// calibrateSpark makes the Spark part of the calibration, where the histories
// hold Spark applications.
func (r *DurationsResult) calibrateSpark(lat *latencySet) {
	measured, spark := map[string][]float64{}, false
	for _, n := range lat.names {
		measured[n] = lat.all(n)
		spark = spark || n == TaskSpan || n == FirstTask
	}
	if !spark {
		return
	}
	c := yarn.DefaultSpark()
	if own := r.Calibration.Spark; own != nil {
		*c = *own
	}
	fitted, left := FitSpark(c, measured)
	r.Calibration.Spark = c
	r.Fitted = append(r.Fitted, fitted...)
	const ready = "spark.executor_ready_ms"
	if own := lat.all(latSparkPlugins); len(own) > 0 && slices.Contains(left, ready) {
		left = slices.DeleteFunc(left, func(name string) bool { return name == ready })
		r.Assumed = append(r.Assumed, fmt.Sprintf("%s: not set from applications whose executors start more (plugins), "+
			"median %.0f ms; a simulation gives each of these its own delay", ready, stats.Median(own)))
	}
	r.Assumed = append(r.Assumed, strings.Join(append(left, "spark.wake_ms", "spark.loss_ms"), ", ")+
		": not in event logs, or too few values")
}

// eachSparkTask calls f with the winning attempts of every stage and their time
// in seconds, what an executor's first tasks take longer included.
func eachSparkTask(hs []*trace.Trace, f func(j *trace.Job, st *sparklog.Stage, seconds float64)) {
	for j := range allJobs(hs) {
		if j.Spark == nil {
			continue
		}
		for st, t := range j.Spark.Tasks() {
			if t.Reason == sparklog.Success && t.Time().Known() {
				f(j, st, float64(t.Time())/1000)
			}
		}
	}
}

// stageClass names the class of a stage: input, where it reads no shuffle,
// cached, where it reads a data set from executors' memory, or shuffle.
func stageClass(st *sparklog.Stage) string {
	switch {
	case len(st.Parents) > 0:
		return "shuffle stage"
	case len(st.Cached) > 0:
		return "cached stage"
	}
	return "input stage"
}
