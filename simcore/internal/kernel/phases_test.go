package kernel

import (
	"math"
	"testing"

	"schedtune/simcore"
)

// newBench is a cluster of round figures and one job on it. Node 0 and 2 are in rack a,
// node 1 in rack b; disks do 10 MB/s, links 5, uplinks 2; a map reads 10 MB, computes
// 1 s and hands on 10 MB; the reduce computes 2 s for 20 MB and writes 30 MB.
func newBench(cfg simcore.ResourceConfig) (*Exec, *simcore.Workload) {
	node := simcore.Node{Speed: 1, Cores: 1, Disks: 1, DiskRate: 10e6, NICRate: 5e6}
	c := &simcore.Cluster{Racks: []string{"a", "b"}, UplinkRate: 2e6, Nodes: []simcore.Node{node, node, node}}
	c.Nodes[1].Rack = 1
	w := &simcore.Workload{Jobs: []simcore.Job{
		{Maps: 2, Reduces: 1, FirstTask: -1, MapDist: -1, ReduceDist: -1, InputBytes: 20e6, ShuffleBytes: 20e6,
			OutputBytes: 30e6, MapCPU: 1e-7, ReduceCPU: 1e-7},
		{Maps: 1, FirstTask: -1, MapDist: -1, ReduceDist: -1, InputBytes: 10e6, OutputBytes: 20e6, MapCPU: 1e-7},
	}}
	x := new(Exec)
	x.Reset(cfg, newDurations(simcore.DurationConfig{Model: simcore.Resources}, c, w), c, w)
	return x, w
}

var (
	aMap     = simcore.Task{}
	aReduce  = simcore.Task{Kind: simcore.Reduce}
	aMapOnly = simcore.Task{Job: 1}
)

