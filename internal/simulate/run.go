package simulate

import (
	"context"
	"fmt"
	"math"
	"strings"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/sched"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Capacity and Fair name YARN's schedulers.
const (
	Capacity = "capacity"
	Fair     = "yarn-fair"
)

// Options are fixed for all runs of a Runner. The zero value runs the Capacity
// Scheduler with recorded task times and without jitter.
type Options struct {
	Scheduler   string // a spec such as "fair" or "coupling:threshold=3"; empty = Capacity
	Allocations string // fair-scheduler.xml of Fair; empty = equal weights
	// Shares and Hints are tables of users and of job classes for schedulers of Hadoop 1; may
	// be empty.
	Shares, Hints string
	Model         simcore.Model
	Jitter        yarn.Jitter // on YARN
	Times         yarn.Times  // on YARN
	// Slowdowns has every job run alone once per window, so that results have
	// bounded slowdowns. On YARN.
	Slowdowns bool
	// SlowdownsOn says in which windows; nil = in all.
	SlowdownsOn func(window int) bool
	// Windows are the workloads that Item.Window chooses from; nil = the case's.
	Windows []*simcore.Workload
	// Drawn windows follow Windows; Draw makes the one of a number, a pure function,
	// when a run needs it. On YARN.
	Drawn int
	Draw  func(i int) *simcore.Workload
}

// Replications is how runs with different seeds differ: in arrivals, launch
// delays and heartbeat phases, within what was measured on real clusters.
func Replications() yarn.Jitter { return yarn.Jitter{Arrivals: true, Launch: true, Phases: true} }

// RecordedArrivals returns what varies between replications of a recorded period: launch times and
// heartbeat phases, not the submissions.
func RecordedArrivals() yarn.Jitter { return yarn.Jitter{Launch: true, Phases: true} }

// Item is one run.
type Item struct {
	// Changes of the queue file; Capacity only.
	Changes []yarnconf.Change
	// Slowstart of every job, 0 to 1; negative: each job's own.
	Slowstart float64
	// Defaults of Spark and Tez applications that the run changes, on YARN.
	Defaults simcore.DefaultMoves
	// Values replace parameters of the spec.
	Values sched.Values
	Seed   uint64
	Window int
	// Recorded replaces drawn latencies by measured ones, on YARN; may be nil.
	Recorded *yarn.Recorded
	// Times, if set, receives the times of every job, on YARN; of a run that stalls those
	// until then.
	Times *[]yarn.JobTimes
	// Look is called once with the scheduler, when all has happened up to and
	// including LookAt, on YARN. It may change the scheduler's configuration, and
	// reports whether it has.
	Look   func(yarn.Scheduler) bool
	LookAt simcore.Time
	// PreemptEvery is the interval of preemption rounds where the configuration has the
	// monitor off at the beginning: a change at LookAt may switch it on. Capacity only.
	PreemptEvery simcore.Time
	// Refresh, if set, tells the next refresh of the queues after an instant of the
	// run (simcore.Never: none) and the changes of the queue file that are in force
	// from then on; Changes are at the beginning. A refresh that the scheduler would
	// refuse is an error of the run. Capacity only.
	Refresh func(after simcore.Time) (at simcore.Time, changes []yarnconf.Change)
	// Warm is the state of the cluster with which the run begins, on YARN with the
	// Capacity Scheduler; nil = an empty cluster.
	Warm *yarn.Warm
	// SparkTrace, if not nil, receives what Spark applications do, on YARN.
	SparkTrace func(simcore.Time, yarn.SparkEvent)
	// Watch receives every change; nil = nobody.
	Watch func(Change)
}

// Change is a container or a task that came (Delta +1) or went (-1).
type Change struct {
	At     simcore.Time
	Job    simcore.JobID
	Node   simcore.NodeID
	Kind   simcore.Kind
	Master bool
	Delta  int    // of a reservation 0
	Event  string // "allocated", "released", "reserved", "unreserved", or the Hadoop 1 runtime's event
	Unit   int32  // the container's number within its job, or the task's index
	Lost   bool   // it ended before its work did
	Memory int64  // MiB asked for; 0 = slots
	// Pending is the memory that all applications request and have not been allocated, in MiB,
	// after this change; 0 where the scheduler does not report it.
	Pending int64
}

// Runner makes runs. It is safe for concurrent use: simulators come from pools,
// and equal items give equal results on any of them.
type Runner struct {
	Cluster  *simcore.Cluster
	Work     *simcore.Workload
	Notes    []string // what was assumed
	Warnings []string
	Unit     string // what holds a task: "containers" or "slots"

	spec    *sched.Spec
	ignored []string // parameters without effect
	opt     Options
	c       *scenario.Case
	windows []*simcore.Workload
	conf    configs[*yarnconf.Config] // of Capacity
	props   configs[yarnconf.Props]   // read by refreshes
	run     func(context.Context, Item) (*simcore.Result, error)
}

// New prepares runs of a case.
func New(c *scenario.Case, opt Options) (*Runner, error) {
	if opt.Scheduler == "" {
		opt.Scheduler = Capacity
	}
	spec, err := sched.Parse(opt.Scheduler)
	if err != nil {
		return nil, err
	}
	r := &Runner{Cluster: c.Cluster, Work: c.Work, Notes: c.Notes, Warnings: c.Warnings, spec: spec, opt: opt, c: c,
		windows: opt.Windows}
	if r.windows == nil {
		r.windows = []*simcore.Workload{c.Work}
	}
	switch spec.Entry.Name {
	case Capacity:
		return r, r.onCapacity()
	case Fair:
		return r, r.onFair()
	}
	return r, r.onSlots()
}

// Load reads the inputs of a scheduler and prepares its runs. Jobs stay in the
// queues that the trace names where there is a trace and the scheduler does not
// have its queues from a capacity-scheduler.xml.
func Load(in scenario.Files, dataset string, opt Options) (*Runner, error) {
	c, err := LoadCase(&in, dataset, opt)
	if err != nil {
		return nil, err
	}
	return New(c, opt)
}

// LoadCase reads the inputs of a scheduler, as Load does.
func LoadCase(in *scenario.Files, dataset string, opt Options) (*scenario.Case, error) {
	name, _, _ := strings.Cut(opt.Scheduler, ":")
	if OnYARN(opt.Scheduler) && opt.Shares+opt.Hints != "" {
		return nil, fmt.Errorf("--shares, --hints: need a scheduler of Hadoop 1, one of %s",
			strings.Join(sched.NamesOf(sched.MR1), ", "))
	}
	switch {
	case dataset != "":
		c, err := in.LoadSet(dataset)
		if err == nil && c.Doc == nil && (name == Capacity || name == Fair || name == "") {
			err = fmt.Errorf("data set %s has no capacity-scheduler.xml of YARN; use one of the schedulers %s", c.Set.Name,
				strings.Join(sched.NamesOf(sched.MR1), ", "))
		}
		return c, err
	case name == "capacity-mr1" && in.Config != "" && len(in.Traces) > 0:
		return in.LoadTraceQueues()
	case in.Config != "" || len(in.Traces) == 0 || name == Capacity || name == "" || name == Fair && opt.Allocations == "":
		return in.Load()
	}
	return in.LoadTraceQueues()
}

// OnYARN reports whether a scheduler's spec names one of YARN; an empty one does.
func OnYARN(spec string) bool {
	name, _, _ := strings.Cut(spec, ":")
	return name == "" || name == Capacity || name == Fair
}

// Name is the scheduler's spec as text.
func (r *Runner) Name() string { return r.opt.Scheduler }

// Workload returns the workload of a window, drawn ones included.
func (r *Runner) Workload(window int) *simcore.Workload {
	if window < len(r.windows) {
		return r.windows[window]
	}
	return r.opt.Draw(window - len(r.windows))
}

// Windows are the workloads that Item.Window chooses from, without drawn ones.
func (r *Runner) Windows() []*simcore.Workload { return r.windows }

// Run simulates once. It ends with the error of the context soon after that ends.
func (r *Runner) Run(ctx context.Context, it Item) (*simcore.Result, error) { return r.run(ctx, it) }

// RunNamed is Run with errors that name workload, scheduler and seed.
func (r *Runner) RunNamed(ctx context.Context, it Item) (*simcore.Result, error) {
	res, err := r.Run(ctx, it)
	if err != nil {
		return nil, fmt.Errorf("%s with %s, seed %d: %w", r.Work.Name, r.Name(), it.Seed, err)
	}
	return res, nil
}

// Value reads a metric; one without a value is NaN.
func Value(res *simcore.Result, name string) float64 {
	v, err := res.Value(name)
	if err != nil {
		return math.NaN()
	}
	return v
}
