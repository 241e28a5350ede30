package mr1_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
)

// resourceJob is one job for the resource model: maps and reduces, bytes per
// map and per reduce.
func resourceJob(maps, reduces int32, in, shuffle, out int64) simcore.Job {
	return simcore.Job{
		Class: -1, Maps: maps, Reduces: reduces, FirstTask: -1, MapDist: -1, ReduceDist: -1, Slowstart: -1,
		InputBytes: in, ShuffleBytes: shuffle, OutputBytes: out,
	}
}

func jobsOf(jobs ...simcore.Job) *simcore.Workload {
	return &simcore.Workload{Name: "hand", Queues: []string{"default"}, Users: []string{"all"}, Jobs: jobs}
}

// Thesis 4.2.1, the same-reduce-node effect: two jobs' reduces on one node
// compete for its disk and NIC. With one disk of 100 MB/s, each reduce writes
// 1 GB copied and 1 GB of output. Apart: copy 1 GB at 100 MB/s disk and write
// 1 GB: 20 s. Together: both rates halve, 40 s.
func TestSameReduceNodeEffect(t *testing.T) {
	spend := func(slots []int64) float64 {
		c := schedtest.Uniform(len(slots), 8, simcore.Vec{0, 0})
		for n := range c.Nodes {
			c.Nodes[n].Slots[simcore.ReduceSlots] = slots[n]
			c.Nodes[n].Disks, c.Nodes[n].DiskRate, c.Nodes[n].NICRate = 1, 100e6, 125e6
		}
		c.Nodes[0].Slots[simcore.MapSlots] = 2
		c.Nodes[0].DiskRate = 1e12 // where the maps run; not the bottleneck
		w := jobsOf(resourceJob(1, 1, 0, 1e9, 1e9), resourceJob(1, 1, 0, 1e9, 1e9))
		r := run(t, ideal(simcore.Resources, 1), c, w)
		return value(t, r, "max-completion")
	}
	near(t, "reduces on different nodes", spend([]int64{0, 1, 1}), 20, 0.01)
	near(t, "reduces on the same node", spend([]int64{0, 2}), 40, 0.01)
}

// Thesis 6.1.3, remote disk contention: a map that reads over the network is
// slowed by what else uses the source's disk, and in turn slows that. Each map
// reads 1 GB from node 0's disk of 100 MB/s: alone 10 s, local and remote
// together 20 s each; a node-local map beside three others takes 40 s, longer
// than a remote one whose source is idle.
func TestRemoteReadContention(t *testing.T) {
	read := func(local, remote int64) float64 {
		c := schedtest.Uniform(2, 2, simcore.Vec{0, 0})
		for n := range c.Nodes {
			c.Nodes[n].Disks, c.Nodes[n].NICRate = 1, 1e9
		}
		c.Nodes[0].Slots[0], c.Nodes[1].Slots[0] = local, remote
		maps := int32(local + remote)
		w := jobsOf(resourceJob(maps, 0, int64(maps)*1e9, 0, 0))
		w.Jobs[0].FirstTask, w.Tasks.HostAt = 0, []int32{0}
		for range maps { // all input on node 0
			w.Tasks.Hosts = append(w.Tasks.Hosts, 0)
			w.Tasks.HostAt = append(w.Tasks.HostAt, int32(len(w.Tasks.Hosts)))
		}
		return value(t, run(t, ideal(simcore.Resources, 1), c, w), "makespan")
	}
	near(t, "alone", read(1, 0), 10, 0.01)
	near(t, "remote alone", read(0, 1), 10, 0.01)
	near(t, "local beside remote", read(1, 1), 20, 0.01)
	near(t, "local beside three", read(4, 0), 40, 0.01)
}

