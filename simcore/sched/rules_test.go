package sched

import (
	"math"
	"slices"
	"testing"

	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// shares runs the workload until all but nothing is left and returns the
// slot-seconds each job held while all of them had demand, as shares.
func shares(t *testing.T, spec string, o Options, c *simcore.Cluster, w *simcore.Workload) []float64 {
	t.Helper()
	s, err := New(spec, o)
	if err != nil {
		t.Fatal(err)
	}
	running, held := make([]int, len(w.Jobs)), make([]float64, len(w.Jobs))
	started := make([]int32, len(w.Jobs))
	var last simcore.Time
	over := false
	_, err = mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: 1},
		Trace: func(at simcore.Time, e mr1.Event) {
			if !over {
				for j := range running {
					held[j] += float64(running[j]) * (at - last).Seconds()
				}
			}
			last = at
			switch e.Kind {
			case mr1.TaskStarted:
				running[e.Task.Job]++
				started[e.Task.Job]++
				over = over || started[e.Task.Job] == w.Jobs[e.Task.Job].Maps
			case mr1.TaskFinished:
				running[e.Task.Job]--
			}
		}}, c, w, s)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, h := range held {
		sum += h
	}
	for j := range held {
		held[j] /= sum
	}
	return held
}

// Two users of weights 1 and 3 hold a quarter and three quarters of the slots
// while both have demand.
func TestFairWeights(t *testing.T) {
	o := Options{Grants: []simcore.UserShare{{Weight: 1}, {Weight: 3}}}
	got := shares(t, "fair", o, slots(10), oneKind([]string{"a"}, []simcore.Job{job(0, 0, 400), job(0, 1, 1200)}))
	if math.Abs(got[0]-0.25) > 0.02 {
		t.Errorf("shares %v, want 0.25 and 0.75", got)
	}
}

// A minimum share of 40 of the 50 slots (map slots: four fifths of them, 32 of
// 40) goes before equal weights.
func TestFairMinimumShare(t *testing.T) {
	o := Options{Grants: []simcore.UserShare{{}, {MinShare: 40}}}
	got := shares(t, "fair", o, slots(10), oneKind([]string{"a"}, []simcore.Job{job(0, 0, 300), job(0, 1, 1200)}))
	if math.Abs(got[1]-0.8) > 0.03 {
		t.Errorf("shares %v, want 0.2 and 0.8", got)
	}
}

// Minimum shares of 40 and 20 of the 50 slots, of which four fifths are map
// slots, are 32 and 16 of 40. By running over minimum they get 26.7 and 13.3; by
// lack x and y with 32 - x = 16 - y and x + y = 40: 28 and 12.
func TestFairByLack(t *testing.T) {
	for _, byLack := range []bool{false, true} {
		o := Options{Grants: []simcore.UserShare{{MinShare: 40}, {MinShare: 20}}, ByLack: byLack}
		got := shares(t, "fair", o, slots(10), oneKind([]string{"a"}, []simcore.Job{job(0, 0, 2800), job(0, 1, 1200)}))
		want := map[bool]float64{false: 2.0 / 3, true: 0.7}[byLack]
		if math.Abs(got[0]-want) > 0.015 {
			t.Errorf("by lack %v: shares %v, want %.3f for the first", byLack, got, want)
		}
	}
}

// FIFO gives the second job nothing while the first has maps to launch.
func TestFIFOOrder(t *testing.T) {
	got := shares(t, "fifo", Options{}, slots(10), oneKind([]string{"a"}, []simcore.Job{job(0, 0, 400), job(0, 1, 400)}))
	if got[1] > 0.01 {
		t.Errorf("the second job held %.3f of the slots while the first had demand", got[1])
	}
}

// Where half of the nodes hold no input, delay scheduling with a long wait
// runs only local maps and leaves the other half idle (Coupling, figure 10);
// random peeking uses them.
func TestDelayLeavesNodesIdle(t *testing.T) {
	w := oneKind([]string{"a"}, []simcore.Job{job(0, 0, 400)})
	w.Jobs[0].FirstTask = 0
	w.Tasks.HostAt = []int32{0}
	for i := range int32(400) {
		w.Tasks.Hosts = append(w.Tasks.Hosts, i%5) // nodes 0 to 4 of 10
		w.Tasks.HostAt = append(w.Tasks.HostAt, int32(len(w.Tasks.Hosts)))
	}
	run := func(spec string) (makespan, locality float64) {
		s, err := New(spec, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		r, err := mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}, slots(10), w, s)
		if err != nil {
			t.Fatal(err)
		}
		makespan, _ = r.Value("makespan")
		locality, _ = r.Value("locality")
		return makespan, locality
	}
	// 400 maps of 10 s on 20 local slots take 20 waves, on 40 slots ten.
	if m, l := run("delay:node-delay=3600,rack-delay=3600"); l != 1 || m < 200 {
		t.Errorf("delay: makespan %v s, locality %v; want 200 s or more, all local", m, l)
	}
	if m, l := run("coupling"); m > 125 || l > 0.8 {
		t.Errorf("coupling: makespan %v s, locality %v; want about 100 s, many remote", m, l)
	}
}

