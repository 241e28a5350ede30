package yarn_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
)

// wilder adds to a random scenario what changes the code paths of engine and
// runtime: the other calculator, nested queues, priorities, reservations
// without looking on, a limit of containers a beat, nodes that fail.
func wilder(t *testing.T, seed uint64) scenario { return wilderWith(t, seed, "") }

// wilderWith is wilder with further properties.
func wilderWith(t *testing.T, seed uint64, more string) scenario {
	s := randomScenario(t, seed)
	r := rand.New(rand.NewPCG(seed, 5))
	xml := "<configuration>" + property("minimum-allocation-mb", 256) + property("capacity.root.queues", "a,b,c") +
		property("capacity.root.a.queues", "x,y") + property("capacity.root.a.x.capacity", 35) +
		property("capacity.root.a.y.capacity", 65)
	share := 15 + r.IntN(50)
	for i, c := range []int{share, 85 - share, 15} {
		q := "capacity.root." + string(rune('a'+i)) + "."
		xml += property(q+"capacity", c) + property(q+"maximum-capacity", min(100, c+r.IntN(100))) + property(q+"priority",
			r.IntN(3))
	}
	for _, q := range []string{"a.x", "a.y", "b", "c"} {
		q = "capacity.root." + q + "."
		xml += property(q+"user-limit-factor", []any{-1, 0.5, 1, 2.5}[r.IntN(4)]) + property(q+"minimum-user-limit-percent",
			20*(1+r.IntN(5)))
		xml += property(q+"ordering-policy", []string{"fifo", "fair"}[r.IntN(2)]) +
			property(q+"ordering-policy.fair.enable-size-based-weight", r.IntN(2) == 0)
		xml += property(q+"user-settings.u.weight", 0.4+0.6*r.Float64())
	}
	xml += property("capacity.root.ordering-policy", []string{"utilization", "priority-utilization"}[r.IntN(2)])
	xml += property("capacity.reservations-continue-look-all-nodes", r.IntN(3) > 0)
	xml += property("capacity.per-node-heartbeat.maximum-container-assignments", []int{100, 1, 3}[r.IntN(3)])
	xml += property("capacity.per-node-heartbeat.maximum-offswitch-assignments", 1+r.IntN(4))
	xml += property("capacity.rack-locality-additional-delay", []int{-1, 0, 3}[r.IntN(3)])
	xml += property("capacity.rack-locality-full-reset", r.IntN(2) == 0)
	xml += property("capacity.node-locality-delay", r.IntN(10)-1) + property("capacity.maximum-am-resource-percent",
		0.1+0.6*r.Float64())
	xml += property("capacity.max-parallel-apps", []int{2, 1000}[r.IntN(2)])
	if r.IntN(2) == 0 {
		xml += property("capacity.resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator")
	}
	if r.IntN(3) == 0 {
		xml += "<property><name>yarn.resourcemanager.scheduler.monitor.enable</name><value>true</value></property>"
	}
	s.conf = evaluate(t, xml+more+"</configuration>")
	s.work.Queues = []string{"root.a.x", "root.a.y", "root.b", "root.c"}
	for j := range s.work.Jobs {
		s.work.Jobs[j].Queue = int32(r.IntN(4))
	}
	s.opt.Horizon = 6 * simcore.Hour
	s.opt.ScheduleCPU = s.conf.Calculator.Dominant
	s.cfg.PreemptEvery = yarn.PreemptionInterval(s.conf.Preemption.Enabled, s.conf.Preemption.MonitoringInterval)
	if r.IntN(6) == 0 {
		yarn.Spot(s.cluster, 20*simcore.Minute)
	}
	return s
}

