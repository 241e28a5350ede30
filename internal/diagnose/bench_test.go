package diagnose

import (
	"fmt"
	"maps"
	"testing"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// BenchmarkAsk answers for one application on a busy cluster of 1,000 nodes and
// 20,000 containers of 200 applications: its leaf is at its maximum, and its user
// over the limit.
func BenchmarkAsk(b *testing.B) {
	const nodes, perNode, apps = 1000, 24, 200
	p := yarnconf.Map{yarnconf.Prefix + "root.queues": "a,b", yarnconf.Prefix + "root.a.capacity": "20", yarnconf.Prefix +
		"root.b.capacity": "80",
		yarnconf.Prefix + "root.a.maximum-capacity": "25", yarnconf.Prefix + "maximum-am-resource-percent": "1",
		yarnconf.Prefix + "per-node-heartbeat.maximum-offswitch-assignments": "100"}
	conf, err := yarnconf.Evaluate(p)
	if err != nil {
		b.Fatal(err)
	}
	s, err := capacity.New(conf)
	if err != nil {
		b.Fatal(err)
	}
	for i := range nodes {
		if _, err := s.AddNode(yarn.NodeSpec{Name: fmt.Sprintf("n%d", i), Rack: fmt.Sprintf("/r%d", i/40),
			Resource: yarn.Resource{Memory: 1024 * perNode, VCores: perNode}}); err != nil {
			b.Fatal(err)
		}
	}
	beat := func() {
		for i := range nodes {
			s.Beat(yarn.NodeID(i), nil, nil)
		}
	}
	for i := range apps {
		queue := "root.b"
		if i%4 == 0 {
			queue = "root.a"
		}
		if _, err := s.Submit(yarn.AppSpec{Name: fmt.Sprintf("app%d", i), User: fmt.Sprintf("u%d", i%20), Queue: queue,
			AM: yarn.Resource{Memory: 1024, VCores: 1}}); err != nil {
			b.Fatal(err)
		}
	}
	beat()
	var resp yarn.AskResponse
	for i := range apps {
		s.Ask(yarn.AppID(i), []yarn.Ask{{Priority: 20, Size: yarn.Resource{Memory: 1024, VCores: 1}, Count: 200}}, nil, &resp)
	}
	beat()
	beat()
	props := func(changes []yarnconf.Change) (yarnconf.Props, error) {
		next := maps.Clone(p)
		for _, c := range changes {
			next[c.Key] = c.Value
		}
		return next, nil
	}
	b.ReportAllocs()
	var a *PendingAnswer
	for b.Loop() {
		if a, err = AskPending(PendingQuestion{Scheduler: s, App: apps - 4, Props: props}); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%s; changes %v", a.Causes[0].Text(), a.Changes)
}
