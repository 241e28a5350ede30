package scenario

import (
	"fmt"
	"slices"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// partStanding takes standing load out of the workload: it is in every run, and neither a
// job whose times count nor one that similar workloads draw.
func (c *Case) partStanding(conf *yarnconf.Config) error {
	jobs := make([]simcore.Job, 0, len(c.Work.Jobs))
	held := int64(0)
	for _, j := range c.Work.Jobs {
		if j.Standing == nil {
			jobs = append(jobs, j)
			continue
		}
		least, most := conf.MinAllocation.Memory, conf.MaxAllocation.Memory
		size, n := &j.MapAsk[simcore.Memory], int64(j.Maps)
		held += n * *size
		if *size > most { // not of the cluster that it ran on
			n, *size = (n**size+most-1)/most, most
		}
		*size = (*size + least - 1) / least * least
		j.MapAsk[simcore.VCores] = min(max(1, j.MapAsk[simcore.VCores]), conf.MaxAllocation.VCores)
		load := *j.Standing
		for load.Nodes = slices.Clone(load.Nodes); len(load.Nodes) < int(n); {
			load.Nodes = append(load.Nodes, simcore.None)
		}
		j.Maps, j.Standing = int32(n), &load
		c.Standing = append(c.Standing, j)
	}
	if len(c.Standing) == 0 {
		return nil
	}
	if len(jobs) == 0 {
		return fmt.Errorf("%s: holds standing load only; use a trace with jobs that ended", c.Work.Name)
	}
	w := *c.Work
	w.Jobs = jobs
	c.Work = &w
	c.StandingShare = float64(held) / float64(max(1, c.Total().Memory))
	c.Notes = append(c.Notes, fmt.Sprintf("standing load: %s hold %s GiB, %.0f %% of the cluster, all the time",
		text.Count(len(c.Standing), "application"), text.Plain(float64(held)/1024), 100*c.StandingShare))
	return nil
}

// WithStanding returns a workload with the standing load behind its jobs.
func (c *Case) WithStanding(w *simcore.Workload) *simcore.Workload {
	if len(c.Standing) == 0 {
		return w
	}
	out := *w
	out.Jobs, out.Dists = append(slices.Clip(w.Jobs), c.Standing...), slices.Clip(w.Dists)
	for i := len(w.Jobs); i < len(out.Jobs); i++ {
		j := &out.Jobs[i]
		j.MapDist = int32(len(out.Dists))
		out.Dists = append(out.Dists, simcore.Dist{Kind: simcore.Constant, A: j.Standing.Hold.Seconds()})
	}
	if w.Alone != nil {
		out.Alone = append(slices.Clip(w.Alone), make([]simcore.Time, len(c.Standing))...)
	}
	return &out
}
