package capacity

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

var oneGiB = yarn.Resource{Memory: 1024, VCores: 1}

func submit(t *testing.T, s *Scheduler, user, queue string) yarn.AppID {
	t.Helper()
	id, err := s.Submit(yarn.AppSpec{Name: user, User: user, Queue: queue, AM: oneGiB})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// An application that waits for a limit on masters, or is held back by a limit on how many
// run, becomes active once it is let pass, and its master starts at the next heartbeat;
// each is counted once in the lists and numbers of its leaf and user. To let pass
// one that is active, over or not there changes nothing.
func TestLetPass(t *testing.T) {
	for name, conf := range map[string]map[string]string{
		"masters": {"maximum-am-resource-percent": "0.01"}, "queue": {"root.a.max-parallel-apps": "1"},
		"user": {"user.u.max-parallel-apps": "1"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, adopted := range []bool{false, true} {
				s := small(t, conf, big("n"))
				first, second, third := submit(t, s, "u", "root.a"), submit(t, s, "u", "root.a"), submit(t, s, "u", "root.a")
				s.Beat(0, nil, nil)
				if f, g := s.App(first), s.App(second); f.Live != 1 || g.Live != 0 || g.Active {
					t.Fatalf("%s: %+v, then %+v", name, f, g)
				}
				if adopted {
					if _, err := s.Adopt(second, 0, 1, oneGiB); err != nil {
						t.Fatal(err)
					}
				} else {
					s.Activate(second)
					s.Activate(second)
				}
				s.Activate(first)
				s.Activate(third + 1)
				s.Activate(-1)
				q := s.byName["a"]
				if f := s.Figures(q.place(s), 0); f.Active != 2 || f.AMUsed.Memory != 2048 || q.applications() != 3 ||
					len(q.active) != 2 {
					t.Errorf("%s, adopted %v: %+v, %d applications", name, adopted, f, q.applications())
				}
				if u := s.apps[second].slot.u; u.active != 2 || u.applications() != 3-len(q.Held) ||
					slices.Contains(s.users.User("u").Held, s.apps[second]) {
					t.Errorf("%s, adopted %v: user has %d active of %d applications", name, adopted, u.active, u.applications())
				}
				if g := s.users.User("u"); g.Running+len(g.Held) != 3 || len(g.Held) != len(q.Held) ||
					s.root.Running != g.Running || q.Running != g.Running {
					t.Errorf("%s, adopted %v: %d run and %d are held back; leaf %d, root %d", name, adopted, g.Running,
						len(g.Held), q.Running, s.root.Running)
				}
				for range 3 {
					s.Beat(0, nil, nil)
				}
				if f, g := s.App(second), s.App(third); f.Live != 1 || g.Live != 0 {
					t.Errorf("%s, adopted %v: %+v, then %+v", name, adopted, f, g)
				}
				s.End(third)
				before := figuresOf(s)
				if s.Activate(third); figuresOf(s) != before || s.App(third).Active {
					t.Errorf("%s: one that is over was let pass", name)
				}
			}
		})
	}
}

// What a ResourceManager fetched itself, a master, is not told to the application, nor
// counted among what is yet to be told; other containers are told once.
func TestMastersAreNotTold(t *testing.T) {
	for _, async := range []string{"false", "true"} {
		t.Run(async, func(t *testing.T) {
			s := small(t, map[string]string{"schedule-asynchronously.enable": async}, big("n"))
			s.ByRounds()
			turn := func() { s.Beat(0, nil, nil); s.Round(0, 0, nil, nil) }
			if async == "false" {
				turn = func() { s.Beat(0, nil, nil) }
			}
			id := submit(t, s, "u", "root.a")
			turn()
			if a := s.apps[id]; a.live != 1 || len(a.granted) != 0 || !s.container(a, 0).acquired ||
				a.master != s.container(a, 0) {
				t.Fatalf("asynchronous %s: %d containers, %v yet to be told", async, a.live, a.granted)
			}
			var told []int32
			for i := range 6 {
				var resp yarn.AskResponse
				var rows []yarn.Ask
				if i == 0 {
					rows = []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: oneGiB, Count: 4}}
				}
				s.Ask(id, rows, nil, &resp)
				told = append(told, resp.Granted...)
				turn()
				turn()
			}
			if !slices.Equal(told, []int32{1, 2, 3, 4}) {
				t.Errorf("asynchronous %s: told of %v", async, told)
			}
		})
	}
}

