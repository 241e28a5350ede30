package schedtest

import (
	"fmt"
	"math"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// Uniform returns a cluster of equal nodes in racks of the given size, with
// the slots and, for the resource model, 8 cores, 4 disks of 100 MB/s and a
// 1 Gb/s NIC per node.
func Uniform(nodes, perRack int, slots simcore.Vec) *simcore.Cluster {
	c := &simcore.Cluster{}
	for n := range nodes {
		r := n / perRack
		if r == len(c.Racks) {
			c.Racks = append(c.Racks, fmt.Sprintf("/rack%d", r))
		}
		c.Nodes = append(c.Nodes, simcore.Node{
			Name: fmt.Sprintf("node%d", n), Rack: int32(r), Slots: slots, Speed: 1,
			Cores: 8, Disks: 4, DiskRate: 100e6, NICRate: 125e6,
		})
	}
	return c
}

// class is one of the FB-2010 job classes (Chen, Alspaugh, Katz, VLDB 2012): number of
// jobs; input, shuffle and output bytes; map and reduce task-seconds of a job.
type class struct {
	jobs                   float64
	input, shuffle, output float64
	mapSec, reduceSec      float64
}

var facebook2010 = []class{
	{1145663, 6.9e6, 600, 60e3, 48, 34},
	{7911, 50e9, 0, 61e9, 60664, 0},
	{779, 3.6e12, 0, 4.4e12, 3081710, 0},
	{670, 2.1e12, 0, 2.7e9, 9457592, 0},
	{104, 35e9, 0, 3.5e9, 198436, 0},
	{11491, 1.5e12, 30e9, 2.2e9, 1112765, 387191},
	{1876, 711e9, 2.6e12, 860e9, 1618792, 2056439},
	{454, 9.0e12, 1.5e12, 1.2e12, 1795682, 818344},
	{169, 2.7e12, 12e12, 260e9, 2862726, 3091678},
	{67, 630e9, 1.2e12, 140e9, 1545220, 18144174},
}

// FacebookDay returns a synthetic day of jobs of the FB-2010 classes: arrivals
// uniform over 24 hours, a job's class by the classes' shares, its size
// lognormal around the class's with sigma 0.8, all sizes scaled by one factor
// so that about the given number of tasks results. Task times are exponential
// with the class's task-seconds per task.
func FacebookDay(seed uint64, jobs, tasks int) *simcore.Workload {
	w := &simcore.Workload{Name: "facebook-2010-synthetic", Queues: []string{"default"}, Users: []string{"all"}}
	key := rng.NewKey(seed, 1)
	sizes, total := make([]float64, jobs), 0.0
	kinds := make([]int, jobs)
	for j := range sizes {
		kinds[j] = classOf(key.Float64(uint64(3 * j)))
		sizes[j] = math.Exp(0.8 * key.Norm(uint64(j)))
		m, r := taskCounts(kinds[j], sizes[j])
		total += m + r
	}
	for c := range facebook2010 {
		w.Classes = append(w.Classes, fmt.Sprintf("class%d", c))
		m, r := taskCounts(c, 1)
		w.Dists = append(w.Dists,
			simcore.Dist{Kind: simcore.Exponential, A: facebook2010[c].mapSec / math.Max(m, 1)},
			simcore.Dist{Kind: simcore.Exponential, A: facebook2010[c].reduceSec / math.Max(r, 1)})
	}
	scale := float64(tasks-jobs) / total
	for j := range sizes {
		w.Jobs = append(w.Jobs, facebookJob(kinds[j], sizes[j]*scale))
		at := float64(j) + key.Float64(uint64(3*j+1))
		w.Jobs[j].ID = fmt.Sprintf("job%d", j)
		w.Jobs[j].Submit = simcore.Seconds(at * 86400 / float64(jobs))
	}
	return w
}

// classOf returns the class of a job for a uniform draw.
func classOf(u float64) int {
	total := 0.0
	for _, c := range facebook2010 {
		total += c.jobs
	}
	for i, c := range facebook2010 {
		if u -= c.jobs / total; u < 0 {
			return i
		}
	}
	return 0
}

// taskCounts returns the tasks of a job: a map per 128 MB of input and a reduce per 1 GB of
// shuffle, at least one each where the class has such work.
func taskCounts(c int, size float64) (maps, reduces float64) {
	k := &facebook2010[c]
	maps = math.Max(1, k.input*size/128e6)
	if k.reduceSec > 0 {
		reduces = math.Max(1, k.shuffle*size/1e9)
	}
	return maps, reduces
}

// facebookJob returns a job of a class and relative size.
func facebookJob(c int, size float64) simcore.Job {
	m, r := taskCounts(c, size)
	k := &facebook2010[c]
	return simcore.Job{
		Class: int32(c), Maps: int32(math.Ceil(m)), Reduces: int32(math.Ceil(r)), FirstTask: -1, Slowstart: -1,
		InputBytes: int64(k.input * size), ShuffleBytes: int64(k.shuffle * size), OutputBytes: int64(k.output * size),
		MapDist: int32(2 * c), ReduceDist: int32(2*c + 1), MapCPU: 1e-8, ReduceCPU: 1e-8,
	}
}

// Tasks counts the maps and reduces of a workload.
func Tasks(w *simcore.Workload) int {
	n := 0
	for i := range w.Jobs {
		n += int(w.Jobs[i].Maps + w.Jobs[i].Reduces)
	}
	return n
}
