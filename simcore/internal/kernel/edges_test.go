package kernel

import (
	"testing"

	"schedtune/simcore"
)

// recorded is one job of two maps and a reduce with given times and bytes.
func recorded() *simcore.Workload {
	return &simcore.Workload{
		Jobs: []simcore.Job{{Maps: 2, Reduces: 1, FirstTask: 0, MapDist: -1, ReduceDist: -1, InputBytes: 100,
			ShuffleBytes: 60}},
		Tasks: simcore.Tasks{Duration: []simcore.Time{10 * simcore.Second, 12 * simcore.Second, 6 * simcore.Second},
			Input: []int64{30, 70, 0}, Output: []int64{20, 40, 0}},
	}
}

// A task takes its time over the node's speed: 10 s on nodes of speed 1/2, 1, 2
// and 4 are 20, 10, 5 and 2.5 s; 0 reads as 1. Distance multiplies a map's time,
// not a reduce's.
func TestSpeedAndDistance(t *testing.T) {
	c := &simcore.Cluster{Nodes: []simcore.Node{{Speed: 0.5}, {Speed: 1}, {Speed: 2}, {Speed: 4}, {}}}
	cfg := simcore.DurationConfig{RackFactor: 2, OffSwitchFactor: 3}
	d := newDurations(cfg, c, recorded())
	first, reduce := simcore.Task{Kind: simcore.Map}, simcore.Task{Kind: simcore.Reduce}
	for n, want := range []float64{20, 10, 5, 2.5, 10} {
		at := simcore.NodeID(n)
		if got := d.Map(first, 0, at, simcore.NodeLocal).Seconds(); got != want {
			t.Errorf("node %d: %v s, want %v", n, got, want)
		}
		if got := d.First(first, simcore.None, at).Seconds(); got != want {
			t.Errorf("node %d, first attempt: %v s, want %v", n, got, want)
		}
		if got := d.Map(first, 0, at, simcore.RackLocal).Seconds(); got != 2*want {
			t.Errorf("node %d, rack-local: %v s, want %v", n, got, 2*want)
		}
		if got := d.Map(first, 0, at, simcore.OffSwitch).Seconds(); got != 3*want {
			t.Errorf("node %d, off-switch: %v s, want %v", n, got, 3*want)
		}
		if got := d.Reduce(reduce, 0, at).Seconds(); got != 0.6*want {
			t.Errorf("node %d, reduce: %v s, want %v", n, got, 0.6*want)
		}
	}
	// On nodes that are all alike, distance costs as much.
	alike := newDurations(cfg, &simcore.Cluster{Nodes: make([]simcore.Node, 2)}, recorded())
	for l, want := range map[simcore.Locality]float64{simcore.NodeLocal: 10, simcore.RackLocal: 20,
		simcore.OffSwitch: 30} {
		if got := alike.Map(first, 0, 1, l).Seconds(); got != want {
			t.Errorf("nodes alike, locality %v: %v s, want %v", l, got, want)
		}
	}
	// Without a factor, distance costs nothing.
	near := newDurations(simcore.DurationConfig{}, c, recorded())
	if got := near.Map(first, 0, 1, simcore.OffSwitch).Seconds(); got != 10 {
		t.Errorf("off-switch without a factor: %v s, want 10", got)
	}
}

// A job with recorded tasks reads and writes what each of them did; without, its
// maps share the job's bytes.
func TestBytesOfATask(t *testing.T) {
	w := recorded()
	for i, want := range []int64{30, 70} {
		if got := mapInput(w, simcore.Task{Index: int32(i)}); got != want {
			t.Errorf("map %d reads %d, want %d", i, got, want)
		}
	}
	for i, want := range []int64{20, 40} {
		if got := MapOutput(w, 0, int32(i)); got != want {
			t.Errorf("map %d writes %d, want %d", i, got, want)
		}
	}
	w.Jobs[0].FirstTask = -1
	if in, out := mapInput(w, simcore.Task{Index: 1}), MapOutput(w, 0, 1); in != 50 || out != 30 {
		t.Errorf("shared: %d read, %d written; want 50 and 30", in, out)
	}
}

// Bytes written cost the disk WriteCost times as much; 0 reads as 1.
func TestWriteCost(t *testing.T) {
	for cost, want := range map[float64]int64{0: 100, 1: 100, 2: 200, 0.5: 50} {
		x := new(Exec)
		x.cfg.WriteCost = cost
		if got := x.written(100); got != want {
			t.Errorf("cost %v: %d, want %d", cost, got, want)
		}
	}
}

// A flow ends at the first microsecond by which it has had its work: 1 MB/s is
// one byte a microsecond, so 333 bytes end at 333, and with three flows of equal
// size each is served a third.
func TestEndOfAFlowIsRoundedUp(t *testing.T) {
	var r shared
	r.reset(1e6, 1)
	r.add(0, 7, 333)
	if got := r.next(); got != 333 {
		t.Errorf("alone: %d µs, want 333", got)
	}
	r.add(0, 8, 333)
	if got := r.next(); got != 666 {
		t.Errorf("two: %d µs, want 666", got)
	}
	r.advance(666)
	if got := r.next(); got != 666 {
		t.Errorf("at its end: %d µs, want 666", got)
	}
	r.reset(0.4e6, 1) // 2/5 of a byte a microsecond: 3 bytes take 7.5, so 8
	r.add(0, 9, 3)
	if got := r.next(); got != 8 {
		t.Errorf("rounded: %d µs, want 8", got)
	}
}
