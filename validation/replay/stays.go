package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"schedtune/simcore"
	"schedtune/trace/runlog"
)

// Nodes that come and go while a run is recorded.

// stays lists when the ResourceManager had a node.
func (n *Node) stays() runlog.Stays {
	if n.Stays == nil {
		return runlog.Always
	}
	return n.Stays
}

// changes reports whether nodes come and go.
func (r *Run) changes() bool {
	return slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.Stays != nil })
}

// loadStays reads when nodes came and went. Those that are there at the start go
// first.
func (r *Run) loadStays() error {
	address := map[string]string{}
	for i := range r.Nodes {
		address[r.Nodes[i].Name] = r.Nodes[i].address()
	}
	all, err := runlog.NodeStays(r.Dir, address)
	if err != nil {
		return err
	}
	r.Nodes = slices.DeleteFunc(r.Nodes, func(n Node) bool { // gone before
		s := all[n.address()]
		return s != nil && len(s.Since(0)) == 0
	})
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if s := all[n.address()].Since(0); s != nil && !s.Whole() {
			n.Stays = s
		}
	}
	slices.SortStableFunc(r.Nodes, func(a, b Node) int { return cmp.Compare(a.stays()[0].From, b.stays()[0].From) })
	return nil
}

// lastSigns dates losses of machines of which nothing else is known: they were gone
// behind the node's last heartbeat.
func (r *Run) lastSigns() {
	for i := range r.Nodes {
		for k := range r.Nodes[i].Stays {
			s := &r.Nodes[i].Stays[k]
			if s.Dead != s.To {
				continue
			}
			for _, b := range r.Beats {
				if int(b.Node) == i && b.At >= s.From && b.At < s.To {
					s.Dead = b.At + simcore.Millisecond
				}
			}
		}
	}
}

// goneWith reports whether a container ended with its node.
func (r *Run) goneWith(c *Container) bool {
	return c.Node >= 0 && c.Released != simcore.Never && r.Nodes[c.Node].stays().At(c.Released) == nil
}

// follows has a cluster's nodes come and go as recorded.
func (r *Run) follows(c *simcore.Cluster) {
	if !r.changes() {
		return
	}
	for i := range r.Nodes {
		c.Elastic.Changes = append(c.Elastic.Changes, r.Nodes[i].stays().Changes(r.Nodes[i].address())...)
	}
	c.Elastic.SortChanges()
	r.timers(c)
}

// address is the name of a node in the simulation: the original's hash tables go by
// the address, such as which reservation is given up.
func (n *Node) address() string {
	if n.Port > 0 {
		return fmt.Sprintf("%s:%d", n.Host, n.Port)
	}
	return n.Name
}

// timers are the settings of the run that say how long a node is waited for.
func (r *Run) timers(c *simcore.Cluster) {
	if r.Queues == nil {
		return
	}
	for key, to := range map[string]*simcore.Time{"yarn.nm.liveness-monitor.expiry-interval-ms": &c.Elastic.Expiry,
		"yarn.client.nodemanager-connect.max-wait-ms": &c.Elastic.Unreachable} {
		if ms, err := strconv.ParseInt(r.Queues.Value(key), 10, 64); err == nil && ms > 0 && float64(ms) <= runlog.MaxMillis {
			*to = simcore.Time(ms) * simcore.Millisecond
		}
	}
}

// planned is the cluster that the scenario asked for: its nodes at the start, and what
// was to become of them.
func (r *Run) planned() (*simcore.Cluster, error) {
	if len(r.Scenario.Events) == 0 {
		if r.changes() {
			return nil, fmt.Errorf("%s: nodes came and went, but the scenario has no events", r.path("scenario.json"))
		}
		return r.Cluster(), nil
	}
	c := r.Cluster()
	c.Elastic = simcore.Elastic{}
	names := map[string]string{}
	for i, n := range r.Scenario.Nodes {
		if i < len(c.Nodes) {
			names[n.Name] = c.Nodes[i].Name
		}
	}
	for _, e := range r.Scenario.Events {
		ch := simcore.NodeChange{At: millis(e.At), Count: 1}
		switch e.Op {
		case "join":
			ch.What = simcore.Join
			if names[e.Node] == "" {
				names[e.Node] = e.Node
				spare := c.Nodes[0]
				spare.Name = e.Node
				c.Elastic.Spare = append(c.Elastic.Spare, spare)
			}
		case "decommission":
			ch.What, ch.Timeout = simcore.Decommission, millis(1000*e.Timeout)
		case "lose":
			ch.What = simcore.Lose
		default:
			return nil, fmt.Errorf("%s: event %.80q: must be one of join, decommission, lose", r.path("scenario.json"), e.Op)
		}
		if ch.Node = names[e.Node]; ch.Node == "" {
			return nil, fmt.Errorf("%s: event of node %.80q: there is no such node, and none joins", r.path("scenario.json"),
				e.Node)
		}
		if !(e.At >= 0 && e.At <= runlog.MaxMillis && e.Timeout >= 0 && e.Timeout <= runlog.MaxMillis/1000) {
			return nil, fmt.Errorf("%s: event at %g ms with timeout %g s: must be from 0 to %g ms", r.path("scenario.json"),
				e.At, e.Timeout, runlog.MaxMillis)
		}
		c.Elastic.Changes = append(c.Elastic.Changes, ch)
	}
	c.Elastic.SortChanges()
	r.timers(c)
	return c, nil
}
