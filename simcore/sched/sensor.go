package sched

import (
	"math"

	"schedtune/classify"
	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// What a heartbeat reports of a node's resources (learning paper, V-A): the
// one-minute load average as Linux keeps it, and the shares of processor, disk
// and network in use.
//
// Between heartbeats dt apart, the load average moves by 1 - exp(-dt/60 s)
// towards the runnable processes. A running task counts as its class's Load
// (Options.Hints); without hints the kernel's count is used. With noise the
// runnable count is multiplied by a uniform draw from [1-noise, 1+noise].
type sensor struct {
	hints []simcore.JobHint
	noise float64
	draw  rng.Key
	nodes []nodeSensor
}

type nodeSensor struct {
	loadAverage
	reads uint64
}

func (s *sensor) start(v *mr1.View) { s.nodes = make([]nodeSensor, v.Nodes()) }

// read advances the node's load average to now and returns its state.
func (s *sensor) read(v *mr1.View, n simcore.NodeID) classify.NodeState {
	m := &s.nodes[n]
	runnable := s.runnable(v, n)
	if s.noise > 0 {
		runnable *= 1 + s.noise*(2*s.draw.At(uint64(n)).Float64(m.reads)-1)
	}
	m.advance(v.Now(), runnable)
	m.reads++
	return s.state(v, n)
}

// state returns the node's state as of its last heartbeat.
func (s *sensor) state(v *mr1.View, n simcore.NodeID) classify.NodeState {
	cpus := processors(v.Node(n))
	l := v.Load(n)
	tasks := float64(l.Maps + l.Reduces)
	memory := s.memory(v, n)
	return classify.NodeState{
		Load1: s.nodes[n].load1, CPUs: cpus, CPU: math.Min(s.runnable(v, n)/cpus, 1),
		Memory: math.Min(memory, 1), Swap: math.Min(math.Max(memory-1, 0), 1), Disk: math.Min(l.Disk, 1),
		Network: math.Max(l.NetIn, l.NetOut), Tasks: tasks,
	}
}

// processors is the number of a node's processors: its virtual cores where they are
// given, as Cores may tell how many tasks it computes at a time.
func processors(n simcore.Node) float64 {
	if c := n.Capacity[simcore.VCores]; c > 0 {
		return float64(c)
	}
	return math.Max(float64(n.Cores), 1)
}

// runnable is the processes that run or wait on the node.
func (s *sensor) runnable(v *mr1.View, n simcore.NodeID) float64 {
	if len(s.hints) == 0 {
		return v.Load(n).CPU * math.Max(float64(v.Node(n).Cores), 1)
	}
	var sum float64
	for a := range v.Attempts(n) {
		load := 1.0
		if c := int(v.Class(a.Task.Job)); c >= 0 && c < len(s.hints) && s.hints[c].Load > 0 {
			load = s.hints[c].Load
		}
		sum += load
	}
	return sum
}

// taskHeap is the memory of a task that uses all it may, MiB: Hadoop's default
// (mapred.child.java.opts).
const taskHeap = 200

// memory is the share of the node's memory that its tasks use: each its level on the
// hints' scale of ten, of a task's heap; all of it where the level is unknown. Above 1
// the rest is swapped, to as much disk as there is memory. NaN where the node's memory
// is unknown.
func (s *sensor) memory(v *mr1.View, n simcore.NodeID) float64 {
	total := float64(v.Node(n).Capacity[simcore.Memory])
	if !(total > 0) {
		return math.NaN()
	}
	var sum float64
	for a := range v.Attempts(n) {
		level := 10.0
		if c := int(v.Class(a.Task.Job)); c >= 0 && c < len(s.hints) && s.hints[c].Usage[1] > 0 {
			level = s.hints[c].Usage[1]
		}
		sum += taskHeap * level / 10
	}
	return sum / total
}
