package sparkreplay

import (
	"cmp"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/validation/replay"
)

// What the scheduler decided, one step at a time: given the recorded heartbeats
// of nodes, calls of masters, kills and ends, is each container allocated on the
// same node at the same heartbeat?

// Decisions plays the recorded calls into the scheduler. It also says in which
// order calls that the records leave open explain most decisions.
func (r *Run) Decisions() (*replay.Settled, error) {
	if r.settled != nil {
		return r.settled, nil
	}
	c := &calls{r: r, containers: map[string]*replay.Container{}}
	run := r.Run
	run.Jobs = slices.Clone(run.Jobs)
	for i, j := range run.Jobs {
		own := *j
		own.Containers = nil
		for _, x := range j.Containers {
			x := *x // its end is changed
			own.Containers, c.containers[x.ID] = append(own.Containers, &x), &x
		}
		run.Jobs[i] = &own
	}
	for i := range r.Apps {
		c.masters(int32(i))
	}
	slices.SortStableFunc(c.killed, func(a, b *replay.Container) int { return cmp.Compare(a.Over, b.Over) })
	var err error
	r.settled, err = run.Settle(c.list, c.killed)
	return r.settled, err
}

// calls are those of a run.
type calls struct {
	r          *Run
	containers map[string]*replay.Container
	list       []replay.MasterCall
	killed     []*replay.Container
}

// masters gives an application's calls, and what ended its containers besides
// their nodes: its master, the preemption policy, its own end.
func (c *calls) masters(app int32) {
	a := c.r.Apps[app]
	for _, x := range a.Containers {
		y := c.containers[x.ID]
		if y == nil || x.End == "completed" {
			continue
		}
		if x.End == "killed" && x.Exit == preempted {
			c.killed = append(c.killed, y)
		}
		y.Over, y.Released = y.Released, simcore.Never // its node tells that its process is gone, not that it ended
	}
	at := a.handled()
	for i := range a.Calls {
		call := replay.MasterCall{Job: app, At: at[i]}
		for _, x := range a.Asks {
			switch {
			case x.Response != a.Calls[i].Response:
			case x.Kind == "ASK" && x.MiB > 0 && x.Count >= 0:
				size := yarn.Resource{Memory: x.MiB, VCores: x.VCores}
				call.Asks = append(call.Asks, yarn.Ask{Priority: x.Priority, Size: size, Count: x.Count, Where: c.place(x.Where), Strict: !x.Relax})
			case x.Kind == "RELEASE" && c.containers[x.Container] != nil:
				call.Release = append(call.Release, c.containers[x.Container])
			}
		}
		c.list = append(c.list, call)
	}
}

// place is a row's host, rack or any place as replay.MasterCall has it.
func (c *calls) place(where string) yarn.Place {
	if where == "*" {
		return yarn.AnyPlace
	}
	n := c.r.NodeIndex(where)
	if n < 0 {
		n = int32(len(c.r.Nodes))
	}
	return yarn.Place(-1 - n)
}