// Coupling launches reduces as maps progress: while x of the maps are done, at
// most x/delta of the reduces have been launched (algorithm 1), plus the one
// that its "+ 1" asks for.
func TestCouplingFollowsMapProgress(t *testing.T) {
	w := oneKind([]string{"a"}, []simcore.Job{{Maps: 200, Reduces: 10}})
	w.Jobs[0].ReduceDist = 0
	s, err := New("coupling:wait=false", Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	done, launched := 0, 0
	_, err = mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled},
		Trace: func(_ simcore.Time, e mr1.Event) {
			switch {
			case e.Kind == mr1.TaskFinished && e.Task.Kind == simcore.Map:
				done++
			case e.Kind == mr1.TaskStarted && e.Task.Kind == simcore.Reduce:
				launched++
				if limit := float64(done)/200/predict.Delta(10, 3)*10 + 1e-9; done < 160 && float64(launched) > limit {
					t.Errorf("%d reduces launched with %d of 200 maps done; at most %.1f", launched, done, limit)
				}
			}
		}}, slots(10), w, s)
	if err != nil {
		t.Fatal(err)
	}
	if launched != 10 {
		t.Errorf("%d reduces launched, want 10", launched)
	}
}

// The learning scheduler settles at the asked load: tasks that add 0.5 to the
// load of a node of four processors end up eight to a node, within 20 %.
func TestLearningFindsTheLoad(t *testing.T) {
	w := oneKind([]string{"a"}, []simcore.Job{job(0, 0, 1500)})
	w.Classes, w.Jobs[0].Class = []string{"light"}, 0
	w.Dists[0].A = 60
	c := &simcore.Cluster{Racks: []string{"r"}}
	for range 4 {
		c.Nodes = append(c.Nodes, simcore.Node{Slots: simcore.Vec{40, 40}, Speed: 1, Cores: 4})
	}
	s, err := New("learning", Options{Seed: 1, Hints: []simcore.JobHint{
		{Usage: [4]float64{3, 3, 3, 3}, Load: 0.5}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled},
		Heartbeat: 5 * simcore.Second}, c, w, s)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := r.Value("makespan")
	tasks := r.Total.Busy[simcore.Map].Seconds() / m / 4
	if math.Abs(tasks-8) > 1.6 {
		t.Errorf("%.2f tasks per node, want 8 ± 20 %%", tasks)
	}
}

// Ten maps on ten nodes of four map slots are a quarter of the slots: with the load
// manager every node takes one, without it the nodes that ask first take four.
func TestSpreadOverNodes(t *testing.T) {
	for spec, want := range map[string]int{"fair": 1, "delay": 1, "fair:spread=false": 4} {
		t.Run(spec, func(t *testing.T) {
			s, err := New(spec, Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			running, most := map[simcore.NodeID]int{}, 0
			cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}
			cfg.Trace = func(_ simcore.Time, e mr1.Event) {
				switch e.Kind {
				case mr1.TaskStarted:
					running[e.Node]++
					most = max(most, running[e.Node])
				case mr1.TaskFinished:
					running[e.Node]--
				}
			}
			if _, err := mr1.Run(cfg, slots(10), oneKind([]string{"a"}, []simcore.Job{job(0, 0, 10)}), s); err != nil {
				t.Fatal(err)
			}
			if most != want {
				t.Errorf("%s: up to %d maps on a node, want %d", spec, most, want)
			}
		})
	}
}

// The reduces of one job that are launched one after the other, on a large cluster with a
// free reduce slot everywhere, need half a round of heartbeats each (algorithm 2): nodes
// that run a reduce of the job do not hold its list up, nor does the work of other jobs
// move the node that is waited for.
func TestCouplingWaitsHalfARoundForEveryReduce(t *testing.T) {
	const nodes, reduces = 60, 40
	w := oneKind([]string{"a", "b"}, []simcore.Job{{Maps: 240, Reduces: reduces, ShuffleBytes: 240e6},
		{User: 1, Maps: 6000}})
	w.Dists = append(w.Dists, simcore.Dist{Kind: simcore.Constant, A: 1000}) // reduces
	w.Jobs[0].ReduceDist = int32(len(w.Dists) - 1)
	s, err := New("coupling:wait=true", Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var starts []float64
	where := map[simcore.NodeID]int{}
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, Heartbeat: 3 * simcore.Second,
		TrackOutput: true}
	cfg.Trace = func(at simcore.Time, e mr1.Event) {
		if e.Kind == mr1.TaskStarted && e.Task.Kind == simcore.Reduce {
			starts = append(starts, at.Seconds())
			where[e.Node]++
		}
	}
	cluster := slots(nodes)
	for n := range cluster.Nodes {
		cluster.Nodes[n].Slots[simcore.Reduce] = 2
	}
	if _, err := mr1.Run(cfg, cluster, w, s); err != nil {
		t.Fatal(err)
	}
	if len(where) != reduces {
		t.Errorf("%d reduces on %d nodes, want one on each", reduces, len(where))
	}
	// Half a round is 1.5 s; thirty-nine of them vary by 0.87 s / sqrt(39) = 0.14 s.
	gap := (starts[reduces-1] - starts[0]) / (reduces - 1)
	if gap > 2.2 {
		t.Errorf("a reduce every %.2f s, want about 1.5", gap)
	}
}

