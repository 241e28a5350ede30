package yarn_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// scenario draws a cluster, a queue file and a workload with located inputs.
type scenario struct {
	cluster *simcore.Cluster
	conf    *yarnconf.Config
	work    *simcore.Workload
	cfg     yarn.RunConfig
	opt     yarn.Options
}

func property(name string, value any) string {
	return fmt.Sprintf("<property><name>yarn.scheduler.%s</name><value>%v</value></property>", name, value)
}

func randomScenario(t *testing.T, seed uint64) scenario {
	r := rand.New(rand.NewPCG(seed, 3))
	var x strings.Builder
	x.WriteString("<configuration>" + property("minimum-allocation-mb", 256) + property("capacity.root.queues", "a,b,c"))
	a := 10 + r.IntN(60)
	b := 10 + r.IntN(80-a)
	for i, share := range []int{a, b, 100 - a - b} {
		q := "capacity.root." + string(rune('a'+i)) + "."
		x.WriteString(property(q+"capacity", share))
		x.WriteString(property(q+"maximum-capacity", min(100, share+r.IntN(101))))
		x.WriteString(property(q+"user-limit-factor", 0.5+2*r.Float64()))
		x.WriteString(property(q+"minimum-user-limit-percent", 25*(1+r.IntN(4))))
		x.WriteString(property(q+"ordering-policy", []string{"fifo", "fair"}[r.IntN(2)]))
	}
	if seed%5 == 0 {
		x.WriteString("<property><name>yarn.resourcemanager.scheduler.monitor.enable</name><value>true</value></property>")
	}
	x.WriteString(property("capacity.maximum-am-resource-percent", 0.1+0.6*r.Float64()))
	x.WriteString(property("capacity.node-locality-delay", r.IntN(10)-1))
	x.WriteString(property("capacity.per-node-heartbeat.maximum-offswitch-assignments", 1+r.IntN(4)) + "</configuration>")
	s := scenario{conf: evaluate(t, x.String()), cluster: &simcore.Cluster{Racks: []string{"/r0", "/r1"}}}
	for i := range 2 + r.IntN(8) {
		s.cluster.Nodes = append(s.cluster.Nodes, simcore.Node{Name: fmt.Sprintf("n%d", i), Rack: int32(i % 2),
			Capacity: simcore.Vec{2048 + 1024*int64(r.IntN(3)), 8}})
	}
	s.work = randomJobs(r, len(s.cluster.Nodes))
	s.opt = yarn.Options{Times: yarn.Times(r.IntN(2))}
	s.cfg = yarn.RunConfig{Seed: seed, Slowstart: -1, Jitter: yarn.Jitter{Arrivals: true, Launch: true, Phases: true}}
	s.cfg.PreemptEvery = yarn.PreemptionInterval(s.conf.Preemption.Enabled, s.conf.Preemption.MonitoringInterval)
	return s
}

func randomJobs(r *rand.Rand, nodes int) *simcore.Workload {
	w := &simcore.Workload{Queues: []string{"root.a", "root.b", "root.c"}, Users: []string{"u", "v", "w"},
		Tasks: simcore.Tasks{HostAt: []int32{0}}}
	at := simcore.Time(0)
	for i := range 2 + r.IntN(14) {
		at += simcore.Time(r.IntN(15_000_000))
		j := simcore.Job{ID: fmt.Sprintf("j%d", i), Class: -1, Submit: at, Queue: int32(r.IntN(3)), User: int32(r.IntN(3)),
			Maps: int32(r.IntN(50)), Reduces: int32(r.IntN(8)), FirstTask: int32(len(w.Tasks.Duration)),
			Slowstart: float64(r.IntN(5)) / 4,
			MapAsk:    simcore.Vec{256 * int64(1+r.IntN(4)), 1}, ReduceAsk: simcore.Vec{256 * int64(1+r.IntN(4)), 1},
			AMAsk:   simcore.Vec{256 * int64(1+r.IntN(2)), 1},
			MapDist: -1, ReduceDist: -1}
		located := r.IntN(2) == 0
		for k := range j.Maps + j.Reduces {
			w.Tasks.Duration = append(w.Tasks.Duration, simcore.Time(1_000_000+r.IntN(40_000_000)))
			w.Tasks.Shuffle = append(w.Tasks.Shuffle, simcore.Time(r.IntN(3_000_000)))
			if located && k < j.Maps {
				first := r.IntN(nodes)
				w.Tasks.Hosts = append(w.Tasks.Hosts, int32(first), int32((first+1+r.IntN(max(nodes-1, 1)))%nodes))
			}
			w.Tasks.HostAt = append(w.Tasks.HostAt, int32(len(w.Tasks.Hosts)))
		}
		w.Jobs = append(w.Jobs, j)
	}
	return w
}

// isStalled reports whether a run ended because no job could progress.
func isStalled(err error) bool {
	var stalled *yarn.StalledError
	return errors.As(err, &stalled)
}

type grant struct {
	at simcore.Time
	yarn.Event
}

func (s *scenario) run(t *testing.T, eager bool) ([]grant, *simcore.Result, error) {
	t.Helper()
	sched, err := capacity.New(s.conf)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := yarn.NewSim(s.cluster, s.work, s.opt)
	if err != nil {
		t.Fatal(err)
	}
	var got []grant
	cfg := s.cfg
	cfg.Eager = eager
	cfg.Observe = func(at simcore.Time, e *yarn.Event) {
		if e.Kind != yarn.Reserve && !e.Refused { // a reservation is repeated at each beat
			got = append(got, grant{at, *e})
		}
	}
	res, err := sim.Run(cfg, sched)
	return got, res, err
}

