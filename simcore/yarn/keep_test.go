package yarn_test

import (
	"slices"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Queues made on first use go again after the expiry time: ann's, which had a job
// at the beginning only, and not bob's, which has one at the end. A second run on
// the same instances is the same.
func TestQueuesComeAndGo(t *testing.T) {
	const policies = "<property><name>yarn.resourcemanager.scheduler.monitor.enable</name><value>true</value></property>" +
		"<property><name>yarn.resourcemanager.scheduler.monitor.policies</name><value>org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AutoCreatedQueueDeletionPolicy</value></property>"
	conf := evaluate(t, "<configuration>"+property("capacity.root.queues", "users,etl")+property(
		"capacity.root.users.capacity", "1w")+property("capacity.root.etl.capacity", "1w")+
		property("capacity.root.users.auto-queue-creation-v2.enabled", true)+property(
		"capacity.auto-queue-creation-v2.queue-expiration-time", 60)+policies+"</configuration>")
	if conf.Preemption.Enabled {
		t.Error("preemption runs although the policy is not listed")
	}
	w := &simcore.Workload{Queues: []string{"root.users.ann", "root.users.bob"}, Users: []string{"ann", "bob"},
		Tasks: simcore.Tasks{HostAt: []int32{0}}}
	for i, at := range []simcore.Time{0, 0, 1000 * simcore.Second} {
		w.Jobs = append(w.Jobs, simcore.Job{ID: string(rune('a' + i)), Class: -1, Submit: at, Queue: int32(min(i, 1)),
			User: int32(min(i, 1)), Maps: 2, FirstTask: int32(2 * i),
			MapAsk: simcore.Vec{1024, 1}, ReduceAsk: simcore.Vec{1024, 1}, AMAsk: simcore.Vec{1024, 1}, MapDist: -1,
			ReduceDist: -1})
		w.Tasks.Duration = append(w.Tasks.Duration, 5*simcore.Second, 5*simcore.Second)
		w.Tasks.Shuffle = append(w.Tasks.Shuffle, 0, 0)
		w.Tasks.HostAt = append(w.Tasks.HostAt, 0, 0)
	}
	cluster := &simcore.Cluster{Racks: []string{"/r"},
		Nodes: []simcore.Node{{Name: "n", Capacity: simcore.Vec{16384, 16}}}}
	sim, err := yarn.NewSim(cluster, w, yarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ends []simcore.Time
	for range 2 {
		s := scheduler(t, conf)
		res, err := sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1}, s)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, res.End)
		var paths []string
		for _, q := range s.Config().Queues {
			paths = append(paths, q.Path)
		}
		if want := []string{"root", "root.users", "root.etl", "root.users.bob"}; !slices.Equal(paths, want) {
			t.Errorf("queues at the end: %v, want %v", paths, want)
		}
	}
	if ends[0] != ends[1] {
		t.Errorf("ends %v", ends)
	}
}
