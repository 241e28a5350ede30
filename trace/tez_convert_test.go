package trace

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"schedtune/simcore"
)

// A recorded run becomes a workload of its applications: the sums of the tasks' times are
// near to what its scenario asked for, DAGs come after one another as they did, and sources
// stand before their vertices.
func TestTezWorkload(t *testing.T) {
	for _, run := range tezRuns(t) {
		t.Run(filepath.Base(run), func(t *testing.T) {
			t.Parallel()
			tr, err := Open(run, Options{})
			if err != nil {
				t.Fatal(err)
			}
			w, notes, err := tr.Workload(WorkloadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(tr.Notes, notes)
			asked := map[string]float64{}
			for _, row := range table(t, run, "tasks.csv") {
				ms, err := strconv.ParseFloat(row["asked_ms"], 64)
				if row["kind"] == "TEZ" && row["status"] == "SUCCEEDED" && err == nil {
					asked[row["app"]] += ms
				}
			}
			for i := range w.Jobs {
				j := &w.Jobs[i]
				if j.Tez == nil {
					continue
				}
				got, n := simcore.Time(0), 0
				for v, x := range j.Tez.Vertices {
					for _, s := range x.Sources {
						if int(s.Vertex) >= v {
							t.Errorf("%s: vertex %d reads %d", j.ID, v, s.Vertex)
						}
					}
					for k := range x.Tasks {
						got += w.Tasks.Duration[x.FirstTask+k]
						n++
					}
					if x.Size == (simcore.Vec{}) {
						t.Errorf("%s: vertex %d has no size", j.ID, v)
					}
				}
				for _, d := range j.Tez.DAGs {
					if d.Delay < 0 || d.Delay > 40*simcore.Second {
						t.Errorf("%s: delay %v", j.ID, d.Delay)
					}
				}
				want := asked[j.ID]
				t.Logf("%s: session %v, %d DAGs, stop %v, %d tasks, mean time %.0f ms, asked %.0f, AM %v", j.ID, j.Tez.Session,
					len(j.Tez.DAGs), j.Tez.Stop, n, float64(got/simcore.Millisecond)/float64(n), want/float64(n), j.AMAsk)
				if mean := (float64(got/simcore.Millisecond) - want) / float64(n); math.Abs(mean) > 700 {
					t.Errorf("%s: tasks take %.0f ms more than asked on average", j.ID, mean)
				}
			}
		})
	}
}

// Vertices whose number of tasks an initializer told 0.3 to 1.5 s after the DAG's start have
// these times.
func TestTezKnown(t *testing.T) {
	tezRuns(t)
	tr, err := Open(minitez+"/run-D-fanin", Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := tr.Workload(WorkloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var known []simcore.Time
	for _, v := range w.Jobs[0].Tez.Vertices {
		if v.Known > 0 {
			known = append(known, v.Known/simcore.Millisecond)
		}
	}
	slices.Sort(known)
	if len(known) != 5 {
		t.Fatalf("got %v, want five", known)
	}
	for i, k := range known {
		if want := simcore.Time(300 * (i + 1)); k < want || k > want+400 {
			t.Errorf("got %v ms, want %v to %v", k, want, want+400)
		}
	}
}
