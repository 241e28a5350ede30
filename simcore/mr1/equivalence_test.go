package mr1_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
	"schedtune/validation/testdata"
)

// scene draws a random run: cluster, workload, configuration.
func scene(seed uint64) (mr1.Config, *simcore.Cluster, *simcore.Workload) {
	k := rng.NewKey(seed, 20)
	c := schedtest.Uniform(1+k.IntN(0, 12), 1+k.IntN(1, 5), simcore.Vec{int64(1 + k.IntN(2, 4)), int64(1 + k.IntN(3, 3))})
	w := schedtest.Mixed(seed, 1+k.IntN(4, 30))
	cfg := mr1.Config{
		DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed, CopyRate: 10e6},
		OutOfBand:      k.IntN(5, 2) == 0, Pool: k.IntN(6, 3) == 0, Replication: k.IntN(7, 4),
		JobInit: simcore.Time(k.IntN(8, 3)) * simcore.Second, Launch: simcore.Time(k.IntN(9, 2000)) * simcore.Millisecond,
		LaunchJitter: simcore.Time(k.IntN(10, 2000)) * simcore.Millisecond, Heartbeat: simcore.Time(1+k.IntN(11, 5000)) *
			simcore.Millisecond,
	}
	if k.IntN(12, 3) == 0 {
		cfg.Model = simcore.Resources
		cfg.Prompt = !cfg.OutOfBand && k.IntN(15, 2) == 0
		if k.IntN(16, 2) == 0 {
			cfg.Resource = simcore.ResourceConfig{ShuffleReads: true,
				SpillBuffer: int64(1+k.IntN(18, 100)) << 18, MergeFactor: int32(2 + k.IntN(19, 9))}
		}
	}
	if k.IntN(13, 3) == 0 {
		cfg.Failures = mr1.Failures{Attempt: 0.05, MaxAttempts: 20}
	}
	if k.IntN(14, 4) == 0 {
		cfg.StragglerShare, cfg.StragglerFactor, cfg.Speculation = 0.1, 4,
			mr1.Speculation{On: true, After: 20 * simcore.Second}
	}
	return cfg, c, w
}

func scheduler(kind int, seed uint64) mr1.Scheduler {
	if kind == 0 {
		return &schedtest.FIFO{Slowstart: 0.3}
	}
	return newCapricious(seed)
}

// history runs a scene and writes down every event.
func history(t *testing.T, cfg mr1.Config, c *simcore.Cluster, w *simcore.Workload, s mr1.Scheduler) string {
	t.Helper()
	var b strings.Builder
	cfg.Trace = func(at simcore.Time, e mr1.Event) { fmt.Fprintln(&b, at, e) }
	if _, err := mr1.Run(cfg, c, w, s); err != nil {
		t.Fatalf("seed %d: %v", cfg.Seed, err)
	}
	return b.String()
}

// Heartbeats that are computed and heartbeats that are all simulated give the
// same history, event for event.
func TestLazyHeartbeatsEqualEager(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testdata.Cases(80)) {
		for kind := range 2 {
			cfg, c, w := scene(seed)
			lazy := history(t, cfg, c, w, scheduler(kind, seed))
			cfg.EveryBeat = true
			if eager := history(t, cfg, c, w, scheduler(kind, seed)); lazy != eager {
				t.Fatalf("seed %d, scheduler %d: %s", seed, kind, firstDifference(lazy, eager))
			}
		}
	}
}

// The same on a cluster of so many nodes that the kernel looks ahead, some of
// them without slots.
func TestManyNodesLazyEqualsEager(t *testing.T) {
	cfg, _, w := scene(3)
	cfg.Model, cfg.Prompt, cfg.Failures, cfg.Heartbeat = simcore.Sampled, false, mr1.Failures{}, 0
	c := schedtest.Uniform(5000, 40, simcore.Vec{4, 2})
	for n := 0; n < len(c.Nodes); n += 7 {
		c.Nodes[n].Slots = simcore.Vec{}
	}
	lazy := history(t, cfg, c, w, scheduler(0, 3))
	cfg.EveryBeat = true
	if eager := history(t, cfg, c, w, scheduler(0, 3)); lazy != eager {
		t.Fatal(firstDifference(lazy, eager))
	}
}