// Thesis 4.2.2, delayed map execution: a job that gets one map in through a
// passing gap has to wait for all maps of the job before it, so its map phase
// looks long although its maps are short. Job 0 leaves one of ten slots free
// until its failed-over second half arrives as job 1 of higher standing (an
// earlier job under FIFO); here: job 0 has 9 maps, then job 1 (id order) and 2
// arrive at once while one slot is free; job 2 gets it when job 1 is not yet
// initialised. The phase of job 2 spans job 1's waves.
func TestDelayedMapExecution(t *testing.T) {
	w := schedtest.Stage(9, simcore.Dist{A: 10})
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

// The shuffle fetches what finished maps make available. One map a wave of
// 10 s, ten waves, 100 MB each: with a fast NIC all but the last wave's output
// is copied before the last map ends; with slowstart 1 the whole copy follows.
func TestShuffleOverlapsMaps(t *testing.T) {
	spend := func(slowstart float64) float64 {
		c := schedtest.Uniform(2, 2, simcore.Vec{0, 0})
		c.Nodes[0].Slots[0], c.Nodes[1].Slots[1] = 1, 1
		for n := range c.Nodes {
			c.Nodes[n].DiskRate, c.Nodes[n].NICRate = 0, 20e6
		}
		w := jobsOf(resourceJob(10, 1, 0, 1e9, 0))
		w.Dists, w.Jobs[0].MapDist = []simcore.Dist{{A: 10}}, 0
		r, err := mr1.Run(ideal(simcore.Resources, 1), c, w, &schedtest.FIFO{Slowstart: slowstart})
		if err != nil {
			t.Fatal(err)
		}
		return value(t, r, "makespan")
	}
	near(t, "overlapped", spend(0.1), 100+5, 0.01)
	near(t, "after the maps", spend(1), 100+50, 0.01)
}

// Writing costs 4 times reading, at 100 MB/s read. The map reads 100 MB (1 s)
// and writes 50 MB (2 s); with a buffer of 40 MB the spills are merged: 50 MB
// read (0.5 s) and written (2 s) again. The reduce writes the 50 MB it copies
// (2 s, its source's disk is faster) and its output of 50 MB (2 s); with the
// buffer it reads the copied back (0.5 s). So 7 s and 10 s.
func TestWritesAndMerges(t *testing.T) {
	spend := func(buffer int64) float64 {
		c := schedtest.Uniform(2, 2, simcore.Vec{0, 0})
		c.Nodes[0].Slots[0], c.Nodes[1].Slots[1] = 1, 1
		for n := range c.Nodes {
			c.Nodes[n].Disks, c.Nodes[n].DiskRate, c.Nodes[n].NICRate = 1, 100e6, 0
		}
		cfg := ideal(simcore.Resources, 1)
		cfg.Resource = simcore.ResourceConfig{ShuffleReads: true, WriteCost: 4, SpillBuffer: buffer}
		r, err := mr1.Run(cfg, c, jobsOf(resourceJob(1, 1, 100e6, 50e6, 50e6)), &schedtest.FIFO{Slowstart: 1})
		if err != nil {
			t.Fatal(err)
		}
		return value(t, r, "makespan")
	}
	near(t, "written once", spend(0), 7, 0.01)
	near(t, "output fits the buffer", spend(50e6), 7.5, 0.01)
	near(t, "merged", spend(40e6), 10, 0.01)
}

// A reduce of 50 MB on a disk of 100 MB/s with a buffer of 2 MB holds 25 runs. Merging
// 10 at a time leaves 3, which feed it: 50 MB are read and written once more, 1 s.
// Merging 3 at a time leaves 9, then 3: twice. A buffer of 5 MB has 10 runs at once.
func TestMergePasses(t *testing.T) {
	spend := func(buffer int64, factor int32) float64 {
		c := schedtest.Uniform(2, 2, simcore.Vec{0, 0})
		c.Nodes[0].Slots[0], c.Nodes[1].Slots[1] = 1, 1
		c.Nodes[1].Disks, c.Nodes[1].DiskRate = 1, 100e6
		for n := range c.Nodes {
			c.Nodes[n].NICRate = 0
		}
		cfg := ideal(simcore.Resources, 1)
		cfg.Resource = simcore.ResourceConfig{SpillBuffer: buffer, MergeFactor: factor}
		r, err := mr1.Run(cfg, c, jobsOf(resourceJob(1, 1, 100e6, 50e6, 50e6)), &schedtest.FIFO{Slowstart: 1})
		if err != nil {
			t.Fatal(err)
		}
		return value(t, r, "makespan")
	}
	once := spend(2e6, 0)
	near(t, "10 at a time", spend(2e6, 10)-once, 1, 0.01)
	near(t, "3 at a time", spend(2e6, 3)-once, 2, 0.01)
	near(t, "10 runs", spend(5e6, 10)-once, 0, 0.01)
}

// A reduce copies 200 MB from disks of 100 MB/s, its own being fast: from one
// node in 2 s, from two nodes at once in 1 s.
func TestShuffleReadsAllSourcesAtOnce(t *testing.T) {
	spend := func(sources int64) float64 {
		c := schedtest.Uniform(3, 2, simcore.Vec{0, 0})
		c.Nodes[0].Slots[1] = 1
		for n := int64(1); n <= 2; n++ {
			if n <= sources {
				c.Nodes[n].Slots[0] = 2 / sources
			}
		}
		var copied simcore.Time
		cfg := ideal(simcore.Resources, 1)
		cfg.Resource.ShuffleReads = true
		var start simcore.Time
		cfg.Trace = func(at simcore.Time, e mr1.Event) {
			switch {
			case e.Kind == mr1.TaskStarted && e.Task.Kind == simcore.Reduce:
				start = at
			case e.Kind == mr1.TaskCopied:
				copied = at
			}
		}
		for n := range c.Nodes {
			c.Nodes[n].Disks, c.Nodes[n].DiskRate, c.Nodes[n].NICRate = 1, 100e6, 0
		}
		c.Nodes[0].DiskRate = 1e12
		if _, err := mr1.Run(cfg, c, jobsOf(resourceJob(2, 1, 0, 200e6, 0)), &schedtest.FIFO{Slowstart: 1}); err != nil {
			t.Fatal(err)
		}
		return (copied - start).Seconds()
	}
	near(t, "one source", spend(1), 2, 0.01)
	near(t, "two sources", spend(2), 1, 0.01)
}

// A transfer gets 20 MB/s of a NIC of 100 MB/s: reduces of 100 MB on one node
// copy for 5 s up to five of them, ten share the NIC and need 10 s. Without the
// limit one needs 1 s.
func TestStreamRate(t *testing.T) {
	spend := func(reduces int32, stream float64) float64 {
		c := schedtest.Uniform(2, 10, simcore.Vec{0, 0})
		c.Nodes[0].Slots[0], c.Nodes[1].Slots[1] = 1, 10
		for n := range c.Nodes {
			c.Nodes[n].DiskRate, c.Nodes[n].NICRate = 0, 100e6
		}
		cfg := ideal(simcore.Resources, 1)
		cfg.Resource.StreamRate = stream
		r, err := mr1.Run(cfg, c, jobsOf(resourceJob(1, reduces, 0, int64(reduces)*100e6, 0)), &schedtest.FIFO{Slowstart: 1})
		if err != nil {
			t.Fatal(err)
		}
		return value(t, r, "makespan")
	}
	near(t, "one, no limit", spend(1, 0), 1, 0.01)
	near(t, "one", spend(1, 20e6), 5, 0.01)
	near(t, "five", spend(5, 20e6), 5, 0.01)
	near(t, "ten", spend(10, 20e6), 10, 0.01)
}

// Two maps of 10 s on one slot, heartbeats 3 s apart: an end is reported with
// the next heartbeat, 12 s after the start, or at once under Prompt. The slot
// is offered at the heartbeat either way; but the reduce on another node, which
// waits for the last map, hears of its end at once.
func TestPromptEnds(t *testing.T) {
	for _, prompt := range []bool{false, true} {
		c := schedtest.Uniform(2, 2, simcore.Vec{0, 0})
		c.Nodes[0].Slots[0], c.Nodes[1].Slots[1] = 1, 1
		for n := range c.Nodes {
			c.Nodes[n].Disks, c.Nodes[n].DiskRate, c.Nodes[n].NICRate = 1, 100e6, 0
		}
		cfg := ideal(simcore.Resources, 1)
		cfg.Heartbeat, cfg.Prompt = 3*simcore.Second, prompt
		var took, start, end []float64
		cfg.Trace = func(at simcore.Time, e mr1.Event) {
			switch e.Kind {
			case mr1.TaskStarted:
				start = append(start, at.Seconds())
			case mr1.TaskFinished:
				took, end = append(took, e.Took.Seconds()), append(end, at.Seconds())
			}
		}
		if _, err := mr1.Run(cfg, c, jobsOf(resourceJob(2, 1, 2e9, 0, 0)), &schedtest.FIFO{Slowstart: 1}); err != nil {
			t.Fatal(err)
		}
		want := 12.0
		if prompt {
			want = 10
		}
		near(t, "first map", took[0], want, 0.001)
		near(t, "second map", took[1], want, 0.001)
		near(t, "between the maps' starts", start[1]-start[0], 12, 0.001)
		if gap := start[2] - end[1]; gap < 0 || gap > 3 {
			t.Errorf("prompt %v: the reduce starts %.1f s after the last map's end, want 0 to 3", prompt, gap)
		}
	}
}

// Coupling paper, equation 2: under delay scheduling with timeout T a job
// whose s local slots end maps at rate mu each launches the next map locally
// if the gap to the next free local slot, exponential with rate s·mu, is at
// most T. The first s maps start at once, so all N are local with probability
// (1 - exp(-s·mu·T))^(N-s); the paper writes N for the count of gaps.
func TestDelaySchedulingEquation2(t *testing.T) {
	const local, maps, timeout, mean, runs = 4, 34, 15, 20.0, 1000
	c := schedtest.Uniform(2, 2, simcore.Vec{local, 0})
	w := schedtest.Stage(maps, simcore.Dist{Kind: simcore.Exponential, A: mean})
	w.Jobs[0].FirstTask, w.Tasks.HostAt = 0, []int32{0}
	for i := range int32(maps) {
		w.Tasks.Hosts, w.Tasks.HostAt = append(w.Tasks.Hosts, 0), append(w.Tasks.HostAt, i+1)
	}
	all, sim := 0, mr1.NewSim()
	for seed := range uint64(runs) {
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed}, Heartbeat: 100 * simcore.Millisecond, OutOfBand: true}
		r, err := sim.Run(cfg, c, w, &delay{timeout: timeout * simcore.Second})
		if err != nil {
			t.Fatal(err)
		}
		if r.Total.At[simcore.NodeLocal] == maps {
			all++
		}
	}
	want := math.Pow(1-math.Exp(-local*timeout/mean), maps-local)
	// Standard error sqrt(p(1-p)/runs) is about 0.013; the heartbeat adds up to 0.1 s to T.
	if got := float64(all) / runs; math.Abs(got-want) > 0.05 {
		t.Errorf("all maps local in a share %v of runs, equation 2 says %v", got, want)
	}
}

