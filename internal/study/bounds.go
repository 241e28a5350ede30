package study

import (
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/tune"
)

// bounds returns, for objectives where one is known, a value that no queue
// settings can pass on this workload and cluster:
//
//	makespan         max(area, critical path of every job after its submission)
//	mean-completion  mean critical path of the jobs
//
// The area is the memory-time of all tasks over the cluster's memory; a job's
// critical path is its longest map and then its longest reduce after the
// shuffle (Graham and Brent's lower bounds). early is by how much a
// replication may move submissions together.
func bounds(c *scenario.Case, objectives []tune.Objective, early simcore.Time) map[string]float64 {
	b := map[string]float64{}
	for _, o := range objectives {
		switch o.Metric {
		case "makespan":
			b[o.Metric] = makespanBound(c, early)
		case "mean-completion":
			b[o.Metric] = completionBound(c)
		}
	}
	for name, v := range b {
		if v <= 0 {
			delete(b, name)
		}
	}
	return b
}

func makespanBound(c *scenario.Case, early simcore.Time) float64 {
	w := c.Work
	area, path := 0.0, simcore.Time(0)
	for i := range w.Jobs {
		longest, work := jobWork(w, &w.Jobs[i])
		area += work
		path = max(path, longest, w.Jobs[i].Submit-w.Jobs[0].Submit+longest-early)
	}
	memory := int64(0)
	for i := range c.Cluster.Nodes {
		memory += c.Cluster.Nodes[i].Capacity[simcore.Memory]
	}
	return max(path.Seconds(), area/float64(memory))
}

func completionBound(c *scenario.Case) float64 {
	sum := 0.0
	for i := range c.Work.Jobs {
		longest, _ := jobWork(c.Work, &c.Work.Jobs[i])
		sum += longest.Seconds()
	}
	return sum / float64(len(c.Work.Jobs))
}

// jobWork returns a job's critical path and its memory-time in MiB-seconds;
// zero where its tasks are not described singly. Only recorded sizes count: a
// size left to defaults is no bound.
func jobWork(w *simcore.Workload, j *simcore.Job) (path simcore.Time, area float64) {
	if j.Spark != nil {
		return sparkWork(w, j.Spark)
	}
	if j.Tez != nil {
		return tezWork(w, j.Tez)
	}
	if j.FirstTask < 0 || w.Tasks.Duration == nil {
		return 0, 0
	}
	tasks := w.Tasks.Duration[j.FirstTask : j.FirstTask+j.Maps+j.Reduces]
	var longest [2]simcore.Time
	for i, d := range tasks {
		k := simcore.Map
		ask := j.MapAsk
		if int32(i) >= j.Maps {
			k, ask = simcore.Reduce, j.ReduceAsk
		}
		longest[k] = max(longest[k], d)
		area += d.Seconds() * float64(ask[simcore.Memory])
	}
	return longest[simcore.Map] + longest[simcore.Reduce], area
}

// tezWork returns an application's critical path, from its submission, and the memory-time of its tasks in
// MiB-seconds. The tasks of a one-to-one edge wait for one task of their source only, which adds nothing here.
func tezWork(w *simcore.Workload, a *simcore.TezApp) (path simcore.Time, area float64) {
	done := make([]simcore.Time, len(a.Vertices))
	for i := range a.DAGs {
		g := &a.DAGs[i]
		begin := max(path+g.Delay, g.At)
		for v := g.FirstVertex; v < g.FirstVertex+g.Vertices; v++ {
			vx := &a.Vertices[v]
			done[v] = begin
			for _, s := range vx.Sources {
				if s.Edge != simcore.TezOneToOne {
					done[v] = max(done[v], done[s.Vertex])
				}
			}
			if vx.FirstTask >= 0 {
				longest := simcore.Time(0)
				for _, d := range w.Tasks.Duration[vx.FirstTask : vx.FirstTask+vx.Tasks] {
					longest = max(longest, d)
					area += d.Seconds() * float64(vx.Size[simcore.Memory])
				}
				done[v] += longest
			}
			path = max(path, done[v])
		}
	}
	return path, area
}

// arrivalSpread is by how much a replication may move two submissions
// together: six standard deviations of either.
func arrivalSpread(c *scenario.Case) simcore.Time {
	return simcore.Time(12 * c.Calibration.ArrivalJitter * float64(simcore.Millisecond))
}

// Work is a job's demand in MiB-seconds as far as its tasks tell, else its number of
// tasks.
func Work(w *simcore.Workload, j *simcore.Job) float64 {
	if _, area := jobWork(w, j); area > 0 {
		return area
	}
	return max(1, float64(j.Tasks()))
}
