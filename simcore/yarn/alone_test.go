package yarn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Every job of a workload has alone what it has as the only job there is, and
// with others around it is never bounded below 1.
func TestAlone(t *testing.T) {
	const seed = 5
	s := randomScenario(t, seed)
	s.work = randomJobs(rand.New(rand.NewPCG(seed, seed)), len(s.cluster.Nodes))
	for long, k := &s.work.Jobs[1], int32(0); k < long.Maps+long.Reduces; k++ { // a job of hours among minutes
		s.work.Tasks.Duration[long.FirstTask+k] += 2 * simcore.Hour
	}
	d, err := yarnconf.Parse("one.xml", yarnconf.Fragment("", []yarnconf.Change{
		{Key: yarnconf.Prefix + "root.queues", Value: "one"}, {Key: yarnconf.Key("root.one", yarnconf.Capacity),
			Value: "100"},
		{Key: yarnconf.Prefix + yarnconf.AMShare, Value: "1"}}))
	if err != nil {
		t.Fatal(err)
	}
	conf, err := yarnconf.Evaluate(d)
	if err != nil {
		t.Fatal(err)
	}
	fresh := func() (yarn.Scheduler, error) { return capacity.New(conf) }
	cfg := yarn.RunConfig{Slowstart: 0.5}
	one, err := fresh()
	if err != nil {
		t.Fatal(err)
	}
	alone, err := yarn.Alone(s.cluster, s.work, s.opt, cfg, "root.one", one)
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for i := range s.work.Jobs {
		one := *s.work
		one.Queues = []string{"root.one"}
		one.Jobs = []simcore.Job{s.work.Jobs[i]}
		one.Jobs[0].Queue, one.Jobs[0].Submit = 0, 0
		sim, err := yarn.NewSim(s.cluster, &one, s.opt)
		if err != nil {
			t.Fatal(err)
		}
		sched, err := fresh()
		if err != nil {
			t.Fatal(err)
		}
		r, err := sim.Run(cfg, sched)
		if err != nil {
			t.Fatal(err)
		}
		// Latencies are drawn by the job's number, which is another here but for
		// the first job, and nodes have their heartbeats where the jobs before left them.
		got, want := alone[i].Seconds(), r.Jobs[0].Completion().Seconds()
		mean += got / want / float64(len(alone))
		if i == 0 && got != want || math.Abs(got/want-1) > 0.1 {
			t.Errorf("seed %d: job %d has %g s alone, want %g", seed, i, got, want)
		}
	}
	if math.Abs(mean-1) > 0.03 {
		t.Errorf("seed %d: jobs have %.3f of their time alone in the mean, want 1", seed, mean)
	}
	s.work.Alone = alone
	_, r, err := s.run(t, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []string{"mean", "p95", "max"} {
		t.Run(m, func(t *testing.T) {
			v, err := r.Value(m + "-bounded-slowdown")
			if err != nil || !(v >= 1) {
				t.Errorf("seed %d: %s-bounded-slowdown is %v, %v", seed, m, v, err)
			}
		})
	}
}

// By hand: 40 s where 20 would do is 2; below the floor of 10 s the floor
// counts; never below 1. Without times alone nothing is claimed.
func TestBoundedSlowdown(t *testing.T) {
	for _, c := range []struct {
		completion, alone simcore.Time
		want              float64
	}{{40, 20, 2}, {40, 2, 4}, {5, 20, 1}, {10, 10, 1}} {
		j := simcore.JobResult{Finish: c.completion * simcore.Second}
		if got := j.BoundedSlowdown(c.alone * simcore.Second); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v s, alone %v s: %v, want %v", c.completion, c.alone, got, c.want)
		}
	}
}
