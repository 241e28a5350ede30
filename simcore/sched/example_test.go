package sched_test

import (
	"fmt"

	"schedtune/datasets"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
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

func ExampleParse() {
	spec, err := sched.Parse("coupling:threshold=3,beta=0.5")
	fmt.Println(spec, err)
	_, err = sched.Parse("fifo:slowstart=2")
	fmt.Println(err)
	// Output:
	// coupling:beta=0.5 <nil>
	// scheduler fifo: slowstart=2; allowed: numbers from 0 to 1
}
