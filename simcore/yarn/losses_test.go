package yarn

import (
	"math"
	"strings"
	"testing"

	"schedtune/simcore"
)

// books checks after a run that every container has been given back once.
func books(t *testing.T, s *Sim) {
	t.Helper()
	seen := make([]bool, len(s.slots.all))
	for _, sl := range s.slots.free {
		if seen[sl] {
			t.Fatalf("slot %d is free twice", sl)
		}
		seen[sl] = true
	}
	if len(s.slots.free) != len(s.slots.all) {
		t.Errorf("%d of %d slots are free after the run", len(s.slots.free), len(s.slots.all))
	}
}

// longLived is a cluster whose nodes may be lost, and are not by themselves.
func longLived(n int, mib int64) *simcore.Cluster {
	c := testCluster(n, mib)
	Spot(c, 1e6*simcore.Hour)
	return c
}

// losing has the ResourceManager lose a node at an instant.
func (s *Sim) losing(n int32, at simcore.Time) {
	s.elastic.push(nodeStep{at: at, what: stepExpire, n: n, times: s.elastic.joined[n]})
	s.armNodes()
}

// failNow fails the first job, if it runs.
func (s *Sim) failNow() bool {
	if s.jobs[0].registered {
		s.finishJob(0, true)
	}
	return true
}

