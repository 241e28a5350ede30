package mr1_test

import (
	"runtime"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
)

// Ten times the tasks cause no more allocations, in every duration model: the
// steady state allocates nothing per event.
func TestNoAllocationPerEvent(t *testing.T) {
	c := schedtest.Uniform(20, 10, simcore.Vec{4, 2})
	for _, m := range []simcore.Model{simcore.Sampled, simcore.Resources} {
		for _, replicas := range []int{0, 3} {
			count := func(tasks int32) float64 {
				w := schedtest.Mixed(1, 20)
				for j := range w.Jobs {
					w.Jobs[j].Maps *= tasks
				}
				cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: m, Seed: 1}, Replication: replicas}
				sim := mr1.NewSim()
				return testing.AllocsPerRun(3, func() {
					if _, err := sim.Run(cfg, c, w, &schedtest.FIFO{Slowstart: 0.5}); err != nil {
						t.Fatal(err)
					}
				})
			}
			if small, large := count(1), count(10); large > small+30 {
				t.Errorf("model %v, %d replicas: %.0f allocations, with ten times the maps %.0f", m, replicas, small, large)
			}
		}
	}
}

// A waiting task takes less than 32 bytes: the heap grows by less than that
// per task when a job of a million placed maps waits behind one slot.
func TestMemoryPerWaitingTask(t *testing.T) {
	const tasks = 1000000
	c := schedtest.Uniform(100, 20, simcore.Vec{1, 0})
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, Replication: 3,
		Until: simcore.Minute, TrackOutput: true}
	w := stageOf(tasks, simcore.Dist{A: 1000})
	sim := mr1.NewSim()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if _, err := sim.Run(cfg, c, w, &schedtest.FIFO{}); err == nil {
		t.Fatal("the run must pass its time limit")
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if per := float64(after.HeapAlloc-before.HeapAlloc) / tasks; per > 32 {
		t.Errorf("%.1f bytes per waiting task, want below 32", per)
	} else {
		t.Logf("%.1f bytes per waiting task", per)
	}
	runtime.KeepAlive(sim)
}

// watcher checks what the view says of running attempts and of load.
type watcher struct {
	schedtest.FIFO
	t    *testing.T
	seen int
}

func (s *watcher) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	for a := range v.Attempts(n) {
		p := v.Progress(a)
		if p < 0 || p > 1 || a.Node != n || a.Start > v.Now() {
			s.t.Errorf("attempt %+v at %v: progress %v", a, v.Now(), p)
		}
		if left := v.Left(a); p > 0 && left < 0 {
			s.t.Errorf("attempt %+v: %v left", a, left)
		}
		s.seen++
	}
	l := v.Load(n)
	if l.Maps != v.RunningOn(n, simcore.Map) || l.Reduces != v.RunningOn(n, simcore.Reduce) || l.CPU < 0 || l.Disk < 0 {
		s.t.Errorf("load %+v of node %d", l, n)
	}
	running := 0
	for j := range v.Jobs() {
		running += int(v.Running(j, simcore.Map))
		if v.Pending(j, simcore.Map)+v.Running(j, simcore.Map)+v.Done(j, simcore.Map) != v.Tasks(j, simcore.Map) {
			s.t.Errorf("job %d: maps do not add up", j)
		}
	}
	if running != v.TotalRunning(simcore.Map) {
		s.t.Errorf("%d maps run, the total says %d", running, v.TotalRunning(simcore.Map))
	}
	return s.FIFO.Pick(v, n)
}

func TestViewIsConsistent(t *testing.T) {
	for _, m := range []simcore.Model{simcore.Sampled, simcore.Resources} {
		s := &watcher{FIFO: schedtest.FIFO{Slowstart: 0.2}, t: t}
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: m, Seed: 3}, Launch: simcore.Second, Replication: 2,
			TrackOutput: true}
		if _, err := mr1.Run(cfg, schedtest.Uniform(6, 3, simcore.Vec{2, 2}), schedtest.Mixed(3, 20), s); err != nil {
			t.Fatal(err)
		}
		if s.seen == 0 {
			t.Error("nothing was seen")
		}
	}
}

// outputs checks that the bytes by node add up to the finished maps' output.
type outputs struct {
	schedtest.FIFO
	t   *testing.T
	dst []int64
}

func (s *outputs) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	for j := range v.Jobs() {
		s.dst = make([]int64, v.Nodes())
		v.Output(j, s.dst)
		sum := int64(0)
		for _, b := range s.dst {
			sum += b
		}
		if want := v.Job(j).ShuffleBytes / int64(v.Tasks(j, simcore.Map)) * int64(v.Done(j, simcore.Map)); sum != want {
			s.t.Errorf("job %d: %d bytes of output, want %d", j, sum, want)
		}
	}
	return s.FIFO.Pick(v, n)
}

func TestOutputIsTracked(t *testing.T) {
	s := &outputs{FIFO: schedtest.FIFO{}, t: t}
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, TrackOutput: true}
	if _, err := mr1.Run(cfg, schedtest.Uniform(5, 5, simcore.Vec{2, 2}), schedtest.Mixed(4, 15), s); err != nil {
		t.Fatal(err)
	}
}