// until advances to a time and returns when each attempt ended before it.
func until(x *Exec, end float64) map[int32]float64 {
	ends := map[int32]float64{}
	for {
		at, ok := x.Next()
		if !ok || at > simcore.Seconds(end) {
			return ends
		}
		for _, id := range x.Advance(at, nil) {
			ends[id] = at.Seconds()
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-4) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// 10 MB from the node's disk take 1 s, over links 2, over uplinks 5; then 1 s of
// computing; then 20 MB of output 2 s, and 4 s where writing costs twice as much.
func TestPhasesOfAMap(t *testing.T) {
	for what, c := range map[string]struct {
		cfg  simcore.ResourceConfig
		src  simcore.NodeID
		want float64
	}{
		"on the node":     {simcore.ResourceConfig{}, 0, 4},
		"in the rack":     {simcore.ResourceConfig{}, 2, 5},
		"elsewhere":       {simcore.ResourceConfig{}, 1, 8},
		"writing costs 2": {simcore.ResourceConfig{WriteCost: 2}, 0, 6},
	} {
		t.Run(what, func(t *testing.T) {
			x, _ := newBench(c.cfg)
			x.Start(3, 0, aMapOnly, 0, 0, c.src, 1)
			if !x.Running(3) || x.Running(2) || x.Running(9) {
				t.Errorf("%s: what runs is wrong", what)
			}
			near(t, what, until(x, 100)[3], c.want)
			if x.Running(3) || x.Progress(3, 0) != 1 {
				t.Errorf("%s: still runs", what)
			}
		})
	}
}

// A third of the progress per phase, in each by the work done.
func TestProgress(t *testing.T) {
	x, _ := newBench(simcore.ResourceConfig{})
	x.Start(0, 0, aMapOnly, 0, 0, 0, 1)
	for at, want := range []float64{0, 1.0 / 3, 2.0 / 3, 5.0 / 6} { // at 0, 1, 2 and 3 s
		until(x, float64(at))
		near(t, "progress", x.Progress(0, simcore.Time(at)*simcore.Second), want)
	}
	near(t, "in the middle of writing", x.Progress(0, 3500*simcore.Second/1000), 11.0/12)
	x, _ = newBench(simcore.ResourceConfig{})
	x.Start(0, 0, aMapOnly, 0, 0, 0, 1)
	near(t, "in the middle of reading", x.Progress(0, simcore.Second/2), 1.0/6)
	until(x, 1)
	near(t, "in the middle of computing", x.Progress(0, 3*simcore.Second/2), 1.0/2)
	x.Start(1, simcore.Second, aReduce, 0, 1, 0, 1)
	x.MapDone(simcore.Second, aMap, 1)
	near(t, "copying with one map of two", x.Progress(1, simcore.Second), 1.0/6)
}

// A part of the work, a third for each phase of 1, 1 and 2 s.
func TestFailingAttempts(t *testing.T) {
	for part, want := range map[float64]float64{1.0 / 6: 0.5, 1.0 / 3: 1, 0.5: 1.5, 2.0 / 3: 2, 5.0 / 6: 3, 1: 4} {
		x, _ := newBench(simcore.ResourceConfig{})
		x.Start(0, 0, aMapOnly, 0, 0, 0, part)
		near(t, "a part", until(x, 100)[0], want)
	}
	// A reduce copies 20 MB from its node in 2 s, computes 2 s and writes 3 s.
	for part, want := range map[float64]float64{1.0 / 6: 1, 1.0 / 3: 2, 0.5: 3, 2.0 / 3: 4, 5.0 / 6: 5.5, 1: 7} {
		x, _ := newBench(simcore.ResourceConfig{})
		x.MapDone(0, aMap, 1)
		x.MapDone(0, simcore.Task{Index: 1}, 1)
		x.Start(0, 0, aReduce, 0, 1, 0, part)
		near(t, "a part of a reduce", until(x, 100)[0], want)
	}
}

// Every resource has served the bytes that crossed it, and its load counts what is
// under way.
func TestServedAndLoad(t *testing.T) {
	x, _ := newBench(simcore.ResourceConfig{})
	x.Start(0, 0, aMapOnly, 0, 0, 1, 1)
	x.Start(1, 0, aMapOnly, 0, 0, 0, 1)
	if l := x.Load(0, simcore.NodeLoad{Maps: 2}); l != (simcore.NodeLoad{Maps: 2, CPU: 1, Disk: 1, NetIn: 1}) {
		t.Errorf("load of the reader: %+v", l)
	}
	if l := x.Load(1, simcore.NodeLoad{}); l != (simcore.NodeLoad{CPU: 1, Disk: 1, NetOut: 1}) {
		t.Errorf("load of the source: %+v", l)
	}
	until(x, 100)
	if got, want := x.Served(), (simcore.Traffic{Disk: 60e6, In: 10e6, Out: 10e6, Up: 10e6, Down: 10e6,
		CPU: 2 * simcore.Second}); got != want {
		t.Errorf("served %+v, want %+v", got, want)
	}
}

// What is stopped leaves nothing behind on any resource.
func TestStop(t *testing.T) {
	empty := func(what string, x *Exec) {
		t.Helper()
		if at, ok := x.Next(); ok {
			t.Errorf("%s: an event is left at %v", what, at)
		}
		for n := range simcore.NodeID(3) {
			if l := x.Load(n, simcore.NodeLoad{}); l != (simcore.NodeLoad{}) {
				t.Errorf("%s: load of node %d: %+v", what, n, l)
			}
		}
	}
	for src := range simcore.NodeID(3) {
		for _, at := range []float64{0.5, 5.5, 6.5} { // reading from afar, computing, writing
			x, _ := newBench(simcore.ResourceConfig{})
			x.Start(0, 0, aMapOnly, 0, 0, src, 1)
			until(x, at)
			x.Stop(0, simcore.Seconds(at))
			x.Stop(0, simcore.Seconds(at)) // again is nothing
			empty("a map", x)
			if x.Running(0) {
				t.Error("a stopped map runs")
			}
		}
	}
	x, _ := newBench(simcore.ResourceConfig{ShuffleReads: true})
	x.MapDone(0, aMap, 0)
	x.MapDone(0, simcore.Task{Index: 1}, 2)
	x.Start(0, 0, aReduce, 0, 1, 0, 1)
	x.Stop(0, simcore.Second)
	empty("a reduce that copies", x)

	// Half of the disk for 1 s, then all of it: 10 MB are read after 1.5 s.
	x, _ = newBench(simcore.ResourceConfig{})
	x.Start(0, 0, aMapOnly, 0, 0, 0, 1)
	x.Start(1, 0, aMapOnly, 0, 0, 0, 1)
	x.Stop(1, simcore.Second)
	near(t, "the other", until(x, 100)[0], 4.5)
}

// The reduce copies 10 MB from its own node in 1 s; the 10 MB from the other rack cross
// the disk, the link and the uplink, of which the last takes 5 s; nothing but its own
// side is charged. Computing 2 s, writing 3 s, and 2 s more where it reads back what it
// has copied.
func TestShuffleRounds(t *testing.T) {
	for _, c := range []struct {
		cfg       simcore.ResourceConfig
		end, disk float64
	}{{simcore.ResourceConfig{}, 12, 50e6}, {simcore.ResourceConfig{SpillBuffer: 1}, 14, 70e6},
		{simcore.ResourceConfig{ShuffleReads: true}, 12, 55e6}} {
		x, _ := newBench(c.cfg)
		copied := math.NaN()
		x.Start(0, 0, aReduce, 0, 1, 0, 1)
		if !x.Asleep(0) {
			t.Fatal("it has nothing to copy and does not wait")
		}
		until(x, 1)
		x.MapDone(simcore.Second, aMap, 1)
		if x.Asleep(0) {
			t.Fatal("it waits where there is output")
		}
		until(x, 2)
		if !x.Asleep(0) {
			t.Fatal("it does not wait for the second map")
		}
		x.MapDone(2*simcore.Second, simcore.Task{Index: 1}, 0)
		x.Copied = func(int32) { at, _ := x.Next(); copied = at.Seconds() }
		near(t, "the end", until(x, 100)[0], c.end)
		near(t, "the end of the copy", copied, 7)
		if got, want := x.Served(), (simcore.Traffic{Disk: int64(c.disk), In: 10e6, Down: 10e6,
			CPU: 2 * simcore.Second}); got != want {
			t.Errorf("%+v: served %+v, want %+v", c.cfg, got, want)
		}
	}
}

// With two rounds for four maps a reduce is woken by the first map, then by every
// second, and by the last.
func TestReducesSleepUntilEnoughMapsAreDone(t *testing.T) {
	x, w := newBench(simcore.ResourceConfig{Rounds: 2})
	w.Jobs[0].Maps = 4
	x.Start(0, 0, aReduce, 0, 1, 0, 1)
	for i, awake := range []bool{true, false, true, true} {
		now := simcore.Time(10*i) * simcore.Second
		until(x, now.Seconds())
		x.MapDone(now, simcore.Task{Index: int32(i)}, 1)
		if x.Asleep(0) == awake {
			t.Errorf("after %d maps: asleep %v", i+1, !awake)
		}
	}
	if until(x, 100)[0] == 0 {
		t.Error("it does not end")
	}
}

// Of three that wait, one stopped leaves two to be woken, whichever it is.
func TestStopASleeper(t *testing.T) {
	for gone := range int32(3) {
		x, w := newBench(simcore.ResourceConfig{})
		w.Jobs[0].Reduces = 3
		for id := range int32(3) {
			x.Start(id, 0, simcore.Task{Kind: simcore.Reduce, Index: id}, 0, 1, 0, 1)
		}
		x.Stop(gone, 0)
		x.MapDone(0, aMap, 1)
		x.MapDone(0, simcore.Task{Index: 1}, 1)
		ends := until(x, 100)
		if _, ok := ends[gone]; ok || len(ends) != 2 {
			t.Errorf("without %d: %v end", gone, ends)
		}
	}
}

// Output that is lost is waited for again, and copied once in all.
func TestLostOutput(t *testing.T) {
	x, _ := newBench(simcore.ResourceConfig{})
	x.MapDone(0, aMap, 1)
	x.MapDone(0, simcore.Task{Index: 1}, 1)
	x.OutputLost(simcore.Task{Index: 1}, 1)
	x.Start(0, 0, aReduce, 0, 1, 0, 1)
	if until(x, 50); !x.Asleep(0) {
		t.Fatal("it does not wait for the map that runs again")
	}
	x.MapDone(50*simcore.Second, simcore.Task{Index: 1}, 2)
	near(t, "5 s over the uplink, then 2 and 3 s", until(x, 100)[0], 60)
	if got := x.Served(); got.In != 10e6 || got.Disk != 50e6 {
		t.Errorf("served %+v", got)
	}
	x.JobDone(0)
	x.OutputLost(aMap, 1) // of a job that is over: nothing is kept of it
	x.MapDone(100*simcore.Second, aMapOnly, 1)
}

// A map that hands on more than its buffer holds writes it, reads it and writes it again.
func TestSpills(t *testing.T) {
	for buffer, want := range map[int64]int64{0: 10e6, 10e6: 10e6, 10e6 - 1: 30e6} {
		x, _ := newBench(simcore.ResourceConfig{SpillBuffer: buffer})
		if got := x.diskWork(aMap); got != want {
			t.Errorf("buffer of %d: %d, want %d", buffer, got, want)
		}
		if got := x.diskWork(aMapOnly); got != 20e6 {
			t.Errorf("buffer of %d: a job's output costs %d, want 20 MB", buffer, got)
		}
	}
}

// Without rates nothing takes time, and memory of an earlier run is no difference.
func TestInfinitelyFast(t *testing.T) {
	x, w := newBench(simcore.ResourceConfig{})
	x.Start(0, 0, aMapOnly, 0, 0, 1, 1)
	x.MapDone(0, aMap, 1)
	c := &simcore.Cluster{Nodes: make([]simcore.Node, 2)}
	w.Jobs[1].MapCPU = 0
	x.Reset(simcore.ResourceConfig{}, newDurations(simcore.DurationConfig{}, c, w), c, w)
	if _, ok := x.Next(); ok {
		t.Fatal("an event of the run before")
	}
	x.Start(0, 5*simcore.Second, aMapOnly, 0, 0, 1, 1)
	if at, ok := x.Next(); !ok || at != 0 {
		t.Errorf("next event at %v, %v; want at once", at, ok)
	}
	if done := x.Advance(5*simcore.Second, nil); len(done) != 1 || x.Running(0) {
		t.Errorf("ended: %v", done)
	}
}

// What attempts did is kept by job and kind, the place of finished maps too.
func TestTally(t *testing.T) {
	w := &simcore.Workload{Users: []string{"a"}, Jobs: []simcore.Job{{Submit: 3}, {Submit: 4}}}
	var r Recorder
	r.Reset(w, nil)
	r.Launched(0, 7)
	r.Launched(0, 6)
	r.Launched(0, 8)
	r.Launched(0, 9)
	r.Ended(0, simcore.Map, Finished, 10, simcore.RackLocal)
	r.Ended(0, simcore.Map, Failed, 20, simcore.NodeLocal)
	r.Ended(0, simcore.Reduce, Killed, 40, simcore.NodeLocal)
	if u := r.User(0); u.Held != 1 {
		t.Errorf("%d attempts held, want 1", u.Held)
	}
	r.FinishedIn(0, simcore.Map, 5, 100)
	r.FinishedIn(0, simcore.Reduce, 2, 1)
	r.MapsDone(0, 50)
	r.JobEnded(0, 60, false)
	r.Refuse(1, 5, "full")
	want := simcore.JobResult{Submit: 3, Start: 6, MapsDone: 50, Finish: 60,
		Tally: simcore.Tally{Finished: [2]int32{6, 2}, Failed: [2]int32{1, 0}, Killed: [2]int32{0, 1},
			Busy: [2]simcore.Time{130, 41}, At: [3]int32{5, 1, 0}}}
	if got := *r.Job(0); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := *r.Job(1), (simcore.JobResult{Job: 1, Submit: 4, Start: 5, MapsDone: 4, Finish: 5,
		Failed: true}); got != want {
		t.Errorf("refused: %+v, want %+v", got, want)
	}
	res := r.Result(simcore.Vec{}, 60)
	if res.Launches != 4 || len(res.Refused) != 1 || res.Refused[0] != (simcore.Refused{Job: 1, Limit: "full"}) {
		t.Errorf("%d launches, refused %+v", res.Launches, res.Refused)
	}
}

// Fairness and dissatisfaction are means over the ends of jobs: with one attempt of
// user a of two, distances 1/2 + 1/2, then 0; a waits for half of its two.
func TestMeansOverEndsOfJobs(t *testing.T) {
	w := &simcore.Workload{Users: []string{"a", "b"}, Jobs: make([]simcore.Job, 2)}
	var r Recorder
	r.Reset(w, []simcore.UserShare{{MinShare: 2}, {MinShare: 2}})
	r.Launched(0, 0)
	r.Pending(0, 1)
	r.JobEnded(0, 1, false)
	r.Ended(0, simcore.Map, Finished, 1, simcore.NodeLocal)
	r.Pending(0, -1)
	r.JobEnded(1, 2, false)
	if res := r.Result(simcore.Vec{}, 2); res.Fairness != 0.5 || res.Dissatisfaction != 0.25 {
		t.Errorf("fairness %v, dissatisfaction %v; want 0.5 and 0.25", res.Fairness, res.Dissatisfaction)
	}
	r.Reset(w, nil)
	if res := r.Result(simcore.Vec{}, 0); res.Fairness != 0 || res.Launches != 0 {
		t.Errorf("after a reset: %+v", res)
	}
}
