package simcore_test

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
)

// One job of four maps of 10 s on a node with two map slots: two waves, the
// first at the node's first heartbeat, 0.3 s after the submission.
func Example() {
	cluster := &simcore.Cluster{Racks: []string{"/rack"}, Nodes: []simcore.Node{{Name: "n1", Slots: simcore.Vec{2, 1}}}}
	work := &simcore.Workload{
		Name: "example", Queues: []string{"default"}, Users: []string{"alice"},
		Jobs:  []simcore.Job{{ID: "job_1", Maps: 4, FirstTask: -1, Class: -1, MapDist: 0, ReduceDist: -1}},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}},
	}
	fifo, err := sched.New("fifo", sched.Options{})
	if err != nil {
		panic(err)
	}
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, OutOfBand: true}
	result, err := mr1.Run(cfg, cluster, work, fifo)
	if err != nil {
		panic(err)
	}
	makespan, err := result.Value("makespan")
	fmt.Printf("%.1f s, %d maps finished, %v\n", makespan, result.Total.Finished[simcore.Map], err)
	// Output: 20.3 s, 4 maps finished, <nil>
}
