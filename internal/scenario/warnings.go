package scenario

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// warn collects what does not keep a study from running and makes its figures
// doubtful.
func (c *Case) warn(in *Files) error {
	conf, err := yarnconf.Evaluate(c.Doc)
	if err != nil {
		return nil // loadConfig has said so
	}
	if err := c.checkSizes(in, conf.MaxAllocation); err != nil {
		return err
	}
	for _, e := range c.RefusedRefresh(c.Doc, c.Doc) {
		if text := "a refresh of the queues on this cluster would reject the file that is in force: " +
			e.Error(); !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, e.Reason) }) {
			c.Warnings = append(c.Warnings, text)
		}
	}
	c.warnLabels(conf)
	if len(in.Traces) > 0 && in.Site == "" && !c.sited {
		c.warnSizes(conf)
	}
	c.warnClosed(conf)
	c.warnCores(conf)
	c.noteUnmodelled(conf)
	if len(c.Unmodelled) > 0 {
		c.Notes = append(c.Notes, "not simulated, though the files ask for it: "+strings.Join(c.Unmodelled, ", "))
	}
	return nil
}

// warnCores warns of tasks that ask for several cores which the scheduler does not count: the
// simulated ones do not slow each other down as real ones would.
func (c *Case) warnCores(conf *yarnconf.Config) {
	if conf.Calculator.Dominant {
		return
	}
	worst, text := int64(0), ""
	for i := range c.Work.Jobs {
		j := &c.Work.Jobs[i]
		for _, ask := range []simcore.Vec{j.MapAsk, j.ReduceAsk} {
			memory, cores := max(ask[simcore.Memory], conf.MinAllocation.Memory, 1), ask[simcore.VCores]
			for k := range c.Cluster.Nodes {
				n := c.Cluster.Nodes[k].Capacity
				if fit := n[simcore.Memory] / memory; cores > 1 && fit*cores-n[simcore.VCores] > worst {
					worst = fit*cores - n[simcore.VCores]
					text = fmt.Sprintf("cores are not counted (resource-calculator): up to %d containers of %d cores fit by memory "+
						"on a node with %d cores; real tasks would be slower there", fit, cores, n[simcore.VCores])
				}
			}
		}
	}
	if text != "" {
		c.Warnings = append(c.Warnings, text)
	}
}

// RefusedRefresh returns what a refresh of the queues from one file to another is refused
// for while the nodes of the cluster are there: absolute resources are then compared by
// shares of them, which a start without nodes does not do.
func (c *Case) RefusedRefresh(from, to *yarnconf.Document) []*yarnconf.PropError {
	now, err := yarnconf.Evaluate(from)
	if err != nil {
		return yarnconf.Rejected(err)
	}
	parts := []yarnconf.Partition{{}}
	for _, l := range c.Cluster.Labels {
		parts = append(parts, yarnconf.Partition{Name: l.Name})
	}
	for i := range c.Cluster.Nodes {
		n := &c.Cluster.Nodes[i]
		if k := slices.IndexFunc(parts, func(p yarnconf.Partition) bool { return p.Name == n.Label }); k >= 0 {
			parts[k].Total = parts[k].Total.Add(yarnconf.Resource{Memory: n.Capacity[simcore.Memory],
				VCores: n.Capacity[simcore.VCores]})
		}
	}
	next, err := yarnconf.EvaluateAs(to, now.Version, c.Total(), parts...)
	if err != nil {
		return yarnconf.Rejected(err)
	}
	return yarnconf.CheckRefresh(now, next, nil, to)
}

// checkSizes refuses what no run could finish, a container that fits no node, and executors above the largest
// allocation: a recorded application ran with them, so the limits are not those of its cluster.
func (c *Case) checkSizes(in *Files, most yarnconf.Resource) error {
	largest := int64(0)
	for _, n := range c.Cluster.All() {
		largest = max(largest, n.Capacity[simcore.Memory])
	}
	for i := 0; i < len(c.Work.Jobs) && !in.Oversized; i++ {
		j := &c.Work.Jobs[i]
		if mib := max(j.AMAsk[simcore.Memory], j.MapAsk[simcore.Memory], j.ReduceAsk[simcore.Memory]); mib > largest {
			return fmt.Errorf("%s: job %s requests a container of %d MiB: must be at most %d MiB, the largest node",
				c.Work.Name, j.ID, mib, largest)
		}
		if j.Spark == nil {
			continue
		}
		for _, e := range j.Spark.Executors {
			memory, cores := e.Container[simcore.Memory], e.Container[simcore.VCores]
			if memory <= most.Memory && cores <= most.VCores {
				continue
			}
			err := fmt.Errorf("%s: application %s requests executors of %d MiB and %d vcores: must be at most %d MiB and %d "+
				"vcores, yarn.scheduler.maximum-allocation-mb and -vcores",
				c.Work.Name, j.ID, memory, cores, most.Memory, most.VCores)
			if in.Site == "" && !c.sited {
				err = fmt.Errorf("%w, Hadoop's defaults; --site yarn-site.xml gives the cluster's own", err)
			}
			return err
		}
	}
	return nil
}

