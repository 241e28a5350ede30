package yarn_test

import (
	"errors"
	"fmt"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// A master tries to stop the containers of a lost node before their tasks run again:
// the longer it tries, the later they end. A node that is decommissioned answers.
func TestUnreachableNode(t *testing.T) {
	lose := func(what simcore.ChangeKind, unreachable simcore.Time) simcore.Time {
		res, _, _ := elasticCase(t, 7, 100, simcore.Elastic{Expiry: 30 * second, Unreachable: unreachable,
			Changes: []simcore.NodeChange{{At: 60 * second, What: what, Kind: "k1", Count: 1}}})
		if res.Jobs[0].Finished[0] != 7 || res.Jobs[0].Killed[0] != 4 {
			t.Fatalf("finished %v, killed %v, want 7 and 4", res.Jobs[0].Finished, res.Jobs[0].Killed)
		}
		return res.End
	}
	short, long := lose(simcore.Lose, 100*second), lose(simcore.Lose, 300*second)
	if d := long - short - 200*second; d < -2*second || d > 2*second {
		t.Errorf("the end is at %v and %v, want 200 s apart", short.Std(), long.Std())
	}
	// Missed at 90 s, tried for 100 s; three maps fit the other node at once.
	if short < 390*second || short > 400*second {
		t.Errorf("the end is at %v, want 90 + 100 + two waves of 100 s", short.Std())
	}
	if at := lose(simcore.Decommission, 300*second); at > 320*second {
		t.Errorf("decommissioned at once: the end is at %v, want 100 s and two waves", at.Std())
	}
}

// Of recorded changes the instant is known at which the ResourceManager let a node go.
func TestGoneAsRecorded(t *testing.T) {
	for _, c := range []simcore.NodeChange{
		{At: 60 * second, What: simcore.Lose, Kind: "k1", Count: 1, Gone: 77 * second},
		{At: 60 * second, What: simcore.Decommission, Kind: "k1", Count: 1, Timeout: simcore.Never, Gone: 77 * second},
	} {
		_, _, ends := elasticCase(t, 7, 100, simcore.Elastic{Changes: []simcore.NodeChange{c}})
		if len(ends["n1"]) != 4 {
			t.Errorf("%v: lost %v, want four containers", c.What, ends)
		}
		for _, at := range ends["n1"] {
			if at != 77*second {
				t.Errorf("%v: a container is lost at %v, want 77 s", c.What, at.Std())
			}
		}
	}
	_, _, ends := elasticCase(t, 7, 100, simcore.Elastic{
		Changes: []simcore.NodeChange{{At: 60 * second, What: simcore.Decommission, Kind: "k1", Count: 1, Timeout: second,
			Gone: simcore.Never}}})
	if len(ends) != 0 {
		t.Errorf("a node that is never let go lost %v", ends)
	}
}

// Tasks whose master is gone with its machine end after three calls in vain, long
// before the ResourceManager misses that machine.
func TestOrphansEnd(t *testing.T) {
	_, times, ends := elasticCase(t, 7, 100, simcore.Elastic{Expiry: 10 * simcore.Minute,
		Changes: []simcore.NodeChange{{At: 60 * second, What: simcore.Lose, Kind: "k0", Count: 1}}})
	if len(ends["n1"]) != 4 {
		t.Fatalf("lost %v, want four containers of n1", ends)
	}
	for _, at := range ends["n1"] {
		if at < 99*second || at > 100*second {
			t.Errorf("a container ends at %v, want at 60 + 39 s and its node's heartbeat", at.Std())
		}
	}
	if times[0].Registered < 660*second {
		t.Errorf("the next master registers at %v, want after 10 minutes", times[0].Registered.Std())
	}
}

// copiedCase runs 16 maps of 100 s and a reduce on four nodes that hold 15 of them
// beside the master. With which is not negative, that node is lost at 150 s. It
// returns the end, and a node that holds output only when the 16th map runs.
func copiedCase(t *testing.T, slowstart float64, which int) (simcore.Time, int) {
	t.Helper()
	c := &simcore.Cluster{Racks: []string{"/r"}}
	for i := range 4 {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("n%d", i), Capacity: simcore.Vec{4096, 8}})
	}
	c.Elastic.Expiry = 15 * second
	if which >= 0 {
		c.Elastic.Changes = []simcore.NodeChange{{At: 150 * second, What: simcore.Lose, Node: c.Nodes[which].Name, Count: 1}}
	}
	w := &simcore.Workload{Queues: []string{"root.a"}, Users: []string{"u"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 100}, {Kind: simcore.Constant, A: 5}}}
	w.Jobs = []simcore.Job{{ID: "j", Class: -1, Maps: 16, Reduces: 1, FirstTask: -1, MapDist: 0, ReduceDist: 1,
		Slowstart: slowstart,
		MapAsk:    simcore.Vec{1024, 1}, ReduceAsk: simcore.Vec{1024, 1}, AMAsk: simcore.Vec{1024, 1}}}
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
	busy := make([]int, 4)
	res, err := sim.Run(yarn.RunConfig{Slowstart: -1, Trace: func(at simcore.Time, ch yarn.ContainerChange) {
		if at < 150*second {
			busy[ch.Node] += int(ch.Delta)
		}
	}}, sched)
	if err != nil {
		t.Fatal(err)
	}
	idle := -1
	for n, k := range busy {
		if k == 0 {
			idle = n
		}
	}
	return res.End, idle
}

