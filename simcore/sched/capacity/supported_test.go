package capacity

import (
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Queue mode without legacy rules is simulated.
func TestSupported(t *testing.T) {
	c, err := yarnconf.Evaluate(yarnconf.Map{yarnconf.Prefix + "root.queues": "a", yarnconf.Prefix + "root.a.capacity": "100", yarnconf.Prefix + "legacy-queue-mode.enabled": "false"})
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
		conf, err := yarnconf.Evaluate(yarnconf.Map{yarnconf.Prefix + "root.queues": "a", yarnconf.Prefix + "root.a.capacity": "100",
			yarnconf.Prefix + "maximum-am-resource-percent": "1", yarnconf.Prefix + "schedule-asynchronously.enable": async})
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(conf)
		if err != nil {
			t.Fatal(err)
		}
		size := yarn.Resource{Memory: 1024, VCores: 1}
		n, err := s.AddNode(yarn.NodeSpec{Name: "n1", Rack: "/r1", Resource: yarn.Resource{Memory: 8192, VCores: 8}})
		if err != nil {
			t.Fatal(err)
		}
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
	}
}
