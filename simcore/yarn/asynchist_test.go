package yarn_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
)

// asynchronousScenario is a random scenario with asynchronous scheduling: of
// MapReduce and Spark, with nodes that fail, come and go, labels, placement on
// several nodes, or queues made on first use.
func asynchronousScenario(t *testing.T, seed uint64) scenario {
	r := rand.New(rand.NewPCG(seed, 23))
	var s scenario
	switch kind := seed % 9; kind {
	case 0, 1:
		s = wilder(t, seed)
	case 2, 3:
		s = sparkScenario(t, seed)
	case 4:
		s = randomScenario(t, seed)
		makeElastic(r, s.cluster)
	case 5, 6:
		s = labelledScenario(t, seed, r)
	case 7:
		s = wilderWith(t, seed, property("capacity.multi-node-placement-enabled", true))
	default:
		s = firstUseScenario(t, seed, r)
	}
	s.asynchronous(r)
	if r.IntN(4) > 0 {
		s.conf.Async.Interval, s.conf.Async.SkipAfter = 5, 2000
	}
	if r.IntN(4) > 0 { // else proposals may wait from round to round
		s.cfg.Calibration = nil
	}
	if r.IntN(4) == 0 {
		yarn.Spot(s.cluster, simcore.Time(5+r.IntN(20))*simcore.Minute)
	}
	if r.IntN(3) == 0 { // sizes that do not divide a node
		for j := range s.work.Jobs {
			if q := &s.work.Jobs[j]; q.Spark == nil {
				q.MapAsk[simcore.Memory] += 300
				q.ReduceAsk[simcore.Memory] += 700
			}
		}
	}
	s.opt.Horizon = 20 * simcore.Minute
	return s
}

// labelledScenario has nodes with labels, exclusive and shared.
func labelledScenario(t *testing.T, seed uint64, r *rand.Rand) scenario {
	s := randomScenario(t, seed)
	xml := "<configuration>" + property("minimum-allocation-mb", 256) + property("capacity.root.queues", "a,b,c")
	for i, q := range []string{"root", "root.a", "root.b", "root.c"} {
		share := 100
		if i > 0 {
			share = []int{30, 30, 40}[i-1]
			xml += property("capacity."+q+".capacity", share) + property("capacity."+q+".maximum-capacity",
				min(100, share+r.IntN(80))) +
				property("capacity."+q+".user-limit-factor", 0.5+2*r.Float64()) + property("capacity."+q+".accessible-node-labels",
				"x,y")
		}
		for _, l := range []string{"x", "y"} {
			xml += property("capacity."+q+".accessible-node-labels."+l+".capacity", share)
		}
	}
	s.conf = evaluate(t, xml+property("capacity.maximum-am-resource-percent", 0.5)+"</configuration>")
	s.cluster.Labels = []simcore.NodeLabel{{Name: "x", Exclusive: true}, {Name: "y"}}
	for i := range s.cluster.Nodes {
		s.cluster.Nodes[i].Label = []string{"", "x", "y", ""}[i%4]
	}
	for j := range s.work.Jobs {
		if label := []string{"", "x", "y", ""}[r.IntN(4)]; label != "" && len(s.cluster.Nodes) > 2 {
			s.work.Jobs[j].Labels = &simcore.JobLabels{Map: label}
		}
	}
	return s
}

// firstUseScenario makes a queue for each user at its first job.
func firstUseScenario(t *testing.T, seed uint64, r *rand.Rand) scenario {
	s := randomScenario(t, seed)
	s.conf = evaluate(t, "<configuration>"+property("minimum-allocation-mb", 256)+property("capacity.root.queues",
		"users,b")+
		property("capacity.root.users.capacity", "2w")+property("capacity.root.b.capacity", "1w")+property(
		"capacity.maximum-am-resource-percent", 0.6)+
		property("capacity.root.users.auto-queue-creation-v2.enabled", true)+property(
		"capacity.auto-queue-creation-v2.queue-expiration-time", 30)+"</configuration>")
	s.work.Queues = []string{"root.users.u", "root.users.v", "root.b"}
	for j := range s.work.Jobs {
		s.work.Jobs[j].Queue = int32(r.IntN(3))
	}
	return s
}

// describe writes where every application stands: figures, limits and counters.
func describe(w io.Writer, s *capacity.Scheduler) {
	looked := s.Clone()
	for id := range yarn.AppID(s.Submitted()) {
		if s.Ended(id) {
			continue
		}
		fmt.Fprintln(w, id, s.App(id))
		if st, ok := looked.Examine(id); ok {
			fmt.Fprintf(w, "%+v\n", st)
		}
	}
}

