package yarn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
)

// makeElastic gives a cluster nodes that come and go: by a timetable, by chance and
// by rules. Its first node stays, so that work can always go on.
func makeElastic(r *rand.Rand, c *simcore.Cluster) {
	c.Elastic = simcore.Elastic{}
	c.Nodes[0].Capacity = simcore.Vec{32768, 64} // room for every master at once
	for i := range c.Nodes {
		c.Nodes[i].Kind, c.Nodes[i].Price, c.Nodes[i].Spot = []string{"core", "task"}[min(i, 1)], 0.5, 0
	}
	for i := range 1 + r.IntN(5) {
		c.Elastic.Spare = append(c.Elastic.Spare, simcore.Node{Name: fmt.Sprintf("t%d", i), Rack: int32(i % 2),
			Capacity: simcore.Vec{2048 + 1024*int64(r.IntN(3)), 8}, Kind: "task", Price: 1})
	}
	if r.IntN(2) == 0 {
		c.Elastic.Expiry = simcore.Time(5+r.IntN(60)) * simcore.Second
	}
	for i := 1; i < len(c.Nodes) && r.IntN(2) == 0; i++ {
		c.Nodes[i].Spot, c.Nodes[i].Notice = float64(r.IntN(30)), simcore.Time(r.IntN(3))*simcore.Minute
	}
	at, away := simcore.Time(0), len(c.Elastic.Spare)
	for range 1 + r.IntN(8) {
		at += simcore.Time(r.IntN(90_000_000))
		ch := simcore.NodeChange{At: at, What: simcore.ChangeKind(r.IntN(3)), Kind: "task", Count: 1}
		switch ch.What {
		case simcore.Join:
			if away == 0 {
				continue
			}
			away--
		case simcore.Decommission:
			ch.Timeout = []simcore.Time{0, simcore.Time(1+r.IntN(200)) * simcore.Second, simcore.Never}[r.IntN(3)]
		}
		c.Elastic.Changes = append(c.Elastic.Changes, ch)
	}
	if r.IntN(3) == 0 && away > 1 {
		c.Elastic.Scaling = []simcore.Scaling{{Rule: simcore.ScalingRule(r.IntN(2)), Kind: "task", Min: int32(r.IntN(2)),
			Max:      int32(away - 1),
			Cooldown: 30 * simcore.Second, Delay: simcore.Time(r.IntN(60)) * simcore.Second, Timeout: simcore.Time(r.IntN(2)) *
				simcore.Minute,
			Up: 0.5, Down: 0.5, Low: 0.15, High: 0.75, Step: 1}}
	}
}

// Whatever joins, leaves and is lost, runs that leave out heartbeats that can change
// nothing have the history of those that compute all; every container that came has
// gone; and every job that has not failed has finished all its tasks.
func TestElasticLosesNothing(t *testing.T) {
	t.Parallel()
	ended, stalled := 0, 0
	for seed := range uint64(testdata.Cases(200)) {
		s := wilder(t, seed)
		if seed%3 == 0 {
			s = sparkScenario(t, seed)
		}
		s.opt.Horizon = 48 * simcore.Hour
		makeElastic(rand.New(rand.NewPCG(seed, 21)), s.cluster)
		var held map[simcore.NodeID]int
		s.cfg.Trace = func(_ simcore.Time, c yarn.ContainerChange) { held[c.Node] += int(c.Delta) }
		var res *simcore.Result
		var err error
		sameHistory(t, fmt.Sprintf("seed %d", seed), func(t *testing.T, eager bool) (got []grant, _ *simcore.Result, _ error) {
			held = map[simcore.NodeID]int{}
			got, res, err = s.run(t, eager)
			return got, res, err
		})
		if err != nil {
			stalled++
			t.Logf("seed %d: %v", seed, err)
			continue
		}
		ended++
		for n, k := range held {
			if k != 0 {
				t.Errorf("seed %d: %d containers left on node %d", seed, k, n)
			}
		}
		for _, j := range res.Jobs {
			job := &s.work.Jobs[j.Job]
			if !j.Failed && job.Spark == nil && (j.Finished[0] < job.Maps || j.Finished[1] < job.Reduces) {
				t.Errorf("seed %d, job %s: finished %v of %d maps and %d reduces", seed, job.ID, j.Finished, job.Maps, job.Reduces)
			}
		}
		if res.Utilisation < 0 || res.Utilisation > 1 || res.NodeHours <= 0 || res.Cost <= 0 {
			t.Errorf("seed %d: utilisation %g, %g node-hours, cost %g", seed, res.Utilisation, res.NodeHours, res.Cost)
		}
	}
	t.Logf("%d ended, %d stalled", ended, stalled)
	if stalled > 0 {
		t.Errorf("%d of %d runs stalled, though a node with room for all masters stays", stalled, ended+stalled)
	}
}

