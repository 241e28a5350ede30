package sparkrun

import (
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Fit makes a calibration of recorded runs of one machine with so many cores:
// what Calibrate takes from their latencies, and the work of starting drivers
// and executors as what explains their start times best when all starts of a
// run share the cores.
func Fit(list []*Run, cores float64) *yarn.Calibration {
	cal := yarn.Default()
	cal.Source, cal.CPUScope, cal.Cores = "recorded Spark runs", yarn.ScopeCluster, cores
	var m measures
	for _, r := range list {
		for _, x := range r.Latencies() {
			for _, v := range x.Values {
				m.value(x.Name, v)
			}
		}
		r.calls(&m)
	}
	cal.Spark, _ = Calibrate(m)
	for _, x := range m {
		if v := slices.Sorted(slices.Values(x.Values)); len(v) >= enough {
			switch x.Name {
			case submitted:
				cal.Submit, cal.SubmitWork = quantiles(v, 0), 0
			case woken:
				cal.Spark.Wake = quantiles(v, 0)
			case lossSeen:
				cal.Spark.LossSeen = quantiles(v, 0)
			}
		}
	}
	fitStarts(list, cores, cal.Spark)
	return cal
}

// More latencies, by name.
const (
	submitted = "planned submission -> the ResourceManager has the application"
	woken     = "Spark: target changed -> the AM's call"
	lossSeen  = "Spark: executor killed by the ResourceManager -> process gone"
)

func (r *Run) calls(m *measures) {
	for i := range r.Apps {
		a := &r.Apps[i]
		if p := r.Planned(a.Name); p != nil {
			m.add(submitted, simcore.Time(p.SubmitMS)*simcore.Millisecond, a.Submit)
		}
		for k := range a.Executors {
			if e := &a.Executors[k]; e.Status == preempted {
				m.add(lossSeen, e.Released, e.Exited)
			}
		}
		for k := range a.Targets {
			t := &a.Targets[k]
			if t.Source != "allocator" {
				continue
			}
			next := slices.IndexFunc(a.Calls, func(c Call) bool { return c.At >= t.At })
			if next >= 0 && a.Calls[next].At < t.At+wokenWithin {
				m.add(woken, t.At, a.Calls[next].At)
			}
		}
	}
}

const (
	preempted   = "-102" // ContainerExitStatus.PREEMPTED
	wokenWithin = 250 * simcore.Millisecond
)

// start is a driver's or executor's start.
type start struct {
	at, took simcore.Time
	driver   bool
}

// fitStarts fits the work of starts: the pair of works, and the waits, for which
// the starts of every run, sharing the cores, take what was recorded; by the
// mean absolute deviation over a grid.
func fitStarts(list []*Run, cores float64, c *yarn.SparkCalibration) {
	var runs [][]start
	for _, r := range list {
		var s []start
		for i := range r.Apps {
			a := &r.Apps[i]
			if took := since(a.Registered, a.Allocated); took >= 0 {
				s = append(s, start{a.Allocated, took, true})
			}
			for k := range a.Executors {
				if e := &a.Executors[k]; since(e.Registered, e.Started) >= 0 {
					s = append(s, start{e.Started, e.Registered - e.Started, false})
				}
			}
		}
		slices.SortStableFunc(s, func(x, y start) int { return int(x.at - y.at) })
		runs = append(runs, s)
	}
	best := math.Inf(1)
	for driver := 600.0; driver <= 2200; driver += 100 {
		for exec := 500.0; exec <= 2000; exec += 100 {
			for wait := 0.0; wait <= 500; wait += 100 {
				if d := deviation(runs, cores, driver, exec, wait); d < best {
					best = d
					c.DriverWork, c.ExecWork, c.DriverStart, c.ExecStart = driver, exec, yarn.Latency{wait}, yarn.Latency{wait / 2}
					c.DriverThreads, c.ExecThreads = 1, 1
				}
			}
		}
	}
}

// deviation is the mean absolute error of the starts' times in µs.
func deviation(runs [][]start, cores, driver, exec, wait float64) float64 {
	sum, n := 0.0, 0.0
	for _, s := range runs {
		at, work, threads := make([]simcore.Time, len(s)), make([]simcore.Time, len(s)), make([]float64, len(s))
		for i := range s {
			w, pause := exec, wait/2
			if s[i].driver {
				w, pause = driver, wait
			}
			at[i], work[i], threads[i] = s[i].at+simcore.Time(pause*1000), simcore.Time(w*1000), 1
		}
		order := make([]int, len(s))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int { return int(at[x] - at[y]) })
		a2, w2 := make([]simcore.Time, len(s)), make([]simcore.Time, len(s))
		for k, i := range order {
			a2[k], w2[k] = at[i], work[i]
		}
		ends := yarn.ShareCores(cores, a2, w2, threads)
		for k, i := range order {
			sum += math.Abs(float64(ends[k] - s[i].at - s[i].took))
			n++
		}
	}
	return sum / n
}
