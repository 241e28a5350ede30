package yarn_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// asynchronous switches asynchronous scheduling on, with settings of its own.
func (s *scenario) asynchronous(r *rand.Rand) {
	s.conf.Asynchronous = true
	s.conf.Async = yarnconf.Async{Interval: []int64{5, 40, 300}[r.IntN(3)], Threads: 1 + r.IntN(3),
		MaxBacklog: []int{100, 2, 0}[r.IntN(3)], SkipAfter: 2000}
	s.conf.LazyPreemption = r.IntN(3) == 0
	cal := *yarn.Default()
	cal.RoundCommit = []float64{0.03, 2}[r.IntN(2)]
	if r.IntN(4) == 0 {
		s.conf.Async.SkipAfter = 600 // late between heartbeats
	}
	s.cfg.Calibration = &cal
	s.opt.Horizon = 2 * simcore.Hour
}

// Rounds that can change nothing are left out without changing the history.
func TestLazyEqualsEagerRounds(t *testing.T) {
	t.Parallel()
	seeds, granted := testdata.Cases(16), 0
	for seed := range uint64(seeds) {
		s := wilder(t, seed)
		s.asynchronous(rand.New(rand.NewPCG(seed, 11)))
		granted += len(sameHistory(t, fmt.Sprintf("seed %d", seed), s.run))
	}
	if granted < 100*seeds {
		t.Errorf("%d containers in all: the scenarios test little", granted)
	}
}

// Rounds over several nodes that only renew reservations and are refused repeat
// themselves: they are left out without changing any container's time or node.
func TestRepeatedRoundsAreLeftOut(t *testing.T) {
	t.Parallel()
	const several = "capacity.multi-node-"
	var made, left int
	for seed := range uint64(testdata.Cases(16)) {
		r := rand.New(rand.NewPCG(seed, 17))
		s := wilderWith(t, seed, property(several+"placement-enabled", true)+property(several+"sorting.policy.names",
			"default")+
			property(several+"sorting.policy", "default")+property(several+"sorting.policy.default.class", yarnconf.ByUsage)+
			property(several+"sorting.policy.default.sorting-interval.ms", []int{1000, 1000, 0}[r.IntN(3)]))
		s.asynchronous(r)
		s.conf.LazyPreemption = seed%4 == 0
		if seed%3 > 0 {
			s.conf.Async.Interval = 5
		}
		if seed%2 > 0 {
			s.conf.Version = yarnconf.Hadoop35
		}
		s.conf.Async.SkipAfter = 2000 // nodes that may be late at any time repeat nothing
		cal := *s.cfg.Calibration
		cal.RoundCommit = 0.03 // nor do rounds whose proposals wait
		s.cfg.Calibration = &cal
		s.opt.Horizon = 10 * simcore.Minute
		_, n, all := s.sameChanges(t, seed)
		made, left = made+n, left+all-n
	}
	t.Logf("%d rounds made, %d left out", made, left)
	if made > left/4 {
		t.Errorf("%d rounds made, %d left out", made, left)
	}
}

// sameChanges runs a scenario with rounds left out and without, and compares what containers
// come and go; how many do, and how many rounds each run made.
func (s *scenario) sameChanges(t *testing.T, seed uint64) (changes, lazyRounds, eagerRounds int) {
	t.Helper()
	run := func(eager bool) ([]change, bool, int) {
		sched, err := capacity.New(s.conf)
		if err != nil {
			t.Fatal(err)
		}
		sim, err := yarn.NewSim(s.cluster, s.work, s.opt)
		if err != nil {
			t.Fatal(err)
		}
		counted := &countRounds{Scheduler: sched}
		var changes []change
		cfg := s.cfg
		cfg.Eager = eager
		cfg.Trace = func(at simcore.Time, c yarn.ContainerChange) { changes = append(changes, change{at, c}) }
		_, err = sim.Run(cfg, counted)
		return changes, err == nil, counted.rounds
	}
	lazy, ended, lazyRounds := run(false)
	eager, endedToo, eagerRounds := run(true)
	if ended != endedToo || !slices.Equal(lazy, eager) {
		t.Errorf("seed %d: lazy and eager histories differ: %s; ended: %v and %v", seed, firstDifference(lazy, eager), ended,
			endedToo)
	}
	return len(eager), lazyRounds, eagerRounds
}

// An idle cluster of a thousand nodes takes no rounds: a job after a day of
// nothing costs as much as the same job at once.
func TestIdleRoundsCostNothing(t *testing.T) {
	w := &simcore.Workload{Queues: []string{"root.a"}, Users: []string{"u"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 20}}}
	ask := simcore.Vec{1024, 1}
	w.Jobs = []simcore.Job{{ID: "a", Class: -1, Submit: 24 * simcore.Hour, Maps: 30, FirstTask: -1, MapAsk: ask,
		ReduceAsk: ask, AMAsk: ask, MapDist: 0, ReduceDist: -1}}
	c := &simcore.Cluster{Racks: []string{"/r"}}
	for i := range 1000 {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("n%d", i), Capacity: simcore.Vec{8192, 8}})
	}
	conf := evaluate(t, "<configuration>"+property("capacity.root.queues", "a")+property("capacity.root.a.capacity",
		100)+property("capacity.schedule-asynchronously.enable", true)+"</configuration>")
	sched, err := capacity.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	counted := &countRounds{Scheduler: sched}
	sim, err := yarn.NewSim(c, w, yarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := sim.Run(yarn.RunConfig{Slowstart: -1}, counted)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Jobs[0].Finished[0]; got != 30 {
		t.Errorf("%d of 30 maps finished", got)
	}
	if counted.rounds > 200 {
		t.Errorf("%d rounds for 31 containers", counted.rounds)
	}
}

type countRounds struct {
	*capacity.Scheduler
	rounds int
}

func (c *countRounds) Round(start, lag int, late func(yarn.NodeID) bool, dst []yarn.Event) []yarn.Event {
	c.rounds++
	return c.Scheduler.Round(start, lag, late, dst)
}

// The first container of an application waits for a round, not for a heartbeat:
// with an interval of 5 ms it is there within a hundredth of a second.
func TestMastersStartWithinARound(t *testing.T) {
	s := randomScenario(t, 1)
	s.conf.Asynchronous, s.conf.Async = true, yarnconf.Async{Interval: 5, Threads: 1, MaxBacklog: 100, SkipAfter: 2000}
	sched, err := capacity.New(s.conf)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := yarn.NewSim(s.cluster, s.work, s.opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.Run(s.cfg, sched); err != nil {
		t.Fatal(err)
	}
	if j := sim.JobTimes()[0]; j.AMAllocated-j.Submit > 10*simcore.Millisecond {
		t.Errorf("master allocated %v after its submission", (j.AMAllocated - j.Submit).Std())
	}
}
