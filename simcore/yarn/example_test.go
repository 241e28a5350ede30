package yarn_test

import (
	"fmt"

	"schedtune/datasets"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// must returns v and panics on an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Simulate the embedded workload under the Capacity Scheduler with its queue file.
func Example() {
	set := must(datasets.Load("default-1"))
	doc := must(yarnconf.Parse("capacity-scheduler.xml", set.ConfigXML))
	scheduler := must(capacity.New(must(yarnconf.Evaluate(doc))))
	sim := must(yarn.NewSim(set.Cluster, set.Workload, yarn.Options{}))
	result := must(sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1}, scheduler))
	makespan, _ := result.Value("makespan")
	fmt.Printf("%d jobs, makespan %.0f s\n", len(result.Jobs), makespan)
	// Output: 88 jobs, makespan 4400 s
}
