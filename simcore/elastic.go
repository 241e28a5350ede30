package simcore

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/internal/text"
)

// Elastic describes how a cluster changes during a run: nodes join, leave and are lost, at
// given times, at random (spot instances), and by rules that follow the load. The zero value is
// a cluster that does not change.
type Elastic struct {
	// Spare are nodes that may join after the start. Their ids follow those of Cluster.Nodes.
	// A node that has left may join again.
	Spare   []Node
	Changes []NodeChange // ascending At
	Scaling []Scaling    // rules, each for a kind of node
	// Expiry is the time without heartbeats after which the ResourceManager considers a node
	// lost (yarn.nm.liveness-monitor.expiry-interval-ms); 0 = DefaultExpiry. It checks at
	// intervals of a third of that.
	Expiry Time
	// Unreachable is how long a MapReduce application master tries to stop a container on a
	// lost node before it runs the task again (NMProxy of Hadoop 3.4.1:
	// yarn.client.nodemanager-connect.max-wait-ms); 0 = DefaultUnreachable.
	Unreachable Time
}

// DefaultExpiry is YARN's default of Elastic.Expiry.
const DefaultExpiry = 10 * Minute

// DefaultUnreachable is YARN's default of Elastic.Unreachable. It applies where a connection is
// refused or has no route; where packets are dropped, each of the 19 attempts takes
// ipc.client.connect.timeout (20 s) longer.
const DefaultUnreachable = 3 * Minute

// ChangeKind names an event in the life of a node.
type ChangeKind uint8

// Kinds of change.
const (
	Join         ChangeKind = iota // it registers
	Decommission                   // it leaves when its applications end, or at a timeout
	Lose                           // its machine fails without notice
)

// String returns the word for the change.
func (k ChangeKind) String() string {
	return text.Word(k, "ChangeKind", "join", "decommission", "lose")
}

// NodeChange is a change of the cluster at a given time.
type NodeChange struct {
	At    Time // from the start of the run
	What  ChangeKind
	Kind  string // Node.Kind of the nodes; "" where Node is set
	Node  string // name of the node
	Count int32  // number of nodes of the kind
	// Timeout of a Decommission is the time that containers and applications have to finish;
	// 0 ends them at once, Never waits for all of them.
	Timeout Time
	// Gone is the recorded time at which the ResourceManager removed the node of a
	// Decommission or Lose; 0 = by the rules.
	Gone Time
}

// ScalingRule names the figure that a rule follows.
type ScalingRule uint8

// Rules.
const (
	// PendingMemory follows the pending memory less the available memory, averaged over the
	// cooldown (autoscaling policies of Google Dataproc).
	PendingMemory ScalingRule = iota
	// Utilisation keeps the available share of memory between two bounds, one step at a time
	// (custom automatic scaling of Amazon EMR: YARNMemoryAvailablePercentage).
	Utilisation
)

// String returns the word for the rule.
func (r ScalingRule) String() string {
	return text.Word(r, "ScalingRule", "pending-memory", "utilisation")
}

// Scaling is a rule that keeps the number of nodes of a kind between Min and Max.
type Scaling struct {
	Rule     ScalingRule // figure that the rule follows
	Kind     string      // Node.Kind of the nodes that the rule adds and removes
	Min, Max int32       // nodes of the kind
	Cooldown Time        // between two decisions
	Delay    Time        // from the decision to the new node's registration
	Timeout  Time        // NodeChange.Timeout for the nodes that the rule removes

	// PendingMemory: the part of the missing or surplus nodes to add or remove at a time,
	// from 0 to 1, and the least change, as a part of the current nodes.
	Up, Down                 float64
	UpFraction, DownFraction float64

	// Utilisation: the available share of memory below which Step nodes join and above which
	// Step nodes leave, and the ratio of pending to allocated memory above which nodes join
	// too (0 = ignored).
	Low, High, Pending float64
	Step               int32
}

// SortChanges sorts the changes by time; the order of simultaneous ones is kept.
func (e *Elastic) SortChanges() {
	slices.SortStableFunc(e.Changes, func(a, b NodeChange) int { return cmp.Compare(a.At, b.At) })
}

// Still reports whether the cluster does not change.
func (c *Cluster) Still() bool {
	e := &c.Elastic
	return len(e.Spare)+len(e.Changes)+len(e.Scaling) == 0 &&
		!slices.ContainsFunc(c.Nodes, func(n Node) bool { return n.Spot > 0 })
}

// All returns the nodes of the start and those that may join, by id.
func (c *Cluster) All() []Node {
	if len(c.Elastic.Spare) == 0 {
		return c.Nodes
	}
	return slices.Concat(c.Nodes, c.Elastic.Spare)
}

// Whole returns a copy of the cluster that has all nodes of All.
func (c *Cluster) Whole() *Cluster {
	out := *c
	out.Nodes = c.All()
	return &out
}

// AtStart returns the cluster at the start, without changes.
func (c *Cluster) AtStart() *Cluster {
	if c.Still() {
		return c
	}
	out := *c
	out.Elastic, out.Nodes = Elastic{}, slices.Clone(c.Nodes)
	for i := range out.Nodes {
		out.Nodes[i].Spot, out.Nodes[i].Notice = 0, 0
	}
	return &out
}

// Validate returns an error for the first change or rule that no run could follow.
func (e *Elastic) Validate(nodes []Node) error {
	all := slices.Concat(nodes, e.Spare)
	named := func(name string) bool { return slices.ContainsFunc(all, func(n Node) bool { return n.Name == name }) }
	ofKind := func(kind string) bool { return slices.ContainsFunc(all, func(n Node) bool { return n.Kind == kind }) }
	last := Time(0)
	for i := range e.Changes {
		c := &e.Changes[i]
		err := Checks{
			{c.At >= last, "time", c.At.Std(), "at or after the previous change"},
			{c.Node == "" || named(c.Node), "node", c.Node, "a node of the cluster"},
			{c.Node != "" || ofKind(c.Kind), "kind", c.Kind, "a kind of the cluster's nodes"},
			{c.Node != "" || c.Count > 0, "nodes", c.Count, "1 or more"},
			{c.Timeout >= 0, "timeout", c.Timeout.Std(), "0 or more"},
		}.Err("")
		if err != nil {
			return fmt.Errorf("change %d of nodes: %w", i, err)
		}
		last = c.At
	}
	for i := range e.Scaling {
		s := &e.Scaling[i]
		err := Checks{
			{ofKind(s.Kind), "kind", s.Kind, "a kind of the cluster's nodes"},
			{s.Min >= 0 && s.Max >= s.Min, "nodes", []int32{s.Min, s.Max}, "0 or more, minimum first"},
			{s.Cooldown > 0, "cooldown", s.Cooldown.Std(), "above 0"},
			{s.Delay >= 0, "delay", s.Delay.Std(), "0 or more"},
			{s.Timeout >= 0, "timeout", s.Timeout.Std(), "0 or more"},
		}.Err("")
		if err != nil {
			return fmt.Errorf("scaling rule %d: %w", i, err)
		}
	}
	if e.Expiry < 0 {
		return fmt.Errorf("expiry of nodes %v: must be 0 or more", e.Expiry.Std())
	}
	return nil
}