// Runs that track every task singly have the history of runs that count them:
// the common path and the general one agree.
func TestTrackedTasksEqualCountedOnes(t *testing.T) {
	for seed := range uint64(40) {
		for kind := range 2 {
			cfg, c, w := scene(seed)
			cfg.Model, cfg.Prompt, cfg.Replication, cfg.TrackOutput = simcore.Sampled, false, 0, false
			cfg.Failures, cfg.Speculation = mr1.Failures{}, mr1.Speculation{}
			if seed%2 == 0 {
				cfg.LaunchJitter = 0
			}
			counted := history(t, cfg, c, w, scheduler(kind, seed))
			cfg.TrackOutput = true
			if tracked := history(t, cfg, c, w, scheduler(kind, seed)); counted != tracked {
				t.Fatalf("seed %d, scheduler %d: %s", seed, kind, firstDifference(counted, tracked))
			}
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("event %d: %q against %q", i, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d events against %d", len(x), len(y))
}

// A Sim used again, runs on several goroutines, and traced runs give the
// results of a fresh, single, untraced one.
func TestReuseWorkersAndTracing(t *testing.T) {
	const runs = 40
	want := make([]uint64, runs)
	sim := mr1.NewSim()
	one := func(sim *mr1.Sim, seed uint64, trace bool) uint64 {
		cfg, c, w := scene(seed)
		if trace {
			cfg.Trace = func(simcore.Time, mr1.Event) {}
		}
		r, err := sim.Run(cfg, c, w, scheduler(int(seed%2), seed))
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return 0
		}
		return schedtest.Digest(r)
	}
	for i := range want {
		want[i] = one(mr1.NewSim(), uint64(i), false)
		if got := one(sim, uint64(i), true); got != want[i] {
			t.Errorf("seed %d: a reused Sim with tracing gives another result", i)
		}
	}
	got := make([]uint64, runs)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			sim := mr1.NewSim()
			for i := worker; i < runs; i += 8 {
				got[i] = one(sim, uint64(i), false)
			}
		})
	}
	group.Wait()
	if !slices.Equal(got, want) {
		t.Error("eight workers and one differ")
	}
}

// Twice as long task times, latencies, gaps and heartbeats give twice the
// completion times. Phases are drawn as integers of the period, hence the
// tolerance of a few µs per step.
func TestScaledTimeScalesResults(t *testing.T) {
	for seed := range uint64(30) {
		_, c, w := scene(seed)
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Replay, Seed: seed},
			Heartbeat: simcore.Second, Launch: simcore.Second}
		record(w, seed)
		base := run(t, cfg, c, w)
		slow := *w
		slow.Jobs, slow.Tasks.Duration = slices.Clone(w.Jobs), slices.Clone(w.Tasks.Duration)
		for i := range slow.Jobs {
			slow.Jobs[i].Submit *= 2
		}
		for i := range slow.Tasks.Duration {
			slow.Tasks.Duration[i] *= 2
		}
		cfg.Heartbeat, cfg.Launch = 2*cfg.Heartbeat, 2*cfg.Launch
		scaled := run(t, cfg, c, &slow)
		for i := range base.Jobs {
			if d := scaled.Jobs[i].Finish - 2*base.Jobs[i].Finish; d < -1000 || d > 1000 {
				t.Fatalf("seed %d job %d: ends at %d µs, scaled by 2 at %d µs", seed, i, base.Jobs[i].Finish, scaled.Jobs[i].Finish)
			}
		}
	}
}

// record gives every task of the workload a recorded time.
func record(w *simcore.Workload, seed uint64) {
	k := rng.NewKey(seed, 21)
	for i := range w.Jobs {
		j := &w.Jobs[i]
		j.FirstTask = int32(len(w.Tasks.Duration))
		for range j.Maps + j.Reduces {
			w.Tasks.Duration = append(w.Tasks.Duration, simcore.Seconds(k.Exp(uint64(len(w.Tasks.Duration)))*20))
		}
	}
}

// Twice the bytes on twice as fast disks and links leave the times as they
// are, to the rounding of shares.
func TestScaledBytesChangeNothing(t *testing.T) {
	for seed := range uint64(10) {
		_, c, w := scene(seed)
		c.UplinkRate = 500e6
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Resources, Seed: seed}, Replication: 2}
		for i := range w.Jobs { // even splits, so that halves are exact
			j := &w.Jobs[i]
			j.ShuffleBytes = int64(j.Maps) * int64(max(j.Reduces, 1)) << 20
			j.OutputBytes = int64(j.Maps) * int64(max(j.Reduces, 1)) << 18
		}
		base := run(t, cfg, c, w)
		for i := range w.Jobs {
			j := &w.Jobs[i]
			j.InputBytes, j.ShuffleBytes, j.OutputBytes = 2*j.InputBytes, 2*j.ShuffleBytes, 2*j.OutputBytes
			j.MapCPU, j.ReduceCPU = j.MapCPU/2, j.ReduceCPU/2
		}
		for n := range c.Nodes {
			c.Nodes[n].DiskRate, c.Nodes[n].NICRate = 2*c.Nodes[n].DiskRate, 2*c.Nodes[n].NICRate
		}
		c.UplinkRate *= 2
		near(t, "makespan", value(t, run(t, cfg, c, w), "makespan"), value(t, base, "makespan"), 1e-4)
	}
}

