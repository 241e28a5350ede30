package simulate

import (
	"context"
	"fmt"
	"sync"

	"schedtune/datasets"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
	"schedtune/yarnconf"
)

// onSlots prepares runs of a scheduler of Hadoop 1. A data set brings its users'
// grants, the queue file of its Hadoop 1 Capacity Scheduler and the configuration
// of its experiments; a model asked for wins over the set's.
func (r *Runner) onSlots() error {
	for i := range r.Work.Jobs {
		if j := &r.Work.Jobs[i]; j.Spark != nil || j.Tez != nil {
			return fmt.Errorf("%s is a Spark or Tez application, and %s a scheduler of Hadoop 1, which runs none; use "+
				"%s, %s, or a trace without such applications", j.ID, r.spec.Entry.Name, Capacity, Fair)
		}
	}
	if !r.Cluster.Still() {
		r.Notes = append(r.Notes,
			"nodes that come and go are simulated on YARN only: with "+r.spec.Entry.Name+" they stay as at the start")
	}
	set := r.c.Set
	if set == nil {
		set = &datasets.Set{}
	}
	cluster, note := withSlots(r.Cluster)
	if note != "" {
		r.Cluster, r.Notes = cluster, append(r.Notes, note)
	}
	base, err := SlotsOf(set)
	if err != nil {
		return err
	}
	if err := r.given(&base); err != nil {
		return err
	}
	if base.Config.Model == simcore.Replay {
		base.Config.Replication = 3
	}
	if r.opt.Model != simcore.Replay {
		base.Config.Model = r.opt.Model
	}
	r.Unit = "slots"
	var sims sync.Pool // of *mr1.Sim
	r.run = func(ctx context.Context, it Item) (*simcore.Result, error) {
		cfg, scheduler, err := base.Run(r.with(it.Values), it.Seed)
		if err != nil {
			return nil, err
		}
		if it.Watch != nil {
			cfg.Trace = func(at simcore.Time, e mr1.Event) { it.Watch(ofEvent(at, e)) }
		}
		work := r.windows[it.Window]
		if it.Slowstart >= 0 {
			work = withSlowstart(work, it.Slowstart)
		}
		sim, _ := sims.Get().(*mr1.Sim)
		if sim == nil {
			sim = mr1.NewSim()
		}
		defer sims.Put(sim)
		return sim.RunContext(ctx, cfg, r.Cluster, work, scheduler)
	}
	return nil
}

// with is the spec with some of its values replaced.
func (r *Runner) with(values sched.Values) *sched.Spec {
	if len(values) == 0 {
		return r.spec
	}
	return r.spec.With(values)
}

// Slots holds what all runs of a data set on the Hadoop 1 runtime share.
type Slots struct {
	Options sched.Options // users' grants, job hints and the queues of the set's file
	Config  mr1.Config
}

// SlotsOf derives the options of schedulers and the configuration of runs from a data set:
// its shares are the kernel's too.
func SlotsOf(set *datasets.Set) (Slots, error) {
	s := Slots{Options: sched.Options{ByLack: set.ByLack, Grants: set.Shares, Hints: set.Hints}, Config: set.Config}
	s.Config.Shares, s.Config.TrackOutput = s.Options.Grants, true
	if set.ConfigXML == nil {
		return s, nil
	}
	doc, err := yarnconf.Parse("capacity-scheduler.xml (embedded)", set.ConfigXML)
	if err != nil || !yarnconf.IsMR1(doc) {
		return s, err
	}
	m, err := yarnconf.EvaluateMR1(doc)
	if err != nil {
		return s, err
	}
	s.Options.MR1 = m
	return s, nil
}

// Run returns the configuration and the scheduler of one run.
func (s Slots) Run(spec *sched.Spec, seed uint64) (mr1.Config, mr1.Scheduler, error) {
	s.Options.Seed, s.Config.Seed = seed, seed
	s.Config.Pool = s.Config.Pool || spec.Entry.Pool
	scheduler, err := spec.New(s.Options)
	return s.Config, scheduler, err
}

// ofEvent turns an event of the Hadoop 1 runtime into a Change; Delta is 0 for
// what moves no slot.
func ofEvent(at simcore.Time, e mr1.Event) Change {
	c := Change{At: at, Job: e.Task.Job, Node: e.Node, Kind: e.Task.Kind, Event: e.Kind.String(), Unit: e.Task.Index}
	switch e.Kind {
	case mr1.TaskStarted:
		c.Delta = 1
	case mr1.TaskFinished, mr1.TaskFailed, mr1.TaskKilled:
		c.Delta, c.Lost = -1, e.Kind == mr1.TaskKilled
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
	return &out, fmt.Sprintf("assumed: %d nodes without slots get one per GiB or core, whichever is fewer, two thirds "+
		"for maps", missing)
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
