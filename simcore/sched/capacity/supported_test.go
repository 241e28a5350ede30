package capacity

import (
	"strings"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Queue mode without legacy rules is simulated.
func TestSupported(t *testing.T) {
	c, err := yarnconf.Evaluate(yarnconf.Map{yarnconf.Prefix + "root.queues": "a", yarnconf.Prefix +
		"root.a.capacity": "100", yarnconf.Prefix + "legacy-queue-mode.enabled": "false"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(c); err != nil {
		t.Error(err)
	}
}

// The limits of a heartbeat do not hold for the threads of the asynchronous
// mode: one heartbeat fills the node.
func TestAsynchronousKnowsNoHeartbeatLimits(t *testing.T) {
	for async, want := range map[string]int{"false": 1, "true": 7} {
		t.Run(async, func(t *testing.T) {
			s := alone(t, yarnconf.Hadoop34, map[string]string{"schedule-asynchronously.enable": async},
				yarn.NodeSpec{Name: "n1", Rack: "/r1", Resource: yarn.Resource{Memory: 8192, VCores: 8}})
			const n = yarn.NodeID(0)
			size := yarn.Resource{Memory: 1024, VCores: 1}
			app, err := s.Submit(yarn.AppSpec{Name: "x", User: "u", Queue: "root.a", AM: size})
			if err != nil {
				t.Fatal(err)
			}
			s.Beat(n, nil, nil)
			var resp yarn.AskResponse
			s.Ask(app, []yarn.Ask{{Priority: 20, Where: yarn.AnyPlace, Size: size, Count: 20}}, nil, &resp)
			if got := len(s.Beat(n, nil, nil)); got != want {
				t.Errorf("asynchronous %s: %d containers in a heartbeat, want %d", async, got, want)
			}
		})
	}
}

// What works otherwise in Hadoop 3.3 and is not simulated is refused: placement on
// several nodes, placement rules, leaves made by managed parents. Queues that are
// there take applications all the same.
func TestRefusedOfHadoop33(t *testing.T) {
	p := yarnconf.Map{yarnconf.Prefix + "root.queues": "a,m", yarnconf.Prefix + "root.a.capacity": "60", yarnconf.Prefix +
		"root.m.capacity": "40",
		yarnconf.Prefix + "root.m.auto-create-child-queue.enabled": "true", yarnconf.Prefix +
			"root.m.leaf-queue-template.capacity": "50",
		yarnconf.Prefix + "queue-mappings": "u:%user:root.m.%user"}
	for _, v := range []yarnconf.Version{yarnconf.Hadoop33, yarnconf.Hadoop34, yarnconf.Hadoop35} {
		conf, err := yarnconf.EvaluateAs(p, v, yarnconf.Resource{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(conf)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range []yarn.AppSpec{{Name: "x", User: "u", ByRules: true},
			{Name: "x", User: "u", Queue: "root.m.u"}} {
			_, err := s.Destination(spec)
			if refused := err != nil && strings.Contains(err.Error(), "3.3"); refused != (v == yarnconf.Hadoop33) {
				t.Errorf("Hadoop %v, %+v: %v", v, spec, err)
			}
		}
		if at, err := s.Destination(yarn.AppSpec{Name: "x", User: "u", Queue: "root.a"}); at != "root.a" || err != nil {
			t.Errorf("Hadoop %v: root.a goes to %q, %v", v, at, err)
		}
		together := yarnconf.Map{yarnconf.Prefix + "root.queues": "a", yarnconf.Prefix + "root.a.capacity": "100",
			yarnconf.Prefix + "multi-node-placement-enabled":    "true",
			yarnconf.Prefix + "multi-node-sorting.policy.names": "usage", yarnconf.Prefix + "multi-node-sorting.policy": "usage",
			yarnconf.Prefix +
				"multi-node-sorting.policy.usage.class": "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy"}
		if conf, err = yarnconf.EvaluateAs(together, v, yarnconf.Resource{}); err != nil {
			t.Fatal(err)
		}
		if _, err := New(conf); (err != nil) != (v == yarnconf.Hadoop33) {
			t.Errorf("Hadoop %v, several nodes: %v", v, err)
		}
	}
}
