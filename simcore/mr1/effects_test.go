package mr1_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
)

// Thesis 4.2.2, delayed map execution: a job that gets one map in through a
// passing gap has to wait for all maps of the job before it, so its map phase
// looks long although its maps are short. Job 0 leaves one of ten slots free
// until its failed-over second half arrives as job 1 of higher standing (an
// earlier job under FIFO); here: job 0 has 9 maps, then job 1 (id order) and 2
// arrive at once while one slot is free; job 2 gets it when job 1 is not yet
// initialised. The phase of job 2 spans job 1's waves.
func TestDelayedMapExecution(t *testing.T) {
	w := stageOf(9, simcore.Dist{A: 10})
	w.Dists = append(w.Dists, simcore.Dist{A: 10})
	first := w.Jobs[0]
	first.Maps, first.Submit = 50, 2*simcore.Second
	second := first
	second.Maps = 2
	w.Jobs = append(w.Jobs, first, second)
	r, err := mr1.Run(ideal(simcore.Sampled, 1), oneNode(10), w, &gap{})
	if err != nil {
		t.Fatal(err)
	}
	// Job 2's first map takes the free slot at 2 s; job 1's 50 maps then hold
	// all slots: nine from 10 s, the tenth from 12 s on. Waves of nine at 10,
	// 20, … and of one at 12, 22, …: 9+1+9+1+9+1+9+1+9+1 = 50, the last at
	// 52 s. Job 2's second map starts at 60 s (the nine slots free at 60 s) and
	// ends at 70 s: its map phase lasts 68 s for two maps of 10 s.
	near(t, "map phase", r.Jobs[2].Execution().Seconds(), 68, 0.001)
	near(t, "phase of the job before", r.Jobs[1].Completion().Seconds(), 60, 0.001)
}

// gap serves the last job once while it is fresh, else in arrival order.
type gap struct{ served bool }

func (g *gap) Pick(v *mr1.View, _ simcore.NodeID) (simcore.Task, bool) {
	j := v.FirstWaiting(simcore.Map)
	if next := v.NextWaiting(j, simcore.Map); next != simcore.None && !g.served {
		j, g.served = next, true
	}
	return simcore.Task{Job: j, Kind: simcore.Map, Index: simcore.AnyTask}, true
}

// A node twice as fast takes half the time.
func TestHeterogeneousNodes(t *testing.T) {
	c := oneNode(1)
	c.Nodes[0].Speed = 2
	for _, m := range []simcore.Model{simcore.Sampled, simcore.Resources} {
		r := run(t, ideal(m, 1), c, stageOf(3, simcore.Dist{A: 10}))
		near(t, m.String(), value(t, r, "makespan"), 15, 0.001)
	}
}

// Heartbeats and launch latency: a lone task of 10 s is assigned at a
// heartbeat, launched 2 s later and reported at the first heartbeat after its
// end: with an interval of 3 s the slot is held 12 s, rounded up to 12 s as it
// was assigned at a heartbeat. Out of band the same, at 12 s exactly.
func TestLatency(t *testing.T) {
	for _, oob := range []bool{false, true} {
		for _, dur := range []float64{10, 11} {
			cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: 5},
				Heartbeat: 3 * simcore.Second, Launch: 2 * simcore.Second, OutOfBand: oob}
			r := run(t, cfg, oneNode(1), stageOf(1, simcore.Dist{A: dur}))
			want := dur + 2
			if !oob {
				want = 3 * math.Ceil(want/3)
			}
			near(t, "slot held", r.Total.Busy[0].Seconds(), want, 1e-9)
			if w := r.Jobs[0].Wait(); w < 0 || w >= 3*simcore.Second {
				t.Errorf("waits %v s for a heartbeat every 3 s", w.Seconds())
			}
		}
	}
}

func TestMetricNames(t *testing.T) {
	w := schedtest.Mixed(1, 30)
	w.Queues = []string{"root.prod", "root.dev"}
	w.Alone = make([]simcore.Time, len(w.Jobs))
	for i := range w.Alone {
		w.Alone[i] = simcore.Minute
	}
	r := run(t, mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}},
		schedtest.Uniform(4, 2, simcore.Vec{2, 1}), w)
	for _, m := range simcore.Metrics() {
		// nobody runs Spark or Tez here, nodes have no prices, and Hadoop 1 preempts nothing
		if v := value(t, r, m.Name); math.IsNaN(v) && !strings.HasPrefix(m.Name, "executor") && m.Name != "cost" &&
			!strings.HasSuffix(m.Name, "dag-completion") && m.Name != "preempted-containers" {
			t.Errorf("%s is not a number", m.Name)
		}
		if m.PerGroup {
			for _, g := range []string{"queue.prod.", "queue.root.dev.", "user.ann.", "class.small."} {
				value(t, r, g+m.Name)
			}
		}
	}
	for _, bad := range []string{"", "makespam", "queue.prod", "queue.none.makespan", "queue.prod.fairness",
		"user..makespan"} {
		t.Run(bad, func(t *testing.T) {
			if _, err := r.Value(bad); err == nil {
				t.Errorf("metric %q must be refused", bad)
			}
		})
	}
	var all []float64
	for _, j := range r.Jobs {
		all = append(all, j.Completion().Seconds())
	}
	slices.Sort(all) // 30 jobs: the 95th percentile is the 29th value, the median the 15th
	if p := value(t, r, "p95-completion"); p != all[28] {
		t.Errorf("p95 %v, want %v", p, all[28])
	}
	if p := value(t, r, "p50-completion"); p != all[14] {
		t.Errorf("p50 %v, want %v", p, all[14])
	}
	jobs := value(t, r, "queue.prod.jobs") + value(t, r, "queue.dev.jobs")
	if jobs != 30 {
		t.Errorf("queues' jobs add up to %v, want 30", jobs)
	}
}
