package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// partStanding takes standing load out of the workload: it is in every run, and neither a
// job whose times count nor one that similar workloads draw.
func (c *Case) partStanding(conf *yarnconf.Config) error {
	jobs := make([]simcore.Job, 0, len(c.Work.Jobs))
	held, largest := int64(0), int64(0)
	for _, n := range c.Cluster.All() {
		largest = max(largest, n.Capacity[simcore.Memory])
	}
	least, most := conf.MinAllocation.Memory, min(largest, conf.MaxAllocation.Memory)
	for _, j := range c.Work.Jobs {
		if j.Standing == nil {
			jobs = append(jobs, j)
			continue
		}
		size, n := &j.MapAsk[simcore.Memory], int64(j.Maps)
		held += n**size + j.AMAsk[simcore.Memory]
		if *size > most { // not of the cluster that it ran on
			n, *size = (n**size+most-1)/most, most
		}
		for _, ask := range []*simcore.Vec{&j.MapAsk, &j.AMAsk} {
			ask[simcore.Memory] = min((ask[simcore.Memory]+least-1)/least*least, most)
			ask[simcore.VCores] = min(max(1, ask[simcore.VCores]), conf.MaxAllocation.VCores)
		}
		load := *j.Standing
		j.Maps, j.Standing = int32(n), &load
		load.Nodes = append(slices.Clone(load.Nodes), slices.Repeat([]simcore.NodeID{simcore.None}, j.Held()-len(load.Nodes))...)
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

// mostIgnored is the share of the cluster's memory that may be held by what is left out.
const mostIgnored = 0.05

// unlisted refuses a trace of a pulled folder that lacks applications which were running when
// it was pulled, where they hold more than a twentieth of the cluster.
func (in *Files) unlisted(c *Case, t *trace.Trace) error {
	known := map[string]bool{}
	number := func(id string) string { return id[strings.IndexByte(id, '_')+1:] }
	for i := range t.Jobs {
		known[number(t.Jobs[i].ID)] = true
	}
	held, names := int64(0), []string{}
	for _, dir := range in.traceFolders() {
		now := filepath.Join(dir, "now", "apps.json")
		if _, err := os.Stat(now); err != nil || pulledFrom(dir) == nil {
			continue
		}
		running, err := trace.Open(now, trace.Options{})
		if err != nil {
			continue // none that runs
		}
		for i := range running.Jobs {
			if j := &running.Jobs[i]; j.Standing() && !known[number(j.ID)] {
				names = append(names, j.ID)
				list, _ := j.Holdings()
				for _, h := range list {
					held += int64(h.MiB)
				}
			}
		}
	}
	share := float64(held) / float64(max(1, c.Total().Memory))
	if share <= mostIgnored {
		return nil
	}
	what := fmt.Sprintf("standing load of %.0f %% of the cluster, held by %s that the trace does not list", 100*share,
		text.Count(len(names), "application"))
	if !in.IgnoreStanding {
		return &HintError{Err: fmt.Errorf("%s: %s, first %s; run tune pull of this version again, which lists them, or "+
			"--ignore-standing-load", c.Work.Name, what, names[0]),
			Advice: "tune pull lists all applications that run, whenever they began"}
	}
	c.Unmodelled = append(c.Unmodelled, what)
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
		if j.Maps == 0 {
			j.MasterTime = j.Standing.Hold // its master is all
		}
	}
	if w.Alone != nil {
		out.Alone = append(slices.Clip(w.Alone), make([]simcore.Time, len(c.Standing))...)
	}
	return &out
}