// delay launches a map on a node without its input only when no map was
// launched for the timeout.
type delay struct{ timeout, last simcore.Time }

func (d *delay) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	j := v.FirstWaiting(simcore.Map)
	if l, _ := v.Locality(j, n); l != simcore.NodeLocal && v.Now()-d.last < d.timeout {
		return simcore.Task{}, false
	}
	d.last = v.Now()
	return simcore.Task{Job: j, Kind: simcore.Map, Index: simcore.AnyTask}, true
}

// With replication r on N nodes, the chance that a random node holds the input
// of one of q unstarted maps is 1 - (1 - r/N)^q.
func TestReplicaPlacement(t *testing.T) {
	const nodes, replicas, q = 40, 3, 5
	c := schedtest.Uniform(nodes, 10, simcore.Vec{1, 0})
	p := &placementProbe{}
	for seed := range uint64(300) {
		w := schedtest.Stage(q, simcore.Dist{A: 1})
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed}, Replication: replicas}
		p.seen = false
		if _, err := mr1.Run(cfg, c, w, p); err != nil {
			t.Fatal(err)
		}
	}
	want := 1 - math.Pow(1-replicas/float64(nodes), q)
	near(t, "node-local chance", float64(p.local)/float64(p.all), want, 0.05)
	// HDFS: replicas lie in two racks of four, so a node has a rack-local
	// replica of one map with probability 1/2.
	near(t, "rack-local chance of the first map", float64(p.rack)/float64(p.all), 1-math.Pow(0.5, q), 0.05)
}

