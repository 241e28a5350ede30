package yarn_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
)

// randomTez draws a Tez application whose tasks have times and, some, hosts of their own.
func randomTez(r *rand.Rand, w *simcore.Workload, nodes int) *simcore.TezApp {
	a := &simcore.TezApp{Settings: simcore.DefaultTezSettings(), Session: r.IntN(2) == 0}
	s := &a.Settings
	s.Heartbeat = []simcore.Time{simcore.Second, simcore.Second / 4}[r.IntN(2)]
	s.Old, s.AnyFallback, s.Reuse = r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(5) > 0
	s.MaxConcurrent, s.MaxFailures = []int32{0, 0, 3}[r.IntN(3)], 100
	dags := 1
	if a.Session {
		dags, s.Held = 1+r.IntN(4), int32(r.IntN(3))
		if a.Stop = simcore.Never; r.IntN(2) == 0 {
			a.Stop = simcore.Time(r.IntN(20_000_000))
		}
	}
	mib := 256 * int64(1+r.IntN(3))
	for range dags {
		d := simcore.TezDAG{Delay: simcore.Time(r.IntN(20_000_000)), FirstVertex: int32(len(a.Vertices)),
			Vertices: int32(1 + r.IntN(5)), Prewarm: r.IntN(6) == 0}
		for i := range d.Vertices {
			v := simcore.TezVertex{Tasks: int32(r.IntN(20)), FirstTask: int32(len(w.Tasks.Duration)), Dist: -1,
				Size: simcore.Vec{mib, 1}, Known: simcore.Time(r.IntN(3_000_000))}
			if s.Held == 0 { // else kept containers may be too small for all that waits
				v.Size[simcore.Memory] = 256 * int64(1+r.IntN(3))
			}
			for range v.Tasks {
				w.Tasks.Duration = append(w.Tasks.Duration, simcore.Time(200_000+r.IntN(8_000_000)))
				w.Tasks.Shuffle = append(w.Tasks.Shuffle, 0)
				if i == 0 && r.IntN(2) == 0 {
					w.Tasks.Hosts = append(w.Tasks.Hosts, int32(r.IntN(nodes)))
				}
				w.Tasks.HostAt = append(w.Tasks.HostAt, int32(len(w.Tasks.Hosts)))
			}
			for q := range i {
				if r.IntN(3) == 0 {
					v.Sources = append(v.Sources, simcore.TezSource{Vertex: d.FirstVertex + q, Edge: simcore.TezEdge(r.IntN(3))})
				}
			}
			a.Vertices = append(a.Vertices, v)
		}
		a.DAGs = append(a.DAGs, d)
	}
	return a
}

// change is one of a history.
type change struct {
	at simcore.Time
	yarn.ContainerChange
}

// TestTezMixed: mixed workloads end; every task of every application that succeeds is finished once,
// no container stays behind, and a run that computes every heartbeat has the same history.
func TestTezMixed(t *testing.T) {
	t.Parallel()
	seeds, apps, stalled := testdata.Cases(150), 0, 0
	for seed := range uint64(seeds) {
		s := randomScenario(t, seed)
		r := rand.New(rand.NewPCG(seed, 78))
		for i := range s.work.Jobs {
			if j := &s.work.Jobs[i]; r.IntN(3) > 0 {
				j.Maps, j.Reduces, j.FirstTask = 0, 0, -1
				j.Tez = randomTez(r, s.work, len(s.cluster.Nodes))
			}
		}
		if seed%7 == 2 {
			yarn.Spot(s.cluster, 3*simcore.Hour)
		}
		var history [2][]change
		failed := false
		for k, eager := range []bool{false, true} {
			sim, err := yarn.NewSim(s.cluster, s.work, s.opt)
			if err != nil {
				t.Fatal(err)
			}
			sched, err := capacity.New(s.conf)
			if err != nil {
				t.Fatal(err)
			}
			cfg := s.cfg
			cfg.Eager = eager
			held := map[simcore.NodeID]int{}
			cfg.Trace = func(at simcore.Time, c yarn.ContainerChange) {
				held[c.Node] += int(c.Delta)
				history[k] = append(history[k], change{at, c})
			}
			res, err := sim.Run(cfg, sched)
			if err != nil {
				if stalled++; !isStalled(err) && s.cluster.Still() || stalled > max(4, seeds/10) {
					t.Fatalf("seed %d: %v", seed, err)
				}
				failed = true
				continue
			}
			for n, c := range held {
				if c != 0 {
					t.Errorf("seed %d: node %d: %d containers left", seed, n, c)
				}
			}
			dags := map[simcore.JobID]int{}
			for _, d := range res.DAGs {
				dags[d.Job]++
				if d.Failed || d.Finish < d.Submit {
					t.Errorf("seed %d: DAG %+v", seed, d)
				}
			}
			for j, times := range sim.JobTimes() {
				app := s.work.Jobs[j].Tez
				if app == nil || times.Status != yarn.Succeeded {
					continue
				}
				apps++
				want := 0
				for _, d := range app.DAGs {
					if !d.Prewarm {
						want++
					}
				}
				got := res.Jobs[j].Tally.Finished[simcore.Map]
				again := !s.cluster.Still() || s.cfg.PreemptEvery > 0
				if n := app.TaskCount(); got < n || got > n && !again {
					t.Errorf("seed %d: job %d: %d tasks finished, want %d", seed, j, got, n)
				}
				if dags[simcore.JobID(j)] != want {
					t.Errorf("seed %d: job %d: %d DAGs ended, want %d", seed, j, dags[simcore.JobID(j)], want)
				}
			}
		}
		if !failed && !slices.Equal(history[0], history[1]) {
			t.Errorf("seed %d: lazy and eager histories differ: %s", seed, firstDifference(history[0], history[1]))
		}
	}
	t.Logf("%d applications, %d runs stalled", apps, stalled)
	if apps < 2*seeds {
		t.Errorf("%d applications succeeded, want at least %d", apps, 2*seeds)
	}
}

// firstDifference returns where two histories differ.
func firstDifference(a, b []change) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("change %d: %+v and %+v", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d and %d changes", len(a), len(b))
}
