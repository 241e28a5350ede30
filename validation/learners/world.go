package learners

import (
	"fmt"
	"math"

	"schedtune/datasets"
	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
)

// What the drawn cases leave open: where input lies, how much is shuffled where a
// source does not tell, and what nodes have beside memory. Task times are processor
// work; reading, copying and writing come on top and share disks and links.

const (
	blockBytes  = 128 << 20
	replicas    = 3
	rackSize    = 20
	nodeCores   = 8
	nodeDisks   = 4
	diskRate    = 100e6 // bytes/s of one disk
	nicRate     = 125e6 // bytes/s
	leastShare  = 0.02  // of the input that a user's jobs shuffle, drawn log-uniformly up to 1
	replication = 6     // fresh seeds of every figure
)

// machines gives nodes cores, disks, links and racks. In every other case every second
// node computes twice as fast with one disk, the others have six disks; in half of the
// cases nodes have half the cores, so that containers by memory overload them.
func machines(from *simcore.Cluster, number int) *simcore.Cluster {
	kinds, cores := number%2 == 1, int32(nodeCores)
	if number/2%2 == 1 {
		cores /= 2
	}
	c := &simcore.Cluster{}
	for i, n := range from.Nodes {
		if i%rackSize == 0 {
			c.Racks = append(c.Racks, fmt.Sprintf("/rack%d", len(c.Racks)))
		}
		n.Rack, n.Cores, n.Disks, n.DiskRate, n.NICRate, n.Speed = int32(i/rackSize), cores, nodeDisks, diskRate, nicRate, 1
		if kinds {
			n.Disks = 6
			if i%2 == 1 {
				n.Disks, n.Speed = 1, 2
			}
		}
		c.Nodes = append(c.Nodes, n)
	}
	return c
}

// place gives every job of a workload tasks of its own with input on nodes, and
// bytes where it has none.
func place(from *simcore.Workload, nodes int, k rng.Key) *simcore.Workload {
	w := *from
	w.Jobs = append([]simcore.Job(nil), from.Jobs...)
	w.Tasks = simcore.Tasks{HostAt: []int32{0}}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if j.InputBytes == 0 {
			j.InputBytes = int64(j.Maps) * blockBytes
			share := leastShare * math.Pow(1/leastShare, k.At(1).Float64(uint64(j.User)))
			j.ShuffleBytes = int64(share * float64(j.InputBytes))
			j.OutputBytes = j.ShuffleBytes
		}
		addTasks(&w, from, j, nodes, k.At(2).At(uint64(i)))
	}
	return &w
}

func addTasks(w, from *simcore.Workload, j *simcore.Job, nodes int, k rng.Key) {
	first := int32(len(w.Tasks.Duration))
	for t := range j.Maps + j.Reduces {
		var d simcore.Time
		dist := j.MapDist
		if t >= j.Maps {
			dist = j.ReduceDist
		}
		switch {
		case j.FirstTask >= 0:
			d = from.Tasks.Duration[j.FirstTask+t]
		case dist >= 0:
			d = simcore.Seconds(from.Dists[dist].Mean())
		}
		w.Tasks.Duration = append(w.Tasks.Duration, d)
		if t < j.Maps {
			w.Tasks.Hosts = datasets.AppendReplicas(w.Tasks.Hosts, k, int(t), nodes, replicas)
		}
		w.Tasks.HostAt = append(w.Tasks.HostAt, int32(len(w.Tasks.Hosts)))
	}
	j.FirstTask, j.MapDist, j.ReduceDist, j.MapCPU, j.ReduceCPU = first, -1, -1, 0, 0
}

// physical is a case with machines and placed input.
func physical(c *scenario.Case, cluster *simcore.Cluster, k rng.Key) *scenario.Case {
	out := *c
	out.Cluster, out.Work = cluster, place(c.Work, len(cluster.Nodes), k)
	return &out
}
