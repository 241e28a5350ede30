package sparkreplay

import (
	"slices"

	"schedtune/internal/calibrate"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Fit makes a calibration of recorded runs of one machine with so many cores:
// what calibrate.FitSpark takes from their latencies, and the work of starting drivers
// and executors as what explains their start times best when all starts of a
// run share the cores. How fast the machine was in each run by that model gives
// the spread between runs.
func Fit(list []*Run, cores float64) *yarn.Calibration {
	cal := yarn.Default()
	cal.Source, cal.CPUScope, cal.Cores = "recorded Spark runs", yarn.ScopeCluster, cores
	m := newMeasures()
	for _, r := range list {
		m.latencies(r)
		m.calls(r)
	}
	cal.Spark = yarn.DefaultSpark()
	calibrate.FitSpark(cal.Spark, m.Waits)
	figures := map[string]*yarn.Latency{submitted: &cal.Submit, woken: &cal.Spark.Wake, lossSeen: &cal.Spark.LossSeen}
	m.Fill(func(name string) *yarn.Latency { return figures[name] })
	if len(m.Waits[submitted]) >= 5 { // submissions wait, and do not share the cores
		cal.SubmitWork = 0
	}
	tez := slices.ContainsFunc(list, func(r *Run) bool { return slices.ContainsFunc(r.Apps, (*App).tez) })
	if tez {
		cal.Source, cal.Tez = "recorded Tez runs", fitTez(list)
	}
	fitStarts(list, cores, cal)
	return cal
}

// More latencies, by name.
const (
	submitted = "planned submission -> the ResourceManager has the application"
	woken     = "Spark: target changed -> the AM's call"
	lossSeen  = "Spark: executor killed by the ResourceManager -> process gone"
)

func (m measures) calls(r *Run) {
	for _, a := range r.Apps {
		m.Take(submitted, simcore.Time(r.planned(a.Name).Submit)*simcore.Millisecond, a.Submit)
		for _, e := range a.Executors {
			if e.Status == preempted {
				m.Take(lossSeen, e.Released, e.Exited)
			}
		}
		for _, t := range a.Targets {
			if t.Source != "allocator" {
				continue
			}
			next := slices.IndexFunc(a.Calls, func(c *Call) bool { return c.At >= t.At })
			if next >= 0 && a.Calls[next].At < t.At+wokenWithin {
				m.Take(woken, t.At, a.Calls[next].At)
			}
		}
	}
}

const (
	preempted   = "-102" // ContainerExitStatus.PREEMPTED
	wokenWithin = 250 * simcore.Millisecond
)
