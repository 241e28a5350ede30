// Package simcore holds what a simulation is made of and what it yields: time,
// clusters, workloads, task times and metrics. Two runtimes simulate a workload
// on a cluster: simcore/mr1, the Hadoop 1 JobTracker, and simcore/yarn, the
// ResourceManager. Schedulers are in simcore/sched; the event tree, the shared
// resources and the recorder that both runtimes use are in
// simcore/internal/kernel.
//
// Times are integers of microseconds from the start of the run, memory is MiB, data are
// bytes, rates are bytes per second. Clusters and workloads are read-only during runs and
// may be shared by many; Validate says what is wrong with one.
//
// The kernel knows no scheduler and no mathematics of the papers. One run is
// one goroutine; runs, not events, are what is computed in parallel.
package simcore

import "time"

// Time is a point in simulated time or a span of it, in microseconds. Floats
// are used for rates only, so equal inputs give equal histories everywhere.
type Time int64

// Units of Time.
const (
	Microsecond Time = 1
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
	Minute           = 60 * Second
	Hour             = 60 * Minute
)

// Never is later than every event.
const Never Time = 1<<62 - 1

// Seconds returns t in seconds.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// Std returns t as a time.Duration.
func (t Time) Std() time.Duration { return time.Duration(t) * time.Microsecond }

// Seconds returns the Time nearest to s seconds.
func Seconds(s float64) Time {
	if s < 0 {
		return Time(s*float64(Second) - 0.5)
	}
	return Time(s*float64(Second) + 0.5)
}
