package yarn

import (
	"math"
	"slices"

	"schedtune/simcore"
)

// plan holds the parts that all runs of a workload share: sizes, numbering and the rows of the
// requests. NewSim builds it; runs do not change it.
type plan struct {
	mapAsk, redAsk, amAsk []Resource // by job
	mapBase, redBase      []int32    // by job, one more at the end: first map and reduce over all jobs

	rows            // of map requests; groups are jobs
	rowInit []int32 // by row: maps that name it
	slots   int     // most containers at a time

	ahead  []int32   // by job: how many it follows; empty without chains
	behind [][]int32 // by job: those that follow it
}

// Default sizes of Hadoop.
var (
	defaultAM   = Resource{Memory: 1536, VCores: 1}
	defaultTask = Resource{Memory: 1024, VCores: 1}
)

// build fills the plan. It returns an error for a cluster or job that cannot be simulated. Unlike
// simcore.Validate it accepts jobs in any order of submission, and input hosts that the cluster
// does not have.
func (p *plan) build(c *simcore.Cluster, w *simcore.Workload) error {
	if err := c.Validate(); err != nil {
		return err
	}
	p.mapBase, p.redBase, p.rows = []int32{0}, []int32{0}, newRows(w)
	for j := range w.Jobs {
		job := &w.Jobs[j]
		if err := w.ValidateJob(j); err != nil {
			return err
		}
		p.amAsk = append(p.amAsk, size(job.AMAsk, defaultAM))
		if job.Unmanaged {
			p.amAsk[j] = Resource{}
		}
		p.mapAsk = append(p.mapAsk, size(job.MapAsk, defaultTask))
		p.redAsk = append(p.redAsk, size(job.ReduceAsk, defaultTask))
		p.mapBase = append(p.mapBase, p.mapBase[j]+job.Maps)
		p.redBase = append(p.redBase, p.redBase[j]+job.Reduces)
		p.addGroup(c, w, 1, job.FirstTask, job.Maps)
	}
	p.taskRows = slices.Clone(p.taskRows) // without spare memory
	p.invert()
	for r := range p.rowAt {
		p.rowInit = append(p.rowInit, int32(len(p.tasksOf(int32(r)))))
	}
	for j := range w.Jobs {
		p.rowInit[p.rowBase[j]] = w.Jobs[j].Maps
	}
	p.countSlots(c, w)
	if ahead := w.Ahead(); ahead != nil {
		p.ahead, p.behind = make([]int32, len(ahead)), make([][]int32, len(ahead))
		for j, list := range ahead {
			p.ahead[j] = int32(len(list))
			for _, a := range list {
				p.behind[a] = append(p.behind[a], int32(j))
			}
		}
	}
	return nil
}

// size returns the size of a container: the job's, else the default.
func size(own simcore.Vec, def Resource) Resource {
	if own[simcore.Memory] <= 0 {
		return def
	}
	return Resource{Memory: own[simcore.Memory], VCores: max(own[simcore.VCores], 1)}
}

// countSlots bounds the number of simultaneous containers by the memory of the nodes and by the
// requests of the workload.
func (p *plan) countSlots(c *simcore.Cluster, w *simcore.Workload) {
	smallest, all := int64(math.MaxInt64), int64(len(w.Jobs))
	outside := int64(0) // masters that take no memory
	for j := range w.Jobs {
		if w.Jobs[j].Unmanaged {
			outside++
		} else {
			smallest = min(smallest, p.amAsk[j].Memory)
		}
		if a := w.Jobs[j].Spark; a != nil {
			for i := range a.Executors {
				smallest = min(smallest, a.Executors[i].Container[simcore.Memory])
			}
			all = math.MaxInt32
			continue
		}
		if a := w.Jobs[j].Tez; a != nil {
			for i := range a.Vertices {
				smallest = min(smallest, size(a.Vertices[i].Size, defaultTask).Memory)
			}
			all = math.MaxInt32
			continue
		}
		smallest = min(smallest, p.mapAsk[j].Memory, p.redAsk[j].Memory)
	}
	fit := outside
	for i := range c.Nodes {
		fit += c.Nodes[i].Capacity[simcore.Memory] / max(smallest, 1)
	}
	all += int64(p.mapBase[len(w.Jobs)]) + int64(p.redBase[len(w.Jobs)])
	p.slots = int(max(min(fit, 2*all), 1))
}