// history digests all that a run decides and reports.
func (s *scenario) history(t *testing.T, sim *yarn.Sim, sched yarn.Scheduler) string {
	t.Helper()
	h := fnv.New64a()
	cfg := s.cfg
	cfg.Observe = func(at simcore.Time, e *yarn.Event) { fmt.Fprintln(h, at, *e) }
	cfg.Trace = func(at simcore.Time, c yarn.ContainerChange) { fmt.Fprintln(h, at, c) }
	res, err := sim.Run(cfg, sched)
	fmt.Fprintln(h, sim.JobTimes(), err)
	if err == nil {
		fmt.Fprintln(h, res.End, res.Jobs, res.Total, res.Utilisation, res.Fairness, res.Dissatisfaction)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// TestHistories: a simulator that has served another run gives the history of a
// fresh one. With -v it prints a digest of each history: a
// change that should only make runs faster leaves every line as it was.
func TestHistories(t *testing.T) {
	t.Parallel()
	var sim *yarn.Sim
	for seed := range uint64(testdata.Cases(150)) {
		s := wilder(t, seed)
		if seed%3 == 0 {
			s = randomScenario(t, seed)
			s.opt.Horizon = 6 * simcore.Hour
		}
		var err error
		if sim, err = yarn.NewSim(s.cluster, s.work, s.opt); err != nil {
			t.Fatal(err)
		}
		fresh := s.history(t, sim, scheduler(t, s.conf))
		s.cfg.Seed++ // a run in between leaves other traces
		s.history(t, sim, scheduler(t, s.conf))
		s.cfg.Seed--
		if again := s.history(t, sim, scheduler(t, s.conf)); again != fresh {
			t.Errorf("seed %d: history %s afresh, %s after other runs", seed, fresh, again)
		}
		t.Logf("seed %d: %s", seed, fresh)
	}
}

// TestLookingAheadChangesNothing: small clusters that look ahead as large ones do
// have the histories of those that do not, and what is fetched is always there.
func TestLookingAheadChangesNothing(t *testing.T) {
	for seed := range uint64(40) {
		s := wilder(t, seed)
		digest := func() string {
			sched, err := capacity.New(s.conf)
			if err != nil {
				t.Fatal(err)
			}
			sim, err := yarn.NewSim(s.cluster, s.work, s.opt)
			if err != nil {
				t.Fatal(err)
			}
			return s.history(t, sim, sched)
		}
		without := digest()
		restore := yarn.AlwaysPrefetch()
		with := digest()
		restore()
		if with != without {
			t.Errorf("seed %d: history %s looking ahead, %s without", seed, with, without)
		}
	}
}

// Lazy heartbeats give the history of eager ones under the resource model too,
// whatever fails, under both schedulers.
func TestLazyEqualsEagerOnSharedResources(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testdata.Cases(60)) {
		r := rand.New(rand.NewPCG(seed, 6))
		s, f := wilder(t, seed), randomFairScenario(t, seed)
		s.cfg.Durations.Model = simcore.Resources
		f.cfg.Durations = s.cfg.Durations
		if life := simcore.Time(r.IntN(15)) * simcore.Minute; life > 0 {
			yarn.Spot(s.cluster, life)
			yarn.Spot(f.cluster, life)
		}
		shareResources(s.cluster, s.work)
		shareResources(f.cluster, f.work)
		sameHistory(t, fmt.Sprintf("seed %d, capacity", seed), s.run)
		sameHistory(t, fmt.Sprintf("seed %d, fair", seed), f.run)
	}
}

// Lazy heartbeats give the history of eager ones with placement on several nodes:
// a heartbeat of any node may fill another.
func TestLazyEqualsEagerOnSeveralNodes(t *testing.T) {
	t.Parallel()
	more := property("capacity.multi-node-placement-enabled", true)
	for seed := range uint64(testdata.Cases(40)) {
		s := wilderWith(t, seed, more)
		sameHistory(t, fmt.Sprintf("seed %d", seed), s.run)
	}
}

// shareResources gives nodes disks and NICs, one of them a slow disk, and jobs
// bytes to move.
func shareResources(c *simcore.Cluster, w *simcore.Workload) {
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Disks, n.DiskRate, n.NICRate, n.Cores = 2, 80e6, 100e6, 4
	}
	c.Nodes[len(c.Nodes)-1].DiskRate = 8e6
	for j := range w.Jobs {
		q := &w.Jobs[j]
		q.InputBytes, q.ShuffleBytes, q.OutputBytes = int64(q.Maps)*64e6, int64(q.Maps)*16e6, int64(q.Reduces)*10e6
	}
}
