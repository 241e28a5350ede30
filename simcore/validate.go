package simcore

import (
	"fmt"
	"math"
)

// Check is a condition on a value.
type Check struct {
	OK   bool   // the condition is met
	Name string // of the value
	Got  any
	Must string // what the value must be, such as "0 or more"
}

// Must returns a check.
func Must(ok bool, name string, got any, must string) Check { return Check{ok, name, got, must} }

// Checks are conditions on the values of one thing.
type Checks []Check

// Err returns an error for the first check that is not met, nil if all are: the prefix, the
// value's name, the value and the condition.
func (cs Checks) Err(prefix string) error {
	for _, c := range cs {
		if !c.OK {
			return fmt.Errorf("%s%s %v: must be %s", prefix, c.Name, c.Got, c.Must)
		}
	}
	return nil
}

// Validate returns an error for the first contradiction between a cluster and a workload, in
// any of its jobs.
func Validate(c *Cluster, w *Workload) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if w == nil {
		return fmt.Errorf("simcore: no workload")
	}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if err := w.ValidateJob(i); err != nil {
			return err
		}
		if i > 0 && j.Submit < w.Jobs[i-1].Submit {
			return fmt.Errorf("simcore: job %d (%s): submit time %v: is before the previous job's", i, j.ID, j.Submit.Std())
		}
		if j.Class < -1 || int(j.Class) >= len(w.Classes) {
			return fmt.Errorf("simcore: job %d (%s): class %d: must be from -1 to %d", i, j.ID, j.Class, len(w.Classes)-1)
		}
	}
	for i := range w.Dists {
		d := &w.Dists[i]
		if d.Kind > Empirical || math.IsNaN(d.A+d.B) || math.IsInf(d.A+d.B, 0) || d.Kind == Pareto && d.B <= 0 {
			return fmt.Errorf("simcore: distribution %d: kind %d, A %v, B %v: must be of a known kind and finite",
				i, d.Kind, d.A, d.B)
		}
	}
	return validateHosts(c, w)
}

// Validate returns an error for a cluster without nodes and for the first node with a rack or
// slots that cannot be.
func (c *Cluster) Validate() error {
	if c == nil || len(c.Nodes) == 0 {
		return fmt.Errorf("simcore: the cluster has no nodes")
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if n.Rack < 0 || int(n.Rack) >= max(len(c.Racks), 1) {
			return fmt.Errorf("simcore: node %d (%s): rack %d: must be from 0 to %d", i, n.Name, n.Rack, max(len(c.Racks), 1)-1)
		}
		if n.Slots[0] < 0 || n.Slots[1] < 0 || n.Speed < 0 {
			return fmt.Errorf("simcore: node %d (%s): slots %v, speed %v: must be 0 or more", i, n.Name, n.Slots, n.Speed)
		}
	}
	return nil
}

// validateHosts checks the hosts of the tasks' inputs.
func validateHosts(c *Cluster, w *Workload) error {
	at := w.Tasks.HostAt
	for i := 1; i < len(at); i++ {
		if at[i] < at[i-1] || int(at[i]) > len(w.Tasks.Hosts) {
			return fmt.Errorf("simcore: task %d: end of hosts %d: must be from %d to %d", i-1, at[i], at[i-1],
				len(w.Tasks.Hosts))
		}
	}
	for i, h := range w.Tasks.Hosts {
		if h < 0 || int(h) >= len(c.Nodes) {
			return fmt.Errorf("simcore: input host %d: node %d: must be from 0 to %d", i, h, len(c.Nodes)-1)
		}
	}
	return nil
}

// ValidateJob returns an error for the first value of a job that is out of range.
func (w *Workload) ValidateJob(i int) error {
	j := &w.Jobs[i]
	fail := func(what string, got any, must string, args ...any) error {
		return fmt.Errorf("simcore: job %d (%s): %s %v: %s", i, j.ID, what, got, fmt.Sprintf(must, args...))
	}
	tasks := int(j.FirstTask) + int(j.Maps) + int(j.Reduces)
	switch {
	case j.Submit < 0 || j.Think < 0:
		return fail("submit time", min(j.Submit, j.Think).Std(), "must be 0 or more")
	case j.Maps < 0 || j.Reduces < 0:
		return fail("maps and reduces", []int32{j.Maps, j.Reduces}, "must be 0 or more")
	case j.Queue < 0 || int(j.Queue) >= len(w.Queues):
		return fail("queue", j.Queue, "must be from 0 to %d", len(w.Queues)-1)
	case j.User < 0 || int(j.User) >= len(w.Users):
		return fail("user", j.User, "must be from 0 to %d", len(w.Users)-1)
	case int(max(j.MapDist, j.ReduceDist)) >= len(w.Dists):
		return fail("distribution", max(j.MapDist, j.ReduceDist), "must be from -1 to %d", len(w.Dists)-1)
	case j.FirstTask >= 0 && w.Tasks.Duration != nil && tasks > len(w.Tasks.Duration):
		return fail("first task", j.FirstTask, "all tasks must be within the %d described", len(w.Tasks.Duration))
	case j.FirstTask >= 0 && len(w.Tasks.HostAt) > 0 && int(j.FirstTask)+int(j.Maps) >= len(w.Tasks.HostAt):
		return fail("first task", j.FirstTask, "all maps must be within the %d with hosts", len(w.Tasks.HostAt)-1)
	case (j.Spark != nil || j.Tez != nil) && j.Maps+j.Reduces > 0:
		return fail("maps and reduces", j.Maps+j.Reduces, "a Spark or Tez application has none")
	}
	var err error
	if j.Spark != nil {
		err = j.Spark.Validate(w)
	} else if j.Tez != nil {
		err = j.Tez.Validate(w)
	}
	if err != nil {
		return fmt.Errorf("simcore: job %d (%s): %w", i, j.ID, err)
	}
	return nil
}
