package mr1_test

import (
	"fmt"
	"testing"

	"schedtune/simcore"
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

// A reduce of 50 MB on a disk of 100 MB/s with a buffer of 2 MB has 25 runs. The 19th begins a merge of
// ten, 20 MB read and written; of the 16 files at the end seven are merged, 14 MB, so that ten are left:
// 0.68 s in all. A buffer of 5 MB has 10 runs at once.
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
	near(t, "10 at a time", spend(2e6, 10)-once, 0.68, 0.01)
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

// TestReducesShareTheNIC checks that reduces of 100 MB on one node with a NIC of 100 MB/s copy for
// one second each.
func TestReducesShareTheNIC(t *testing.T) {
	for _, reduces := range []int32{1, 5, 10} {
		c := schedtest.Uniform(2, 10, simcore.Vec{0, 0})
		c.Nodes[0].Slots[0], c.Nodes[1].Slots[1] = 1, 10
		for n := range c.Nodes {
			c.Nodes[n].DiskRate, c.Nodes[n].NICRate = 0, 100e6
		}
		work := jobsOf(resourceJob(1, reduces, 0, int64(reduces)*100e6, 0))
		r := run(t, ideal(simcore.Resources, 1), c, work)
		near(t, fmt.Sprint(reduces, " reduces"), value(t, r, "makespan"), float64(reduces), 0.01)
	}
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
