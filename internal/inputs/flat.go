package inputs

import (
	"fmt"

	"schedtune/datasets"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// LoadTraceQueues reads a trace whose jobs stay in the queues that it names, for
// schedulers that do not take their queues from a capacity-scheduler.xml. The
// machines are those of --cluster, else those recorded in the trace, else the
// embedded ones. Config and QueueMap are not used.
func (in *Files) LoadTraceQueues() (*Case, error) {
	c := &Case{Calibration: yarn.Default(), Props: yarnconf.Map{}}
	t, err := trace.OpenAll(in.Traces, trace.Options{})
	if err != nil {
		return nil, err
	}
	if err := in.machines(c, t); err != nil {
		return nil, err
	}
	w, notes, err := t.Workload(trace.WorkloadOptions{Cluster: c.Cluster, Flat: true, Seed: 1})
	if err != nil {
		return nil, err
	}
	for _, n := range append(t.Notes, notes...) {
		c.Notes = append(c.Notes, n.String())
	}
	c.Work = w
	if in.Site != "" {
		if c.Props, err = yarnconf.Load(in.Site); err != nil {
			return nil, err
		}
	}
	if in.Calibration != "" {
		if c.Calibration, err = yarn.LoadCalibration(in.Calibration); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// machines finds the machines of a trace.
func (in *Files) machines(c *Case, t *trace.Trace) error {
	if in.Cluster != "" {
		f, err := LoadCluster(in.Cluster)
		if err != nil {
			return err
		}
		c.Cluster, c.Notes = f.Cluster, append(c.Notes, f.Notes...)
		return nil
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
func LoadSet(name string) (*Case, error) {
	set, err := datasets.Load(name)
	if err != nil {
		return nil, err
	}
	c := &Case{Cluster: set.Cluster, Work: set.Workload, Calibration: yarn.Default(), Set: set}
	if set.ConfigXML == nil || set.Config.Model == simcore.Resources {
		return c, nil
	}
	if c.Doc, err = yarnconf.Parse("capacity-scheduler.xml (embedded)", set.ConfigXML); err != nil {
		return nil, err
	}
	c.Props = c.Doc
	return c, nil
}