type placementProbe struct {
	seen             bool
	local, rack, all int
}

func (p *placementProbe) Pick(v *mr1.View, _ simcore.NodeID) (simcore.Task, bool) {
	j := v.FirstWaiting(simcore.Map)
	for n := range v.Nodes() {
		if p.seen {
			break
		}
		l, _ := v.Locality(j, simcore.NodeID(n))
		p.all++
		if l == simcore.NodeLocal {
			p.local++
		}
		if l != simcore.OffSwitch {
			p.rack++
		}
	}
	p.seen = true
	return simcore.Task{Job: j, Kind: simcore.Map, Index: simcore.AnyTask}, true
}

// Attempts fail with probability p; a job survives with (1 - p^a)^n and its
// tasks need (1 - p^a)/(1 - p) attempts on average.
func TestAttemptFailures(t *testing.T) {
	const p, a, n, jobs = 0.3, 3, 5, 20000
	w := schedtest.Queue(1, jobs, 1, simcore.Dist{A: 0.1})
	for i := range w.Jobs {
		w.Jobs[i].Maps = n
	}
	cfg := ideal(simcore.Sampled, 3)
	cfg.Failures = mr1.Failures{Attempt: p, MaxAttempts: a}
	r := run(t, cfg, oneNode(50), w)
	near(t, "surviving jobs", value(t, r, "jobs")/jobs, math.Pow(1-math.Pow(p, a), n), 0.01)
	attempts, tasks := 0.0, 0.0
	for _, j := range r.Jobs {
		if !j.Failed {
			attempts, tasks = attempts+float64(j.Tally.Finished[0]+j.Tally.Failed[0]), tasks+n
		}
	}
	// Among jobs that survive: the mean of a geometric number cut at a.
	want := (1 + 2*p + 3*p*p) * (1 - p) / (1 - p*p*p)
	near(t, "attempts per task", attempts/tasks, want, 0.01)
}

