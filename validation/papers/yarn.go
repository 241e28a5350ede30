package papers

import (
	"fmt"
	"slices"
	"strconv"

	"schedtune/fairconf"
	"schedtune/simcore"
	"schedtune/simcore/sched/yarnfair"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// runYARN simulates the trial's set under YARN's Fair Scheduler (OMO, table 6): nodes of
// 40 GB and eight vcores; a map or reduce takes two vcores, so that four run at a time, and
// the given memory in GB; slowstart and the ramp-up limit of reduces are YARN's defaults.
func (r *runner) runYARN(t *trial, memory string, seed uint64) (*simcore.Result, error) {
	gb, err := strconv.ParseInt(memory, 10, 64)
	if err != nil {
		return nil, err
	}
	work := *t.set.Workload
	work.Queues, work.Jobs = []string{"root.default"}, slices.Clone(work.Jobs)
	for i := range work.Jobs {
		j := &work.Jobs[i]
		j.MapAsk, j.ReduceAsk, j.AMAsk = simcore.Vec{gb << 10, 2}, simcore.Vec{gb << 10, 2}, simcore.Vec{1536, 1}
	}
	site, errs := fairconf.ReadSite(yarnconf.Map{})
	if len(errs) > 0 {
		return nil, errs[0]
	}
	scheduler, err := yarnfair.New(fairconf.Equal(work.Queues), site)
	if err != nil {
		return nil, err
	}
	sim, err := yarn.NewSim(t.set.Cluster, &work, yarn.Options{ScheduleCPU: true})
	if err != nil {
		return nil, err
	}
	cfg := yarn.RunConfig{
		Seed: seed, Slowstart: -1, Resource: t.set.Config.Resource,
		Jitter: yarn.Jitter{Arrivals: true, Launch: true, Phases: true},
	}
	cfg.Durations.Model = simcore.Resources
	res, err := sim.RunContext(r.ctx, cfg, scheduler)
	if err != nil {
		return nil, fmt.Errorf("data set %s under YARN, seed %d: %w", t.set.Name, seed, err)
	}
	return res, nil
}
