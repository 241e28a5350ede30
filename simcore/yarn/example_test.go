package yarn_test

import (
	"fmt"

	"schedtune/datasets"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// The embedded workload under the Capacity Scheduler with its queue file.
func Example() {
	set, err := datasets.Load("default")
	if err != nil {
		panic(err)
	}
	doc, err := yarnconf.Parse("capacity-scheduler.xml", set.ConfigXML)
	if err != nil {
		panic(err)
	}
	conf, err := yarnconf.Evaluate(doc)
	if err != nil {
		panic(err)
	}
	scheduler, err := capacity.New(conf)
	if err != nil {
		panic(err)
	}
	sim, err := yarn.NewSim(set.Cluster, set.Workload, yarn.Options{})
	if err != nil {
		panic(err)
	}
	result, err := sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1}, scheduler)
	if err != nil {
		panic(err)
	}
	makespan, _ := result.Value("makespan")
	fmt.Printf("%d jobs, makespan %.0f s\n", len(result.Jobs), makespan)
	// Output: 88 jobs, makespan 4400 s
}
