package scenario

import (
	"fmt"
	"slices"

	"schedtune/datasets"
	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// LoadTraceQueues reads a trace whose jobs stay in the queues that it names, for
// schedulers that do not take their queues from a capacity-scheduler.xml. The
// machines are those of --cluster, else those recorded in the trace, else the
// embedded ones. QueueMap renames queues; Config is not used.
func (in *Files) LoadTraceQueues() (*Case, error) {
	c, err := in.begin()
	if err != nil {
		return nil, err
	}
	c.Props = yarnconf.Map{}
	t, err := in.open()
	if err != nil {
		return nil, err
	}
	c.recordedAs(t)
	c.Warnings = append(c.Warnings, in.Incomplete()...)
	if err := in.machines(c, t); err != nil {
		return nil, err
	}
	if err := c.workload(t, trace.WorkloadOptions{Cluster: c.Cluster, Flat: true}); err != nil {
		return nil, err
	}
	if in.Users > 0 && len(c.Work.Users) < 2 {
		c.Warnings = append(c.Warnings, in.dealUsers(c.Work))
	}
	if c.Work, err = mapQueues(c.Work, in.QueueMap); err != nil {
		return nil, err
	}
	if in.Config != "" {
		doc, err := yarnconf.Load(in.Config)
		if err != nil {
			return nil, err
		}
		if !yarnconf.IsMR1(doc) {
			return nil, &FlagError{Flag: "--config", Err: fmt.Errorf("%s: no capacity-scheduler.xml of Hadoop 1", in.Config)}
		}
		if c.MR1, err = yarnconf.EvaluateMR1(doc); err != nil {
			return nil, err
		}
	}
	site, err := in.site(c)
	if err != nil {
		return nil, err
	}
	if site != nil {
		c.Props = site
	}
	return c, nil
}

// mapQueues sends jobs to other queues by the rules of --queue-map: a user's rule
// before a queue's, exact names before "*". Any queue may be named: the scheduler
// knows which it has or makes.
func mapQueues(w *simcore.Workload, mapping string) (*simcore.Workload, error) {
	p := &Placement{byUser: map[string]string{}, byQueue: map[string]string{}}
	err := eachRule(mapping, func(_ string, f []string) error { p.keep(f); return nil })
	if err != nil || !p.rules() {
		return w, err
	}
	out := *w
	out.Jobs = slices.Clone(w.Jobs)
	var queues []string
	var index fileio.Index
	for i := range out.Jobs {
		j := &out.Jobs[i]
		to := w.Queues[j.Queue]
		for _, x := range []string{p.byUser[w.Users[j.User]], p.byQueue[to], p.byUser["*"], p.byQueue["*"]} {
			if x != "" {
				to = forUser(x, w.Users[j.User])
				break
			}
		}
		j.Queue = index.ID(&queues, to)
	}
	out.Queues = queues
	return &out, nil
}

// machines finds the machines of a trace.
func (in *Files) machines(c *Case, t *trace.Trace) error {
	if in.Cluster != "" {
		return in.readCluster(c)
	}
	if c.takeRecorded(t) {
		return nil
	}
	set, err := datasets.Load(DefaultSet)
	if err != nil {
		return err
	}
	c.Cluster = set.Cluster
	c.Notes = append(c.Notes, fmt.Sprintf("no --cluster: that of the embedded data set %q is used", DefaultSet))
	return nil
}

// LoadSet is the case of an embedded data set. Doc is nil where the set has no
// capacity-scheduler.xml of YARN.
func (in *Files) LoadSet(name string) (*Case, error) {
	set, err := datasets.Load(name)
	if err != nil {
		return nil, err
	}
	c, err := in.begin()
	if err != nil {
		return nil, err
	}
	c.Cluster, c.Work, c.Set = set.Cluster, set.Workload, set
	if set.ConfigXML == nil || set.Config.Model == simcore.Resources {
		return c, nil
	}
	if c.Doc, err = yarnconf.Parse(EmbeddedConfig, set.ConfigXML); err != nil {
		return nil, err
	}
	c.Props = c.Doc
	return c, nil
}