// warnLabels names node labels that the queue file gives shares of, or that jobs
// ask for, and that no node of the cluster has.
func (c *Case) warnLabels(conf *yarnconf.Config) {
	known := func(label string) bool {
		return label == "" || label == yarn.DefaultPartition || slices.ContainsFunc(c.Cluster.Labels,
			func(l simcore.NodeLabel) bool { return l.Name == label })
	}
	for _, l := range conf.Queues[0].Labels {
		if !known(l.Name) {
			c.unknownLabels = append(c.unknownLabels, l.Name)
			c.Warnings = append(c.Warnings, fmt.Sprintf("node label %s: the queue file has shares of it, no node of the "+
				"cluster has it (a cluster file says it with label: %s)", l.Name, l.Name))
		}
	}
	asking := map[string]int{}
	var names []string
	for i := range c.Work.Jobs {
		j := c.Work.Jobs[i].Labels
		if j == nil {
			continue
		}
		for _, label := range [...]string{j.App, j.Master, j.Map, j.Reduce, j.Executor} {
			if known(label) {
				continue
			}
			if asking[label]++; asking[label] == 1 {
				names = append(names, label)
			}
			break
		}
	}
	c.unknownLabels = append(c.unknownLabels, names...)
	for _, label := range names {
		effect := "they are refused"
		if len(c.Cluster.Labels) == 0 {
			effect = "on a cluster without labels they run as if they did not"
		}
		c.Warnings = append(c.Warnings, fmt.Sprintf("node label %s: %s of the trace ask for it, no node of the cluster "+
			"has it; %s", label, text.Count(asking[label], "job"), effect))
	}
}

// warnSizes compares the container sizes of the trace with the bounds that
// are in yarn-site.xml. Without that file they are Hadoop's defaults, and a
// cluster of small containers would be simulated with ones of 1,024 MiB.
func (c *Case) warnSizes(conf *yarnconf.Config) {
	least, most := conf.MinAllocation.Memory, conf.MaxAllocation.Memory
	var small, large, masters []int64
	for i := range c.Work.Jobs {
		j := &c.Work.Jobs[i]
		for _, ask := range []simcore.Vec{j.AMAsk, j.MapAsk, j.ReduceAsk} {
			switch m := ask[simcore.Memory]; {
			case m > 0 && m < least:
				small = append(small, m)
			case m > most && ask == j.AMAsk:
				masters = append(masters, m)
			case m > most:
				large = append(large, m)
			}
		}
	}
	tell := func(list []int64, what, gets string) {
		if len(list) > 0 {
			c.Resized = append(c.Resized, fmt.Sprintf("the trace has %s, and without --site %s allocation", what, gets))
			c.Warnings = append(c.Warnings, c.Resized[len(c.Resized)-1]+"; --site yarn-site.xml gives the cluster's own")
		}
	}
	refused := fmt.Sprintf("those above %d MiB are refused, Hadoop's maximum", most)
	tell(masters, fmt.Sprintf("AMs of %d MiB", slices.Max(append(masters, 0))), refused)
	tell(small, fmt.Sprintf("containers of %d MiB", slices.Min(append(small, least))),
		fmt.Sprintf("each gets %d MiB, Hadoop's minimum", least))
	tell(large, fmt.Sprintf("containers of %d MiB", slices.Max(append(large, 0))), refused)
}

// warnClosed names queues that have jobs of the trace and would refuse them.
func (c *Case) warnClosed(conf *yarnconf.Config) {
	jobs := make([]int, len(c.Work.Queues))
	for i := range c.Work.Jobs {
		jobs[c.Work.Jobs[i].Queue]++
	}
	eff := conf.Effective(c.Total())
	for k, name := range c.Work.Queues {
		i := conf.Find(name)
		if i < 0 || jobs[k] == 0 {
			continue
		}
		why := ""
		switch {
		case conf.Queues[i].State != yarnconf.Running:
			why = "is " + fmt.Sprint(conf.Queues[i].State)
		case eff[i].MaxApplications == 0:
			why = "admits 0 applications"
		case conf.PreemptsForEver(i, eff[i].Min):
			c.Warnings = append(c.Warnings, fmt.Sprintf("the guaranteed cores of %s come to 0, and Hadoop %v preempts its "+
				"containers again and again (YARN-11073)", name, conf.Version))
			continue
		default:
			continue
		}
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s %s and refuses every submission (%s of the trace)", name,
			why, text.Count(jobs[k], "job")))
	}
}
