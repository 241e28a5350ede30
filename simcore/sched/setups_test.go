package sched

import (
	"math"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// The master is busy for 10 s with each of the two linear programs of the first job
// that has a minimum share, so that its only map starts 20 s later, on the heartbeats'
// grid of 1 s.
func TestCOSHHCharge(t *testing.T) {
	start := func(spec string) float64 {
		s, err := New(spec, Options{Seed: 1, Grants: []simcore.UserShare{{MinShare: 2}}})
		if err != nil {
			t.Fatal(err)
		}
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, Heartbeat: simcore.Second}
		r, err := mr1.Run(cfg, slots(3), oneKind([]string{"a"}, []simcore.Job{job(0, 0, 1)}), s)
		if err != nil {
			t.Fatal(err)
		}
		return r.Jobs[0].Start.Seconds()
	}
	if free, busy := start("coshh"), start("coshh:charge=10"); free > 1 || busy < 20 || busy > 21 {
		t.Errorf("the map starts after %.3f s and %.3f s, want at once and after 20 s", free, busy)
	}
}

// Twelve maps and three reduces for one node of four map and two reduce slots: the
// first heartbeat brings four maps and a reduce, a map and a reduce, or one task.
func TestAssign(t *testing.T) {
	for _, name := range []string{"fair", "delay", "coupling", "fresh", "omo"} {
		t.Run(name, func(t *testing.T) {
			for assign, want := range map[string][2]int{"slots": {4, 1}, "each": {1, 1}, "one": {1, 0}} {
				if name != "fair" && name != "delay" {
					want[1] = 0 // their reduces wait for maps
				}
				s, err := Parse(name + ":assign=" + assign)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range s.Entry.Params {
					if p.Name == "slowstart" {
						s.Values["slowstart"] = "0"
					}
				}
				if name == "fresh" {
					s.Values["slowstart"] = "1"
				}
				sch, err := s.New(Options{Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				w := oneKind([]string{"a"}, []simcore.Job{{Maps: 12, Reduces: 3}})
				w.Jobs[0].ReduceDist = 0
				var first simcore.Time
				var got [2]int
				cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, Pool: s.Entry.Pool}
				cfg.Trace = func(at simcore.Time, e mr1.Event) {
					if e.Kind != mr1.TaskStarted {
						return
					}
					if got == [2]int{} {
						first = at
					}
					if at == first {
						got[e.Task.Kind]++
					}
				}
				c := slots(1)
				c.Nodes[0].Slots = simcore.Vec{4, 2}
				if s.Entry.Pool {
					c.Nodes[0].Slots = simcore.Vec{4, 0}
				}
				if _, err := mr1.Run(cfg, c, w, sch); err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Errorf("%s:assign=%s: the first heartbeat brings %v maps and reduces, want %v", name, assign, got, want)
				}
			}
		})
	}
}

// A quarter of 40 nodes hold the input, so that a node without it launches with
// p = 1 - 0.8 (1/4)^0.01 = 0.211 (equation 3, one rack). A job that is turned down skips
// the heartbeat: of 30 such nodes with four free slots 6.3 launch something with their
// first heartbeat, in ten runs 63 with a standard deviation of 7. A draw for each slot
// would make it 184.
func TestPeekingDrawsOncePerHeartbeat(t *testing.T) {
	launched := 0
	for seed := range uint64(10) {
		w := oneKind([]string{"a"}, []simcore.Job{job(0, 0, 400)})
		w.Jobs[0].FirstTask = 0
		w.Tasks.HostAt = []int32{0}
		for i := range int32(400) {
			w.Tasks.Hosts = append(w.Tasks.Hosts, i%10)
			w.Tasks.HostAt = append(w.Tasks.HostAt, int32(len(w.Tasks.Hosts)))
		}
		s, err := New("coupling:beta=0.01", Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[simcore.NodeID]bool{}
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed},
			Heartbeat: simcore.Second}
		cfg.Trace = func(at simcore.Time, e mr1.Event) {
			if e.Kind == mr1.TaskStarted && at < simcore.Second && e.Node >= 10 {
				seen[e.Node] = true
			}
		}
		if _, err := mr1.Run(cfg, slots(40), w, s); err != nil {
			t.Fatal(err)
		}
		launched += len(seen)
	}
	if launched < 35 || launched > 91 {
		t.Errorf("%d nodes launched a remote map with their first heartbeat, want 63 ± 28", launched)
	}
}

// The input of a job lies on the first three of nodes that have one map slot each and
// send a heartbeat a second. After three heartbeats these are full for good, and only the
// others, which the job has to skip, make its wait of 15 s grow: a quarter or a sixth of a
// second each, so that with one of four nodes it takes 60 s and with three of six 30 s.
// By the clock it takes 15 s with either, from the last launch on, in the third second.
func TestDelayWaitsByHeartbeatsThatSkip(t *testing.T) {
	for _, c := range []struct {
		nodes int
		clock string
		want  float64
	}{{4, "false", 60}, {6, "false", 30}, {4, "true", 16}, {6, "true", 16}} {
		t.Run(c.clock, func(t *testing.T) {
			w := oneKind([]string{"a"}, []simcore.Job{job(0, 0, 30)})
			w.Jobs[0].FirstTask = 0
			w.Dists[0].A = 1000
			w.Tasks.HostAt = []int32{0}
			for i := range int32(30) {
				w.Tasks.Hosts = append(w.Tasks.Hosts, i%3)
				w.Tasks.HostAt = append(w.Tasks.HostAt, int32(len(w.Tasks.Hosts)))
			}
			s, err := New("delay:node-delay=15,rack-delay=0,spread=false,clock="+c.clock, Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			cluster := slots(c.nodes)
			for n := range cluster.Nodes {
				cluster.Nodes[n].Slots[simcore.Map] = 1
			}
			remote := simcore.Never
			cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, Heartbeat: simcore.Second}
			cfg.Trace = func(at simcore.Time, e mr1.Event) {
				if e.Kind == mr1.TaskStarted && e.Node >= 3 {
					remote = min(remote, at)
				}
			}
			if _, err := mr1.Run(cfg, cluster, w, s); err != nil {
				t.Fatal(err)
			}
			if got := remote.Seconds(); got < c.want-2 || got > c.want+2 {
				t.Errorf("%d nodes, clock=%s: the first remote map starts after %.1f s, want %v", c.nodes, c.clock, got, c.want)
			}
		})
	}
}

// A job's time on a node by the history: what its class's tasks took there, 10 s on the
// three nodes of speed 1 and 20 s on the slow one, times 40 maps over four slots.
func TestCOSHHHistory(t *testing.T) {
	s, err := New("coshh:estimates=history", Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := slots(4)
	c.Nodes[3].Speed = 0.5
	w := oneKind([]string{"a"}, []simcore.Job{job(0, 0, 40), job(0, 0, 40)})
	w.Jobs[1].Submit = 1000 * simcore.Second
	if _, err := mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, OutOfBand: true}, c,
		w, s); err != nil {
		t.Fatal(err)
	}
	if got := s.(*coshh).jobs[1].Times; math.Abs(got[0]-100) > 0.01 || math.Abs(got[3]-200) > 0.01 {
		t.Errorf("times by node: %v s, want 100 and on the last 200", got)
	}
}
