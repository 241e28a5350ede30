package yarn

import (
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// plan holds the parts that all runs of a workload share: sizes, numbering and the rows of the
// requests. NewSim builds it; runs do not change it.
type plan struct {
	mapAsk, redAsk, amAsk []Resource // by job
	mapBase, redBase      []int32    // by job, one more at the end: first map and reduce over all jobs

	// Rows of map requests. Row 0 of a job is "*"; with recorded input hosts
	// the nodes and racks that hold input follow.
	rowBase []int32 // by job, one more at the end
	rowAt   []int32 // by row: node, or -2-rack, or anyRow
	rowInit []int32 // by row: maps that name it

	local             bool           // some map has input hosts
	rowOf             []kernel.Table // if local, by job: row of a place as in rowAt, except "*"
	mapRowAt, mapRows []int32        // by map over all jobs: its rows except "*", as row numbers over all jobs
	rowMapAt, rowMaps []int32        // by row: the maps that name it, in order of index (within the job)
	slots             int            // most containers at a time
}

// anyRow stands for "*" in plan.rowAt.
const anyRow = -1

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
	p.mapBase, p.redBase, p.rowBase = []int32{0}, []int32{0}, []int32{0}
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
	}
	p.buildRows(c, w)
	p.countSlots(c, w)
	return nil
}

// size returns the size of a container: the job's, else the default.
func size(own simcore.Vec, def Resource) Resource {
	if own[simcore.Memory] <= 0 {
		return def
	}
	return Resource{Memory: own[simcore.Memory], VCores: max(own[simcore.VCores], 1)}
}

// buildRows numbers the places for which each job requests maps.
func (p *plan) buildRows(c *simcore.Cluster, w *simcore.Workload) {
	p.local = len(w.Tasks.HostAt) > 0
	p.mapRowAt = []int32{0}
	for j := range w.Jobs {
		p.jobRows(c, w, &w.Jobs[j])
	}
	if p.local {
		p.invertRows(w)
	}
}

// jobRows numbers the places of one job. Nodes that join later hold no input.
func (p *plan) jobRows(c *simcore.Cluster, w *simcore.Workload, job *simcore.Job) {
	p.rowAt, p.rowInit = append(p.rowAt, anyRow), append(p.rowInit, job.Maps)
	var rowOf kernel.Table
	for t := int32(0); p.local && t < job.Maps; t++ {
		start := len(p.mapRows)
		for _, n := range hosts(w, job, t) {
			if n >= 0 && int(n) < len(c.Nodes)-len(c.Elastic.Spare) {
				p.addRow(&rowOf, n, start)
				p.addRow(&rowOf, -2-c.Nodes[n].Rack, start)
			}
		}
		p.mapRowAt = append(p.mapRowAt, int32(len(p.mapRows)))
	}
	if p.local {
		p.rowOf = append(p.rowOf, rowOf)
	}
	p.rowBase = append(p.rowBase, int32(len(p.rowAt)))
}

// addRow adds the place to the rows of the map that begin at start, once.
func (p *plan) addRow(rowOf *kernel.Table, at int32, start int) {
	r := int32(rowOf.Find(at))
	if r < 0 {
		r = int32(len(p.rowAt))
		rowOf.Add(at, int(r))
		p.rowAt, p.rowInit = append(p.rowAt, at), append(p.rowInit, 0)
	}
	if !slices.Contains(p.mapRows[start:], r) {
		p.mapRows = append(p.mapRows, r)
		p.rowInit[r]++
	}
}

// invertRows lists, for each row, the maps that name it.
func (p *plan) invertRows(w *simcore.Workload) {
	p.rowMapAt = make([]int32, len(p.rowAt)+1)
	for _, r := range p.mapRows {
		p.rowMapAt[r+1]++
	}
	for r := range p.rowAt {
		p.rowMapAt[r+1] += p.rowMapAt[r]
	}
	fill := make([]int32, len(p.rowAt))
	p.rowMaps = make([]int32, len(p.mapRows))
	for j := range w.Jobs {
		for t := p.mapBase[j]; t < p.mapBase[j+1]; t++ {
			for _, r := range p.mapRows[p.mapRowAt[t]:p.mapRowAt[t+1]] {
				p.rowMaps[p.rowMapAt[r]+fill[r]] = t - p.mapBase[j]
				fill[r]++
			}
		}
	}
}

// rowsOf returns the rows of a map, numbered over all jobs, except "*".
func (p *plan) rowsOf(g int32) []int32 {
	if !p.local {
		return nil
	}
	return p.mapRows[p.mapRowAt[g]:p.mapRowAt[g+1]]
}

// findRow returns the row of a node or rack, as in rowAt, in a job's requests; -1 if it has none.
func (p *plan) findRow(j, at int32) int32 { return int32(p.rowOf[j].Find(at)) }

// hosts returns the nodes that hold the map's input.
func hosts(w *simcore.Workload, j *simcore.Job, t int32) []int32 {
	if j.FirstTask < 0 || len(w.Tasks.HostAt) == 0 {
		return nil
	}
	i := j.FirstTask + t
	return w.Tasks.Hosts[w.Tasks.HostAt[i]:w.Tasks.HostAt[i+1]]
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
