package yarn

import (
	"testing"

	"schedtune/simcore"
)

// oneDAG is a workload of one Tez application with the vertices given, tasks of 10 s.
func oneDAG(vertices ...simcore.TezVertex) *simcore.Workload {
	for i := range vertices {
		vertices[i].FirstTask, vertices[i].Size = -1, simcore.Vec{1024, 1}
	}
	return &simcore.Workload{Queues: []string{"root.default"}, Users: []string{"u"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}},
		Jobs: []simcore.Job{{ID: "j", Class: -1, FirstTask: -1, AMAsk: simcore.Vec{1024, 1}, MapDist: -1, ReduceDist: -1,
			Tez: &simcore.TezApp{Settings: simcore.DefaultTezSettings(), Vertices: vertices,
				DAGs: []simcore.TezDAG{{Vertices: int32(len(vertices))}}}}}}
}

// Priorities by natural order: ((distance + 1) × vertices + number) × 3 - 1.
func TestTezPriorities(t *testing.T) {
	w := oneDAG(simcore.TezVertex{Tasks: 1}, simcore.TezVertex{Tasks: 1, Sources: []simcore.TezSource{{Vertex: 0}}},
		simcore.TezVertex{Tasks: 1, Sources: []simcore.TezSource{{Vertex: 1}, {Vertex: 0}}})
	p, err := planTez(testCluster(1, 4096), w, &w.Jobs[0])
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range []int32{8, 20, 32} {
		if p.priority[v] != want {
			t.Errorf("vertex %d: priority %d, want %d", v, p.priority[v], want)
		}
		for row := range int32(2) {
			if got, r := p.vertexOf(&p.app.DAGs[0], want-row); got != int32(v) || r != row {
				t.Errorf("priority %d: vertex %d, row %d, want %d, %d", want-row, got, r, v, row)
			}
		}
	}
	if v, _ := p.vertexOf(&p.app.DAGs[0], 9); v >= 0 {
		t.Errorf("priority 9: vertex %d, want none", v)
	}
}

// The tasks wanted rise linearly from 25 to 75 % of the least finished source, rounded up; all are
// wanted when every source has ended.
func TestTezSlowStart(t *testing.T) {
	for _, c := range []struct {
		name       string
		done       [2]int32 // of 20 and 10 tasks
		low, high  float64
		tasks, out int32
	}{
		{"below", [2]int32{20, 2}, 0, 0, 8, 0},
		{"at the minimum", [2]int32{5, 10}, 0, 0, 8, 0},
		{"above it", [2]int32{6, 10}, 0, 0, 8, 1},
		{"half", [2]int32{10, 10}, 0, 0, 8, 4},
		{"the least counts", [2]int32{20, 6}, 0, 0, 8, 6},
		{"at the maximum", [2]int32{15, 10}, 0, 0, 8, 8},
		{"ended", [2]int32{20, 10}, 0, 0, 8, 8},
		{"own fractions", [2]int32{3, 10}, 0, 0.3, 6, 3},
		{"both 1", [2]int32{19, 10}, 1, 1, 6, 0},
		{"a step", [2]int32{10, 10}, 0.5, 0.5, 6, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := oneDAG(simcore.TezVertex{Tasks: 20}, simcore.TezVertex{Tasks: 10}, simcore.TezVertex{Tasks: c.tasks,
				MinSource: c.low, MaxSource: c.high, Sources: []simcore.TezSource{{Vertex: 0}, {Vertex: 1}}})
			p, err := planTez(testCluster(1, 4096), w, &w.Jobs[0])
			if err != nil {
				t.Fatal(err)
			}
			var a tezApp
			a.reset(p, nil)
			a.vertices[0].done, a.vertices[1].done = c.done[0], c.done[1]
			if got := a.slowStart(2); got != c.out {
				t.Errorf("%v of 20 and 10 tasks ended: %d of %d wanted, want %d", c.done, got, c.tasks, c.out)
			}
		})
	}
}
