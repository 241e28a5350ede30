package yarn

import (
	"fmt"
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// plan is what every run of a workload shares: sizes, numbering and the rows of the requests.
// NewSim builds it; nothing changes it.
type plan struct {
	mapAsk, redAsk, amAsk []Resource // by job
	mapBase, redBase      []int32    // by job, one more at the end: first map and reduce over all jobs

	// Rows of map requests. Row 0 of a job is "*"; with recorded input hosts
	// the nodes and racks that hold input follow.
	rowBase []int32 // by job, one more at the end
	rowAt   []int32 // by row: node, or -2-rack, or anyRow
	rowInit []int32 // by row: maps that name it

	local             bool           // some map has input hosts
	rowOf             []kernel.Table // where one has, by job: of a place as in rowAt, but "*", its row
	mapRowAt, mapRows []int32        // by map over all jobs: its rows but "*", as row numbers over all jobs
	rowMapAt, rowMaps []int32        // by row: the maps that name it, in order of index (within the job)
	slots             int            // containers that can live at once
}

// anyRow stands for "*" in plan.rowAt.
const anyRow = -1

// Sizes of Hadoop's defaults.
var (
	defaultAM   = Resource{Memory: 1536, VCores: 1}
	defaultTask = Resource{Memory: 1024, VCores: 1}
)

// build fills the plan, or says what of cluster and jobs can't be simulated.
func (p *plan) build(c *simcore.Cluster, w *simcore.Workload, opt *Options) error {
	if err := checkCluster(c); err != nil {
		return err
	}
	p.mapBase, p.redBase, p.rowBase = []int32{0}, []int32{0}, []int32{0}
	for j := range w.Jobs {
		job := &w.Jobs[j]
		if err := checkJob(w, job); err != nil {
			return err
		}
		p.amAsk = append(p.amAsk, size(job.AMAsk, opt.AM, defaultAM))
		p.mapAsk = append(p.mapAsk, size(job.MapAsk, opt.Map, defaultTask))
		p.redAsk = append(p.redAsk, size(job.ReduceAsk, opt.Reduce, defaultTask))
		p.mapBase = append(p.mapBase, p.mapBase[j]+job.Maps)
		p.redBase = append(p.redBase, p.redBase[j]+job.Reduces)
	}
	p.buildRows(c, w)
	p.countSlots(c, w)
	return nil
}

// checkCluster refuses a cluster without nodes, and racks that are not there.
func checkCluster(c *simcore.Cluster) error {
	if len(c.Nodes) == 0 {
		return fmt.Errorf("yarn: the cluster has no nodes")
	}
	for i := range c.Nodes {
		if n := &c.Nodes[i]; n.Rack < 0 || int(n.Rack) >= max(len(c.Racks), 1) {
			return fmt.Errorf("yarn: node %q is in rack %d; the cluster has %d", n.Name, n.Rack, len(c.Racks))
		}
	}
	return nil
}

// checkJob refuses a job with figures out of range, naming what is allowed.
func checkJob(w *simcore.Workload, j *simcore.Job) error {
	tasks := int64(j.FirstTask) + int64(j.Maps) + int64(j.Reduces)
	switch {
	case j.Maps < 0 || j.Reduces < 0:
		return fmt.Errorf("yarn: job %q has %d maps and %d reduces; allowed: 0 or more", j.ID, j.Maps, j.Reduces)
	case j.Queue < 0 || int(j.Queue) >= len(w.Queues) || j.User < 0 || int(j.User) >= len(w.Users):
		return fmt.Errorf("yarn: job %q names queue %d and user %d; the workload has %d and %d", j.ID, j.Queue, j.User, len(w.Queues), len(w.Users))
	case j.Submit < 0:
		return fmt.Errorf("yarn: job %q is submitted at %v; allowed: 0 or later", j.ID, j.Submit.Std())
	case int(j.MapDist) >= len(w.Dists) || int(j.ReduceDist) >= len(w.Dists):
		return fmt.Errorf("yarn: job %q names distributions %d and %d; the workload has %d", j.ID, j.MapDist, j.ReduceDist, len(w.Dists))
	case j.FirstTask >= 0 && w.Tasks.Duration != nil && tasks > int64(len(w.Tasks.Duration)):
		return fmt.Errorf("yarn: job %q has tasks up to %d; the workload describes %d", j.ID, tasks, len(w.Tasks.Duration))
	case j.FirstTask >= 0 && len(w.Tasks.HostAt) > 0 && int64(j.FirstTask)+int64(j.Maps) >= int64(len(w.Tasks.HostAt)):
		return fmt.Errorf("yarn: job %q has maps up to %d; the workload has hosts of %d", j.ID, j.FirstTask+j.Maps, len(w.Tasks.HostAt)-1)
	}
	if j.Spark != nil {
		if err := j.Spark.Validate(w); err != nil {
			return fmt.Errorf("yarn: job %q: %w", j.ID, err)
		}
	}
	return nil
}

// size is the size of a container: the job's own, else that of the options, else the default.
func size(own simcore.Vec, opt, def Resource) Resource {
	r := def
	if opt.Memory > 0 {
		r = opt
	}
	if own[simcore.Memory] > 0 {
		r = Resource{Memory: own[simcore.Memory], VCores: own[simcore.VCores]}
	}
	r.VCores = max(r.VCores, 1)
	return r
}

// buildRows numbers the places each job asks maps for.
func (p *plan) buildRows(c *simcore.Cluster, w *simcore.Workload) {
	p.local = len(w.Tasks.HostAt) > 0
	racks := max(len(c.Racks), 1)
	seen := make([]int32, len(c.Nodes)+racks) // row of node or rack in the job at hand, -1 = none
	for i := range seen {
		seen[i] = -1
	}
	p.mapRowAt = []int32{0}
	for j := range w.Jobs {
		p.jobRows(c, w, j, seen)
	}
	if p.local {
		p.invertRows(w)
	} else {
		p.mapRowAt = nil
	}
}

// jobRows numbers those of one job.
func (p *plan) jobRows(c *simcore.Cluster, w *simcore.Workload, j int, seen []int32) {
	job := &w.Jobs[j]
	base := int32(len(p.rowAt))
	p.rowAt, p.rowInit = append(p.rowAt, anyRow), append(p.rowInit, job.Maps)
	for t := int32(0); p.local && t < job.Maps; t++ {
		start := len(p.mapRows)
		for _, n := range hosts(w, job, t) {
			if n < 0 || int(n) >= len(c.Nodes)-len(c.Elastic.Spare) { // nodes that join later hold no input
				continue
			}
			p.addRow(seen, int(n), n, start)
			rack := c.Nodes[n].Rack
			p.addRow(seen, len(c.Nodes)+int(rack), -2-rack, start)
		}
		p.mapRowAt = append(p.mapRowAt, int32(len(p.mapRows)))
	}
	var rowOf kernel.Table
	for r := base + 1; r < int32(len(p.rowAt)); r++ {
		seen[seenIndex(p.rowAt[r], len(c.Nodes))] = -1
		rowOf.Add(p.rowAt[r], int(r))
	}
	if p.local {
		p.rowOf = append(p.rowOf, rowOf)
	}
	p.rowBase = append(p.rowBase, int32(len(p.rowAt)))
}

// seenIndex is the index of a place in seen: nodes, then racks.
func seenIndex(at int32, nodes int) int {
	if at >= 0 {
		return int(at)
	}
	return nodes + int(-2-at)
}

// addRow adds the place to the rows of the map that began at start, once.
func (p *plan) addRow(seen []int32, i int, at int32, start int) {
	r := seen[i]
	if r < 0 {
		r = int32(len(p.rowAt))
		seen[i] = r
		p.rowAt, p.rowInit = append(p.rowAt, at), append(p.rowInit, 0)
	}
	if slices.Contains(p.mapRows[start:], r) {
		return
	}
	p.mapRows = append(p.mapRows, r)
	p.rowInit[r]++
}

// invertRows lists by row the maps that name it.
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

// findRow returns the row of a node or rack, as in rowAt, in a job's request; -1 if it has none.
func (p *plan) findRow(j, at int32) int32 { return int32(p.rowOf[j].Find(at)) }

// hosts returns the nodes that hold the map's input.
func hosts(w *simcore.Workload, j *simcore.Job, t int32) []int32 {
	if j.FirstTask < 0 || len(w.Tasks.HostAt) == 0 {
		return nil
	}
	i := j.FirstTask + t
	return w.Tasks.Hosts[w.Tasks.HostAt[i]:w.Tasks.HostAt[i+1]]
}

// countSlots bounds the containers alive at once: what fits the nodes, and
// what the workload can ask for.
func (p *plan) countSlots(c *simcore.Cluster, w *simcore.Workload) {
	smallest, all := int64(math.MaxInt64), int64(len(w.Jobs))
	for j := range w.Jobs {
		smallest = min(smallest, p.amAsk[j].Memory)
		if a := w.Jobs[j].Spark; a != nil {
			for i := range a.Executors {
				smallest = min(smallest, a.Executors[i].Container[simcore.Memory])
			}
			all = math.MaxInt32
			continue
		}
		smallest = min(smallest, p.mapAsk[j].Memory, p.redAsk[j].Memory)
	}
	fit := int64(0)
	for i := range c.Nodes {
		fit += c.Nodes[i].Capacity[simcore.Memory] / max(smallest, 1)
	}
	all += int64(p.mapBase[len(w.Jobs)]) + int64(p.redBase[len(w.Jobs)])
	p.slots = int(max(min(fit, 2*all), 1))
}