// A reduce that was at work when finished maps lost their output has copied it and
// ends behind the last map, at 200 s; the maps that run again until 270 s are killed.
// One that begins later waits for them.
func TestReduceHasCopied(t *testing.T) {
	whole, n := copiedCase(t, 0.05, -1)
	if n < 0 || whole > 220*second {
		t.Fatalf("the end is at %v, idle node %d", whole.Std(), n)
	}
	early, _ := copiedCase(t, 0.05, n)
	if d := early - whole; d < -2*second || d > 2*second {
		t.Errorf("the end is at %v, want %v as without the loss", early.Std(), whole.Std())
	}
	_, n = copiedCase(t, 1, -1)
	late, _ := copiedCase(t, 1, n)
	if late < 265*second || late > 285*second {
		t.Errorf("the end is at %v, want behind maps that run again from 166 s on", late.Std())
	}
}

// A queue whose maximum holds a master and no map beside it locks, as the original's
// does. The error says what limits the job.
func TestLimitsThatLock(t *testing.T) {
	c := &simcore.Cluster{Racks: []string{"/r"}, Nodes: []simcore.Node{{Name: "n0", Capacity: simcore.Vec{8192, 8}},
		{Name: "n1", Capacity: simcore.Vec{8192, 8}}}}
	w := &simcore.Workload{Queues: []string{"root.a"}, Users: []string{"u"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}}}
	w.Jobs = []simcore.Job{{ID: "j", Class: -1, Maps: 4, Reduces: 1, FirstTask: -1, MapDist: 0, ReduceDist: 0,
		Slowstart: -1, MapAsk: simcore.Vec{1024, 1}, ReduceAsk: simcore.Vec{1024, 1}, AMAsk: simcore.Vec{1024, 1}}}
	conf := evaluate(t, "<configuration>"+property("capacity.root.queues", "a,b")+property("capacity.root.a.capacity",
		8)+property("capacity.root.b.capacity", 92)+
		property("capacity.root.a.maximum-capacity", 11)+property("capacity.root.a.user-limit-factor", 2)+"</configuration>")
	sched, err := capacity.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := yarn.NewSim(c, w, yarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sim.Run(yarn.RunConfig{Slowstart: -1}, sched)
	var stalled *yarn.StalledError
	want := "0 of 4 maps and 0 of 1 reduces done, 4 maps pending: headroom 0 MiB, map size 1024 MiB"
	if !errors.As(err, &stalled) || stalled.Job != "j" || stalled.Jobs != 1 || stalled.Progress != want {
		t.Errorf("got error %v, want a StalledError for job j with progress %q", err, want)
	}
}
