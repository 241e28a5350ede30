// Package simulate runs one configuration, as often as asked, and hands out
// what happened: metrics with intervals, timelines, every event, and heartbeat
// logs. Both runtimes are behind one door: the Capacity Scheduler of Hadoop 2
// and 3 on the YARN runtime, all others on the Hadoop 1 runtime.
package simulate

import (
	"fmt"
	"math"
	"strings"

	"schedtune/datasets"
	"schedtune/internal/clusterfile"
	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// YARN is the scheduler that runs on the YARN runtime.
const YARN = "capacity"

// Request is what to simulate.
type Request struct {
	Inputs    study.Inputs
	Dataset   string // embedded set in place of Inputs; empty = Inputs
	Scheduler string // a spec such as "fair" or "coupling:threshold=3"; empty = YARN
	// Allocations is the fair-scheduler.xml of YARNFair; empty = equal weights.
	Allocations string
	Slowstart   float64 // negative: each job's own, else the default
	Model       simcore.Model
	Seed        uint64
	Runs        int // replications with the seeds Seed, Seed+1, …
	// Heartbeat is the interval of the rows of a heartbeat log.
	Heartbeat simcore.Time
}

// Change is a container or a task that came (Delta +1) or went (-1).
type Change struct {
	At     simcore.Time
	Job    simcore.JobID
	Node   simcore.NodeID
	Kind   simcore.Kind
	Master bool
	Delta  int
	Event  string // "allocated", "released", or the Hadoop 1 runtime's event
}

// Sim is a prepared simulation.
type Sim struct {
	Cluster  *simcore.Cluster
	Work     *simcore.Workload
	Notes    []string
	Warnings []string
	Unit     string // what a timeline counts: "containers" or "slots"

	name string
	req  Request
	set  *datasets.Set // what a data set says of users, classes and runs
	run  func(seed uint64, watch func(Change)) (*simcore.Result, error)
}

// Prepare loads the inputs and builds the run.
func Prepare(r Request) (*Sim, error) {
	if r.Scheduler == "" {
		r.Scheduler = YARN
	}
	if r.Runs < 1 {
		return nil, fmt.Errorf("replications: %d; allowed: 1 or more", r.Runs)
	}
	if r.Dataset != "" {
		return prepareSet(r)
	}
	if r.flat() {
		s := &Sim{name: r.Scheduler}
		if err := s.loadFlat(r.Inputs); err != nil {
			return nil, err
		}
		if r.Scheduler == YARNFair {
			return s, s.flatFair(r)
		}
		return s, s.onHadoop1(r, &datasets.Set{})
	}
	c, err := r.Inputs.Load()
	if err != nil {
		return nil, err
	}
	s := &Sim{Cluster: c.Cluster, Work: c.Work, Notes: c.Notes, Warnings: c.Warnings, name: r.Scheduler}
	switch r.Scheduler {
	case YARN:
		return s, s.onYARN(r, c.Doc, c.Calibration)
	case YARNFair:
		return s, s.onYARNFair(r, c.Doc, c.Calibration)
	}
	return s, s.onHadoop1(r, &datasets.Set{})
}

// flat reports whether jobs stay in the queues that the trace names: there is a
// trace, and no queue file of the Capacity Scheduler is asked for.
func (r *Request) flat() bool {
	if r.Inputs.Config != "" || len(r.Inputs.Traces) == 0 || r.Scheduler == YARN {
		return false
	}
	return r.Scheduler != YARNFair || r.Allocations != ""
}

// loadFlat loads a trace for a scheduler of Hadoop 1 without a queue file:
// queues are what the trace calls them.
func (s *Sim) loadFlat(in study.Inputs) error {
	t, err := trace.OpenAll(in.Traces, trace.Options{})
	if err != nil {
		return err
	}
	if err := s.loadCluster(in.Cluster, t); err != nil {
		return err
	}
	w, notes, err := t.Workload(trace.WorkloadOptions{Cluster: s.Cluster, Flat: true, Seed: 1})
	if err != nil {
		return err
	}
	for _, n := range append(t.Notes, notes...) {
		s.Notes = append(s.Notes, n.String())
	}
	s.Work = w
	return nil
}

// loadCluster takes the given machines, else those of the trace, else the
// embedded ones.
func (s *Sim) loadCluster(path string, t *trace.Trace) error {
	if path != "" {
		f, err := clusterfile.Load(path)
		if err != nil {
			return err
		}
		s.Cluster, s.Notes = f.Cluster, append(s.Notes, f.Notes...)
		return nil
	}
	if c, ok := t.Cluster(); ok {
		s.Cluster = c
		s.Notes = append(s.Notes, fmt.Sprintf("no --cluster: the %d machines recorded in the trace are taken", len(c.Nodes)))
		return nil
	}
	set, err := datasets.Load(study.DefaultSet)
	if err != nil {
		return err
	}
	s.Cluster = set.Cluster
	s.Notes = append(s.Notes, fmt.Sprintf("no --cluster: that of the embedded data set %q stands in", study.DefaultSet))
	return nil
}

// prepareSet simulates an embedded data set.
func prepareSet(r Request) (*Sim, error) {
	set, err := datasets.Load(r.Dataset)
	if err != nil {
		return nil, err
	}
	s := &Sim{Cluster: set.Cluster, Work: set.Workload, name: r.Scheduler}
	if !OnYARN(r.Scheduler) {
		return s, s.onHadoop1(r, set)
	}
	if set.ConfigXML == nil || set.Config.Model == simcore.Resources {
		return nil, fmt.Errorf("data set %s has no capacity-scheduler.xml of YARN; allowed schedulers: %s", set.Name, strings.Join(sched.Names(), ", "))
	}
	doc, err := yarnconf.Parse("capacity-scheduler.xml (embedded)", set.ConfigXML)
	if err != nil {
		return nil, err
	}
	if r.Scheduler == YARNFair {
		return s, s.onYARNFair(r, doc, yarn.Default())
	}
	return s, s.onYARN(r, doc, yarn.Default())
}

// With returns a simulation of the same inputs under another scheduler of
// Hadoop 1. The two share what is read-only and may run at the same time.
func (s *Sim) With(spec string) (*Sim, error) {
	if s.set == nil {
		return nil, fmt.Errorf("the inputs were prepared for %s; allowed: a scheduler of Hadoop 1", s.name)
	}
	r := s.req
	r.Scheduler = spec
	out := &Sim{Cluster: s.Cluster, Work: s.Work, name: spec}
	return out, out.onHadoop1(r, s.set)
}

// onYARN builds runs of the Capacity Scheduler.
func (s *Sim) onYARN(r Request, doc *yarnconf.Document, cal *yarn.Calibration) error {
	conf, errs := yarnconf.Evaluate(doc)
	if len(errs) > 0 {
		return errs[0]
	}
	sim, err := yarn.NewSim(s.Cluster, s.Work, yarn.Options{ScheduleCPU: conf.Calculator.Dominant})
	if err != nil {
		return err
	}
	s.Unit = "containers"
	s.run = func(seed uint64, watch func(Change)) (*simcore.Result, error) {
		scheduler, err := capacity.New(conf)
		if err != nil {
			return nil, err
		}
		cfg := s.yarnConfig(r, seed, cal, watch)
		cfg.PreemptEvery = yarn.PreemptionInterval(conf.Preemption.Enabled, conf.Preemption.MonitoringInterval)
		return sim.Run(cfg, scheduler)
	}
	return nil
}

// onHadoop1 builds runs of a slot scheduler.
// A data set brings its users' grants, the queue file of its Hadoop 1 capacity
// scheduler and the run of its experiments; a model asked for wins over the
// set's.
func (s *Sim) onHadoop1(r Request, set *datasets.Set) error {
	s.req, s.set = r, set
	spec, err := sched.Parse(r.Scheduler)
	if err != nil {
		return err
	}
	cluster, note := withSlots(s.Cluster)
	if note != "" {
		s.Cluster = cluster
		s.Notes = append(s.Notes, note)
	}
	options, err := optionsOf(set)
	if err != nil {
		return err
	}
	if r.Slowstart >= 0 {
		s.Work = withSlowstart(s.Work, r.Slowstart)
	}
	s.Unit = "slots"
	sim := mr1.NewSim()
	s.run = func(seed uint64, watch func(Change)) (*simcore.Result, error) {
		o := options
		o.Seed = seed
		scheduler, err := spec.New(o)
		if err != nil {
			return nil, err
		}
		cfg := set.Config
		if cfg.Model == simcore.Replay {
			cfg.Replication = 3
		}
		if r.Model != simcore.Replay {
			cfg.Model = r.Model
		}
		cfg.Seed, cfg.Pool, cfg.Shares, cfg.TrackOutput = seed, spec.Entry.Pool, o.Grants, true
		if watch != nil {
			cfg.Trace = func(at simcore.Time, e mr1.Event) { watch(changeOf(at, e)) }
		}
		return sim.Run(cfg, s.Cluster, s.Work, scheduler)
	}
	return nil
}

// optionsOf turns what a data set says of its users, classes and queues into a
// scheduler's options.
func optionsOf(set *datasets.Set) (sched.Options, error) {
	var o sched.Options
	for _, p := range set.Pools {
		o.Grants = append(o.Grants, simcore.UserShare{MinShare: int32(p.MinShare), Weight: p.Weight})
	}
	for _, p := range set.Profiles {
		o.Hints = append(o.Hints, sched.JobHint{Map: p.Usage, Reduce: p.Usage, Load: [2]float64{p.Load, p.Load}})
	}
	if set.ConfigXML == nil {
		return o, nil
	}
	doc, err := yarnconf.Parse("capacity-scheduler.xml (embedded)", set.ConfigXML)
	if err != nil || !yarnconf.IsMR1(doc) {
		return o, err
	}
	m, errs := yarnconf.EvaluateMR1(doc)
	if len(errs) > 0 {
		return o, errs[0]
	}
	o.MR1 = sched.MR1FromConf(m)
	return o, nil
}

// changeOf turns an event of the Hadoop 1 runtime into a Change; Delta is 0
// for what moves no slot.
func changeOf(at simcore.Time, e mr1.Event) Change {
	c := Change{At: at, Job: e.Task.Job, Node: e.Node, Kind: e.Task.Kind, Event: e.Kind.String()}
	switch e.Kind {
	case mr1.TaskStarted:
		c.Delta = 1
	case mr1.TaskFinished, mr1.TaskFailed, mr1.TaskKilled:
		c.Delta = -1
	case mr1.NodeLost, mr1.NodeBack:
		c.Job = simcore.None
	}
	return c
}

// withSlots gives nodes without slots some, as administrators of Hadoop 1 did:
// one slot per GiB or per core, whichever is fewer, two thirds of them for
// maps, at least one of each.
func withSlots(c *simcore.Cluster) (*simcore.Cluster, string) {
	missing := 0
	for i := range c.Nodes {
		if c.Nodes[i].Slots == (simcore.Vec{}) {
			missing++
		}
	}
	if missing == 0 {
		return c, ""
	}
	out := *c
	out.Nodes = append([]simcore.Node(nil), c.Nodes...)
	for i := range out.Nodes {
		n := &out.Nodes[i]
		if n.Slots == (simcore.Vec{}) {
			all := max(2, min(n.Capacity[simcore.Memory]/1024, n.Capacity[simcore.VCores]))
			n.Slots = simcore.Vec{max(1, all*2/3), 0}
			n.Slots[simcore.ReduceSlots] = max(1, all-n.Slots[simcore.MapSlots])
		}
	}
	return &out, fmt.Sprintf("assumed: %d nodes without slots get one per GiB or core, whichever is fewer, two thirds for maps", missing)
}

// withSlowstart sets every job's slowstart.
func withSlowstart(w *simcore.Workload, v float64) *simcore.Workload {
	out := *w
	out.Jobs = append([]simcore.Job(nil), w.Jobs...)
	for i := range out.Jobs {
		out.Jobs[i].Slowstart = v
	}
	return &out
}

// Name is the scheduler's spec.
func (s *Sim) Name() string { return s.name }

// Run simulates once; watch, which may be nil, is told of every change.
func (s *Sim) Run(seed uint64, watch func(Change)) (*simcore.Result, error) {
	res, err := s.run(seed, watch)
	if err != nil {
		return nil, fmt.Errorf("%s with %s, seed %d: %w", s.Work.Name, s.name, seed, err)
	}
	return res, nil
}

// Timeline records changes for a report.
func (s *Sim) Timeline(rec *report.Recorder) func(Change) {
	return func(c Change) {
		switch {
		case c.Delta == 0:
		case c.Master:
			rec.Container(c.At, c.Job, float64(c.Delta))
		default:
			rec.Task(c.At, c.Job, c.Kind, float64(c.Delta))
		}
	}
}

// Value reads a metric; unknown figures are NaN.
func Value(res *simcore.Result, name string) float64 {
	v, err := res.Value(name)
	if err != nil {
		return math.NaN()
	}
	return v
}
