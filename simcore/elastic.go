package simcore

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/simcore/internal/enum"
)

// Elastic is how a cluster changes while it runs: nodes that join, leave and are
// lost, by a timetable, by chance, and by rules that follow the load. The zero value
// is a cluster that stays as it is.
type Elastic struct {
	// Spare are nodes that are not there at the start and may join. Their ids follow
	// those of Cluster.Nodes. One that has left may join again.
	Spare   []Node
	Changes []NodeChange // ascending At
	Scaling []Scaling    // rules, each for a kind of node
	// Expiry is how long a node may be silent before the ResourceManager takes it as
	// lost (yarn.nm.liveness-monitor.expiry-interval-ms); 0 = DefaultExpiry. It looks
	// every third of that.
	Expiry Time
	// Unreachable is how long a MapReduce master tries to stop a container of a node
	// that is lost before its task runs again (NMProxy of Hadoop 3.4.1:
	// yarn.client.nodemanager-connect.max-wait-ms); 0 = DefaultUnreachable.
	Unreachable Time
}

// DefaultExpiry is YARN's default of Elastic.Expiry.
const DefaultExpiry = 10 * Minute

// DefaultUnreachable is YARN's default of Elastic.Unreachable. It holds where a
// connection is refused or has no route; where packets are dropped each of its 19
// tries takes ipc.client.connect.timeout (20 s) longer.
const DefaultUnreachable = 3 * Minute

// ChangeKind is what happens to a node.
type ChangeKind uint8

// Kinds of change.
const (
	Join         ChangeKind = iota // it registers
	Decommission                   // it leaves when its applications are over, or at a timeout
	Lose                           // its machine is gone without a word
)

// String returns the word for the change.
func (k ChangeKind) String() string {
	return enum.Word(k, "ChangeKind", "join", "decommission", "lose")
}

// NodeChange is an entry of the timetable.
type NodeChange struct {
	At    Time // from the start of the run
	What  ChangeKind
	Kind  string // Node.Kind of those it is about; "" where Node is set
	Node  string // name of the one it is about
	Count int32  // of the kind
	// Timeout of a Decommission is how long containers and applications may go on;
	// 0 ends them at once, Never lets them all finish.
	Timeout Time
	// Gone is when the ResourceManager is known to have let the node go that a
	// Decommission or a Lose is about, as recorded; 0 = by the rules.
	Gone Time
}

// ScalingRule says by what a rule adds and removes nodes.
type ScalingRule uint8

// Rules.
const (
	// PendingMemory follows the memory that is asked for and not granted, less what is
	// free, averaged over the cooldown (autoscaling policies of Google Dataproc).
	PendingMemory ScalingRule = iota
	// Utilisation keeps the free share of memory between two bounds, a step at a time
	// (custom automatic scaling of Amazon EMR: YARNMemoryAvailablePercentage).
	Utilisation
)

// String returns the word for the rule.
func (r ScalingRule) String() string {
	return enum.Word(r, "ScalingRule", "pending-memory", "utilisation")
}

// Scaling is a rule that keeps the number of nodes of a kind between Min and Max.
type Scaling struct {
	Rule     ScalingRule // by which it decides
	Kind     string      // Node.Kind of those that it adds and removes
	Min, Max int32       // nodes of the kind
	Cooldown Time        // between two decisions
	Delay    Time        // from the decision to the new node's registration
	Timeout  Time        // of the decommissioning of nodes that it removes; as NodeChange.Timeout

	// PendingMemory: which part of the nodes that are missing, or too many, come and
	// go at a time, 0 to 1, and the least change, as a part of the nodes there are.
	Up, Down                 float64
	UpFraction, DownFraction float64

	// Utilisation: free share of memory below which Step nodes join and above which
	// as many leave, and the ratio of pending to allocated memory above which they
	// join as well (0 = not looked at).
	Low, High, Pending float64
	Step               int32
}

// SortChanges puts changes in order of their instants; those of one keep theirs.
func (e *Elastic) SortChanges() {
	slices.SortStableFunc(e.Changes, func(a, b NodeChange) int { return cmp.Compare(a.At, b.At) })
}

// Still reports whether the cluster stays as it is.
func (c *Cluster) Still() bool {
	e := &c.Elastic
	return len(e.Spare)+len(e.Changes)+len(e.Scaling) == 0 && !slices.ContainsFunc(c.Nodes, func(n Node) bool { return n.Spot > 0 })
}

// All lists the nodes there are at the start and those that may join, by id.
func (c *Cluster) All() []Node {
	if len(c.Elastic.Spare) == 0 {
		return c.Nodes
	}
	return slices.Concat(c.Nodes, c.Elastic.Spare)
}

// Whole is a cluster of all nodes that All lists.
func (c *Cluster) Whole() *Cluster {
	out := *c
	out.Nodes = c.All()
	return &out
}

// AtStart is the cluster as it is at the start, without changes.
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

// Validate names the first entry that no run could follow.
func (e *Elastic) Validate(nodes []Node) error {
	named := func(pick func(*Node) bool) bool {
		return slices.ContainsFunc(nodes, func(n Node) bool { return pick(&n) }) || slices.ContainsFunc(e.Spare, func(n Node) bool { return pick(&n) })
	}
	last := Time(0)
	for i := range e.Changes {
		c := &e.Changes[i]
		switch {
		case c.At < last:
			return fmt.Errorf("change %d of nodes at %v, before the one at %v; allowed: ascending", i, c.At.Std(), last.Std())
		case c.Node != "" && !named(func(n *Node) bool { return n.Name == c.Node }):
			return fmt.Errorf("change %d is of node %q; allowed: a node of the cluster", i, c.Node)
		case c.Node == "" && (c.Count < 1 || !named(func(n *Node) bool { return n.Kind == c.Kind })):
			return fmt.Errorf("change %d is of %d nodes of kind %q; allowed: one at least, of a kind of the cluster", i, c.Count, c.Kind)
		case c.Timeout < 0:
			return fmt.Errorf("change %d has the timeout %v; allowed: 0 or more", i, c.Timeout.Std())
		}
		last = c.At
	}
	for i := range e.Scaling {
		s := &e.Scaling[i]
		if s.Min < 0 || s.Max < s.Min || s.Cooldown <= 0 || s.Delay < 0 || s.Timeout < 0 || !named(func(n *Node) bool { return n.Kind == s.Kind }) {
			return fmt.Errorf("scaling rule %d: %d to %d nodes of kind %q, cooldown %v, delay %v; allowed: 0 to any, ascending, a kind of the cluster, a cooldown above 0",
				i, s.Min, s.Max, s.Kind, s.Cooldown.Std(), s.Delay.Std())
		}
	}
	if e.Expiry < 0 {
		return fmt.Errorf("expiry of nodes %v; allowed: 0 or more", e.Expiry.Std())
	}
	return nil
}