// Numbering queues, users and equal nodes otherwise changes no total: without
// data placement and with one heartbeat phase, nodes differ by number only.
func TestPermutedIdsKeepTotals(t *testing.T) {
	for seed := range uint64(30) {
		_, c, w := scene(seed)
		for n := range c.Nodes { // slots differ by node
			c.Nodes[n].Slots[0] += int64(n % 3)
		}
		cfg := ideal(simcore.Sampled, seed)
		base := run(t, cfg, c, w)
		slices.Reverse(c.Nodes)
		slices.Reverse(w.Queues)
		for i := range w.Jobs {
			w.Jobs[i].Queue = int32(len(w.Queues)) - 1 - w.Jobs[i].Queue
		}
		other := run(t, cfg, c, w)
		for _, m := range []string{"makespan", "mean-completion", "p95-wait", "queue.prod.mean-completion",
			"user.bob.p99-completion"} {
			a, b := value(t, base, m), value(t, other, m)
			if math.Abs(a-b) > 1e-4 && !(math.IsNaN(a) && math.IsNaN(b)) {
				t.Errorf("seed %d: %s %v, with other numbers %v", seed, m, a, b)
			}
		}
	}
}

// A node of k slots does what k nodes of one slot do.
func TestSplitNodesKeepTotals(t *testing.T) {
	for seed := range uint64(20) {
		w := schedtest.Mixed(seed, 20)
		cfg := ideal(simcore.Sampled, seed)
		one := run(t, cfg, schedtest.Uniform(1, 1, simcore.Vec{6, 6}), w)
		many := run(t, cfg, schedtest.Uniform(6, 1, simcore.Vec{1, 1}), w)
		near(t, fmt.Sprintf("seed %d makespan", seed), value(t, many, "makespan"), value(t, one, "makespan"), 1e-6)
	}
}

type lazyReducer struct{ schedtest.FIFO }

func (lazyReducer) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	return simcore.Task{}, false
}

func (lazyReducer) Ready(v *mr1.View, k simcore.Kind) bool { return true }

func TestStallGuard(t *testing.T) {
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}
	_, err := mr1.Run(cfg, schedtest.Uniform(3, 3, simcore.Vec{2, 2}), schedtest.Mixed(1, 5), &lazyReducer{})
	if !errors.Is(err, mr1.ErrStalled) {
		t.Errorf("a scheduler that never picks: %v, want %v", err, mr1.ErrStalled)
	}
	// A pool whose only container is held by a reduce that waits for maps.
	w := stageOf(1, simcore.Dist{A: 1})
	w.Jobs[0].Reduces, w.Jobs[0].ReduceDist = 1, 0
	cfg.Pool = true
	_, err = mr1.Run(cfg, schedtest.Uniform(1, 1, simcore.Vec{1, 0}), w, reduceFirst{})
	if !errors.Is(err, mr1.ErrStalled) {
		t.Errorf("deadlock: %v, want %v", err, mr1.ErrStalled)
	}
}

type reduceFirst struct{}

func (reduceFirst) Pick(v *mr1.View, _ simcore.NodeID) (simcore.Task, bool) {
	j := v.FirstWaiting(simcore.Reduce)
	return simcore.Task{Job: j, Kind: simcore.Reduce, Index: simcore.AnyTask}, j != simcore.None
}

type picker struct{ t simcore.Task }

func (p picker) Name() string                                        { return "picker" }
func (p picker) Pick(*mr1.View, simcore.NodeID) (simcore.Task, bool) { return p.t, true }

func TestIllegalPicksAreNamed(t *testing.T) {
	w := stageOf(3, simcore.Dist{A: 1})
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, Replication: 1}
	for _, task := range []simcore.Task{
		{Job: 7, Index: simcore.AnyTask}, {Job: -2}, {Kind: 9}, {Kind: simcore.Reduce, Index: simcore.AnyTask}, {Index: 3},
		{Index: -4},
	} {
		_, err := mr1.Run(cfg, schedtest.Uniform(2, 2, simcore.Vec{1, 1}), w, picker{task})
		var pick *mr1.PickError
		if !errors.As(err, &pick) || pick.Task != task || !strings.Contains(err.Error(), "picker") {
			t.Errorf("pick %+v: error %v", task, err)
		}
	}
	// The same task twice: two nodes each get map 1.
	if _, err := mr1.Run(cfg, schedtest.Uniform(2, 2, simcore.Vec{1, 1}), w, picker{simcore.Task{Index: 1}}); err == nil {
		t.Error("a task picked twice must be an error")
	}
}

func FuzzRun(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		cfg, c, w := scene(seed)
		a := schedtest.NewAuditor(c, w, cfg.Pool)
		cfg.Trace = a.Event
		r, err := mr1.Run(cfg, c, w, scheduler(int(seed%2), seed))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range a.Finish(r) {
			t.Error(e)
		}
	})
}
