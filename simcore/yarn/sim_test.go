package yarn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"schedtune/simcore"
)

// cluster returns n equal nodes.
func testCluster(n int, mib int64) *simcore.Cluster {
	c := &simcore.Cluster{Racks: []string{"/r0"}}
	for i := range n {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("n%d", i), Capacity: simcore.Vec{mib, 8}})
	}
	return c
}

// oneJob is a job of constant task times.
func oneJob(maps, reduces int32, mapTime, reduceTime float64) *simcore.Workload {
	return &simcore.Workload{
		Queues: []string{"root.default"}, Users: []string{"u"},
		Jobs: []simcore.Job{{ID: "j", Class: -1, Maps: maps, Reduces: reduces, FirstTask: -1, Slowstart: 0.05,
			MapAsk: simcore.Vec{1024, 1}, ReduceAsk: simcore.Vec{1024, 1}, AMAsk: simcore.Vec{1024, 1},
			MapDist: 0, ReduceDist: 1}},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: mapTime}, {Kind: simcore.Constant, A: reduceTime}},
	}
}

// plain is a calibration whose latencies are all zero except the heartbeats
// and the AM's start and lingering.
func plain() *Calibration {
	z := Latency{0}
	return &Calibration{Schema: CalibrationSchema, NodeBeat: 1000, AMBeat: 1000, NodeDone: z, Submit: z,
		AMStart: Latency{500}, StartRequest: z, Localise: z, TaskExit: z, ShuffleTail: z, ReduceEnd: z, Commit: z,
		Unregister: z,
		Linger:     Latency{6000}, KillDelay: z, ShufflePoll: 1000, CPUScope: ScopeNode, AMThreads: 1, RackLocalFactor: 1,
		OffSwitchFactor: 1}
}

