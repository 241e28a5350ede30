package capacity

import (
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// The table of a set made from a collection has a power of two of places, 16 at least,
// more than four thirds of the collection; it doubles whenever more than three quarters
// are taken (java.util.HashSet).
func TestSizeOfSets(t *testing.T) {
	for _, c := range [][3]int{{0, 0, 16}, {0, 12, 16}, {0, 13, 32}, {0, 24, 32}, {0, 25, 64}, {11, 11, 16}, {12, 12, 32},
		{12, 24, 32}, {23, 23, 32}, {24, 24, 64}, {24, 49, 128}} {
		if got := setSize(c[0], c[1]); got != c[2] {
			t.Errorf("%d of %d: %d places, want %d", c[0], c[1], got, c[2])
		}
	}
}

// A node without a free core holds no minimum allocation however much memory it has
// free: with cores counted nothing is reserved there; where memory alone counts the
// container starts.
func TestNoCoreLeft(t *testing.T) {
	for _, v := range []yarnconf.Version{yarnconf.Hadoop33, yarnconf.Hadoop34, yarnconf.Hadoop35} {
		for class, want := range map[string]int{"DefaultResourceCalculator": 3, "DominantResourceCalculator": 2} {
			t.Run(class, func(t *testing.T) {
				twoCores := yarn.Resource{Memory: 64 << 10, VCores: 2}
				s := alone(t, v, map[string]string{"root.a.user-limit-factor": "10",
					"resource-calculator": "org.apache.hadoop.yarn.util.resource." + class},
					yarn.NodeSpec{Name: "n", Rack: "/r", Resource: twoCores}, yarn.NodeSpec{Name: "idle", Rack: "/r",
						Resource: twoCores})
				id := submit(t, s, "u", "root.a")
				s.Beat(0, nil, nil)
				var resp yarn.AskResponse
				s.Ask(id, []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: oneGiB, Count: 2}}, nil, &resp)
				for range 4 {
					s.Beat(0, nil, nil)
				}
				if n := s.nodes[0]; len(s.onNode(0)) != want || n.reserved != nil || !s.apps[id].reserved.IsNone() {
					t.Errorf("Hadoop %v, %s: %d containers, want %d; reserved: %v", v, class, len(s.onNode(0)), want,
						n.reserved != nil)
				}
			})
		}
	}
}

// fill has an application of leaf root.a take containers of a size on node 0.
func fill(t *testing.T, s *Scheduler, size yarn.Resource, count int32) yarn.AppID {
	t.Helper()
	id := submit(t, s, "u", "root.a")
	s.Beat(0, nil, nil)
	var resp yarn.AskResponse
	s.Ask(id, []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: size, Count: count}}, nil, &resp)
	for range 120 {
		s.Beat(0, nil, nil)
	}
	return id
}

// What is marked for an application is told with its size and the time until the first
// is killed: that of other queues only while its own is below its guarantee, of its own
// partition's nodes, and none of its own.
func TestMarkedFor(t *testing.T) {
	s := small(t, map[string]string{"maximum-am-resource-percent": "1", "root.a.user-limit-factor": "10",
		"root.b.user-limit-factor": "10", "per-node-heartbeat.maximum-container-assignments": "-1",
		"yarn.resourcemanager.scheduler.monitor.enable":                               "true",
		"yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round": "0.05",
		"yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor": "1",
		"yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill":       "20000"}, big("n"))
	a := fill(t, s, yarn.Resource{Memory: 2048, VCores: 1}, 60)
	b := submit(t, s, "v", "root.b")
	for range 20 {
		submit(t, s, "v", "root.b")
	}
	for round := range int64(4) {
		s.SetClock(round * 3000)
		s.Preempt(nil, nil)
		n := int64(len(s.Candidates()))
		if n == 0 {
			t.Fatal("nothing is marked")
		}
		st, _ := s.Standing(b)
		if w := st.Passing; int64(w.Marked) != n || w.MarkedSize != (yarn.Resource{Memory: n * 2048, VCores: n}) ||
			w.KillIn != 20000-round*3000 {
			t.Errorf("round %d, %d marked: %+v", round, n, w)
		}
		if st, _ := s.Standing(a); st.Passing.Marked != 0 || st.Passing.KillIn != 0 {
			t.Errorf("marked for those they are taken from: %+v", st.Passing)
		}
	}
	other := submit(t, s, "w", "root.a") // of the same queue, above its guarantee
	if st, _ := s.Standing(other); st.Passing.Marked != 0 {
		t.Errorf("marked for one of a queue above its guarantee: %+v", st.Passing)
	}
	s.SetClock(60000)
	if st, _ := s.Standing(b); st.Passing.KillIn != 0 {
		t.Errorf("overdue: %+v", st.Passing)
	}
}

// Of the containers that may be killed below a parent that uses more than its maximum the
// first are killed, by application and number, until it does not, and no more.
func TestMaximumIsEnforced(t *testing.T) {
	s := small(t, map[string]string{"lazy-preemption-enabled": "true", "maximum-am-resource-percent": "1",
		"root.a.user-limit-factor": "10", "root.b.user-limit-factor": "10",
		"yarn.resourcemanager.scheduler.monitor.enable":                               "true",
		"yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round": "1",
		"yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor": "1",
		"yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill":       "3000"}, big("n"))
	fill(t, s, oneGiB, 99)
	for range 12 {
		submit(t, s, "v", "root.b")
	}
	for range 4 {
		s.Preempt(nil, nil)
	}
	leaf, at, may := s.byName["a"], s.root.at(0), len(s.killables)
	if may < 10 || at.used.Memory != 100<<10 {
		t.Fatalf("%d containers may be killed of %v", may, at.used)
	}
	list := s.killablesBelow(s.root, 0)
	for _, c := range []struct{ most, left int64 }{{100 << 10, 100}, {97<<10 + 1, 97}, {97 << 10, 97}, {95<<10 + 512, 95},
		{0, int64(100 - may)}} {
		at.eff.Max = res{Memory: c.most}
		if c.most > 0 {
			at.eff.Max.VCores = 100
		}
		s.enforceMaximum(leaf, 0)
		want := c.left << 10
		if at.used.Memory != want || len(s.killables) != may-int(100-c.left) {
			t.Errorf("maximum %d MiB: %d MiB used, want %d; %d may be killed", c.most, at.used.Memory, want, len(s.killables))
		}
	}
	for i, c := range list[:5] {
		if !c.over {
			t.Errorf("container %d in order was left", i)
		}
	}
}
