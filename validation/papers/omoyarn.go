package papers

import (
	"context"
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

// heapRun is the share of a container's memory that one sorted run of a reduce has where
// the heap follows the container: of the heap's 0.8 (MAPREDUCE-5785, Hadoop 3) the 0.7 of
// mapreduce.reduce.shuffle.input.buffer.percent, of it the 0.66 of .merge.percent.
const heapRun = 0.8 * 0.7 * 0.66

const omoHeapReps = 30

// omoHeap runs table 6 with heaps that follow the containers' memory, in both systems: a
// quarter of a node's under OMO, which has four containers.
func omoHeap(r *runner) ([]Section, error) {
	s := Section{Paper: "omo", ID: "experiment heap", Title: "What would have to hold: the heaps follow the containers' memory", Source: "OMO, section V.D.3",
		Setup: "table 6 with reduces that merge runs of 0.37 of their container's memory (Hadoop 3's defaults) in place of 100 MB, OMO's a quarter of the node's 40 GB: those of 2 GB make more than ten runs of their 10 GB and merge once more; 30 replications, as runs on YARN vary by a tenth; " + afterwards}
	changed := r.under(changedSets(func(ds *datasets.Set) *datasets.Set {
		out := *ds
		out.Config.Resource.SpillBuffer = int64(heapRun * float64(ds.Cluster.Nodes[0].Capacity[0]<<20) / 4)
		return &out
	}))
	changed.heap, changed.opt.Replications = true, r.replications(omoHeapReps)
	err := s.whatIf(r, changed, "table 6")
	return []Section{s}, err
}

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
	err = r.each(len(m), func(i int) (err error) {
		resource := set.Config.Resource
		if r.heap {
			resource.SpillBuffer = int64(heapRun * float64(memory<<30))
		}
		m[i], err = yarnMakespan(r.ctx, set, work, site, resource, r.opt.Seed+uint64(i))
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
func yarnMakespan(ctx context.Context, set *datasets.Set, work *simcore.Workload, site *fairconf.Site, resource simcore.ResourceConfig, seed uint64) (float64, error) {
	scheduler, err := yarnfair.New(fairconf.Equal(work.Queues), site)
	if err != nil {
		return 0, err
	}
	sim, err := yarn.NewSim(set.Cluster, work, yarn.Options{ScheduleCPU: true})
	if err != nil {
		return 0, err
	}
	cfg := yarn.RunConfig{
		Seed: seed, Slowstart: -1, Resource: resource,
		Jitter: yarn.Jitter{Arrivals: true, Launch: true, Phases: true},
	}
	cfg.Durations.Model = simcore.Resources
	res, err := sim.RunContext(ctx, cfg, scheduler)
	if err != nil {
		return 0, fmt.Errorf("data set %s under YARN, seed %d: %w", set.Name, seed, err)
	}
	return res.Value("makespan")
}
