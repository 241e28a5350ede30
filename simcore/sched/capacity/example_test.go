package capacity_test

import (
	"fmt"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// The scheduler alone, as a ResourceManager drives it: a node heartbeats and the
// application's master starts there; the master asks; the node's next heartbeat
// brings the first container: one a heartbeat where no place was asked for.
func Example() {
	doc := must(yarnconf.Parse("capacity-scheduler.xml", []byte(`<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>prod,dev</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>75</value></property>
  <property><name>yarn.scheduler.capacity.root.dev.capacity</name><value>25</value></property>
</configuration>`)))
	s := must(capacity.New(must(yarnconf.Evaluate(doc))))
	node := must(s.AddNode(yarn.NodeSpec{Name: "n1", Rack: "/r1", Resource: yarn.Resource{Memory: 8192, VCores: 8}}))
	app := must(s.Submit(yarn.AppSpec{Name: "report", User: "ann", Queue: "root.prod",
		AM: yarn.Resource{Memory: 1024, VCores: 1}}))
	beat := func() {
		for _, e := range s.Beat(node, nil, nil) {
			fmt.Printf("container %d: %d MiB\n", e.Ordinal, e.Size.Memory)
		}
	}
	beat()
	var resp yarn.AskResponse
	s.Ask(app, []yarn.Ask{{Priority: 20, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 2048, VCores: 1}, Count: 3}},
		nil, &resp)
	fmt.Printf("headroom %d MiB\n", resp.Headroom.Memory)
	beat()
	// Output:
	// container 0: 1024 MiB
	// headroom 5120 MiB
	// container 1: 2048 MiB
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
