package capacity

import (
	"strings"
	"testing"

	"schedtune/simcore/yarn"
)

// Masters that get no container, as Hadoop 3.4.1 and 3.5.0 decide it step by step: on 80 GiB,
// queue a has 4 GiB and gives masters 40 % of what it may use. While queue b holds 71 GiB, that is
// 4 GiB, so of two users' five applications four have a master. The second user's first ends: the first
// user's fourth takes its place, and the second user's other one waits. Then b's application ends. Now
// 2 GiB are the limit of each user, the first one's masters hold 3, and nothing starts in an idle
// cluster, until an application is submitted.
func TestObstacle(t *testing.T) {
	var nodes []yarn.NodeSpec
	for _, n := range []string{"n0", "n1", "n2", "n3", "n4"} {
		t.Run(n, func(t *testing.T) {
			nodes = append(nodes, yarn.NodeSpec{Name: n, Rack: "/r1", Resource: yarn.Resource{Memory: 16384, VCores: 16}})
		})
	}
	s := small(t, map[string]string{"root.queues": "a,b", "root.a.capacity": "5", "root.a.maximum-capacity": "95",
		"root.a.user-limit-factor": "4", "root.a.minimum-user-limit-percent": "25",
		"root.a.maximum-am-resource-percent": "0.4",
		"root.b.capacity":                    "95", "root.b.maximum-capacity": "100",
		"per-node-heartbeat.maximum-offswitch-assignments": "10"},
		nodes...)
	var events []yarn.Event
	beats := func(n int) {
		for range n {
			for i := range nodes {
				events = s.Beat(yarn.NodeID(i), nil, events)
			}
		}
	}
	var resp yarn.AskResponse
	ask := func(id yarn.AppID, count int32) {
		s.Ask(id, []yarn.Ask{{Priority: 20, Where: yarn.AnyPlace, Size: oneGiB, Count: count}}, nil, &resp)
	}
	z := submit(t, s, "u9", "root.b")
	beats(1)
	ask(z, 71)
	beats(3)
	var ids []yarn.AppID
	for _, user := range []string{"u8", "u8", "u8", "u3"} {
		t.Run(user, func(t *testing.T) {
			ids = append(ids, submit(t, s, user, "root.a"))
			beats(1)
		})
	}
	for _, id := range ids {
		ask(id, 20)
	}
	beats(2)
	fourth, waits := submit(t, s, "u8", "root.a"), submit(t, s, "u3", "root.a")
	if why := s.Obstacle(waits); !strings.Contains(why, "application masters use 4096 of 4096 MiB") {
		t.Errorf("while the queue's masters are at their limit: %q", why)
	}
	s.End(ids[3])
	for _, e := range events {
		if e.Kind == yarn.Allocate && e.App != z && e.App != ids[3] && e.Ordinal > 0 {
			s.Ask(e.App, nil, nil, &resp)
			events = s.Beat(e.Node, []yarn.Container{{App: e.App, Ordinal: e.Ordinal}}, events)
		}
	}
	s.End(z)
	before := len(events)
	beats(5)
	if len(events) != before {
		t.Fatalf("something starts: %+v", events[before:])
	}
	for id, want := range map[yarn.AppID]string{
		ids[0]: "", z: "", fourth: "user u8 uses 3072 MiB in root.a, more than the user limit of 2048 MiB",
		waits: "its application master fits the AM limit of root.a now, but the limit is checked only when an application " +
			"is submitted there or ends",
	} {
		if got := s.Obstacle(id); got != want {
			t.Errorf("application %d: %q, want %q", id, got, want)
		}
	}
	submit(t, s, "u3", "root.a")
	if beats(1); len(events) == before || s.Obstacle(waits) != "" {
		t.Errorf("after a submission: %d containers, %q", len(events)-before, s.Obstacle(waits))
	}
}
