package yarn_test

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// tezOnly has no latencies except the start of an AM, 500 ms, and of a DAG, 1 ms.
func tezOnly() *yarn.Calibration {
	c, z := yarn.Default(), yarn.Latency{0}
	c.NodeBeat, c.Submit, c.SubmitWork, c.NodeDone = 1000, z, 0, z
	c.Tez = &yarn.TezCalibration{MasterStart: yarn.Latency{500}, DAGStart: yarn.Latency{1}, LaunchWait: z, Start: z,
		Poll: z, FirstTask: z, TaskSpan: z, Read: z, Gone: z, Stop: z, Exit: z, MasterThreads: 1, Threads: 1}
	return c
}

// tezNodes are nodes of 4 GiB.
func tezNodes(n int) *simcore.Cluster {
	c := sparkCluster(n)
	for i := range c.Nodes {
		c.Nodes[i].Capacity = simcore.Vec{4096, 8}
	}
	return c
}

// runTez simulates a workload without latencies.
func runTez(t *testing.T, c *simcore.Cluster, w *simcore.Workload, trace func(simcore.Time, yarn.SparkEvent)) (
	yarn.JobTimes, *simcore.Result) {
	t.Helper()
	sim, err := yarn.NewSim(c, w, yarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := capacity.New(evaluate(t, twoQueues))
	if err != nil {
		t.Fatal(err)
	}
	res, err := sim.Run(yarn.RunConfig{Slowstart: -1, Calibration: tezOnly(), SparkTrace: trace}, s)
	if err != nil {
		t.Fatal(err)
	}
	return sim.JobTimes()[0], res
}

// tezDAG is a workload of one Tez application with the vertices given, tasks of 10 s.
func tezDAG(vertices ...simcore.TezVertex) *simcore.Workload {
	for i := range vertices {
		vertices[i].FirstTask, vertices[i].Size = -1, simcore.Vec{1024, 1}
	}
	return &simcore.Workload{Queues: []string{"root.a"}, Users: []string{"u"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}},
		Jobs: []simcore.Job{{ID: "j", Class: -1, FirstTask: -1, AMAsk: simcore.Vec{1024, 1}, MapDist: -1, ReduceDist: -1,
			Tez: &simcore.TezApp{Settings: simcore.DefaultTezSettings(), Vertices: vertices,
				DAGs: []simcore.TezDAG{{Vertices: int32(len(vertices))}}}}}}
}

// One node with heartbeats at 0, 1, 2 … s and one task of 10 s: the AM has its container at 0,
// registers at 0.5 and makes its first, empty call; it asks with the second at 1.5; the node
// allocates at 2; the AM has the container with its call at 2.5, and the task ends at 12.5. The AM
// remains for 5 s. Its idle container is given up after 5 to 10 s, or when the AM's services stop.
func TestTezTimeline(t *testing.T) {
	got, res := runTez(t, tezNodes(1), tezDAG(simcore.TezVertex{Tasks: 1}), nil)
	const ms = simcore.Millisecond
	if got.Registered != 500*ms || got.FirstMap != 2500*ms || got.Finish != 12500*ms || got.Released != 17500*ms {
		t.Errorf("registered %v, first task %v, finish %v, released %v; want 0.5, 2.5, 12.5 and 17.5 s",
			got.Registered.Std(), got.FirstMap.Std(), got.Finish.Std(), got.Released.Std())
	}
	if len(res.DAGs) != 1 || res.DAGs[0].Completion() != 12500*ms {
		t.Errorf("DAGs %+v, want one of 12.5 s", res.DAGs)
	}
	for _, name := range []string{"mean-dag-completion", "queue.root.a.p95-dag-completion"} {
		if v, err := res.Value(name); v != 12.5 || err != nil {
			t.Errorf("%s %v (error %v), want 12.5 s", name, v, err)
		}
	}
	if held := got.ExecutorTime; held != 15500*ms {
		t.Errorf("container held for %v, want 15.5 s: from 2 to 17.5 s", held.Std())
	}
}

// Without requests an idle container is given up after a time drawn uniformly in [5, 10] s: of a
// session that ends by its time limit the mean is 7.5 s.
func TestTezIdleTime(t *testing.T) {
	w := tezDAG(simcore.TezVertex{Tasks: 200})
	w.Jobs[0].Tez.Session, w.Jobs[0].Tez.Stop = true, simcore.Never
	for _, c := range []struct {
		min, max   simcore.Time
		least, top float64
	}{{5 * simcore.Second, 10 * simcore.Second, 7, 8}, {2 * simcore.Second, 2 * simcore.Second, 2, 2}} {
		s := &w.Jobs[0].Tez.Settings
		s.IdleMin, s.IdleMax = c.min, c.max
		idle, last := 0.0, simcore.Time(0)
		ends := map[int32]simcore.Time{}
		got, _ := runTez(t, tezNodes(100), w, func(at simcore.Time, e yarn.SparkEvent) {
			switch e.Kind {
			case yarn.SparkTaskEnd:
				ends[e.Executor] = at
			case yarn.SparkKill:
				idle += (at - ends[e.Executor]).Seconds()
				last = at
			}
		})
		if mean := idle / float64(len(ends)); mean < c.least || mean > c.top {
			t.Errorf("idle for %.2f s in the mean over %d containers, want %v to %v", mean, len(ends), c.least, c.top)
		}
		if got.Finish < last+4*simcore.Minute || got.Finish > got.LastMap+331*simcore.Second {
			t.Errorf("session ends %v behind its DAG, want 300 to 330 s", (got.Finish - got.LastMap).Std())
		}
	}
}

// A vertex that reads a shuffle takes the containers of the one before it without a further request.
func TestTezReuse(t *testing.T) {
	for _, reuse := range []bool{true, false} {
		w := tezDAG(simcore.TezVertex{Tasks: 6}, simcore.TezVertex{Tasks: 2, Sources: []simcore.TezSource{{}}})
		w.Jobs[0].Tez.Settings.Reuse = reuse
		got, _ := runTez(t, tezNodes(4), w, nil)
		want := int32(6)
		if !reuse {
			want = 8
		}
		if got.Executors != want {
			t.Errorf("reuse %v: %d containers for 8 tasks, want %d", reuse, got.Executors, want)
		}
	}
}
