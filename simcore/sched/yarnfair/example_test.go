package yarnfair_test

import (
	"fmt"

	"schedtune/fairconf"
	"schedtune/simcore/sched/yarnfair"
	"schedtune/simcore/yarn"
)

// The scheduler alone, as a ResourceManager drives it: with weights of 3 and 1 two
// applications that ask for more than there is get three containers to one.
func Example() {
	alloc, err := fairconf.Parse("fair-scheduler.xml", []byte(`<allocations>
<queue name="prod"><weight>3</weight></queue><queue name="dev"/></allocations>`))
	if err != nil {
		panic(err)
	}
	site, _ := fairconf.ReadSite(nil) // what holds where no property is set
	s, err := yarnfair.New(alloc, site)
	if err != nil {
		panic(err)
	}
	node, err := s.AddNode(yarn.NodeSpec{Name: "n1", Rack: "/r1", Resource: yarn.Resource{Memory: 8 << 10, VCores: 8}})
	if err != nil {
		panic(err)
	}
	queues := []string{"root.prod", "root.dev"}
	for _, q := range queues {
		if _, err := s.Submit(yarn.AppSpec{Name: "job", User: "ann", Queue: q, AM: yarn.Resource{Memory: 1024, VCores: 1}}); err != nil {
			panic(err)
		}
	}
	held := map[yarn.AppID]int{}
	beat := func(times int) {
		for range times {
			s.Update(0, nil)
			for _, e := range s.Beat(node, nil, nil) {
				held[e.App]++
			}
		}
	}
	beat(2) // the masters
	for app := range queues {
		var resp yarn.AskResponse
		s.Ask(yarn.AppID(app), []yarn.Ask{{Priority: 20, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 1024, VCores: 1}, Count: 20}}, nil, &resp)
	}
	beat(20)
	for app, q := range queues {
		fmt.Println(q, held[yarn.AppID(app)])
	}
	// Output:
	// root.prod 6
	// root.dev 2
}
