package sparkreplay

import (
	"math"
	"slices"
	"strings"

	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Latencies of Spark applications, by name. Those from event logs alone have
// the same names.
const (
	DriverStart   = "Spark: AM container allocated -> registered"
	ContextUp     = "Spark: AM registered -> the user's code goes on, executors aside"
	LaunchWait    = "Spark: executor's container acquired -> NM start request"
	ExecutorStart = "Spark: NM start request -> registered with the driver"
	ExecutorReady = "Spark: executor registered -> first task, tasks waiting"
	FirstTask     = "Spark: tasks before an executor's first end: what they take beside the user's code"
	TaskSpan      = "Spark: later tasks: what they take beside the user's code"
	StageGap      = "Spark: stage complete, or job submitted -> stage submitted"
	StageOffer    = "Spark: stage submitted -> first task, executors free"
	KillGone      = "Spark: executor's release -> process gone"
	Stop          = "Spark: application end -> AM unregistered"
	Exit          = "Spark: AM unregistered -> its container released"
	ExecutorStop  = "Spark: application end -> executor's container released"
)

// HandOver is how long before a task's noted end its core may be given away: the
// driver notes the end when the result has been fetched.
const HandOver = 50 * simcore.Millisecond

// Measured are the values of one latency, in milliseconds.
type Measured struct {
	Name   string
	Values []float64
}

// measures collects values by name, in order of first appearance.
type measures []Measured

func (m *measures) add(name string, from, to simcore.Time) {
	if from == simcore.Never || to == simcore.Never {
		return
	}
	m.value(name, float64(to-from)/float64(simcore.Millisecond))
}

func (m *measures) value(name string, ms float64) {
	for i := range *m {
		if (*m)[i].Name == name {
			(*m)[i].Values = append((*m)[i].Values, ms)
			return
		}
	}
	*m = append(*m, Measured{name, []float64{ms}})
}

// Latencies measures a recorded run.
func (r *Run) Latencies() []Measured {
	var m measures
	for i := range r.Apps {
		a := &r.Apps[i]
		if a.Kind != "spark" {
			continue
		}
		m.add(DriverStart, a.Allocated, a.Registered)
		if a.Settings.Start() == 0 {
			m.add(ContextUp, a.Registered, a.Context)
		}
		m.add(Stop, a.Finish, a.Unregister)
		m.add(Exit, a.Unregister, a.Released)
		m.stages(a)
		m.executors(a)
		m.tasks(a)
	}
	return m
}

func (m *measures) stages(a *App) {
	job, end := map[int32]simcore.Time{}, map[int32]simcore.Time{}
	for i := range a.Jobs {
		job[a.Jobs[i].ID] = a.Jobs[i].Submit
	}
	for i := range a.Stages {
		if st := &a.Stages[i]; st.Attempt == 0 {
			end[st.ID] = st.Complete
		}
	}
	for i := range a.Stages {
		st := &a.Stages[i]
		if st.Attempt > 0 {
			continue
		}
		from, ok := job[st.Job]
		for _, p := range st.Parents {
			from = max(from, end[p])
		}
		if ok {
			m.add(StageGap, from, st.Submit)
		}
		m.add(StageOffer, st.Submit, a.offered(st))
	}
}

// offered is the first launch of a stage's tasks, Never where it came so late
// that no executor can have been free at its submission.
func (a *App) offered(st *Stage) simcore.Time {
	at := simcore.Never
	for i := range a.Tasks {
		if t := &a.Tasks[i]; t.Stage == st.ID && t.StageAttempt == st.Attempt {
			at = min(at, t.Launch)
		}
	}
	if at != simcore.Never && at-st.Submit > offeredWithin {
		return simcore.Never
	}
	return at
}

const offeredWithin = 300 * simcore.Millisecond

func (m *measures) executors(a *App) {
	first, waiting := map[int32]simcore.Time{}, map[int32]bool{}
	for i := range a.Tasks {
		t := &a.Tasks[i]
		if x, seen := first[t.Executor]; !seen || t.Launch < x {
			first[t.Executor] = t.Launch
		}
	}
	for i := range a.Executors {
		e := &a.Executors[i]
		for k := range a.Stages {
			st := &a.Stages[k]
			waiting[e.ID] = waiting[e.ID] || st.Submit < e.Registered && st.Complete > e.Registered
		}
		m.add(LaunchWait, e.Acquired, e.Started)
		m.add(ExecutorStart, e.Started, e.Registered)
		// behind the last task that waited there is none for it to take
		if at, ran := first[e.ID]; ran && waiting[e.ID] && at-e.Registered < simcore.Second {
			m.add(ExecutorReady, e.Registered, at)
		}
		if e.KillAsked != simcore.Never {
			m.add(KillGone, e.ReleaseAsked, e.Exited)
		} else if e.ToldStop != simcore.Never {
			m.add(ExecutorStop, a.Finish, e.Released)
		}
	}
}

func (m *measures) tasks(a *App) {
	ended := map[int32]simcore.Time{}
	for i := range a.Tasks {
		t := &a.Tasks[i]
		if x, seen := ended[t.Executor]; !seen || t.Finish < x {
			ended[t.Executor] = t.Finish
		}
	}
	for i := range a.Tasks {
		t := &a.Tasks[i]
		if t.Kind != "SPARK" || !strings.EqualFold(t.Status, "SUCCEEDED") || t.Asked <= 0 || t.Ran > t.Asked+t.Asked/2 { // computed a block again
			continue
		}
		name := TaskSpan
		if t.Launch < ended[t.Executor]-HandOver {
			name = FirstTask
		}
		m.value(name, float64(t.Finish-t.Launch-t.Asked)/float64(simcore.Millisecond))
	}
}

// enough is how many values a latency needs to replace a figure.
const enough = 5

// Calibrate makes the Spark part of a calibration of measured latencies. Those
// that wait only are their quantiles. A driver's and an executor's start wait
// and work: what they wait stands as it was, and the quickest quarter, which met
// least company, tells their work. fitted names the figures that changed.
func Calibrate(list []Measured) (c *yarn.SparkCalibration, fitted []string) {
	c = yarn.DefaultSpark()
	values := func(name string) []float64 {
		for i := range list {
			if list[i].Name == name && len(list[i].Values) >= enough {
				v := slices.Clone(list[i].Values)
				slices.Sort(v)
				return v
			}
		}
		return nil
	}
	for _, f := range []struct {
		name, latency string
		to            *yarn.Latency
	}{
		{"context_ms", ContextUp, &c.Context}, {"launch_ms", LaunchWait, &c.LaunchWait}, {"executor_ready_ms", ExecutorReady, &c.ExecReady},
		{"task_ms", TaskSpan, &c.TaskSpan}, {"stage_ms", StageGap, &c.StageGap}, {"offer_ms", StageOffer, &c.StageOffer}, {"gone_ms", KillGone, &c.KillGone},
		{"stop_ms", Stop, &c.Stop}, {"exit_ms", Exit, &c.Exit}, {"executor_stop_ms", ExecutorStop, &c.ExecStop},
	} {
		if v := values(f.latency); v != nil {
			*f.to = quantiles(v, 0)
			fitted = append(fitted, "spark."+f.name)
		}
	}
	for _, f := range []struct {
		name, latency string
		wait          yarn.Latency
		threads       float64
		to            *float64
	}{
		{"driver_work_ms", DriverStart, c.DriverStart, c.DriverThreads, &c.DriverWork},
		{"executor_work_ms", ExecutorStart, c.ExecStart, c.ExecThreads, &c.ExecWork},
	} {
		if v := values(f.latency); v != nil {
			*f.to = math.Round(max(0, stats.Quantile(v, 0.25)-stats.Quantile(f.wait, 0.5)) * f.threads)
			fitted = append(fitted, "spark."+f.name)
		}
	}
	if first, later := values(FirstTask), values(TaskSpan); first != nil && later != nil {
		c.FirstTask = quantiles(first, stats.Quantile(later, 0.5)+c.FirstWork)
		fitted = append(fitted, "spark.first_task_ms")
	}
	return c, fitted
}

// quantiles are those from 0 to 1 in tenths, the ends taken at 1 and 99 %, less
// a span, at least 0. v is sorted.
func quantiles(v []float64, less float64) (q yarn.Latency) {
	for i := range 11 {
		x := stats.Quantile(v, min(max(float64(i)/10, 0.01), 0.99)) - less
		q = append(q, math.Round(10*max(0, x))/10)
	}
	return q
}
