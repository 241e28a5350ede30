package sched

import (
	"math"
	"testing"

	"schedtune/classify"
	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// policyRun simulates one queue on equal nodes with the policies of a spec.
func policyRun(t *testing.T, spec string, c *simcore.Cluster, w *simcore.Workload,
	cfg yarn.RunConfig) (*simcore.Result, []yarn.JobTimes) {
	t.Helper()
	doc, err := yarnconf.Parse("test", yarnconf.Fragment("", []yarnconf.Change{
		{Key: yarnconf.Prefix + "root.queues", Value: "a"}, {Key: yarnconf.Key("root.a", yarnconf.Capacity), Value: "100"},
		{Key: yarnconf.Key("root.a", yarnconf.UserFactor), Value: "10"}, {Key: yarnconf.Prefix + yarnconf.AMShare,
			Value: "1"},
		{Key: "yarn.cluster.max-application-priority", Value: "5"}, {Key: yarnconf.LocalityDelay, Value: "0"}}))
	if err != nil {
		t.Fatal(err)
	}
	conf, err := yarnconf.Evaluate(doc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Policies.Reduces == nil && cfg.Policies.Guard == nil {
		if cfg.Policies, err = s.Policies(cfg.Seed); err != nil {
			t.Fatal(err)
		}
	}
	scheduler, err := capacity.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := yarn.NewSim(c, w, yarn.Options{Horizon: 100 * simcore.Hour})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Slowstart = -1
	res, err := sim.Run(cfg, scheduler)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return res, append([]yarn.JobTimes(nil), sim.JobTimes()...)
}

// policyCase is a job of equal maps on nodes of four containers and an application
// master's, with 1 MiB of output per map.
func policyCase(maps, reduces int32, nodes int) (*simcore.Cluster, *simcore.Workload) {
	c := &simcore.Cluster{Racks: []string{"/r0", "/r1"}}
	for i := range nodes {
		c.Nodes = append(c.Nodes, simcore.Node{Name: string(rune('a'+i)) + "node", Rack: int32(i % 2),
			Capacity: simcore.Vec{4096, 8}, Cores: 2})
	}
	w := &simcore.Workload{Name: "policies", Queues: []string{"root.a"}, Users: []string{"u"}}
	w.Jobs = []simcore.Job{{ID: "job", Class: -1, Maps: maps, Reduces: reduces, MapDist: -1, ReduceDist: -1,
		Slowstart: -1, ShuffleBytes: int64(maps) << 20,
		AMAsk: simcore.Vec{1024, 1}, MapAsk: simcore.Vec{1024, 1}, ReduceAsk: simcore.Vec{1024, 1}}}
	for range maps + reduces {
		w.Tasks.Duration = append(w.Tasks.Duration, 20*simcore.Second)
	}
	return c, w
}

// A job whose shuffle takes no time has its reduces asked for when its last map has a
// container, and one whose shuffle takes forever when its first window of releases is
// known: beta of equation 3 is nearest to zero at no pending map, and at all of them.
func TestLazyStartOnYARN(t *testing.T) {
	c, w := policyCase(200, 4, 4)
	start := func(spec string) (first, last simcore.Time) {
		_, times := policyRun(t, spec, c, w, yarn.RunConfig{Seed: 1})
		return times[0].FirstReduce, times[0].LastMap
	}
	hadoop, end := start("capacity")
	never, endNever := start("capacity:reduces=omo,bandwidth=1000000")
	always, _ := start("capacity:reduces=omo,bandwidth=0.001")
	if !(hadoop < end/4) {
		t.Errorf("slowstart 0.05: first reduce at %v of %v", hadoop, end)
	}
	if wave := 25 * simcore.Second; !(never > endNever-wave) {
		t.Errorf("without shuffle: first reduce at %v, maps end at %v", never, endNever)
	}
	if !(always < end/3) {
		t.Errorf("endless shuffle: first reduce at %v of %v", always, end)
	}
}

// What omo decides is predict's lazy start on section IV-A's counts, and those are
// predict.FreeContainers of what was released.
func TestOMOCounts(t *testing.T) {
	s, err := Parse("capacity:reduces=omo,bandwidth=10,weight=0.5")
	if err != nil {
		t.Fatal(err)
	}
	o := newOMOReduces(s.Values)
	nodes := []yarn.Resource{{Memory: 8192, VCores: 8}, {Memory: 8192, VCores: 8}}
	o.Start(nodes, 1)
	p := yarn.MapReduceProgress{Maps: 100, DoneMaps: 10, WaitMaps: 80, RunMaps: 10, Reduces: 2, PendingReduces: 2,
		MapTime: 10 * simcore.Second, MapBytes: 1e6, Map: yarn.Resource{Memory: 2048, VCores: 1}}
	if n := o.Reduces(&p); n != 0 {
		t.Fatalf("%d reduces before anything was seen", n)
	}
	// Two and one containers of 2048 MiB, not three and a half; three and four held.
	o.Observe(&yarn.Window{Span: 10 * simcore.Second, Granted: []int32{7},
		Released:  []yarn.Resource{{Memory: 5120, VCores: 4}, {Memory: 2048, VCores: 4}},
		Available: []yarn.Resource{{Memory: 6144, VCores: 4}, {Memory: 8192, VCores: 4}}})
	if e := o.sizes[0].release.Estimate(); math.Abs(e.Frequency-0.3) > 1e-12 || e.Available != 7 {
		t.Errorf("releases: %+v", e)
	}
	e := o.estimate(&p)
	if math.Abs(e.Frequency-0.7) > 1e-12 || e.Available != 7 {
		t.Errorf("own grants: %+v", e)
	}
	due := predict.LazyStart{}
	for wait := int32(1); wait < 90; wait++ {
		p.WaitMaps = wait
		st := predict.MapStage{Running: true, Pending: int(wait), Reduces: 2, MapTime: 10, ShuffleTime: 1e6 *
			100 / (1e7 * 2)}
		if got, want := o.Reduces(&p) == 2, due.Due(st, e, 1); got != want {
			t.Errorf("%d maps wait: due %v, want %v", wait, got, want)
		}
	}
}

// Reduces under Coupling follow maps: at any time at most so many have been asked for as
// algorithm 1 allows for the maps finished then, as long as maps wait.
func TestMismatchOnYARN(t *testing.T) {
	c, w := policyCase(60, 6, 4)
	done, asked, most := 0, 0, 0.0
	unit := predict.Delta(6, 3) * 60 / 6
	cfg := yarn.RunConfig{Seed: 1, Trace: func(_ simcore.Time, e yarn.ContainerChange) {
		switch {
		case e.Master:
		case e.Kind == simcore.Map && e.Delta < 0:
			done++
		case e.Kind == simcore.Reduce && e.Delta > 0 && done < 40: // later all maps have containers
			asked++
			most = math.Max(most, float64(asked)*unit/float64(done))
		}
	}}
	_, times := policyRun(t, "capacity:reduces=coupling", c, w, cfg)
	if asked < 3 || most > 1 {
		t.Errorf("%d reduces while maps wait, %.2f times what the finished maps allow", asked, most)
	}
	if times[0].FirstReduce >= times[0].LastMap {
		t.Error("no reduce before the last map")
	}
}

// Random peeking gives containers far from the input back and asks again: with input on
// one node of four some are given back, all maps run, and more of them near their input.
func TestPeekingOnYARN(t *testing.T) {
	c, w := policyCase(40, 0, 4)
	w.Tasks.HostAt = []int32{0}
	for range 40 {
		w.Tasks.Hosts = append(w.Tasks.Hosts, 0)
		w.Tasks.HostAt = append(w.Tasks.HostAt, int32(len(w.Tasks.Hosts)))
	}
	near := func(spec string) (given int32, local float64) {
		res, times := policyRun(t, spec, c, w, yarn.RunConfig{Seed: 3})
		v, err := res.Value("locality")
		if err != nil {
			t.Fatal(err)
		}
		return times[0].Given, v
	}
	given, before := near("capacity")
	peeked, after := near("capacity:peek=true,beta=0.1")
	if peeked <= given || after <= before {
		t.Errorf("given back %d and %d, local %.2f and %.2f", given, peeked, before, after)
	}
}

// The load limit alone keeps the load average of nodes with two cores and room for four
// containers near its target, and a target that cannot be reached changes nothing.
func TestGuardOnYARN(t *testing.T) {
	c, w := policyCase(120, 0, 4)
	most := func(spec string) (int, simcore.Time) {
		running, top := map[simcore.NodeID]int{}, 0
		_, times := policyRun(t, spec, c, w, yarn.RunConfig{Seed: 1, Trace: func(at simcore.Time, e yarn.ContainerChange) {
			running[e.Node] += int(e.Delta)
			if at > 3*simcore.Minute {
				top = max(top, running[e.Node])
			}
		}})
		return top, times[0].Finish
	}
	free, end := most("capacity")
	for _, kind := range []string{"limit", "bayes", "perceptron"} {
		t.Run(kind, func(t *testing.T) {
			if top, at := most("capacity:guard=" + kind + ",target=100"); top != free || at != end {
				t.Errorf("%s: a limit out of reach: %d containers, end %v; without %d, %v", kind, top, at, free, end)
			}
		})
	}
	if _, at := most("capacity:guard=limit,target=0.5"); at <= end {
		t.Errorf("half a core's load: end %v, without a guard %v", at, end)
	}
}

// The guard learns: a state that has always been followed by overload is refused, one
// never followed by it is admitted.
func TestGuardLearns(t *testing.T) {
	j, err := newJudge("bayes", 1, 0, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	g := &overloadGuard{judge: j}
	g.Start([]float64{4, 4})
	busy, calm := simcore.NodeLoad{Maps: 8, CPU: 2}, simcore.NodeLoad{Maps: 1, CPU: 0.25}
	for i := range simcore.Time(50) {
		now := i * 10 * simcore.Minute
		g.Look(now, 0, busy)
		g.Took(now, 0, busy)
		g.Look(now+9*simcore.Minute, 0, busy)
		g.Look(now, 1, calm)
		g.Took(now, 1, calm)
		g.Look(now+9*simcore.Minute, 1, calm)
	}
	now := 501 * simcore.Minute
	if g.Admits(now, 0, busy) || !g.Admits(now, 1, calm) || !g.Admits(now, 0, simcore.NodeLoad{}) {
		t.Errorf("busy %v, calm %v, idle %v", g.Admits(now, 0, busy), g.Admits(now, 1, calm),
			g.Admits(now, 0, simcore.NodeLoad{}))
	}
	if classify.Good != 1 {
		t.Error("classes have moved")
	}
}

// Without policies nothing changes, and with them every heartbeat gives the history of
// those that are needed.
func TestPoliciesEager(t *testing.T) {
	c, w := policyCase(80, 8, 4)
	for _, spec := range []string{"capacity:reduces=omo", "capacity:reduces=coupling"} {
		t.Run(spec, func(t *testing.T) {
			for seed := range uint64(5) {
				cfg := yarn.RunConfig{Seed: seed, Jitter: yarn.Jitter{Arrivals: true, Launch: true, Phases: true}}
				_, lazy := policyRun(t, spec, c, w, cfg)
				cfg.Eager = true
				_, eager := policyRun(t, spec, c, w, cfg)
				if lazy[0] != eager[0] {
					t.Errorf("%s, seed %d: %+v, eager %+v", spec, seed, lazy[0], eager[0])
				}
			}
		})
	}
}

// secondFirst has the second of two running jobs served first.
type secondFirst struct{ couplingReduces }

func (secondFirst) Period() simcore.Time { return 10 * simcore.Second }

func (secondFirst) Batch(jobs []yarn.MapReduceProgress) int {
	if len(jobs) > 1 {
		return 1
	}
	return -1
}

// The job that a policy names is served before an earlier one of its queue.
func TestBatchIsServedFirst(t *testing.T) {
	c, w := policyCase(100, 1, 4)
	w.Jobs = append(w.Jobs, w.Jobs[0])
	w.Jobs[1].ID = "second"
	w.Jobs[1].Submit = simcore.Second
	_, plain := policyRun(t, "capacity:reduces=coupling", c, w, yarn.RunConfig{Seed: 1})
	_, raised := policyRun(t, "capacity", c, w, yarn.RunConfig{Seed: 1, Policies: yarn.Policies{Reduces: secondFirst{}}})
	if plain[0].Finish >= plain[1].Finish || raised[1].Finish >= raised[0].Finish {
		t.Errorf("jobs end at %v and %v, with the second raised at %v and %v", plain[0].Finish, plain[1].Finish,
			raised[0].Finish, raised[1].Finish)
	}
}

// Algorithm 2 on a queue: its jobs were granted one container a second and hold 14. By
// hand for the second, with K = 2: t_fair = 2 * 40 / 1 + 10 = 90 s, s = 45 containers,
// t_batch = 45 * 14 / (14 + 8) = 28.6 s; the first has not begun its reduces.
func TestBatchByHand(t *testing.T) {
	s, err := Parse("capacity:reduces=omo,batch=true,weight=1")
	if err != nil {
		t.Fatal(err)
	}
	o := &omoBatch{omoReduces: newOMOReduces(s.Values)}
	o.Start(make([]yarn.Resource, 1), 2)
	o.Observe(&yarn.Window{Span: 10 * simcore.Second, Granted: []int32{7, 3}, Released: make([]yarn.Resource, 1),
		Available: make([]yarn.Resource, 1)})
	jobs := []yarn.MapReduceProgress{
		{Job: 0, Maps: 100, DoneMaps: 10, WaitMaps: 80, RunMaps: 10, Reduces: 8, PendingReduces: 8,
			MapTime: 10 * simcore.Second},
		{Job: 1, Maps: 50, DoneMaps: 6, WaitMaps: 40, RunMaps: 4, Reduces: 8, RunReds: 8, MapTime: 10 * simcore.Second},
	}
	if i := o.Batch(jobs); i != 1 {
		t.Errorf("job %d", i)
	}
	fair, batch := o.stages[1].BatchTimes(predict.ReleaseEstimate{Frequency: 1, Available: 14}, 2)
	if math.Abs(fair-90) > 1e-9 || math.Abs(batch-45*14.0/22) > 1e-9 {
		t.Errorf("t_fair %v, t_batch %v", fair, batch)
	}
	jobs[1].WaitMaps = 0 // nothing left to finish
	if i := o.Batch(jobs); i != -1 {
		t.Errorf("without maps: job %d", i)
	}
}
