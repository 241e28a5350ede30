package calibrate

import (
	"math"
	"slices"

	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Latencies of Spark applications, by name. Event logs tell only some of them.
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

// FitSpark replaces figures of the Spark part of a calibration by those of measured latencies, values in
// milliseconds by name. Those
// that wait only are their quantiles. A driver's and an executor's start wait
// and work: what they wait stands as it was, and the quickest quarter, which met
// least company, tells their work. It returns the names of the figures that changed, and of
// those that stayed although they have a latency.
func FitSpark(c *yarn.SparkCalibration, measured map[string][]float64) (fitted, left []string) {
	values := func(name string) []float64 {
		if v := measured[name]; len(v) >= enough {
			return slices.Sorted(slices.Values(v))
		}
		return nil
	}
	set := func(name string, v []float64, to func([]float64)) {
		if v == nil {
			left = append(left, "spark."+name)
			return
		}
		to(v)
		fitted = append(fitted, "spark."+name)
	}
	for _, f := range []struct {
		name, latency string
		to            *yarn.Latency
	}{
		{"context_ms", ContextUp, &c.Context}, {"launch_ms", LaunchWait, &c.LaunchWait}, {"executor_ready_ms", ExecutorReady,
			&c.ExecReady},
		{"task_ms", TaskSpan, &c.TaskSpan}, {"stage_ms", StageGap, &c.StageGap}, {"offer_ms", StageOffer, &c.StageOffer},
		{"gone_ms", KillGone, &c.KillGone},
		{"stop_ms", Stop, &c.Stop}, {"exit_ms", Exit, &c.Exit}, {"executor_stop_ms", ExecutorStop, &c.ExecStop},
	} {
		set(f.name, values(f.latency), func(v []float64) { *f.to = Quantiles(v, 0) })
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
		set(f.name, values(f.latency), func(v []float64) {
			*f.to = math.Round(max(0, stats.Quantile(v, 0.25)-stats.Quantile(f.wait, 0.5)) * f.threads)
		})
	}
	later := values(TaskSpan)
	first := values(FirstTask)
	if later == nil {
		first = nil
	}
	set("first_task_ms", first, func(v []float64) { c.FirstTask = Quantiles(v, stats.Quantile(later, 0.5)+c.FirstWork) })
	return fitted, left
}

// Quantiles returns those from 0 to 1 in tenths, the ends taken at 1 and 99 % so that one
// outlier does not stretch the last step, less a span, at least 0. v is sorted.
func Quantiles(v []float64, less float64) (q yarn.Latency) {
	for i := range 11 {
		x := stats.Quantile(v, min(max(float64(i)/10, 0.01), 0.99)) - less
		q = append(q, math.Round(10*max(0, x))/10)
	}
	return q
}
