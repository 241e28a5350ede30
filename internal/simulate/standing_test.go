package simulate

import (
	"fmt"
	"slices"
	"testing"

	"schedtune/simcore"
	"schedtune/yarnconf"
)

// Standing load is held in every run from its beginning to its end, whatever the limits on
// masters say, and is no job of the result: a cluster with five of eight containers held
// takes as long as one with three.
func TestStandingLoad(t *testing.T) {
	c := closedCase(t)
	c.Work.Jobs = c.Work.Jobs[:1]
	service := simcore.Job{ID: "service", Class: -1, FirstTask: -1, MapDist: -1, ReduceDist: -1, Unmanaged: true,
		Maps: 5, MapAsk: simcore.Vec{1024, 1}, Standing: &simcore.Standing{Nodes: make([]simcore.NodeID, 5),
			Hold: 1e5 * simcore.Hour}}
	run := func(memory int64, standing ...simcore.Job) *simcore.Result {
		t.Helper()
		of := *c
		cluster := *c.Cluster
		cluster.Nodes = []simcore.Node{cluster.Nodes[0]}
		cluster.Nodes[0].Capacity[simcore.Memory] = memory
		of.Cluster, of.Standing = &cluster, standing
		r, err := New(&of, Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := r.Run(t.Context(), Item{Slowstart: -1, Seed: 1, Changes: open})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	small, held := run(3*1024), run(8*1024, service)
	if len(held.Jobs) != 1 || held.Jobs[0].Failed {
		t.Fatalf("%+v", held.Jobs)
	}
	if a, b := Value(small, "makespan"), Value(held, "makespan"); b < a-10 || b > a+20 {
		t.Errorf("%v s beside standing load, %v s on what it leaves", b, a)
	}
	if u := Value(held, "utilisation"); u < 0.8 {
		t.Errorf("utilisation %v, want that of standing load too", u)
	}
}

// The master of standing load has its part of the AM limit of its queue: of 10 GiB, 8 are
// gone, and masters of 2 GiB run one at a time instead of five.
func TestStandingMasterCounts(t *testing.T) {
	c := closedCase(t)
	c.Work.Jobs = slices.Repeat(c.Work.Jobs[:1], 5)
	for i := range c.Work.Jobs {
		j := &c.Work.Jobs[i]
		j.ID, j.AMAsk = fmt.Sprint("job", i), simcore.Vec{2048, 1}
	}
	limits := append(slices.Clone(open), yarnconf.Change{Key: yarnconf.Prefix + "maximum-am-resource-percent", Value: "0.1"})
	cluster := *c.Cluster
	cluster.Nodes = []simcore.Node{cluster.Nodes[0]}
	cluster.Nodes[0].Capacity = simcore.Vec{100 * 1024, 1000}
	c.Cluster = &cluster
	service := simcore.Job{ID: "service", Class: -1, FirstTask: -1, MapDist: -1, ReduceDist: -1,
		AMAsk: simcore.Vec{8 * 1024, 1}}
	for _, test := range []struct {
		name  string
		maps  int32
		alone bool // unmanaged: no master of its own
		most  int  // masters of the jobs at a time
	}{{"with containers", 2, false, 1}, {"its master alone", 0, false, 1}, {"unmanaged", 2, true, 5}} {
		t.Run(test.name, func(t *testing.T) {
			of, s := *c, service
			s.Maps, s.Unmanaged, s.MapAsk = test.maps, test.alone, simcore.Vec{1024, 1}
			s.Standing = &simcore.Standing{Nodes: make([]simcore.NodeID, s.Held()), Hold: 1e5 * simcore.Hour}
			of.Standing = []simcore.Job{s}
			r, err := New(&of, Options{})
			if err != nil {
				t.Fatal(err)
			}
			running, most := 0, 0
			if _, err := r.Run(t.Context(), Item{Slowstart: -1, Seed: 1, Changes: limits, Watch: func(ch Change) {
				switch {
				case ch.Master && ch.Event == "allocated":
					running++
				case ch.Master && ch.Event == "released":
					running--
				}
				most = max(most, running)
			}}); err != nil {
				t.Fatal(err)
			}
			if most != test.most {
				t.Errorf("%d masters at a time, want %d", most, test.most)
			}
		})
	}
}