// LATE doubles stragglers: with one in ten tasks ten times as long, two
// attempts in parallel shorten the tail, whether times are drawn or computing
// takes them. The order is certain, so the check is on the mean over seeds: the
// makespan falls, and no task counts twice.
func TestSpeculationShortensStragglers(t *testing.T) {
	c := schedtest.Uniform(10, 10, simcore.Vec{2, 0})
	w := schedtest.Stage(40, simcore.Dist{Kind: simcore.Uniform, A: 50, B: 70})
	mean := func(m simcore.Model, on bool) float64 {
		sum := 0.0
		for seed := range uint64(30) {
			cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: m, Seed: seed, StragglerShare: 0.05, StragglerFactor: 10}}
			cfg.Speculation = mr1.Speculation{On: on, Cap: 0.5}
			r := run(t, cfg, c, w)
			if r.Total.Finished[0] != 40 {
				t.Fatalf("%v, seed %d: %d maps counted of 40", m, seed, r.Total.Finished[0])
			}
			sum += value(t, r, "makespan") / 30
		}
		return sum
	}
	for _, m := range []simcore.Model{simcore.Sampled, simcore.Resources} {
		// A straggler of 600 s is seen after 60 s and redone in 60 s.
		if without, with := mean(m, false), mean(m, true); with > 0.6*without {
			t.Errorf("%v: mean makespan %v s with speculation, %v s without", m, with, without)
		}
	}
}