// sameHistory compares a run that leaves out heartbeats that can change nothing
// with one that computes all of them.
func sameHistory(t *testing.T, what string, run func(t *testing.T, eager bool) ([]grant, *simcore.Result,
	error)) []grant {
	t.Helper()
	lazy, _, err := run(t, false)
	eager, _, err2 := run(t, true)
	if (err == nil) != (err2 == nil) {
		t.Errorf("%s: lazy ended with %v, eager with %v", what, err, err2)
	}
	for i := range min(len(lazy), len(eager)) {
		x, y := lazy[i], eager[i]
		if x.at != y.at || x.Kind != y.Kind || x.App != y.App || x.Node != y.Node || x.Ordinal != y.Ordinal ||
			x.Priority != y.Priority {
			t.Errorf("%s: lazy and eager part at %d of %d:\n%v %+v\n%v %+v", what, i, len(lazy), x.at.Std(), x.Event,
				y.at.Std(), y.Event)
			break
		}
	}
	if len(lazy) != len(eager) {
		t.Errorf("%s: lazy %d, eager %d events", what, len(lazy), len(eager))
	}
	return lazy
}

// Lazy heartbeats give the history of eager ones with the capacity engine:
// locality delays, user limits, reservations and all; and where nodes fail, so
// that maps whose output is lost are asked for again by masters that sleep.
func TestLazyEqualsEagerUnderCapacity(t *testing.T) {
	t.Parallel()
	seeds := []uint64{1299} // a master is lost before a container that it gives back goes out
	for seed := range uint64(testdata.Cases(120)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		s := randomScenario(t, seed)
		sameHistory(t, fmt.Sprintf("seed %d", seed), s.run)
		s.opt.Horizon = 6 * simcore.Hour
		yarn.Spot(s.cluster, simcore.Time(1+seed%10)*simcore.Minute)
		sameHistory(t, fmt.Sprintf("seed %d, nodes fail", seed), s.run)
	}
}

// Every task finishes once. A few of the random queue files cannot run their
// jobs (a limit below one container): there the stall guard must say so.
func TestEveryTaskFinishesUnderCapacity(t *testing.T) {
	stalled := 0
	for seed := range uint64(60) {
		s := randomScenario(t, seed)
		_, res, err := s.run(t, false)
		if err != nil {
			if stalled++; !isStalled(err) || stalled > 6 {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		for j := range s.work.Jobs {
			if got, want := res.Jobs[j].Finished, [2]int32{s.work.Jobs[j].Maps, s.work.Jobs[j].Reduces}; got != want &&
				s.cfg.PreemptEvery == 0 {
				t.Errorf("seed %d: job %d finished %v of %v", seed, j, got, want)
			}
		}
	}
}

const preemptingQueues = `<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.b.capacity</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>2</value></property>
<property><name>yarn.resourcemanager.scheduler.monitor.enable</name><value>true</value></property>
<property><name>yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round</name><value>1</value></property>
<property><name>yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor</name><value>1</value></property>
<property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>0.5</value></property>
</configuration>`

// Queue a fills the cluster with maps of ten minutes; b's job comes a minute
// later. Without preemption it waits for a's maps; with it, a's youngest
// containers are killed 15 s after they were first selected, and the killed
// maps run again: all of a's 60 maps finish.
func TestPreemptionFreesGuaranteedShare(t *testing.T) {
	w := &simcore.Workload{Queues: []string{"root.a", "root.b"}, Users: []string{"u"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 600}, {Kind: simcore.Constant, A: 20}}}
	ask := simcore.Vec{1024, 1}
	w.Jobs = []simcore.Job{
		{ID: "a", Class: -1, Queue: 0, Maps: 60, FirstTask: -1, MapAsk: ask, ReduceAsk: ask, AMAsk: ask, MapDist: 0,
			ReduceDist: -1},
		{ID: "b", Class: -1, Queue: 1, Submit: 60 * simcore.Second, Maps: 10, FirstTask: -1, MapAsk: ask, ReduceAsk: ask,
			AMAsk: ask, MapDist: 1, ReduceDist: -1},
	}
	c := &simcore.Cluster{Racks: []string{"/r"}}
	for i := range 4 {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("n%d", i), Capacity: simcore.Vec{8192, 8}})
	}
	conf := evaluate(t, preemptingQueues)
	run := func(every simcore.Time) *simcore.Result {
		s, err := capacity.New(conf)
		if err != nil {
			t.Fatal(err)
		}
		sim, err := yarn.NewSim(c, w, yarn.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := sim.Run(yarn.RunConfig{Slowstart: -1, PreemptEvery: every}, s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	without, with := run(0), run(3*simcore.Second)
	if wait := without.Jobs[1].Wait(); wait < 500*simcore.Second {
		t.Errorf("without preemption b waits %v, want until a's maps end", wait.Std())
	}
	if wait := with.Jobs[1].Wait(); wait > 120*simcore.Second {
		t.Errorf("with preemption b waits %v", wait.Std())
	}
	if got := with.Jobs[0]; got.Finished[0] != 60 || got.Killed[0] == 0 {
		t.Errorf("a finished %d of 60 maps, %d killed", got.Finished[0], got.Killed[0])
	}
}
