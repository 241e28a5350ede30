package sparkreplay

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
)

// start is a driver's or executor's start.
type start struct {
	at, took simcore.Time
	driver   bool
}

// startsOf lists a run's starts in order of time.
func startsOf(r *Run) (s []start) {
	for _, a := range r.Apps {
		if took := runlog.Since(a.Registered, a.AMAllocated); took >= 0 {
			s = append(s, start{a.AMAllocated, took, true})
		}
		for _, c := range a.Containers {
			if at := a.firstPull(c.ID); a.tez() && c.StartRequest != simcore.Never && at != simcore.Never {
				s = append(s, start{c.StartRequest, at - c.StartRequest, false})
			}
		}
		for _, e := range a.Executors {
			if runlog.Since(e.Registered, e.Started) >= 0 {
				s = append(s, start{e.Started, e.Registered - e.Started, false})
			}
		}
	}
	slices.SortStableFunc(s, func(x, y start) int { return int(x.at - y.at) })
	return s
}

// fitStarts fits the work of starts: the pair of works, and the waits, for which
// the starts of every run, sharing the cores, take what was recorded; by the
// mean absolute deviation over a grid. With these, a factor per run on all its
// work is fitted alike.
func fitStarts(list []*Run, cores float64, cal *yarn.Calibration) {
	c := cal.Spark
	var runs [][]start
	for _, r := range list {
		runs = append(runs, startsOf(r))
	}
	best, at := math.Inf(1), works{}
	for driver := 600.0; driver <= 2200; driver += 100 {
		for exec := 500.0; exec <= 2000; exec += 100 {
			for wait := 0.0; wait <= 500; wait += 100 {
				w := works{driver, exec, wait}
				if d := deviation(runs, cores, w, best); d < best {
					best, at = d, w
				}
			}
		}
	}
	if math.IsInf(best, 1) || math.IsNaN(best) {
		return
	}
	c.DriverWork, c.ExecWork, c.DriverStart, c.ExecStart = at.driver, at.exec, yarn.Latency{at.wait},
		yarn.Latency{at.wait / 2}
	c.DriverThreads, c.ExecThreads = 1, 1
	if t := cal.Tez; t != nil {
		t.MasterWork, t.Work, t.MasterStart, t.Start = c.DriverWork, c.ExecWork, c.DriverStart, c.ExecStart
		t.MasterThreads, t.Threads = 1, 1
	}
	cal.MachineSpread = spread(runs, cores, at)
}

// spread is the standard deviation of the logarithm of the runs' factors.
func spread(runs [][]start, cores float64, w works) float64 {
	var logs []float64
	for _, s := range runs {
		best, at := math.Inf(1), 0.0
		for log := -0.7; log <= 0.7; log += 0.02 {
			f := math.Exp(log)
			if d := deviation([][]start{s}, cores, works{w.driver * f, w.exec * f, w.wait}, best); d < best {
				best, at = d, log
			}
		}
		if len(s) >= 5 {
			logs = append(logs, at)
		}
	}
	if len(logs) < 2 {
		return 0
	}
	return math.Round(1000*stat.StdDev(logs, nil)) / 1000
}

// works are what a start takes: work of a driver and of an executor, and what a
// driver waits (an executor half of it), in milliseconds.
type works struct{ driver, exec, wait float64 }

// deviation is the mean absolute error of the starts' times in µs, +Inf as soon as it is known to be
// above best.
func deviation(runs [][]start, cores float64, by works, best float64) float64 {
	sum, n := 0.0, 0.0
	for _, s := range runs {
		n += float64(len(s))
	}
	for _, s := range runs {
		if sum > best*n*(1+1e-9) {
			return math.Inf(1)
		}
		at, work, threads := make([]simcore.Time, len(s)), make([]simcore.Time, len(s)), make([]float64, len(s))
		for i := range s {
			w, pause := by.exec, by.wait/2
			if s[i].driver {
				w, pause = by.driver, by.wait
			}
			at[i], work[i], threads[i] = s[i].at+simcore.Time(pause*1000), simcore.Time(w*1000), 1
		}
		for i, end := range yarn.ShareCores(cores, at, work, threads) {
			sum += math.Abs(float64(end - s[i].at - s[i].took))
		}
	}
	return sum / n
}