// A node that dies takes running attempts and finished map output with it: the
// maps run again, reduces get everything, and the job ends.
func TestLostOutputRunsAgain(t *testing.T) {
	lost, again := 0, 0
	for _, m := range []simcore.Model{simcore.Sampled, simcore.Resources} {
		for seed := range uint64(20) {
			w, c := schedtest.Mixed(seed, 20), schedtest.Uniform(6, 3, simcore.Vec{3, 2})
			cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: m, Seed: seed}, Replication: 2}
			cfg.Failures = mr1.Failures{NodeMTBF: 20 * simcore.Minute, NodeRepair: simcore.Minute, Expiry: 30 * simcore.Second}
			finished := map[simcore.Task]int{}
			cfg.Trace = func(_ simcore.Time, e mr1.Event) {
				switch e.Kind {
				case mr1.TaskLost:
					lost++
				case mr1.TaskFinished:
					if finished[e.Task]++; finished[e.Task] == 2 {
						again++
					}
				}
			}
			if r := run(t, cfg, c, w); value(t, r, "failed-jobs") != 0 {
				t.Errorf("seed %d: node failures failed a job", seed)
			}
		}
	}
	if lost == 0 || again == 0 {
		t.Errorf("%d outputs lost, %d tasks run again: the scenario tests nothing", lost, again)
	}
}

// A reduce that still copies from a node that dies waits for its maps to run
// again; one that has copied everything does not. Four maps of 10 s leave a
// reduce of 10 s 400 s of copying, or 100 s, the last map's share, where it was
// there all the time: copied is what a reduce launched at start has at, maps
// done at mapsDone.
func TestLostOutputHoldsCopies(t *testing.T) {
	copied := func(start, mapsDone simcore.Time) simcore.Time {
		early := max(mapsDone-start, 0)
		return max(start, mapsDone) + max(400*simcore.Second-early, 100*simcore.Second)
	}
	held, unharmed := 0, 0
	for seed := range uint64(60) {
		w := schedtest.Stage(4, simcore.Dist{A: 10})
		w.Dists = append(w.Dists, simcore.Dist{A: 10})
		j := &w.Jobs[0]
		j.Reduces, j.ReduceDist, j.ShuffleBytes = 1, int32(len(w.Dists)-1), 400e6
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed, CopyRate: 1e6}}
		cfg.Failures = mr1.Failures{NodeMTBF: 20 * simcore.Minute, NodeRepair: simcore.Minute, Expiry: 30 * simcore.Second}
		var start, mapsDone, due simcore.Time
		losses := 0
		cfg.Trace = func(at simcore.Time, e mr1.Event) {
			switch {
			case e.Kind == mr1.TaskStarted && e.Task.Kind == simcore.Reduce:
				start, due, losses = at, 0, 0
			case e.Kind == mr1.TaskKilled && e.Task.Kind == simcore.Reduce:
				losses = 2 // the node of the reduce died: another story
			case e.Kind == mr1.JobMapsDone && losses == 0:
				mapsDone = at
			case e.Kind == mr1.JobMapsDone && losses == 1 && due == 0:
				due = copied(start, at)
			case e.Kind == mr1.TaskLost && losses == 0 && mapsDone > 0:
				if losses = 1; copied(start, mapsDone) <= at-cfg.Failures.Expiry {
					due = copied(start, mapsDone)
				}
			case e.Kind == mr1.NodeLost && losses == 1 && due > 0 && due > at:
				losses = 2
			case e.Kind == mr1.TaskFinished && e.Task.Kind == simcore.Reduce && losses == 1:
				if late := at - due - 10*simcore.Second; late < 0 || late > simcore.Second {
					t.Errorf("seed %d: reduce ended at %.1f s, want %.1f s and less than a heartbeat", seed, at.Seconds(), (due + 10*simcore.Second).Seconds())
				}
				if due > copied(start, mapsDone) {
					held++
				} else {
					unharmed++
				}
			}
		}
		if _, err := mr1.Run(cfg, schedtest.Uniform(8, 4, simcore.Vec{1, 1}), w, &schedtest.FIFO{Slowstart: 0.25}); err != nil {
			t.Fatal(err)
		}
	}
	if held == 0 {
		t.Errorf("%d reduces held, %d past their copying: the scenario tests nothing", held, unharmed)
	}
	t.Logf("%d reduces held, %d past their copying", held, unharmed)
}

