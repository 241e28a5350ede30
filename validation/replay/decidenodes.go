package replay

import (
	"maps"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Nodes that come and go, as calls of the scheduler.

// turns are the steps of the run's nodes.
func (r *Run) turns() []step {
	var steps []step
	for i := range r.Nodes {
		for _, s := range r.Nodes[i].stays() {
			add := func(at simcore.Time, kind stepKind) {
				if at > 0 && at != simcore.Never {
					steps = append(steps, step{at: at, kind: kind, node: int32(i)})
				}
			}
			add(s.From, stepJoin)
			add(s.Drain, stepDrain)
			add(s.To, stepGone)
		}
	}
	return steps
}

func (d *decider) addNode(i int) error {
	n := &d.run.Nodes[i]
	id, err := d.sched.AddNode(yarn.NodeSpec{Name: n.Name, Rack: n.Rack, Host: n.Host, Port: n.Port,
		Resource: yarn.Resource{Memory: n.MiB, VCores: n.VCores}})
	d.nodes[i] = id
	return err
}

// turn makes a node come, empty itself or go.
func (d *decider) turn(s *step) error {
	id := d.nodes[s.node]
	switch {
	case s.kind == stepJoin && id < 0:
		return d.addNode(int(s.node))
	case s.kind == stepDrain && id >= 0:
		d.sched.Decommission(id)
	case s.kind == stepGone && id >= 0:
		d.sched.LoseNode(id, nil)
		d.nodes[s.node] = -1
		maps.DeleteFunc(d.live, func(c *Container, _ int32) bool { return c.Node == s.node })
		maps.DeleteFunc(d.held, func(c *Container, _ bool) bool { return c.Node == s.node })
	}
	return nil
}

// beat is a node's heartbeat; one that is not there has none.
func (d *decider) beat(s *step, dst []yarn.Event) []yarn.Event {
	if d.nodes[s.node] < 0 {
		return dst
	}
	d.free(s)
	return d.sched.Beat(d.nodes[s.node], d.done(s), dst)
}
