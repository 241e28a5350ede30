package simulate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"schedtune/fairconf"
	"schedtune/simcore"
	"schedtune/simcore/sched"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// configs holds what queue files with changes are read into, by the changes.
type configs[T any] struct {
	mu   sync.Mutex
	read map[string]T
}

// maxConfigs bounds the files that are kept: a long search must not grow without end.
const maxConfigs = 4096

// of reads the queue file with changes, once per changes.
func (c *configs[T]) of(changes []yarnconf.Change, read func() (T, error)) (T, error) {
	key := fmt.Sprint(changes)
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.read[key]; ok {
		return v, nil
	}
	v, err := read()
	if err != nil {
		return v, err
	}
	if c.read == nil || len(c.read) >= maxConfigs {
		c.read = map[string]T{}
	}
	c.read[key] = v
	return v, nil
}

// Config evaluates the queue file with changes, once per changes.
func (r *Runner) Config(changes []yarnconf.Change) (*yarnconf.Config, error) {
	return r.conf.of(changes, func() (*yarnconf.Config, error) {
		doc, err := r.c.Doc.EditValid(changes)
		if err != nil {
			return nil, err
		}
		return yarnconf.Evaluate(doc)
	})
}

// Props returns the queue file with changes, as a refresh of the queues reads it, once per changes.
func (r *Runner) Props(changes []yarnconf.Change) (yarnconf.Props, error) {
	return r.props.of(changes, func() (yarnconf.Props, error) { return r.c.Doc.EditValid(changes) })
}

// onCapacity prepares runs of the Capacity Scheduler.
func (r *Runner) onCapacity() error {
	conf, err := r.Config(nil)
	if err != nil {
		return err
	}
	return r.onYARN(conf.Calculator.Dominant, func(it Item) (sched.YARNOptions, simcore.Time, error) {
		conf, err := r.Config(it.Changes)
		if err != nil {
			return sched.YARNOptions{}, 0, err
		}
		return sched.YARNOptions{Queues: conf}, yarn.PreemptionInterval(conf.Preemption.Enabled,
			conf.Preemption.MonitoringInterval), nil
	})
}

// defaultRounds is the interval of the Fair Scheduler's preemption, in ms.
const defaultRounds = 3000

// onFair prepares runs of YARN's Fair Scheduler.
func (r *Runner) onFair() error {
	alloc, site, err := r.allocations()
	if err != nil {
		return err
	}
	o := sched.YARNOptions{Allocations: alloc, Site: site}
	return r.onYARN(true, func(Item) (sched.YARNOptions, simcore.Time, error) {
		return o, yarn.PreemptionInterval(site.Preemption, defaultRounds), nil
	})
}

// onYARN prepares runs on the YARN runtime. configure gives the scheduler's
// configuration for an item and the interval of its preemption rounds; cpu tells
// that its calculator looks at vcores.
func (r *Runner) onYARN(cpu bool, configure func(Item) (sched.YARNOptions, simcore.Time, error)) error {
	r.Unit = "containers"
	y := &yarnRuns{Runner: r, configure: configure, opt: yarn.Options{ScheduleCPU: cpu, Times: r.opt.Times}}
	y.pools = make([]sync.Pool, len(r.windows)+r.opt.Drawn)
	if r.opt.Slowdowns {
		y.idle = r.newAlone(len(y.pools), y.opt)
	}
	for w := range r.windows {
		sim, err := y.sim(w)
		if err != nil {
			return err
		}
		y.first = append(y.first, sim)
	}
	r.run = y.run
	return nil
}

// yarnRuns makes runs on the YARN runtime.
type yarnRuns struct {
	*Runner
	configure func(Item) (sched.YARNOptions, simcore.Time, error)
	opt       yarn.Options
	idle      *alone
	pools     []sync.Pool // of *yarn.Sim, by window
	first     []*yarn.Sim // of windows that are not drawn: the pool has twins of it, it makes no run itself
}

// sim is a simulation of a window that is not in use, or a new one.
func (y *yarnRuns) sim(window int) (*yarn.Sim, error) {
	if sim, ok := y.pools[window].Get().(*yarn.Sim); ok {
		return sim, nil
	}
	if window < len(y.first) {
		return y.first[window].Twin(), nil
	}
	return yarn.NewSim(y.Cluster, y.c.WithStanding(y.idle.with(window, y.Workload(window))), y.opt)
}

func (y *yarnRuns) run(ctx context.Context, it Item) (*simcore.Result, error) {
	o, rounds, err := y.configure(it)
	if err != nil {
		return nil, err
	}
	scheduler, err := y.spec.NewYARN(o)
	if err != nil {
		return nil, err
	}
	sim, err := y.sim(it.Window)
	if err != nil {
		return nil, err
	}
	defer y.pools[it.Window].Put(sim)
	cfg, err := y.yarnConfig(&it, cmp.Or(rounds, it.PreemptEvery), scheduler)
	if err != nil {
		return nil, err
	}
	res, err := sim.RunContext(ctx, cfg, scheduler)
	jobs := len(y.Workload(it.Window).Jobs)
	if times := sim.JobTimes(); it.Times != nil && len(times) >= jobs { // none of a run that was refused
		*it.Times = append((*it.Times)[:0], times[:jobs]...)
	}
	return res, err
}

