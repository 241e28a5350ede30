package trace

import (
	"maps"
	"regexp"
	"slices"

	"schedtune/simcore"
	"schedtune/trace/internal/history"
	"schedtune/trace/runlog"
)

// Records of machines that come and go: states of the ResourceManager's nodes, from
// repeated answers of /ws/v1/cluster/nodes, its log, or a recorded run.

// since counts a node's stays from an instant; false = it was gone before. Records
// that count from a zero of their own, beside jobs that count from the epoch, count from
// that instant already.
func (n Node) since(zero Millis) (Node, bool) {
	if n.Stays == nil {
		return n, true
	}
	if zero >= epochs && !slices.ContainsFunc(n.Stays, func(s runlog.Stay) bool {
		return s.From >= toTime(epochs) || s.To >= toTime(epochs) && s.To != simcore.Never || s.Drain >= toTime(epochs) &&
			s.Drain != simcore.Never
	}) {
		zero = 0
	}
	n.Stays = n.Stays.Since(toTime(zero))
	return n, len(n.Stays) > 0
}

// epochs are times in milliseconds from which on a clock counts from 1970.
const epochs Millis = 1e11

// farOff bounds the instants of polls: about the year 5000.
const farOff Millis = 1e14

// nodeLog books the states of nodes at instants of the trace's clock.
type nodeLog struct {
	t     *Trace
	polls int
	there map[int]string // states of the last answer
}

// poll books an answer that lists every node; x.state is one of NodeState of YARN.
// Those of the first answer count as there from the start.
func (l *nodeLog) poll(at Millis, states map[int]string) {
	if at < -farOff || at > farOff {
		return // no instant of a cluster
	}
	if l.polls == 0 {
		at = min(at, 0)
	}
	l.polls++
	for _, i := range slices.Sorted(maps.Keys(states)) {
		if l.t.Nodes[i].Stays == nil {
			l.t.Nodes[i].Stays = runlog.Stays{}
		}
		l.t.Nodes[i].Stays.Turn(toTime(at), states[i])
	}
	for i := range l.there {
		if _, ok := states[i]; !ok { // the ResourceManager has forgotten it
			l.t.Nodes[i].Stays.Turn(toTime(at), "DECOMMISSIONED")
		}
	}
	l.there = states
}

// finishNodes drops machines that were never there, and marks those that always were.
func (t *Trace) finishNodes() {
	t.Nodes = slices.DeleteFunc(t.Nodes, func(n Node) bool { return n.Stays != nil && len(n.Stays) == 0 })
	for n := range history.Pointers(t.Nodes) {
		if n.Stays.Whole() {
			n.Stays = nil
		}
	}
}

// capabilityLine tells a node's size when it registers (ResourceTrackerService).
var capabilityLine = regexp.MustCompile(
	`NodeManager from node (\S+?)\(.*registered with capability: <(.*?)>, assigned nodeId (\S+)`)

// nodeEntry is a line of a ResourceManager's log about a node.
type nodeEntry struct {
	at       Millis
	node     string // HOST:PORT
	from, to string
}

// changing adds to a cluster what becomes of its nodes: those that are not there at
// the first submission are spare.
func (t *Trace) changing(c *simcore.Cluster, n *Node, node simcore.Node) {
	if n.Stays != nil && n.Stays[0].From > 0 {
		c.Elastic.Spare = append(c.Elastic.Spare, node)
	} else {
		c.Nodes = append(c.Nodes, node)
	}
	if n.Stays != nil {
		c.Elastic.Changes = append(c.Elastic.Changes, n.Stays.Changes(node.Name)...)
	}
}
