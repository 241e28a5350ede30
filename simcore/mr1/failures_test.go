package mr1_test

import (
	"math"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
)

// Attempts fail with probability p; a job survives with (1 - p^a)^n and its
// tasks need (1 - p^a)/(1 - p) attempts on average.
func TestAttemptFailures(t *testing.T) {
	const p, a, n, jobs = 0.3, 3, 5, 20000
	w := queueOf(1, jobs, 1, simcore.Dist{A: 0.1})
	for i := range w.Jobs {
		w.Jobs[i].Maps = n
	}
	cfg := ideal(simcore.Sampled, 3)
	cfg.Failures = mr1.Failures{Attempt: p, MaxAttempts: a}
	r := run(t, cfg, oneNode(50), w)
	near(t, "surviving jobs", value(t, r, "jobs")/jobs, math.Pow(1-math.Pow(p, a), n), 0.01)
	attempts, tasks := 0.0, 0.0
	for _, j := range r.Jobs {
		if !j.Failed {
			attempts, tasks = attempts+float64(j.Tally.Finished[0]+j.Tally.Failed[0]), tasks+n
		}
	}
	// Among jobs that survive: the mean of a geometric number cut at a.
	want := (1 + 2*p + 3*p*p) * (1 - p) / (1 - p*p*p)
	near(t, "attempts per task", attempts/tasks, want, 0.01)
}

// LATE doubles stragglers: with one in ten tasks ten times as long, two
// attempts in parallel shorten the tail, whether times are drawn or computing
// takes them. The order is certain, so the check is on the mean over seeds: the
// makespan falls, and no task counts twice.
func TestSpeculationShortensStragglers(t *testing.T) {
	c := schedtest.Uniform(10, 10, simcore.Vec{2, 0})
	w := stageOf(40, simcore.Dist{Kind: simcore.Uniform, A: 50, B: 70})
	mean := func(m simcore.Model, on bool) float64 {
		sum := 0.0
		for seed := range uint64(30) {
			cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: m, Seed: seed, StragglerShare: 0.05,
				StragglerFactor: 10}}
			cfg.Speculation = mr1.Speculation{On: on, Cap: 0.5}
			r := run(t, cfg, c, w)
			if r.Total.Finished[0] != 40 {
				t.Fatalf("%v, seed %d: %d maps counted of 40", m, seed, r.Total.Finished[0])
			}
			sum += value(t, r, "makespan") / 30
		}
		return sum
	}
	for _, m := range []simcore.Model{simcore.Sampled, simcore.Resources} {
		// A straggler of 600 s is seen after 60 s and redone in 60 s.
		if without, with := mean(m, false), mean(m, true); with > 0.6*without {
			t.Errorf("%v: mean makespan %v s with speculation, %v s without", m, with, without)
		}
	}
}

// A node that dies takes running attempts and finished map output with it: the
// maps run again, reduces get everything, and the job ends.
func TestLostOutputRunsAgain(t *testing.T) {
	lost, again := 0, 0
	for _, m := range []simcore.Model{simcore.Sampled, simcore.Resources} {
		for seed := range uint64(20) {
			w, c := schedtest.Mixed(seed, 20), schedtest.Uniform(6, 3, simcore.Vec{3, 2})
			cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: m, Seed: seed}, Replication: 2}
			cfg.Failures = mr1.Failures{NodeMTBF: 20 * simcore.Minute, NodeRepair: simcore.Minute, Expiry: 30 * simcore.Second}
			finished := map[simcore.Task]int{}
			cfg.Trace = func(_ simcore.Time, e mr1.Event) {
				switch e.Kind {
				case mr1.TaskLost:
					lost++
				case mr1.TaskFinished:
					if finished[e.Task]++; finished[e.Task] == 2 {
						again++
					}
				}
			}
			if r := run(t, cfg, c, w); value(t, r, "failed-jobs") != 0 {
				t.Errorf("seed %d: node failures failed a job", seed)
			}
		}
	}
	if lost == 0 || again == 0 {
		t.Errorf("%d outputs lost, %d tasks run again: the scenario tests nothing", lost, again)
	}
}

