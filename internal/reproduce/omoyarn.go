package reproduce

import (
	"fmt"
	"slices"

	"schedtune/datasets"
	"schedtune/fairconf"
	"schedtune/simcore"
	"schedtune/simcore/sched/yarnfair"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// OMO, table 6: the eight TeraSorts under YARN's Fair Scheduler. Nodes of 40 GB
// and eight vcores; a map or reduce takes two vcores, so that four run at a
// time, and 2 to 8 GB; slowstart and the ramp-up limit of reduces are YARN's
// defaults.

// omoYARN returns the makespans with tasks of the given memory in GB.
func (r *runner) omoYARN(memory int64) ([]float64, error) {
	set, err := r.load("omo-terasort")
	if err != nil {
		return nil, err
	}
	work := withAsks(set.Workload, simcore.Vec{memory << 10, 2}, simcore.Vec{1536, 1})
	site, errs := fairconf.ReadSite(yarnconf.Map{})
	if len(errs) > 0 {
		return nil, errs[0]
	}
	m := make([]float64, r.replications(omoReps))
	err = r.each(len(m), func(i int) error {
		m[i], err = yarnMakespan(set, work, site, r.opt.Seed+uint64(i))
		return err
	})
	r.tell(fmt.Sprintf("OMO table 6, YARN with %d GB", memory))
	return m, err
}

// withAsks is the workload with container sizes.
func withAsks(w *simcore.Workload, task, master simcore.Vec) *simcore.Workload {
	out := *w
	out.Queues, out.Jobs = []string{"root.default"}, slices.Clone(w.Jobs)
	for i := range out.Jobs {
		j := &out.Jobs[i]
		j.MapAsk, j.ReduceAsk, j.AMAsk = task, task, master
	}
	return &out
}

// yarnMakespan runs the set's machines under YARN's Fair Scheduler.
func yarnMakespan(set *datasets.Set, work *simcore.Workload, site *fairconf.Site, seed uint64) (float64, error) {
	scheduler, err := yarnfair.New(fairconf.Equal(work.Queues), site)
	if err != nil {
		return 0, err
	}
	sim, err := yarn.NewSim(set.Cluster, work, yarn.Options{ScheduleCPU: true})
	if err != nil {
		return 0, err
	}
	cfg := yarn.RunConfig{
		Seed: seed, Slowstart: -1, Resource: set.Config.Resource,
		Jitter: yarn.Jitter{Arrivals: true, Launch: true, Phases: true},
	}
	cfg.Durations.Model = simcore.Resources
	res, err := sim.Run(cfg, scheduler)
	if err != nil {
		return 0, fmt.Errorf("data set %s under YARN, seed %d: %w", set.Name, seed, err)
	}
	return res.Value("makespan")
}