// everyRound hides what further rounds do: those that can change anything are made.
type everyRound struct{ *countRounds }

func (everyRound) Counting() *yarn.CountingRounds { return nil }

// asynchronousHistory digests a run without an observer of proposals, which would
// have every round be made: what containers come and go, the result, and what the
// scheduler looks like from inside at some instants. All rounds are made, or those left out that are known.
func (s *scenario) asynchronousHistory(t *testing.T, seed uint64, all bool) (digest string, rounds int, err error) {
	t.Helper()
	sched, err := capacity.New(s.conf)
	if err != nil {
		t.Fatal(err)
	}
	counted := &countRounds{Scheduler: sched}
	var of yarn.Scheduler = counted
	if all {
		of = everyRound{counted}
	}
	sim, err := yarn.NewSim(s.cluster, s.work, s.opt)
	if err != nil {
		t.Fatal(err)
	}
	h, r := fnv.New64a(), rand.New(rand.NewPCG(seed, 29))
	cfg := s.cfg
	cfg.Trace = func(at simcore.Time, c yarn.ContainerChange) { fmt.Fprintln(h, at, c) }
	// With placement on several nodes rounds left out are booked late (Rounder.Skip).
	looks := !s.conf.MultiNode
	if looks && r.IntN(3) > 0 {
		cfg.NextSwitch = func(after simcore.Time) simcore.Time { return after + simcore.Time(1+r.IntN(60_000_000)) }
		cfg.Switch = func() error { describe(h, sched); return nil }
	}
	res, err := sim.Run(cfg, of)
	fmt.Fprintln(h, sim.JobTimes(), err)
	if looks {
		describe(h, sched)
	}
	if err == nil {
		fmt.Fprintln(h, res.End, res.Jobs, res.Total, res.Utilisation, res.Fairness, res.Dissatisfaction)
	}
	return fmt.Sprintf("%016x", h.Sum64()), counted.rounds, err
}

// TestAsynchronousHistories: rounds that only renew and count are left out without
// changing what containers come and go, the result, or what the scheduler looks
// like from inside. With -v it prints a digest of each history, as TestHistories.
func TestAsynchronousHistories(t *testing.T) {
	t.Parallel()
	made, all, ended := 0, 0, 0
	seeds := testdata.Cases(36) // of nine kinds
	for seed := range uint64(seeds) {
		s := asynchronousScenario(t, seed)
		lazy, n, err := s.asynchronousHistory(t, seed, false)
		want, m, _ := s.asynchronousHistory(t, seed, true)
		made, all = made+n, all+m
		if err == nil {
			ended++
		}
		if lazy != want {
			t.Errorf("seed %d: history %s, %s with all rounds made", seed, lazy, want)
		}
		t.Logf("seed %d: %s", seed, lazy)
	}
	t.Logf("%d of %d rounds made, %d runs ended", made, all, ended)
	if all-made < 7500*seeds || ended < seeds/3 {
		t.Errorf("%d of %d rounds made, %d runs ended", made, all, ended)
	}
}

// faulty is a scheduler that has found itself in contradiction.
type faulty struct{ *capacity.Scheduler }

func (faulty) Fault() error { return errors.New("a fault") }

// A run whose scheduler has found itself in contradiction ends with that as its error.
func TestFaultOfTheSchedulerIsTheRunsError(t *testing.T) {
	s := asynchronousScenario(t, 2)
	sim, err := yarn.NewSim(s.cluster, s.work, s.opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.Run(s.cfg, scheduler(t, s.conf)); err != nil {
		t.Fatal(err)
	}
	if r, err := sim.Run(s.cfg, faulty{scheduler(t, s.conf)}); r != nil || err == nil || !strings.Contains(err.Error(), "a fault") {
		t.Errorf("%v, %v", r, err)
	}
}

// Rounds of Spark's clusters that can change nothing are left out without changing any
// container's time or node: what executors held is free when their processes have ended,
// which no container's end tells.
func TestLazyEqualsEagerRoundsOfSpark(t *testing.T) {
	t.Parallel()
	granted := 0
	for seed := range uint64(31) {
		if kind := seed % 9; kind != 2 && kind != 3 {
			continue
		}
		s := asynchronousScenario(t, seed)
		changes, _, _ := s.sameChanges(t, seed)
		granted += changes
	}
	if granted < 1000 {
		t.Errorf("%d containers came and went: the scenarios test little", granted)
	}
}
