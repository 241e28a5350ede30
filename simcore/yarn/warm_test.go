package yarn_test

import (
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// warmCase is one node of four containers: job 0 has its master, a map that is done,
// one with 10 s left, one with 30 s left, and a reduce to come; job 1 waits for its
// master, job 2 comes later. The master that is on its way out has 3 s left.
func warmCase(t *testing.T) (*simcore.Workload, *simcore.Cluster, *yarn.Warm, *capacity.Scheduler) {
	t.Helper()
	const second = simcore.Second
	one := simcore.Vec{1024, 1}
	w := &simcore.Workload{Queues: []string{"root.a"}, Users: []string{"u"},
		Tasks: simcore.Tasks{Duration: make([]simcore.Time, 8), Shuffle: make([]simcore.Time, 8)}}
	for i := range w.Tasks.Duration {
		w.Tasks.Duration[i] = 5 * second
	}
	for _, j := range []simcore.Job{{ID: "runs", Maps: 3, Reduces: 1, Submit: 10 * second},
		{ID: "ends", Maps: 1, FirstTask: 4, Submit: 20 * second},
		{ID: "waits", Maps: 1, FirstTask: 5, Submit: 90 * second}, {ID: "comes", Maps: 1, FirstTask: 6,
			Submit: 110 * second}} {
		j.Class, j.MapDist, j.ReduceDist, j.Slowstart, j.MapAsk, j.ReduceAsk, j.AMAsk = -1, -1, -1, 1, one, one, one
		w.Jobs = append(w.Jobs, j)
	}
	c := &simcore.Cluster{Racks: []string{"/r"}, Nodes: []simcore.Node{{Name: "n", Capacity: simcore.Vec{4096, 4}}}}
	warm := &yarn.Warm{At: 100 * second, Jobs: []yarn.WarmJob{
		{Job: 0, Since: 12 * second, Registered: true, MapsDone: 1,
			Tasks: []yarn.WarmTask{{Since: 60 * second, Left: 10 * second}, {Since: 80 * second, Left: 30 * second}}},
		{Job: 1, Since: 25 * second, Closing: true, Left: 3 * second}}}
	s, err := capacity.New(evaluate(t, "<configuration>"+property("minimum-allocation-mb", 1024)+property(
		"capacity.root.queues", "a")+
		property("capacity.root.a.capacity", 100)+property("capacity.maximum-am-resource-percent", 1)+"</configuration>"))
	if err != nil {
		t.Fatal(err)
	}
	return w, c, warm, s
}

// The waiting master gets the container of the one that goes, 3 s after the moment,
// within the second of a heartbeat; the job that runs ends after its longest map and
// its reduce.
func TestWarm(t *testing.T) {
	var first []yarn.JobTimes
	for _, eager := range []bool{false, true} {
		w, c, warm, sched := warmCase(t)
		sim, err := yarn.NewSim(c, w, yarn.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := sim.Run(yarn.RunConfig{Slowstart: -1, Warm: warm, Eager: eager}, sched)
		if err != nil {
			t.Fatal(err)
		}
		times := sim.JobTimes()
		if d := times[2].AMAllocated - warm.At; d < 3*simcore.Second || d > 4*simcore.Second {
			t.Errorf("eager %v: the waiting master came %v after the moment, want 3 to 4 s", eager, d.Std())
		}
		// Maps until 30 s; the reduce is asked for and handed out in two heartbeats of the
		// master, one of the node and a launch, and lasts 5 s.
		if d := times[0].LastMap - warm.At; d != 30*simcore.Second {
			t.Errorf("eager %v: last map %v after the moment, want 30 s", eager, d.Std())
		}
		if d := res.Jobs[0].Finish - warm.At; d < 35*simcore.Second || d > 42*simcore.Second {
			t.Errorf("eager %v: the running job ended %v after the moment", eager, d.Std())
		}
		if times[3].Submit != 110*simcore.Second || times[2].Submit != 90*simcore.Second ||
			res.Jobs[0].Submit != 10*simcore.Second {
			t.Errorf("submissions %v, %v", times[3].Submit.Std(), times[2].Submit.Std())
		}
		if n := res.Total.Finished; n != [2]int32{4, 1} { // two maps that ran, one each of the other two jobs
			t.Errorf("eager %v: %v tasks finished, want 4 and 1", eager, n)
		}
		if first == nil {
			first = append(first, times...)
		} else {
			for j := range times {
				if times[j] != first[j] {
					t.Errorf("job %d: %+v, eager %+v", j, first[j], times[j])
				}
			}
		}
	}
}

func TestWarmRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*yarn.Warm){
		"4 maps":            func(w *yarn.Warm) { w.Jobs[0].MapsDone = 2 },
		"running job 9":     func(w *yarn.Warm) { w.Jobs[0].Job = 9 },
		"on node 3":         func(w *yarn.Warm) { w.Jobs[0].Node = 3 },
		"with 1024 MiB":     func(w *yarn.Warm) { w.Jobs[1].Size = yarn.Resource{Memory: 2048, VCores: 1} },
		"time left -1s":     func(w *yarn.Warm) { w.Jobs[1].Left = -simcore.Second },
		"submitted at 10s":  func(w *yarn.Warm) { w.At = 5 * simcore.Second },
		"since 1m20s; the ": func(w *yarn.Warm) { w.At = 70 * simcore.Second; w.Jobs = w.Jobs[:1] },
	} {
		t.Run(want, func(t *testing.T) {
			w, c, warm, sched := warmCase(t)
			spoil(warm)
			sim, err := yarn.NewSim(c, w, yarn.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := sim.Run(yarn.RunConfig{Slowstart: -1, Warm: warm}, sched); err == nil || !strings.Contains(err.Error(),
				want) {
				t.Errorf("%v, want %q in it", err, want)
			}
		})
	}
}
