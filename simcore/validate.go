package simcore

import (
	"fmt"
	"math"
)

// Validate reports the first inconsistency between a cluster and a workload
// that would make a run meaningless.
func Validate(c *Cluster, w *Workload) error {
	if c == nil || w == nil {
		return fmt.Errorf("simcore: no cluster or no workload is given")
	}
	if len(c.Nodes) == 0 {
		return fmt.Errorf("simcore: the cluster has no nodes")
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if n.Rack < 0 || int(n.Rack) >= max(len(c.Racks), 1) {
			return fmt.Errorf("simcore: node %d (%s): rack %d, want 0 to %d", i, n.Name, n.Rack, max(len(c.Racks), 1)-1)
		}
		if n.Slots[0] < 0 || n.Slots[1] < 0 || n.Speed < 0 {
			return fmt.Errorf("simcore: node %d (%s): negative slots or speed", i, n.Name)
		}
	}
	for i := range w.Jobs {
		if err := validateJob(w, i); err != nil {
			return err
		}
	}
	for i := range w.Dists {
		d := &w.Dists[i]
		if d.Kind > Empirical || math.IsNaN(d.A+d.B) || math.IsInf(d.A+d.B, 0) || d.Kind == Pareto && d.B <= 0 {
			return fmt.Errorf("simcore: distribution %d: kind %d, A %v, B %v: want a known kind and finite figures, a Pareto's shape above 0", i, d.Kind, d.A, d.B)
		}
	}
	return validateHosts(c, w)
}

func validateHosts(c *Cluster, w *Workload) error {
	at := w.Tasks.HostAt
	for i := 1; i < len(at); i++ {
		if at[i] < at[i-1] || int(at[i]) > len(w.Tasks.Hosts) {
			return fmt.Errorf("simcore: task %d: hosts end at %d, want %d to %d", i-1, at[i], at[i-1], len(w.Tasks.Hosts))
		}
	}
	for i, h := range w.Tasks.Hosts {
		if h < 0 || int(h) >= len(c.Nodes) {
			return fmt.Errorf("simcore: host %d of the tasks' inputs is node %d, want 0 to %d", i, h, len(c.Nodes)-1)
		}
	}
	return nil
}

func validateJob(w *Workload, i int) error {
	j := &w.Jobs[i]
	fail := func(what string, got any, want string) error {
		return fmt.Errorf("simcore: job %d (%s): %s %v, want %s", i, j.ID, what, got, want)
	}
	in := func(x int32, n int) bool { return x >= 0 && int(x) < n }
	switch {
	case i > 0 && j.Submit < w.Jobs[i-1].Submit:
		return fail("submit time", j.Submit, "jobs in order of submission")
	case j.Submit < 0:
		return fail("submit time", j.Submit, "0 or more")
	case j.Maps < 0 || j.Reduces < 0:
		return fail("maps", j.Maps, "counts of 0 or more")
	case !in(j.Queue, len(w.Queues)):
		return fail("queue", j.Queue, fmt.Sprintf("0 to %d", len(w.Queues)-1))
	case !in(j.User, len(w.Users)):
		return fail("user", j.User, fmt.Sprintf("0 to %d", len(w.Users)-1))
	case j.Class != -1 && !in(j.Class, len(w.Classes)):
		return fail("class", j.Class, fmt.Sprintf("-1 to %d", len(w.Classes)-1))
	case j.MapDist >= int32(len(w.Dists)) || j.ReduceDist >= int32(len(w.Dists)):
		return fail("distribution", max(j.MapDist, j.ReduceDist), fmt.Sprintf("-1 to %d", len(w.Dists)-1))
	case j.FirstTask >= 0 && int(j.FirstTask)+int(j.Maps)+int(j.Reduces) > len(w.Tasks.Duration) && w.Tasks.Duration != nil:
		return fail("first task", j.FirstTask, fmt.Sprintf("all tasks within the %d described", len(w.Tasks.Duration)))
	case j.Spark != nil && j.Maps+j.Reduces > 0:
		return fail("maps and reduces", j.Maps+j.Reduces, "none beside a Spark application")
	case j.FirstTask >= 0 && w.Tasks.HostAt != nil && int(j.FirstTask)+int(j.Maps) >= len(w.Tasks.HostAt):
		return fail("first task", j.FirstTask, fmt.Sprintf("all maps within the %d with hosts", len(w.Tasks.HostAt)-1))
	}
	if j.Spark != nil {
		if err := j.Spark.Validate(w); err != nil {
			return fmt.Errorf("simcore: job %d (%s): %w", i, j.ID, err)
		}
	}
	return nil
}
