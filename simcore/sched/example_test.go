package sched_test

import (
	"fmt"

	"schedtune/datasets"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// A paper's data set under a scheduler that is named by a spec.
func Example() {
	set, err := datasets.Load("coupling-sequence")
	if err != nil {
		panic(err)
	}
	scheduler, err := sched.New("coupling:threshold=3", sched.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	cfg := set.Config
	cfg.Seed, cfg.TrackOutput = 1, true
	result, err := mr1.Run(cfg, set.Cluster, set.Workload, scheduler)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d jobs, %d maps\n", len(result.Jobs), result.Total.Finished[simcore.Map])
	// Output: 22 jobs, 2150 maps
}

// A queue file under the Capacity Scheduler of YARN, whose masters ask for reduces when
// OMO's lazy start says so.
func ExampleSpec_NewYARN() {
	set, err := datasets.Load("default-1")
	if err != nil {
		panic(err)
	}
	doc, err := yarnconf.Parse("capacity-scheduler.xml", set.ConfigXML)
	if err != nil {
		panic(err)
	}
	queues, err := yarnconf.Evaluate(doc)
	if err != nil {
		panic(err)
	}
	sim, err := yarn.NewSim(set.Cluster, set.Workload, yarn.Options{})
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"capacity", "capacity:reduces=omo"} {
		spec, err := sched.Parse(name)
		if err != nil {
			panic(err)
		}
		scheduler, err := spec.NewYARN(sched.YARNOptions{Queues: queues})
		if err != nil {
			panic(err)
		}
		policies, err := spec.Policies(1)
		if err != nil {
			panic(err)
		}
		result, err := sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1, Policies: policies}, scheduler)
		if err != nil {
			panic(err)
		}
		makespan, _ := result.Value("makespan")
		fmt.Printf("%s: %d jobs, makespan %.0f s\n", spec, len(result.Jobs), makespan)
	}
	// Output:
	// capacity: 88 jobs, makespan 4400 s
	// capacity:reduces=omo: 88 jobs, makespan 3232 s
}

func ExampleParse() {
	spec, err := sched.Parse("coupling:threshold=3,beta=0.5")
	fmt.Println(spec, err)
	_, err = sched.Parse("fifo:slowstart=2")
	fmt.Println(err)
	// Output:
	// coupling:beta=0.5 <nil>
	// scheduler fifo: slowstart=2: must be a number from 0 to 1
}
