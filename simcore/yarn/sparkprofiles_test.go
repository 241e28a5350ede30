package yarn_test

import (
	"math/rand/v2"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// TestSparkProfiles: eight tasks of the default resource profile, then four of a
// second one with larger executors. The eight executors of the first stage stand
// idle beside the second one's tasks, which only executors of their own profile
// take: asked at priority 1, of their own size, as many as they need.
func TestSparkProfiles(t *testing.T) {
	a := &simcore.SparkApp{Settings: simcore.DefaultSparkSettings(),
		Executors: []simcore.SparkExecutor{{Container: simcore.Vec{1024, 1}}, {Container: simcore.Vec{3072, 2}, Cores: 2}},
		Jobs:      []simcore.SparkJob{{Stages: 2}},
		Stages: []simcore.SparkStage{{Tasks: 8, Dist: -1, Reads: -1, Caches: -1, ShuffleWrite: true},
			{Tasks: 4, FirstTask: 8, Dist: -1, Reads: -1, Caches: -1, Parents: []int32{0}, Profile: 1}}}
	s := &a.Settings
	s.Dynamic, s.Instances, s.ShuffleService = true, 0, true
	sim, err := yarn.NewSim(hundredNodes(), oneApp(a, same(12, 20*simcore.Second)...), yarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sched, err := capacity.New(evaluate(t, twoQueues))
	if err != nil {
		t.Fatal(err)
	}
	type ask struct {
		priority int32
		memory   int64
	}
	got := map[ask]int{}
	cfg := yarn.RunConfig{Seed: 3, Slowstart: -1, Observe: func(_ simcore.Time, e *yarn.Event) {
		if e.Kind == yarn.Allocate && e.Ordinal > 0 && !e.Refused {
			got[ask{e.Priority, e.Size.Memory}]++
		}
	}}
	if _, err := sim.Run(cfg, sched); err != nil {
		t.Fatal(err)
	}
	if got[ask{0, 1024}] != 8 || got[ask{1, 3072}] != 2 || len(got) != 2 {
		t.Errorf("containers by priority and size: %v, want 8 of 1024 MiB at 0 and 2 of 3072 MiB at 1", got)
	}
	times := sim.JobTimes()[0]
	if times.Executors != 10 || times.LastMap-times.FirstMap < 40*simcore.Second {
		t.Errorf("%d executors, tasks over %v; want 10, and 40 s at least: idle executors of another profile take none",
			times.Executors, (times.LastMap - times.FirstMap).Std())
	}
}

// addProfile gives an application a second resource profile, which some of its
// stages use. Nothing holds an idle executor for ever, or those of one profile
// could keep the other's out, as they do in the original.
func addProfile(r *rand.Rand, a *simcore.SparkApp) {
	cores := int32(1 + r.IntN(3))
	a.Settings.ShuffleService, a.Settings.Min = true, 0
	a.Executors = append(a.Executors, simcore.SparkExecutor{Container: simcore.Vec{256 * int64(1+r.IntN(4)),
		int64(cores)}, Cores: cores})
	for i := range a.Stages {
		a.Stages[i].Profile = int32(r.IntN(2))
	}
}

// TestSparkStaticProfiles: without dynamic allocation all executors are of the
// default profile, so a stage that packs its tasks otherwise is refused.
func TestSparkStaticProfiles(t *testing.T) {
	a := &simcore.SparkApp{Settings: simcore.DefaultSparkSettings(),
		Executors: []simcore.SparkExecutor{{Container: simcore.Vec{1024, 1}}, {Container: simcore.Vec{1024, 2}, Cores: 2}},
		Jobs:      []simcore.SparkJob{{Stages: 1}}, Stages: []simcore.SparkStage{{Tasks: 1, Dist: -1, Reads: -1, Caches: -1,
			Profile: 1}}}
	if _, err := yarn.NewSim(hundredNodes(), oneApp(a, simcore.Second), yarn.Options{}); err == nil {
		t.Error("accepted")
	}
	a.Executors[1].Cores = 1
	if got := runOne(t, oneApp(a, simcore.Second)); got.Executors != 2 {
		t.Errorf("%d executors, want the default 2", got.Executors)
	}
}
