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
