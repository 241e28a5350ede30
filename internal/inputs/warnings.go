package inputs

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/yarnconf"
)

// warn collects what does not keep a study from running and makes its figures
// doubtful.
func (c *Case) warn(in *Files) error {
	conf, errs := yarnconf.Evaluate(c.Doc)
	if len(errs) > 0 {
		return nil // loadConfig has said so
	}
	for _, p := range capacity.Ignored(conf) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s=%s: %s", strings.TrimPrefix(p.Key, yarnconf.Prefix), p.Value, p.Reason))
	}
	if len(in.Traces) > 0 && in.Site == "" {
		c.warnSizes(conf)
	}
	c.warnClosed(conf)
	return nil
}

// warnSizes compares the container sizes of the trace with the bounds that
// stand in yarn-site.xml. Without that file they are Hadoop's defaults, and a
// cluster of small containers would be simulated with ones of 1,024 MiB.
func (c *Case) warnSizes(conf *yarnconf.Config) {
	least, most := conf.MinAllocation.Memory, conf.MaxAllocation.Memory
	var small, large []int64
	for i := range c.Work.Jobs {
		j := &c.Work.Jobs[i]
		for _, ask := range []simcore.Vec{j.AMAsk, j.MapAsk, j.ReduceAsk} {
			switch m := ask[simcore.Memory]; {
			case m > 0 && m < least:
				small = append(small, m)
			case m > most:
				large = append(large, m)
			}
		}
	}
	if len(small) > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the trace has containers of %d MiB, and without --site each gets %d MiB, Hadoop's minimum allocation; --site yarn-site.xml gives the cluster's own", slices.Min(small), least))
	}
	if len(large) > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the trace has containers of %d MiB, and without --site each gets %d MiB, Hadoop's maximum allocation; --site yarn-site.xml gives the cluster's own", slices.Max(large), most))
	}
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
		default:
			continue
		}
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s %s and refuses every submission; %s of the trace run in it all the same", name, why, Counted(jobs[k], "job")))
	}
}

// counted is a number with its noun.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