// An application whose master has been killed for another's container is over when the
// heartbeat or the round is, and with it all it had.
func TestWithoutMasterAllEnds(t *testing.T) {
	for _, async := range []string{"false", "true"} {
		t.Run(async, func(t *testing.T) {
			s := small(t, map[string]string{"schedule-asynchronously.enable": async, "lazy-preemption-enabled": "true",
				"maximum-am-resource-percent": "1",
				"root.a.user-limit-factor":    "10", "root.b.user-limit-factor": "10",
				"per-node-heartbeat.maximum-container-assignments":                            "-1",
				"yarn.resourcemanager.scheduler.monitor.enable":                               "true",
				"yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round": "1",
				"yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor": "1",
				"yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill":       "3000"}, big("n"))
			s.ByRounds()
			turn := func() {
				s.Beat(0, nil, nil)
				if async == "true" {
					s.Round(0, 0, nil, nil)
				}
			}
			for i := range 100 {
				submit(t, s, fmt.Sprint("u", i%3), "root.a")
			}
			for range 100 {
				turn()
			}
			if free := s.nodes[0].free.Memory; free != 0 {
				t.Fatalf("asynchronous %s: %d MiB free", async, free)
			}
			submit(t, s, "v", "root.b")
			submit(t, s, "v", "root.b")
			killed := 0
			for range 8 {
				s.Preempt(nil, nil)
				turn()
				for _, a := range s.apps[:100] {
					if (a.live == 0) != a.ended {
						t.Fatalf("asynchronous %s: application %d has %d containers, over: %v", async, a.id, a.live, a.ended)
					}
				}
			}
			for _, a := range s.apps[:100] {
				if a.ended {
					killed++
				}
			}
			if b := s.Figures(s.byName["b"].place(s), 0); killed == 0 || int64(killed)<<10 != b.Used.Memory ||
				b.Used.Memory > 2048 {
				t.Errorf("asynchronous %s: %d masters killed for %d MiB", async, killed, b.Used.Memory)
			}
		})
	}
}

// A submission is refused where the leaf or any queue above it is stopped, and the error
// names that queue.
func TestStoppedAbove(t *testing.T) {
	s := small(t, map[string]string{"root.queues": "a,b", "root.b.queues": "c", "root.b.c.queues": "d",
		"root.b.c.capacity": "100", "root.b.c.d.capacity": "100"}, big("n"))
	d := s.byName["d"]
	for q := d; q != nil; q = q.parent {
		for _, state := range []yarnconf.State{yarnconf.Stopped, yarnconf.Draining} {
			q.state = state
			_, err := s.Submit(yarn.AppSpec{Name: "p", User: "u", Queue: d.path, AM: oneGiB})
			if err == nil || !strings.Contains(err.Error(), "queue "+q.path+" is stopped") {
				t.Errorf("%s %v: %v", q.path, state, err)
			}
		}
		for _, l := range s.Admission(d.place(s), "u") {
			if l.Passes == (!l.Counts && l.Queue == q.path) {
				t.Errorf("%s stopped: %+v", q.path, l)
			}
		}
		q.state = yarnconf.Running
		submit(t, s, "u", d.path)
	}
}

// A parent goes on with a node that has exactly a minimum allocation free, in every
// version, and with no less memory.
func TestExactlyTheMinimumIsEnough(t *testing.T) {
	for _, v := range []yarnconf.Version{yarnconf.Hadoop33, yarnconf.Hadoop34, yarnconf.Hadoop35} {
		for _, class := range []string{"DefaultResourceCalculator", "DominantResourceCalculator"} {
			s := alone(t, v, map[string]string{"resource-calculator": "org.apache.hadoop.yarn.util.resource." + class},
				yarn.NodeSpec{Name: "n", Rack: "/r", Resource: yarn.Resource{Memory: 3072, VCores: 3}})
			for range 4 {
				submit(t, s, "u", "root.a")
				s.Beat(0, nil, nil)
			}
			if n := s.nodes[0]; len(s.onNode(0)) != 3 || n.free != (res{}) {
				t.Errorf("Hadoop %v, %s: %d containers on the node", v, class, len(s.onNode(0)))
			}
			if short := s.minAlloc; !s.opens(short) || s.opens(short.Sub(res{Memory: 1, VCores: 1})) {
				t.Errorf("Hadoop %v, %s: a minimum allocation opens %v", v, class, s.opens(short))
			}
		}
	}
}