// elasticCase is one job of long maps on two nodes of room for a master and a few.
func elasticCase(t *testing.T, maps int32, each float64, el simcore.Elastic) (*simcore.Result, []yarn.JobTimes,
	map[string][]simcore.Time) {
	t.Helper()
	c := &simcore.Cluster{Racks: []string{"/r"}, Elastic: el}
	for i := range 2 {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("n%d", i), Capacity: simcore.Vec{4096, 8},
			Kind: fmt.Sprintf("k%d", i), Price: 2})
	}
	w := &simcore.Workload{Queues: []string{"root.a"}, Users: []string{"u"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: each}}}
	w.Jobs = []simcore.Job{{ID: "j", Class: -1, Maps: maps, FirstTask: -1, MapDist: 0, ReduceDist: -1, Slowstart: -1,
		MapAsk: simcore.Vec{1024, 1}, AMAsk: simcore.Vec{1024, 1}}}
	conf := evaluate(t, "<configuration>"+property("capacity.root.queues", "a")+property("capacity.root.a.capacity", 100)+
		property("capacity.maximum-am-resource-percent", 1)+property("capacity.root.a.user-limit-factor",
		10)+"</configuration>")
	sched, err := capacity.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := yarn.NewSim(c, w, yarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string][]simcore.Time{}
	all := c.All()
	res, err := sim.Run(yarn.RunConfig{Slowstart: -1, Trace: func(at simcore.Time, ch yarn.ContainerChange) {
		if ch.Delta < 0 && ch.Lost {
			ends[all[ch.Node].Name] = append(ends[all[ch.Node].Name], at)
		}
	}}, sched)
	if err != nil {
		t.Fatal(err)
	}
	return res, sim.JobTimes(), ends
}

const second = simcore.Second

// A machine that is gone at 60 s is missed after the expiry, at one of the looks
// that come every third of it: containers of 100 s end as lost at 60 + 30 s, and
// their tasks run again. One that is decommissioned with time lets them finish.
func TestNodesGo(t *testing.T) {
	whole, _, none := elasticCase(t, 7, 100, simcore.Elastic{})
	if len(none) != 0 {
		t.Fatalf("lost %v on a cluster that stays", none)
	}
	lose := func(what simcore.ChangeKind, timeout simcore.Time) simcore.Elastic {
		return simcore.Elastic{Expiry: 30 * second, Changes: []simcore.NodeChange{{At: 60 * second, What: what, Kind: "k1",
			Count: 1, Timeout: timeout}}}
	}
	gone, _, ends := elasticCase(t, 7, 100, lose(simcore.Lose, 0))
	lost := ends["n1"]
	if len(lost) == 0 || len(ends["n0"]) != 0 {
		t.Fatalf("lost %v, want containers of n1 only", ends)
	}
	for _, at := range lost {
		if at != 90*second {
			t.Errorf("a container is lost at %v, want 90 s: 60 and the expiry, on the grid of 10", at.Std())
		}
	}
	if gone.Jobs[0].Finished[0] != 7 || gone.Jobs[0].Killed[0] == 0 || gone.End <= whole.End+30*second {
		t.Errorf("finished %v, killed %v, end %v after %v", gone.Jobs[0].Finished, gone.Jobs[0].Killed, gone.End.Std(),
			whole.End.Std())
	}
	kept, _, ends := elasticCase(t, 7, 100, lose(simcore.Decommission, simcore.Never))
	if len(ends) != 0 || kept.Jobs[0].Finished[0] != 7 || kept.Jobs[0].Killed[0] != 0 {
		t.Errorf("decommissioned with time: lost %v, %+v", ends, kept.Jobs[0].Tally)
	}
	cut, _, ends := elasticCase(t, 7, 100, lose(simcore.Decommission, 20*second))
	for _, at := range ends["n1"] {
		if at < 80*second || at > 82*second {
			t.Errorf("a container is killed at %v, want at the first heartbeat from 80 s on", at.Std())
		}
	}
	if len(ends["n1"]) == 0 || cut.Jobs[0].Finished[0] != 7 {
		t.Errorf("decommissioned with a timeout: lost %v, %+v", ends, cut.Jobs[0].Tally)
	}
	at, _, ends := elasticCase(t, 7, 100, lose(simcore.Decommission, 0))
	for _, x := range ends["n1"] {
		if x != 60*second {
			t.Errorf("a container is killed at %v, want 60 s", x.Std())
		}
	}
	if at.NodeHours*3600 > at.End.Seconds()+60 || math.Abs(at.Cost-2*at.NodeHours) > 1e-9 {
		t.Errorf("%g node-hours to %v, cost %g", at.NodeHours, at.End.Std(), at.Cost)
	}
}