// yarnConfig is what a run of an item needs beside scheduler, cluster and workload;
// rounds is the interval of preemption rounds.
func (r *Runner) yarnConfig(it *Item, rounds simcore.Time, scheduler yarn.Scheduler) (yarn.RunConfig, error) {
	cfg := yarn.RunConfig{Seed: it.Seed, Slowstart: it.Slowstart, Defaults: it.Defaults, Calibration: r.c.Calibration,
		Jitter: r.opt.Jitter, PreemptEvery: rounds, Recorded: it.Recorded, Warm: it.Warm, SparkTrace: it.SparkTrace}
	var err error
	if cfg.Policies, err = r.with(it.Values).Policies(it.Seed); err != nil {
		return yarn.RunConfig{}, err
	}
	cfg.Durations.Model = r.opt.Model
	if it.Look != nil {
		cfg.Look, cfg.LookAt = func() bool { return it.Look(scheduler) }, it.LookAt
	}
	if err := r.refreshing(&cfg, it, scheduler); err != nil {
		return yarn.RunConfig{}, err
	}
	if it.Watch != nil {
		jobs := simcore.JobID(len(r.Workload(it.Window).Jobs))
		t := tracer{reserved: map[simcore.NodeID]Change{}, watch: func(c Change) {
			if c.Job < jobs { // of no standing load
				it.Watch(c)
			}
		}}
		t.load, _ = scheduler.(yarn.Loader)
		cfg.Trace, cfg.Reservations = t.container, t.reservation
	}
	return cfg, nil
}

// tracer tells a watcher of containers, and of reservations when they begin and
// when they are over.
type tracer struct {
	watch    func(Change)
	load     yarn.Loader               // nil: not reported
	reserved map[simcore.NodeID]Change // a node keeps one at a time
}

func (t *tracer) container(at simcore.Time, c yarn.ContainerChange) {
	event := "allocated"
	if c.Delta < 0 {
		event = "released"
		if c.Master {
			t.ended(at, c.Job)
		}
	}
	change := Change{At: at, Job: c.Job, Node: c.Node, Kind: c.Kind, Master: c.Master, Delta: int(c.Delta), Event: event,
		Unit: c.Ordinal, Lost: c.Lost, Memory: c.Size.Memory}
	if t.load != nil {
		pending, _, _ := t.load.Load()
		change.Pending = pending.Memory
	}
	t.watch(change)
}

func (t *tracer) reservation(at simcore.Time, r yarn.Reservation) {
	if old, ok := t.reserved[r.Node]; !r.Held || ok && old.Job != r.Job {
		t.over(at, r.Node)
	} else if ok {
		return // confirmed
	}
	if r.Held {
		c := Change{At: at, Job: r.Job, Node: r.Node, Event: "reserved", Memory: r.Size.Memory}
		t.reserved[r.Node] = c
		t.watch(c)
	}
}

// over ends the reservation of a node.
func (t *tracer) over(at simcore.Time, n simcore.NodeID) {
	if c, ok := t.reserved[n]; ok {
		delete(t.reserved, n)
		c.At, c.Event = at, "unreserved"
		t.watch(c)
	}
}

// ended ends the reservations of a job, in order of nodes.
func (t *tracer) ended(at simcore.Time, j simcore.JobID) {
	for _, n := range slices.Sorted(maps.Keys(t.reserved)) {
		if t.reserved[n].Job == j {
			t.over(at, n)
		}
	}
}

// allocations reads the allocation file, or gives equal weights to the
// workload's queues, and the properties.
func (r *Runner) allocations() (*fairconf.Allocations, *fairconf.Site, error) {
	site, errs := fairconf.ReadSite(r.c.Props)
	if len(errs) > 0 {
		return nil, nil, errs[0]
	}
	path := r.opt.Allocations
	if path == "" {
		r.Notes = append(r.Notes, fmt.Sprintf("%s without --allocations: the queues of the workload have equal weights",
			Fair))
		return fairconf.Equal(r.Work.Queues), site, nil
	}
	a, err := fairconf.Load(path)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range a.Warnings {
		r.Warnings = append(r.Warnings, w.Error())
	}
	var made []string
	for _, q := range r.Work.Queues {
		if !a.Configured(fairconf.FullPath(q)) {
			made = append(made, q)
		}
	}
	if len(made) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s names no queue %s: the placement rules decide", path,
			strings.Join(made, ", ")))
	}
	for _, w := range a.Access {
		r.Warnings = append(r.Warnings, "not simulated: "+w.Error())
	}
	return a, site, nil
}