func mustRun(t testing.TB, c *simcore.Cluster, w *simcore.Workload, opt Options, cfg RunConfig, s Scheduler) (*Sim,
	*simcore.Result) {
	t.Helper()
	sim, err := NewSim(c, w, opt)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sim.Run(cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	return sim, r
}

// One node, one job, one map of 10 s, heartbeats of node and AM every second,
// the node's at 0, 1, 2 … s: submitted at 0, AM allocated at 0 (node after
// arrival), registered at 0.5; it first asks at 1.5; the node allocates at 2;
// the AM collects at 2.5 and the map ends at 12.5.
func TestTimelineOfOneMap(t *testing.T) {
	sim, r := mustRun(t, testCluster(1, 4096), oneJob(1, 0, 10, 0), Options{},
		RunConfig{Slowstart: -1, Calibration: plain()}, newFIFO(1))
	got := sim.JobTimes()[0]
	want := JobTimes{Submit: 0, AMAllocated: 0, Registered: 500 * simcore.Millisecond, FirstMap: 2500 *
		simcore.Millisecond,
		LastMap: 12500 * simcore.Millisecond, FirstReduce: simcore.Never, Finish: 12500 * simcore.Millisecond,
		Released: 18500 * simcore.Millisecond, Status: Succeeded}
	if got != want {
		t.Errorf("times %+v\nwant  %+v", got, want)
	}
	if c := r.Jobs[0].Completion(); c != 12500*simcore.Millisecond {
		t.Errorf("completion %v, want 12.5 s", c.Std())
	}
}

// As above with a reduce of 5 s and slowstart 1: the map ends at 12.5 s, as
// the AM's heartbeat does; whether it sees the end then depends on the order
// of equal times, so the map takes 10.1 s here and ends at 12.6. The node's
// out-of-band heartbeat moves its grid to 12.6. The AM notes the end at 13.5,
// asks at 14.5; the node (on 12.6 + k) allocates at 14.6, the AM collects at
// 15.5; the reduce ends at 20.5.
func TestTimelineOfAReduce(t *testing.T) {
	sim, _ := mustRun(t, testCluster(1, 4096), oneJob(1, 1, 10.1, 5), Options{},
		RunConfig{Slowstart: 1, Calibration: plain()}, newFIFO(1))
	got := sim.JobTimes()[0]
	if got.FirstReduce != 15500*simcore.Millisecond || got.Finish != 20500*simcore.Millisecond {
		t.Errorf("first reduce %v, finish %v; want 15.5 s, 20.5 s", got.FirstReduce.Std(), got.Finish.Std())
	}
}

// randomWorkload draws jobs of several sizes.
func randomWorkload(r *rand.Rand, jobs int) *simcore.Workload {
	w := &simcore.Workload{Queues: []string{"root.a", "root.b"}, Users: []string{"u", "v", "w"}}
	at := simcore.Time(0)
	for i := range jobs {
		at += simcore.Time(r.IntN(20_000_000))
		w.Dists = append(w.Dists,
			simcore.Dist{Kind: simcore.Uniform, A: 2, B: 30},
			simcore.Dist{Kind: simcore.LogNormal, A: 1.5, B: 1})
		w.Jobs = append(w.Jobs, simcore.Job{ID: fmt.Sprintf("j%d", i), Class: -1, Submit: at,
			Queue: int32(r.IntN(2)), User: int32(r.IntN(3)), Maps: int32(r.IntN(40)), Reduces: int32(r.IntN(8)), FirstTask: -1,
			Slowstart: float64(r.IntN(3)) / 2,
			MapAsk:    simcore.Vec{512 * int64(1+r.IntN(2)), 1}, ReduceAsk: simcore.Vec{512 * int64(1+r.IntN(3)), 1},
			AMAsk:   simcore.Vec{512, 1},
			MapDist: int32(2 * i), ReduceDist: int32(2*i + 1)})
	}
	return w
}

type step struct {
	at simcore.Time
	Event
}

// Heartbeats that are skipped change nothing: eager and lazy runs commit the
// same containers at the same instants, and a second run of the same Sim too.
func TestLazyEqualsEager(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		c, w := testCluster(1+r.IntN(8), 4096), randomWorkload(r, 1+r.IntN(10))
		opt := Options{Times: Times(r.IntN(2))}
		cfg := RunConfig{Seed: seed, Slowstart: -1, Jitter: Jitter{true, true, true}}
		if seed%4 == 0 {
			cfg.Calibration = Default()
			cfg.Calibration.TaskSlowdown, cfg.Calibration.TaskNeighbours = 0.4, 1
		}
		fail := r.IntN(2) == 0
		if fail {
			Spot(c, simcore.Time(1+r.IntN(20))*simcore.Minute)
		}
		perBeat := 1 + r.IntN(3)
		run := func(eager bool, sim *Sim) []step {
			var got []step
			cfg.Eager = eager
			cfg.Observe = func(at simcore.Time, e *Event) { got = append(got, step{at, *e}) }
			if _, err := sim.Run(cfg, newFIFO(perBeat)); err != nil && !fail {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for n := range sim.crowds {
				if c := &sim.crowds[n]; sim.left == 0 && c.tasks != 0 {
					t.Errorf("seed %d: got %d tasks on node %d in the end, want none", seed, c.tasks, n)
				}
			}
			return got
		}
		sim, err := NewSim(c, w, opt)
		if err != nil {
			t.Fatal(err)
		}
		lazy := run(false, sim)
		eager := run(true, sim)
		again := run(false, sim)
		compareSteps(t, fmt.Sprintf("seed %d: lazy and eager", seed), lazy, eager)
		compareSteps(t, fmt.Sprintf("seed %d: first and second run", seed), lazy, again)
	}
}

func compareSteps(t *testing.T, what string, a, b []step) {
	t.Helper()
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x.at != y.at || x.App != y.App || x.Node != y.Node || x.Ordinal != y.Ordinal || x.Priority != y.Priority {
			t.Fatalf("%s part at step %d of %d and %d: %+v and %+v", what, i, len(a), len(b), x, y)
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%s: %d and %d steps", what, len(a), len(b))
	}
}

// Every task of every job finishes exactly once.
func TestEveryTaskFinishesOnce(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		w := randomWorkload(r, 1+r.IntN(12))
		cfg := RunConfig{Seed: seed, Slowstart: -1, Jitter: Jitter{true, true, true}}
		sim, res := mustRun(t, testCluster(1+r.IntN(8), 4096), w, Options{Times: Times(r.IntN(2))}, cfg, newFIFO(1))
		for j := range w.Jobs {
			got := res.Jobs[j].Finished
			if got != [2]int32{w.Jobs[j].Maps, w.Jobs[j].Reduces} || sim.JobTimes()[j].Status != Succeeded {
				t.Errorf("seed %d, job %d: finished %v of %d maps, %d reduces, status %d", seed, j, got, w.Jobs[j].Maps,
					w.Jobs[j].Reduces, sim.JobTimes()[j].Status)
			}
		}
	}
}