// Three nodes that join at 30 s are used at once, and paid from then.
func TestNodesJoin(t *testing.T) {
	el := simcore.Elastic{Changes: []simcore.NodeChange{{At: 30 * second, What: simcore.Join, Kind: "more", Count: 3}}}
	for i := range 3 {
		el.Spare = append(el.Spare, simcore.Node{Name: fmt.Sprintf("m%d", i), Capacity: simcore.Vec{4096, 8}, Kind: "more",
			Price: 10})
	}
	before, _, _ := elasticCase(t, 19, 100, simcore.Elastic{})
	after, _, _ := elasticCase(t, 19, 100, el)
	if d := before.End - after.End; d < 100*second {
		t.Errorf("with three nodes more the end is %v sooner, want a wave of 100 s at least", d.Std())
	}
	end := after.End.Seconds()
	if want := (2*2*end + 3*10*(end-30)) / 3600; math.Abs(after.Cost-want) > 1e-6 {
		t.Errorf("cost %g, want %g: two nodes at 2 and three at 10 from 30 s on", after.Cost, want)
	}
	if before.Cost != 2*before.NodeHours || math.Abs(before.NodeHours-2*before.End.Seconds()/3600) > 1e-9 {
		t.Errorf("two nodes at 2 for %v: %g node-hours, cost %g", before.End.Std(), before.NodeHours, before.Cost)
	}
}

// The machine of a master goes: the application hangs until it is missed, and its
// next master keeps what has finished elsewhere; the job of maps alone loses no
// output.
func TestMasterGoes(t *testing.T) {
	el := simcore.Elastic{Expiry: 30 * second, Spare: []simcore.Node{{Name: "m", Capacity: simcore.Vec{4096, 8},
		Kind: "more"}},
		Changes: []simcore.NodeChange{{At: 150 * second, What: simcore.Lose, Node: "n0"},
			{At: 150 * second, What: simcore.Lose, Node: "n1"}, {At: 200 * second, What: simcore.Join, Node: "m"}}}
	res, times, _ := elasticCase(t, 9, 100, el)
	if j := &res.Jobs[0]; j.Failed || j.Finished[0] < 9 || j.Killed[0] == 0 || times[0].Registered < 200*second {
		t.Errorf("job %+v, master registered at %v", j, times[0].Registered.Std())
	}
}

// A rule looks every 10 s and decides every 60: at 60 s it sees 16 maps of 1 GiB
// waiting for five minutes, orders the two nodes that it may, which register at
// 90 s, and sends them away when they have been idle for a cooldown. They are paid
// from the order on.
func TestRuleFollowsLoad(t *testing.T) {
	el := simcore.Elastic{Scaling: []simcore.Scaling{{Rule: simcore.PendingMemory, Kind: "more", Max: 2,
		Cooldown: 60 * second, Delay: 30 * second, Timeout: simcore.Hour, Up: 1, Down: 1}}}
	for i := range 2 {
		el.Spare = append(el.Spare, simcore.Node{Name: fmt.Sprintf("m%d", i), Capacity: simcore.Vec{4096, 8}, Kind: "more",
			Price: 10})
	}
	few, _, _ := elasticCase(t, 23, 300, simcore.Elastic{})
	more, _, lost := elasticCase(t, 23, 300, el)
	// 7 maps at first, 8 more from 90 s, 7 again from 300 s, and the last one.
	if few.End < 1200*second || more.End > 800*second || len(lost) != 0 {
		t.Errorf("the end is at %v, with the rule at %v; lost %v", few.End.Std(), more.End.Std(), lost)
	}
	rest := more.Cost - 2*2*more.End.Seconds()/3600
	if paid := rest / 2 / 10 * 3600; paid < more.End.Seconds()-60-150 || paid > more.End.Seconds()-60+1 {
		t.Errorf("each of the nodes that the rule added is paid for %.1f s of %v", paid, more.End.Std())
	}
}
