// Package simcore defines the inputs and results of a simulation: time, clusters, workloads,
// task times and metrics. Two runtimes simulate a workload on a cluster: simcore/mr1, the
// Hadoop 1 JobTracker, and simcore/yarn, the ResourceManager. Schedulers are in simcore/sched;
// simcore/internal/kernel has the event tree, the shared resources and the recorder of metrics
// that both runtimes use.
//
// Times are integers in microseconds from the start of the run, memory is in MiB, data in bytes,
// rates in bytes per second. Clusters and workloads are read-only during runs and may be shared
// by many; Validate checks them.
//
// The kernel knows no scheduler and no mathematics of the papers. A run uses one goroutine;
// several runs, not the events of one, run in parallel.
package simcore

import "time"

// Time is an instant or a span of simulated time, in microseconds. Only rates are floats, so
// that equal inputs give equal histories on every machine.
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
