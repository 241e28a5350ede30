package kernel

import "schedtune/simcore"

// newTree returns a tree of n leaves without events.
func newTree(n int) *Tree {
	t := &Tree{}
	t.Reset(n)
	return t
}

// newDurations returns the task times of one run.
func newDurations(cfg simcore.DurationConfig, c *simcore.Cluster, w *simcore.Workload) *Durations {
	d := &Durations{}
	d.Reset(cfg, c, w)
	return d
}