// learnFrom runs the learning scheduler on two nodes of ten slots, with hints for two of
// three classes of jobs.
func learnFrom(t *testing.T, spec string, jobs []simcore.Job, classes ...int32) *Learning {
	t.Helper()
	w := oneKind([]string{"a"}, jobs)
	for j, c := range classes {
		w.Jobs[j].Class = c
	}
	w.Classes = []string{"light", "heavy", "unknown"}
	s, err := New(spec, Options{Seed: 1, Hints: []simcore.JobHint{{Usage: [4]float64{2, 2, 2, 2}},
		{Usage: [4]float64{8, 8, 8, 8}}}})
	if err != nil {
		t.Fatal(err)
	}
	c := slots(2)
	for n := range c.Nodes {
		c.Nodes[n].Slots, c.Nodes[n].Cores = simcore.Vec{10, 1}, 4
	}
	if _, err := mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled},
		Heartbeat: simcore.Second}, c, w, s); err != nil {
		t.Fatal(err)
	}
	return s.(*Learning)
}

// As many decisions as tasks are assigned with a heartbeat are kept and judged at the next
// one (section V-A): of 60 maps all, whether one comes with a heartbeat or three.
func TestLearningJudgesEveryDecision(t *testing.T) {
	for _, spec := range []string{"learning", "learning:per-heartbeat=3"} {
		t.Run(spec, func(t *testing.T) {
			if n := len(learnFrom(t, spec, []simcore.Job{job(0, 0, 60)}, 0).Judged()); n != 60 {
				t.Errorf("%s: %d decisions judged, want 60", spec, n)
			}
		})
	}
}

// A hint counts once for its job, however often the job is a candidate: of one light job
// that has to wait and two heavy ones, heavy is the mode.
func TestLearningCountsHintsByJob(t *testing.T) {
	jobs := []simcore.Job{job(0, 0, 200), job(0, 0, 1), job(0, 0, 1), job(0, 0, 1)}
	s := learnFrom(t, "learning", jobs, 0, 1, 1, 2)
	want := []float64{0, 1, 0, 0, 0, 0, 0, 2, 0, 0} // levels are hints less one
	if got := s.modes.Counts[0]; !slices.Equal(got, want) {
		t.Errorf("hints counted %v, want %v", got, want)
	}
	x := []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if s.modes.Fill(x); x[0] != 8 {
		t.Errorf("the mode is %v, want 8", x[0])
	}
}

// With slowstart 0.07 the first reduce of a job of 100 maps may start once seven maps
// have finished: on a node with one map slot they end one after the other. The learning
// scheduler's rule "map before reduce" is the same.
func TestSlowstartCountsMapsExactly(t *testing.T) {
	c := &simcore.Cluster{Racks: []string{"r"}, Nodes: []simcore.Node{{Slots: simcore.Vec{1, 1}, Speed: 1, Cores: 4}}}
	for _, spec := range []string{"fifo:slowstart=0.07", "fair:slowstart=0.07", "capacity-mr1:slowstart=0.07",
		"learning:slowstart=0.07,target=10"} {
		t.Run(spec, func(t *testing.T) {
			w := oneKind([]string{"a"}, []simcore.Job{{Maps: 100, Reduces: 1}})
			w.Jobs[0].ReduceDist = 0
			s, err := New(spec, Options{})
			if err != nil {
				t.Fatal(err)
			}
			done, at := 0, -1
			_, err = mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled},
				Trace: func(_ simcore.Time, e mr1.Event) {
					switch {
					case e.Kind == mr1.TaskFinished && e.Task.Kind == simcore.Map:
						done++
					case e.Kind == mr1.TaskStarted && e.Task.Kind == simcore.Reduce:
						at = done
					}
				}}, c, w, s)
			if err != nil {
				t.Fatal(err)
			}
			if at != 7 {
				t.Errorf("%s: the reduce started with %d maps done, want 7", spec, at)
			}
		})
	}
}