// A reduce that still copies from a node that dies waits for its maps to run
// again; one that has copied everything does not. Four maps of 10 s leave a
// reduce of 10 s 400 s of copying, or 100 s, the last map's share, where it was
// there all the time: copied is what a reduce launched at start has at, maps
// done at mapsDone.
func TestLostOutputHoldsCopies(t *testing.T) {
	copied := func(start, mapsDone simcore.Time) simcore.Time {
		early := max(mapsDone-start, 0)
		return max(start, mapsDone) + max(400*simcore.Second-early, 100*simcore.Second)
	}
	held, unharmed := 0, 0
	for seed := range uint64(60) {
		w := stageOf(4, simcore.Dist{A: 10})
		w.Dists = append(w.Dists, simcore.Dist{A: 10})
		j := &w.Jobs[0]
		j.Reduces, j.ReduceDist, j.ShuffleBytes = 1, int32(len(w.Dists)-1), 400e6
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed, CopyRate: 1e6}}
		cfg.Failures = mr1.Failures{NodeMTBF: 20 * simcore.Minute, NodeRepair: simcore.Minute, Expiry: 30 * simcore.Second}
		var start, mapsDone, due simcore.Time
		losses := 0
		cfg.Trace = func(at simcore.Time, e mr1.Event) {
			switch {
			case e.Kind == mr1.TaskStarted && e.Task.Kind == simcore.Reduce:
				start, due, losses = at, 0, 0
			case e.Kind == mr1.TaskKilled && e.Task.Kind == simcore.Reduce:
				losses = 2 // the node of the reduce died: another story
			case e.Kind == mr1.JobMapsDone && losses == 0:
				mapsDone = at
			case e.Kind == mr1.JobMapsDone && losses == 1 && due == 0:
				due = copied(start, at)
			case e.Kind == mr1.TaskLost && losses == 0 && mapsDone > 0:
				if losses = 1; copied(start, mapsDone) <= at-cfg.Failures.Expiry {
					due = copied(start, mapsDone)
				}
			case e.Kind == mr1.NodeLost && losses == 1 && due > 0 && due > at:
				losses = 2
			case e.Kind == mr1.TaskFinished && e.Task.Kind == simcore.Reduce && losses == 1:
				if late := at - due - 10*simcore.Second; late < 0 || late > simcore.Second {
					t.Errorf("seed %d: reduce ended at %.1f s, want %.1f s and less than a heartbeat", seed, at.Seconds(),
						(due + 10*simcore.Second).Seconds())
				}
				if due > copied(start, mapsDone) {
					held++
				} else {
					unharmed++
				}
			}
		}
		if _, err := mr1.Run(cfg, schedtest.Uniform(8, 4, simcore.Vec{1, 1}), w, &schedtest.FIFO{Slowstart: 0.25}); err !=
			nil {
			t.Fatal(err)
		}
	}
	if held == 0 {
		t.Errorf("%d reduces held, %d past their copying: the scenario tests nothing", held, unharmed)
	}
	t.Logf("%d reduces held, %d past their copying", held, unharmed)
}

// A map reads 100 MB at 50 MB/s (2 s), computes 6 s and writes 100 MB (2 s).
// Each phase is a third of its work: one that fails after a sixth has read half,
// 1 s; after a half it has computed half, 2 + 3 s; after five sixths it has
// written half, 2 + 6 + 1 s.
func TestFailingAttemptDoesPartOfItsWork(t *testing.T) {
	c := oneNode(1)
	c.Nodes[0].Disks, c.Nodes[0].DiskRate, c.Nodes[0].Cores = 1, 50e6, 1
	w := stageOf(1, simcore.Dist{})
	w.Jobs[0].InputBytes, w.Jobs[0].OutputBytes, w.Jobs[0].MapCPU = 100e6, 100e6, 6e-8
	var dur kernel.Durations
	dur.Reset(simcore.DurationConfig{Model: simcore.Resources}, c, w)
	for part, want := range map[float64]float64{0: 0, 1. / 6: 1, 0.5: 5, 5. / 6: 9, 1: 10} {
		x := new(kernel.Exec)
		x.Reset(simcore.ResourceConfig{}, &dur, c, w)
		x.Start(0, 0, simcore.Task{Job: 0, Kind: simcore.Map}, 0, 0, 0, part)
		now, ended := simcore.Time(0), []int32(nil)
		for len(ended) == 0 {
			at, ok := x.Next()
			if !ok {
				t.Fatalf("part %v: the attempt never ends", part)
			}
			now = max(now, at)
			ended = x.Advance(now, nil)
		}
		near(t, "seconds of work", now.Seconds(), want, 1e-4)
	}
}

// A reduce that fails while it copies ends after its part of the copy, whether
// or not all maps are done, and leaves the rest to the next attempt: half of the
// 100 MB written at 50 MB/s takes 1 s.
func TestFailingReduceCopiesAPart(t *testing.T) {
	c := oneNode(1)
	c.Nodes[0].Disks, c.Nodes[0].DiskRate, c.Nodes[0].NICRate = 1, 50e6, 0
	w := stageOf(2, simcore.Dist{})
	j := &w.Jobs[0]
	j.Reduces, j.ReduceDist, j.ShuffleBytes = 1, 0, 100e6
	var dur kernel.Durations
	dur.Reset(simcore.DurationConfig{Model: simcore.Resources}, c, w)
	x := new(kernel.Exec)
	x.Reset(simcore.ResourceConfig{}, &dur, c, w)
	x.MapDone(0, simcore.Task{Kind: simcore.Map, Index: 0}, 0) // half of the output is there
	x.Start(0, 0, simcore.Task{Kind: simcore.Reduce}, 0, 0, 0, 1./6)
	at, ok := x.Next()
	if ended := x.Advance(at, nil); !ok || len(ended) != 1 {
		t.Fatalf("the attempt has not ended at %v", at)
	}
	near(t, "seconds of copying", at.Seconds(), 1, 1e-4)
}
