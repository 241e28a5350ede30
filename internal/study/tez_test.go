package study

import (
	"slices"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// tezWorkload is two sessions of two DAGs: a map vertex of four tasks, and a reduce vertex of two that reads it.
func tezWorkload() *simcore.Workload {
	w := &simcore.Workload{Queues: []string{"root.a"}, Users: []string{"u"}}
	for i := range 2 {
		app := &simcore.TezApp{Settings: simcore.DefaultTezSettings(), Session: true}
		for g := range int32(2) {
			first := int32(len(w.Tasks.Duration))
			w.Tasks.Duration = append(w.Tasks.Duration, 4*simcore.Second, 5*simcore.Second, 6*simcore.Second, 7*simcore.Second,
				2*simcore.Second, 3*simcore.Second)
			app.DAGs = append(app.DAGs, simcore.TezDAG{Delay: simcore.Second, FirstVertex: 2 * g, Vertices: 2})
			app.Vertices = append(app.Vertices, simcore.TezVertex{Tasks: 4, FirstTask: first, Dist: -1,
				Size: simcore.Vec{1024, 1}},
				simcore.TezVertex{Tasks: 2, FirstTask: first + 4, Dist: -1, Size: simcore.Vec{1024, 1},
					Sources: []simcore.TezSource{{Vertex: 2 * g}}})
		}
		w.Jobs = append(w.Jobs, simcore.Job{ID: "s", Submit: simcore.Time(i) * simcore.Minute, FirstTask: -1, MapDist: -1,
			ReduceDist: -1, Slowstart: -1, Class: -1, AMAsk: simcore.Vec{1024, 1}, Tez: app})
	}
	return w
}

// Drawn Tez applications are whole, the recorded workload stays, and without a spread a copy is its original.
func TestTezApplications(t *testing.T) {
	w := tezWorkload()
	before := slices.Clone(w.Tasks.Duration)
	for i := range uint64(40) {
		d := Workload(w, wide, rng.NewKey(5, 1).At(i))
		for k := range d.Jobs {
			if err := d.Jobs[k].Tez.Validate(d); err != nil {
				t.Fatalf("draw %d, %s: %v", i, d.Jobs[k].ID, err)
			}
		}
	}
	if !slices.Equal(w.Tasks.Duration, before) {
		t.Error("the recorded workload has changed")
	}
	same := Workload(w, Spread{}, rng.NewKey(5, 2))
	for k := range same.Jobs {
		for _, v := range same.Jobs[k].Tez.Vertices {
			got := same.Tasks.Duration[v.FirstTask : v.FirstTask+v.Tasks]
			if !slices.Equal(got, before[:4]) && !slices.Equal(got, before[4:6]) {
				t.Errorf("%s: tasks %v, want those of a recorded vertex", same.Jobs[k].ID, got)
			}
		}
	}
}

// The bound of a session is that of its DAGs one after another: 1 + 7 + 3 s each; 27 s of tasks in 1024 MiB each.
func TestTezBound(t *testing.T) {
	w := tezWorkload()
	path, area := jobWork(w, &w.Jobs[0])
	if path != 22*simcore.Second || area != 2*27*1024 {
		t.Errorf("path %v, area %v, want 22 s and 55296 MiB s", path, area)
	}
}
