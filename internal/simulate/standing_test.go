package simulate

import (
	"testing"

	"schedtune/simcore"
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