// A job fails while its maps go on, and their containers and the
// master's end in the same heartbeat of their node, the master's first: it has
// been on its way for the 6 s and some that it lingers. Either container is
// freed once. A run before tells when the job fails and when the map ends.
func TestMasterAndContainerEndTogether(t *testing.T) {
	w := oneJob(2, 0, 30, 0)
	cfg := RunConfig{Slowstart: -1, Calibration: plain()}
	met := 0
	for seed := range uint64(40) {
		cfg.Calibration, cfg.LookAt = plain(), simcore.Time(seed)*700*simcore.Millisecond
		var sim *Sim
		cfg.Look = func() bool { return sim.jobs[0].runMaps == 2 && sim.failNow() }
		var ends [2]simcore.Time // of the last container of a map, of the master
		cfg.Trace = func(at simcore.Time, c ContainerChange) {
			if c.Delta < 0 && !c.Master {
				ends[0] = at
			} else if c.Delta < 0 {
				ends[1] = at
			}
		}
		cfg.Calibration.Linger = Latency{60_000} // so that the map ends before
		sim, err := NewSim(testCluster(1, 4096), w, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sim.Run(cfg, newFIFO(2)); err != nil {
			t.Fatal(err)
		}
		x := sim.JobTimes()[0]
		if x.Status != Failed || ends[0] < x.Finish+simcore.Second {
			continue // it had ended, or maps had not begun
		}
		met++
		linger := ends[0] - x.Finish
		const exit = 500 * simcore.Millisecond // the map's, so that it is reported after the master
		cfg.Calibration = plain()
		cfg.Calibration.Linger, cfg.Calibration.TaskExit = Latency{float64(linger) / 1000}, Latency{float64(exit) / 1000}
		cfg.Calibration.Commit = Latency{float64(exit) / 1000}
		res, err := sim.Run(cfg, newFIFO(2))
		if err != nil {
			t.Fatal(err)
		}
		if ends[0] != ends[1] {
			t.Errorf("seed %d: map's container ends at %v, master's at %v", seed, ends[0].Std(), ends[1].Std())
		}
		books(t, sim)
		held := 1024 * (res.Jobs[0].Busy[0] + sim.JobTimes()[0].Released - sim.JobTimes()[0].AMAllocated)
		if sim.held != (area{lo: uint64(held)}) {
			t.Errorf("seed %d: %d MiB-µs held, want %d", seed, sim.held.lo, held)
		}
	}
	if met == 0 {
		t.Error("no seed fails the job while its maps run")
	}
}

// A job fails with maps still asked for. The heartbeat that reports its master
// gone makes room for one of them, and the scheduler may grant it before it
// hears of the application's end: nobody takes the container, and it must not
// stay on the books.
func TestGrantToAnApplicationThatEnds(t *testing.T) {
	w := oneJob(8, 0, 30, 0)
	cfg := RunConfig{Slowstart: -1, Calibration: plain()}
	met := 0
	for seed := range uint64(40) {
		cfg.LookAt = simcore.Time(seed) * 700 * simcore.Millisecond
		late, live := false, 0
		var sim *Sim
		cfg.Look = func() bool { return sim.failNow() }
		cfg.Trace = func(_ simcore.Time, c ContainerChange) { live += int(c.Delta) }
		cfg.Observe = func(_ simcore.Time, e *Event) { late = late || sim.jobs[0].slot < 0 && e.Ordinal > 0 }
		sim, err := NewSim(testCluster(1, 3072), w, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sim.Run(cfg, newFIFO(2)); err != nil {
			t.Fatal(err)
		}
		if late {
			met++
		}
		if live != 0 {
			t.Errorf("seed %d: %d containers are left", seed, live)
		}
		books(t, sim)
	}
	if met == 0 {
		t.Error("no grant came with the master's end")
	}
}

// A master is lost with its node after all four maps have finished, and while
// the job waits for its second one the node that holds their output is lost
// too: the second master finds nothing to recover, and all four run again.
func TestOutputLostBetweenMasters(t *testing.T) {
	w := oneJob(4, 1, 10, 5)
	f := &mourner{fifo: newFIFO(4)}
	sim, err := NewSim(longLived(3, 8192), w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.submitted = func(time int) {
		if time == 1 {
			for n := range sim.nodes {
				for _, at := range sim.mapNode {
					if at == int32(n) {
						sim.losing(int32(n), sim.now)
						break
					}
				}
			}
		}
	}
	// The master is on node 0, whose heartbeat comes first; all maps fit the one
	// whose heartbeat follows the first ask.
	cfg := RunConfig{Slowstart: 1, Calibration: plain(),
		Observe: func(_ simcore.Time, e *Event) {
			if e.Priority == priorityReduce && sim.jobs[0].starts == 0 {
				n := sim.slots.all[sim.jobs[0].slot].node
				sim.losing(n, sim.now+1)
			}
		}}
	res, err := sim.Run(cfg, f)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Jobs[0].Finished; got != [2]int32{8, 1} {
		t.Errorf("finished %v, want 8 maps and 1 reduce", got)
	}
	books(t, sim)
}

// mourner is a fifo that reports submissions.
type mourner struct {
	*fifo
	count     int
	submitted func(time int)
}

func (f *mourner) Submit(a AppSpec) (AppID, error) {
	f.submitted(f.count)
	f.count++
	return f.fifo.Submit(a)
}

// A master that is lost with its node does not count towards the attempts that
// an application has: the job ends with its fifth.
func TestMasterLostFourTimes(t *testing.T) {
	sim, err := NewSim(longLived(6, 4096), oneJob(4, 1, 10, 5), Options{})
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	cfg := RunConfig{Slowstart: 1, Calibration: plain(),
		Observe: func(at simcore.Time, e *Event) {
			if e.Ordinal == 0 && lost < 4 {
				lost++
				n := sim.nodeOf[e.Node]
				sim.losing(n, at+simcore.Time(lost)*simcore.Second) // before and after it registers
			}
		}}
	res, err := sim.Run(cfg, newFIFO(4))
	if err != nil {
		t.Fatal(err)
	}
	if x := sim.JobTimes()[0]; x.Status != Succeeded || sim.jobs[0].starts != 4 || res.Jobs[0].Finished[1] != 1 {
		t.Errorf("status %d after %d masters lost, finished %v", x.Status, sim.jobs[0].starts, res.Jobs[0].Finished)
	}
	books(t, sim)
}

// 1000 nodes of 128 GiB, full for two days, hold more MiB·µs than 63 bits count.
func TestAreaBeyond64Bits(t *testing.T) {
	var a area
	for range 1000 {
		a.add(128<<10, 2*24*simcore.Hour)
	}
	if want := 1000 * float64(128<<10) * 2 * 24 * 3600e6; a.hi == 0 || math.Abs(a.float()/want-1) > 1e-12 {
		t.Errorf("area %v, want %v", a.float(), want)
	}
}

// TestInputsAreChecked checks that errors name the wrong value.
func TestInputsAreChecked(t *testing.T) {
	for what, change := range map[string]func(*simcore.Cluster, *simcore.Workload, *RunConfig){
		"no nodes":     func(c *simcore.Cluster, _ *simcore.Workload, _ *RunConfig) { c.Nodes = nil },
		"rack 3":       func(c *simcore.Cluster, _ *simcore.Workload, _ *RunConfig) { c.Nodes[0].Rack = 3 },
		"distribution": func(_ *simcore.Cluster, w *simcore.Workload, _ *RunConfig) { w.Jobs[0].MapDist = 2 },
		"queue 1":      func(_ *simcore.Cluster, w *simcore.Workload, _ *RunConfig) { w.Jobs[0].Queue = 1 },
		"first task": func(_ *simcore.Cluster, w *simcore.Workload, _ *RunConfig) {
			w.Jobs[0].FirstTask, w.Tasks.Duration = 0, make([]simcore.Time, 3)
		},
		"Slowstart":       func(_ *simcore.Cluster, _ *simcore.Workload, r *RunConfig) { r.Slowstart = math.NaN() },
		"Durations.Model": func(_ *simcore.Cluster, _ *simcore.Workload, r *RunConfig) { r.Durations.Model = 7 },
		"PreemptEvery":    func(_ *simcore.Cluster, _ *simcore.Workload, r *RunConfig) { r.PreemptEvery = -1 },
		"StragglerShare":  func(_ *simcore.Cluster, _ *simcore.Workload, r *RunConfig) { r.Durations.StragglerShare = 2 },
	} {
		t.Run(what, func(t *testing.T) {
			c, w, cfg := testCluster(2, 4096), oneJob(3, 1, 1, 1), RunConfig{Slowstart: -1}
			change(c, w, &cfg)
			sim, err := NewSim(c, w, Options{})
			if err == nil {
				_, err = sim.Run(cfg, newFIFO(1))
			}
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("got error %v, want one with %q", err, what)
			}
		})
	}
}

// A trace may name hosts that this cluster does not have: their maps read from
// where they run.
func TestHostsBeyondTheCluster(t *testing.T) {
	c, w := testCluster(2, 4096), oneJob(2, 0, 0, 0)
	for i := range c.Nodes {
		c.Nodes[i].Disks, c.Nodes[i].DiskRate, c.Nodes[i].Cores = 1, 50e6, 4
	}
	w.Jobs[0].MapDist, w.Jobs[0].ReduceDist, w.Jobs[0].InputBytes, w.Jobs[0].FirstTask = -1, -1, 200e6, 0
	w.Tasks.Duration, w.Tasks.Hosts, w.Tasks.HostAt = make([]simcore.Time, 2), []int32{7, 8}, []int32{0, 1, 2}
	_, r := mustRun(t, c, w, Options{}, RunConfig{Slowstart: -1,
		Durations: simcore.DurationConfig{Model: simcore.Resources}}, newFIFO(2))
	if got := r.Jobs[0].Finished[0]; got != 2 {
		t.Errorf("%d maps finished, want 2", got)
	}
}
