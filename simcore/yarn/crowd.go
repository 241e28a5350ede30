package yarn

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// What the tasks of a node cost each other (Calibration.TaskSlowdown): beside n others each takes
// 1 + TaskSlowdown n times as long as alone. Whenever a task begins or ends, what is left of the
// others on its node is stretched or shortened. Tez's tasks neither slow others down nor are
// slowed down.

// crowd is the containers of a node with tasks.
type crowd struct {
	tasks int32
	in    []occupied
}

// occupied is a container with so many tasks.
type occupied struct{ slot, tasks int32 }

// resetCrowds begins a run without tasks; without a slowdown nothing is counted.
func (s *Sim) resetCrowds() {
	s.crowds = s.crowds[:0]
	if s.cal.TaskSlowdown > 0 {
		s.crowds = kernel.Zeroed(s.crowds, len(s.cluster.Nodes))
	}
}

// slowed returns the factor on the times of so many tasks of a node.
func (s *Sim) slowed(tasks int32) float64 { return 1 + s.cal.TaskSlowdown*float64(max(tasks-1, 0)) }

// crowded returns the time of a task with the tasks that its node has now, from one that was
// recorded beside TaskNeighbours others.
func (s *Sim) crowded(n int32, d simcore.Time) simcore.Time {
	if len(s.crowds) == 0 {
		return d
	}
	return stretched(d, s.slowed(s.crowds[n].tasks)/(1+s.cal.TaskSlowdown*s.cal.TaskNeighbours))
}

// stretched multiplies a time by a factor.
func stretched(d simcore.Time, f float64) simcore.Time { return simcore.Time(float64(d)*f + 0.5) }

// occupy sets how many tasks a container has. The ends of all tasks of its node move.
func (s *Sim) occupy(sl int32, c *slot, tasks int32) {
	if len(s.crowds) == 0 {
		return
	}
	n := &s.crowds[c.node]
	i := slices.IndexFunc(n.in, func(o occupied) bool { return o.slot == sl })
	if i < 0 && tasks == 0 {
		return
	}
	if i < 0 {
		i, n.in = len(n.in), append(n.in, occupied{slot: sl})
	}
	before := s.slowed(n.tasks)
	n.tasks += tasks - n.in[i].tasks
	if n.in[i].tasks = tasks; tasks == 0 {
		n.in = slices.Delete(n.in, i, i+1)
	}
	if f := s.slowed(n.tasks) / before; f != 1 {
		for _, o := range n.in {
			s.stretch(o.slot, f)
		}
	}
}

// stretch multiplies what is left of a container's tasks.
func (s *Sim) stretch(sl int32, f float64) {
	c := &s.slots.all[sl]
	if c.kind != executorContainer && c.state != running && c.state != reducing {
		return // a reduce that waits or copies
	}
	at := s.now + stretched(s.tree.When(s.slotLeaf(sl))-s.now, f)
	if c.kind == executorContainer {
		at = simcore.Never
		runs := s.spark.apps[c.job].runsOf(c.task)
		for i := range runs {
			if r := &runs[i]; r.set >= 0 {
				r.end, r.noted = s.now+stretched(r.end-s.now, f), s.now+stretched(r.noted-s.now, f)
				at = min(at, r.end)
			}
		}
	}
	s.tree.Set(s.slotLeaf(sl), at)
}

// crowd counts the tasks of a live executor.
func (k *sparkMaster) crowd(x *sparkExec, runs []sparkRun) {
	if len(k.s.crowds) == 0 || x.state == execGone || k.s.slots.all[x.slot].state == dead {
		return
	}
	tasks := int32(0)
	for i := range runs {
		if runs[i].set >= 0 {
			tasks++
		}
	}
	k.s.occupy(x.slot, &k.s.slots.all[x.slot], tasks)
}