// A node twice as fast takes half the time.
func TestHeterogeneousNodes(t *testing.T) {
	c := oneNode(1)
	c.Nodes[0].Speed = 2
	for _, m := range []simcore.Model{simcore.Sampled, simcore.Resources} {
		r := run(t, ideal(m, 1), c, schedtest.Stage(3, simcore.Dist{A: 10}))
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
			cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: 5}, Heartbeat: 3 * simcore.Second, Launch: 2 * simcore.Second, OutOfBand: oob}
			r := run(t, cfg, oneNode(1), schedtest.Stage(1, simcore.Dist{A: dur}))
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
	r := run(t, mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}, schedtest.Uniform(4, 2, simcore.Vec{2, 1}), w)
	for _, m := range simcore.Metrics() {
		if v := value(t, r, m.Name); math.IsNaN(v) && !strings.HasPrefix(m.Name, "executor") && m.Name != "cost" { // nobody runs Spark here, and nodes have no prices
			t.Errorf("%s is not a number", m.Name)
		}
		if m.PerGroup {
			for _, g := range []string{"queue.prod.", "queue.root.dev.", "user.ann.", "class.small."} {
				value(t, r, g+m.Name)
			}
		}
	}
	for _, bad := range []string{"", "makespam", "queue.prod", "queue.none.makespan", "queue.prod.fairness", "user..makespan"} {
		if _, err := r.Value(bad); err == nil {
			t.Errorf("metric %q must be refused", bad)
		}
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

// A map reads 100 MB at 50 MB/s (2 s), computes 6 s and writes 100 MB (2 s).
// Each phase is a third of its work: one that fails after a sixth has read half,
// 1 s; after a half it has computed half, 2 + 3 s; after five sixths it has
// written half, 2 + 6 + 1 s.
func TestFailingAttemptDoesPartOfItsWork(t *testing.T) {
	c := oneNode(1)
	c.Nodes[0].Disks, c.Nodes[0].DiskRate, c.Nodes[0].Cores = 1, 50e6, 1
	w := schedtest.Stage(1, simcore.Dist{})
	w.Jobs[0].InputBytes, w.Jobs[0].OutputBytes, w.Jobs[0].MapCPU = 100e6, 100e6, 6e-8
	dur := kernel.NewDurations(simcore.DurationConfig{Model: simcore.Resources}, c, w)
	for part, want := range map[float64]float64{0: 0, 1. / 6: 1, 0.5: 5, 5. / 6: 9, 1: 10} {
		x := kernel.NewExec()
		x.Reset(simcore.ResourceConfig{}, dur, c, w)
		x.StartPart(0, 0, simcore.Task{Job: 0, Kind: simcore.Map}, 0, 0, 0, part)
		now, ended := simcore.Time(0), []int32(nil)
		for len(ended) == 0 {
			at, ok := x.Next()
			if !ok {
				t.Fatalf("part %v: the attempt never ends", part)
			}
			now = max(now, at)
			ended = x.Advance(now, nil)
		}
		near(t, "seconds of work", now.Seconds(), want, 1e-4)
	}
}

// A reduce that fails while it copies ends after its part of the copy, whether
// or not all maps are done, and leaves the rest to the next attempt: half of the
// 100 MB written at 50 MB/s takes 1 s.
func TestFailingReduceCopiesAPart(t *testing.T) {
	c := oneNode(1)
	c.Nodes[0].Disks, c.Nodes[0].DiskRate, c.Nodes[0].NICRate = 1, 50e6, 0
	w := schedtest.Stage(2, simcore.Dist{})
	j := &w.Jobs[0]
	j.Reduces, j.ReduceDist, j.ShuffleBytes = 1, 0, 100e6
	dur := kernel.NewDurations(simcore.DurationConfig{Model: simcore.Resources}, c, w)
	x := kernel.NewExec()
	x.Reset(simcore.ResourceConfig{}, dur, c, w)
	x.MapDone(0, simcore.Task{Kind: simcore.Map, Index: 0}, 0) // half of the output is there
	x.StartPart(0, 0, simcore.Task{Kind: simcore.Reduce}, 0, 0, 0, 1./6)
	at, ok := x.Next()
	if ended := x.Advance(at, nil); !ok || len(ended) != 1 {
		t.Fatalf("the attempt has not ended at %v", at)
	}
	near(t, "seconds of copying", at.Seconds(), 1, 1e-4)
}
