package yarn_test

import (
	"reflect"
	"runtime"
	"slices"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/schedtest"
	"schedtune/simcore/yarn"
)

// heap returns the bytes of live objects.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// located gives each task all figures that a trace may have, and its input to some nodes.
func located(w *simcore.Workload, nodes, hosts int) {
	t := &w.Tasks
	n := len(t.Duration)
	t.Shuffle, t.Input, t.Output = make([]simcore.Time, n), make([]int64, n), make([]int64, n)
	t.HostAt, t.Hosts = make([]int32, 1, n+1), make([]int32, 0, n*hosts)
	for i := range n {
		t.Shuffle[i], t.Input[i], t.Output[i] = simcore.Second, 1<<27, 1<<26
		for h := range hosts {
			t.Hosts = append(t.Hosts, int32((i*7+h*13)%nodes))
		}
		t.HostAt = append(t.HostAt, int32(len(t.Hosts)))
	}
}

// mapReduceDay returns the workload of facebookDay with tasks described singly.
func mapReduceDay(nodes int) (*simcore.Cluster, *simcore.Workload) {
	c, w := facebookDay(nodes, 1000, 200_000)
	n := schedtest.Tasks(w)
	w.Tasks.Duration = make([]simcore.Time, 0, n)
	for j := range w.Jobs {
		job := &w.Jobs[j]
		job.FirstTask = int32(len(w.Tasks.Duration))
		for k, count := range []int32{job.Maps, job.Reduces} {
			took := simcore.Seconds(w.Dists[[]int32{job.MapDist, job.ReduceDist}[k]].A)
			w.Tasks.Duration = append(w.Tasks.Duration, slices.Repeat([]simcore.Time{took}, int(count))...)
		}
		job.MapDist, job.ReduceDist = -1, -1
	}
	located(w, nodes, 3)
	return c, w
}

// TestBytesPerTask bounds the memory of a task: in the workload, in what all simulators of it share, and
// in each of them after a run. A twin repeats the run of the first.
func TestBytesPerTask(t *testing.T) {
	for _, test := range []struct {
		name               string
		work               func() (*simcore.Cluster, *simcore.Workload)
		queues             string
		workload, plan, of float64 // bytes, measured on drawn workloads
	}{
		{"mapreduce", func() (*simcore.Cluster, *simcore.Workload) { return mapReduceDay(100) }, dayQueues, 52, 44, 22},
		{"spark", func() (*simcore.Cluster, *simcore.Workload) {
			w := sparkDay(500)
			located(w, 50, 1)
			return sparkCluster(50), w
		}, twoQueues, 48, 4, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := heap()
			c, w := test.work()
			tasks := float64(len(w.Tasks.Duration))
			within := func(what string, most float64) {
				t.Helper()
				now := heap()
				bytes := (now - before) / tasks
				if t.Logf("%s: %.1f bytes a task", what, bytes); bytes > most {
					t.Errorf("%s: %.1f bytes a task, want at most %.0f", what, bytes, most)
				}
				before = now
			}
			within("workload", test.workload)
			first, err := yarn.NewSim(c, w, yarn.Options{})
			if err != nil {
				t.Fatal(err)
			}
			within("plan", test.plan)
			var results []*simcore.Result
			for _, sim := range []*yarn.Sim{first, first.Twin()} {
				sched := scheduler(t, evaluate(t, test.queues))
				r, err := sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1}, sched)
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, r)
				within("simulator", test.of)
				runtime.KeepAlive(sched)
			}
			if !reflect.DeepEqual(results[0], results[1]) {
				t.Errorf("got %v of a twin, want %v", results[1], results[0])
			}
			runtime.KeepAlive(w)
			runtime.KeepAlive(first)
		})
	}
}
