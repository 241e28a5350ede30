package mr1_test

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// newestFirst launches a map of the job that was submitted last.
type newestFirst struct{}

func (newestFirst) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	newest := simcore.JobID(simcore.None)
	for j := range v.Waiting(simcore.Map) {
		newest = max(newest, j)
	}
	if newest == simcore.None || v.Free(n, simcore.Map) == 0 {
		return simcore.Task{}, false
	}
	return simcore.Task{Job: newest, Kind: simcore.Map, Index: simcore.AnyTask}, true
}

// A scheduler needs one method. Of three jobs of one map each, submitted within a
// second to a node with one slot, the first takes the slot and the last comes next.
func ExampleScheduler() {
	cluster := &simcore.Cluster{Racks: []string{"/rack"}, Nodes: []simcore.Node{{Name: "n1", Slots: simcore.Vec{1, 1}}}}
	work := &simcore.Workload{Name: "three jobs", Queues: []string{"default"}, Users: []string{"ann"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}}}
	for i := range simcore.Time(3) {
		work.Jobs = append(work.Jobs, simcore.Job{ID: fmt.Sprintf("job%d", i), Submit: i * simcore.Second / 2, Maps: 1,
			FirstTask: -1, Class: -1, ReduceDist: -1})
	}
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, OutOfBand: true}
	result, err := mr1.Run(cfg, cluster, work, newestFirst{})
	if err != nil {
		panic(err)
	}
	for _, j := range result.Jobs {
		fmt.Printf("%s ends at %.1f s\n", work.Jobs[j.Job].ID, j.Finish.Seconds())
	}
	// Output:
	// job0 ends at 10.3 s
	// job1 ends at 30.3 s
	// job2 ends at 20.3 s
}
