package simulate

import (
	"sync"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// siteKeys are what a job alone on the idle cluster keeps of the properties: how
// containers are rounded and counted.
var siteKeys = []string{
	"yarn.scheduler.minimum-allocation-mb", "yarn.scheduler.maximum-allocation-mb",
	"yarn.scheduler.minimum-allocation-vcores", "yarn.scheduler.maximum-allocation-vcores",
	yarnconf.Prefix + "resource-calculator", yarnconf.Prefix + "node-locality-delay",
}

// aloneQueue is the one queue of a cluster that one job has for itself.
const aloneQueue = "root.alone"

// alone keeps, by window, the completion times of its jobs alone on the idle
// cluster, which bounded slowdowns are taken against.
type alone struct {
	on      func(window int) bool // nil = all
	conf    *yarnconf.Config
	opt     yarn.Options
	cfg     yarn.RunConfig
	cluster *simcore.Cluster

	windows []aloneWindow
}

type aloneWindow struct {
	once  sync.Once
	times []simcore.Time
}

// newAlone prepares them for a number of windows. Where the files allow none, such
// as a largest allocation below the smallest, slowdowns have no value: nil.
func (r *Runner) newAlone(windows int, opt yarn.Options) *alone {
	changes := []yarnconf.Change{{Key: yarnconf.Prefix + "root.queues", Value: "alone"},
		{Key: yarnconf.Key(aloneQueue, yarnconf.Capacity), Value: "100"},
		{Key: yarnconf.Prefix + yarnconf.AMShare, Value: "1"}}
	for _, key := range siteKeys {
		if r.c.Props == nil {
			break
		}
		if v, ok := r.c.Props.Get(key); ok {
			changes = append(changes, yarnconf.Change{Key: key, Value: v})
		}
	}
	doc, err := yarnconf.Parse("alone.xml", yarnconf.Fragment("", changes))
	if err != nil {
		return nil
	}
	conf, err := yarnconf.Evaluate(doc)
	if err != nil {
		return nil
	}
	cfg := yarn.RunConfig{Slowstart: -1, Calibration: r.c.Calibration}
	cfg.Durations.Model = r.opt.Model
	return &alone{on: r.opt.SlowdownsOn, conf: conf, opt: opt, cfg: cfg, cluster: r.Cluster.AtStart(),
		windows: make([]aloneWindow, windows)}
}

// with is a window's workload with the times of its jobs alone. A workload whose
// jobs do not end alone has none.
func (a *alone) with(window int, w *simcore.Workload) *simcore.Workload {
	if a == nil || w.Alone != nil || a.on != nil && !a.on(window) {
		return w
	}
	at := &a.windows[window]
	at.once.Do(func() {
		sched, err := capacity.New(a.conf)
		if err != nil {
			return
		}
		if times, err := yarn.Alone(a.cluster, w, a.opt, a.cfg, aloneQueue, sched); err == nil {
			at.times = times
		}
	})
	if at.times == nil {
		return w
	}
	out := *w
	out.Alone = at.times
	return &out
}
