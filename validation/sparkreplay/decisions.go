package sparkreplay

import (
	"cmp"
	"slices"
	"strings"

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
	if r.settled == nil {
		c := &calls{r: r, containers: map[string]*replay.Container{}}
		run := c.run()
		for i := range r.Apps {
			c.masters(int32(i))
		}
		slices.SortStableFunc(c.killed, func(a, b replay.Kill) int { return cmp.Compare(a.At, b.At) })
		s, err := run.Settle(c.list, c.killed)
		if err != nil {
			return nil, err
		}
		r.settled = s
	}
	return r.settled, nil
}

// called reports whether calls of masters are recorded.
func (r *Run) called() bool {
	return slices.ContainsFunc(r.Apps, func(a App) bool { return len(a.Calls) > 0 })
}

// calls are those of a run.
type calls struct {
	r          *Run
	containers map[string]*replay.Container
	list       []replay.MasterCall
	killed     []replay.Kill
}

// run is what the comparison needs of the run.
func (c *calls) run() *replay.Run {
	out := &replay.Run{Dir: c.r.Dir, Name: c.r.Name, Queues: c.r.Queues}
	for _, n := range c.r.Nodes {
		out.Nodes = append(out.Nodes, replay.Node{Name: n.Name, Host: n.Host, Port: n.Port, Rack: n.Rack, MiB: n.MiB, VCores: n.VCores})
	}
	for _, b := range c.r.Beats {
		out.Beats = append(out.Beats, replay.Beat{At: b.At, Node: b.Node})
	}
	for i := range c.r.Apps {
		a := &c.r.Apps[i]
		j := replay.Job{ID: "job_" + strings.TrimPrefix(a.ID, "application_"), Name: a.Name, Queue: a.Queue, User: a.User, Submit: a.Submit, Finish: a.Finish,
			Released: a.Released, Executors: a.Kind == "spark", AMMiB: a.Driver[simcore.Memory]}
		if !j.Executors {
			j.AMMiB = c.r.planned(a.Name).AMMiB
		}
		for k := range a.Containers {
			if x := &a.Containers[k]; x.Allocated != simcore.Never && x.Node >= 0 {
				j.Containers = append(j.Containers, replay.Container{ID: x.ID, Kind: x.Kind, Node: x.Node, MiB: x.MiB, Allocated: x.Allocated, Acquired: x.Acquired, Released: x.Released,
					Running: x.Running, Gone: x.Exited, VCores: x.VCores})
			}
		}
		slices.SortStableFunc(j.Containers, func(a, b replay.Container) int { return strings.Compare(a.ID, b.ID) })
		out.Jobs = append(out.Jobs, j)
	}
	for i := range out.Jobs {
		for k := range out.Jobs[i].Containers {
			x := &out.Jobs[i].Containers[k]
			c.containers[x.ID] = x
		}
	}
	return out
}

// masters gives an application's calls, and what ended its containers besides
// their nodes: its master, the preemption policy, its own end.
func (c *calls) masters(app int32) {
	a := &c.r.Apps[app]
	for k := range a.Containers {
		x := &a.Containers[k]
		y := c.containers[x.ID]
		if y == nil || x.End == "completed" {
			continue
		}
		if x.End == "killed" && x.Exit == killedByPolicy {
			c.killed = append(c.killed, replay.Kill{At: y.Released, Container: y})
		}
		y.Released = simcore.Never // no heartbeat reports its end
	}
	at := a.handled()
	for i := range a.Calls {
		call := replay.MasterCall{Job: app, At: at[i]}
		for k := range a.Asks {
			x := &a.Asks[k]
			switch {
			case x.Response != a.Calls[i].Response:
			case x.Kind == "ASK" && x.MiB > 0 && x.Count >= 0:
				call.Asks = append(call.Asks, yarn.Ask{Priority: x.Priority, Size: yarn.Resource{Memory: x.MiB, VCores: x.VCores}, Count: x.Count, Where: c.place(x.Where), Strict: !x.Relax})
			case x.Kind == "RELEASE" && c.containers[x.Container] != nil:
				call.Release = append(call.Release, c.containers[x.Container])
			}
		}
		c.list = append(c.list, call)
	}
}

// killedByPolicy is the exit status of a preempted container
// (ContainerExitStatus.PREEMPTED).
const killedByPolicy = "-102"

// place is a row's host, rack or any place as replay.MasterCall has it.
func (c *calls) place(where string) yarn.Place {
	if where == "*" {
		return yarn.AnyPlace
	}
	n := slices.IndexFunc(c.r.Nodes, func(n Node) bool { return n.Name == where })
	if n < 0 {
		n = len(c.r.Nodes)
	}
	return yarn.Place(-1 - n)
}
