package yarn

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// The contract of schedulers: one interface that each fulfils, and abilities of single
// schedulers, which the runtime finds by type assertion at the beginning of a run
// (abilities). Rounder (rounds.go), Prefetcher (prefetch.go), Decommissioner (elastic.go),
// Loader (scale.go), Prioritiser (policy.go) and Adopter (warm.go) stand beside their use.

// Resource is what a container asks or a node offers.
type Resource struct {
	Memory int64 // MiB
	VCores int64
}

// Dense ids, given out by the Scheduler in order of first appearance.
type (
	// AppID numbers submitted applications from 0; submission order is id order.
	AppID int32
	// NodeID numbers registered nodes from 0. A lost node's id is not reused.
	NodeID int32
	// Place is where a container is asked for: the interned name of a node, of
	// a rack, or AnyPlace.
	Place int32
)

// AnyPlace is "*".
const AnyPlace Place = 0

// Container names a container: Ordinal counts the allocations of its
// application; the application master's is 0.
type Container struct {
	App     AppID
	Ordinal int32
}

// NodeSpec registers a node.
type NodeSpec struct {
	Name, Rack string
	Resource   Resource

	// Host and Port are the node's address as the ResourceManager knows it; zero means
	// those of Name, which may be "HOST:PORT", else Name and a common port. They decide
	// only what the original decides by the order of its hash tables.
	Host string
	Port int

	Label string // of the node, "" for none; a Labeller's
}

// Label is a node label of the cluster.
type Label struct {
	Name      string
	Exclusive bool // idle resources are not given to asks without label
}

// DefaultPartition, where a label is asked for, means nodes without label; ""
// means what stands for it: the application's label, else the queue's default.
const DefaultPartition = "<DEFAULT_PARTITION>"

// commonPort stands for a NodeManager's port where a node names none.
const commonPort = 45454

// Address returns Host and Port, or what stands for them.
func (n *NodeSpec) Address() (host string, port int) {
	host = n.Name
	if h, p, ok := strings.Cut(n.Name, ":"); ok {
		if v, err := strconv.ParseUint(p, 10, 16); err == nil {
			host, port = h, int(v)
		}
	}
	return cmp.Or(n.Host, host), cmp.Or(n.Port, port, commonPort)
}

// Validate refuses a node without a name and negative figures.
func (n *NodeSpec) Validate() error {
	if n.Name == "" || n.Resource.Memory < 0 || n.Resource.VCores < 0 {
		return fmt.Errorf("node %q: memory %d MiB, %d cores: a name and figures of at least 0 are needed", n.Name,
			n.Resource.Memory, n.Resource.VCores)
	}
	return nil
}

// AppSpec is a client's submission.
type AppSpec struct {
	Name     string // for messages, and for placement rules by application name
	User     string
	Queue    string // full path "root.a.b", or a leaf's short name
	Priority int32  // higher goes first; clamped by yarn.cluster.max-application-priority
	// PrioritySet: Priority was asked for although it is 0. Else 0 stands for the
	// queue's default-application-priority.
	PrioritySet bool
	AM          Resource
	// Executor is what a Spark application's client compares with the cluster's maximum allocation
	// before it submits (Client.verifyClusterResources).
	Executor Resource
	Label    string // for all asks that name none, a Labeller's
	AMLabel  string // for the application master

	// ByRules: the scheduler's placement rules decide the queue, with Queue as
	// what was asked for ("" for none). Else Queue is where it goes, as if a rule
	// had said so.
	ByRules bool
	Groups  []string // of the user, the primary one first; for placement rules

	// Number is the application's in its id, application_STAMP_NUMBER, and Stamp the
	// ResourceManager's start time in it. The number is handed out before the
	// submission (ClientRMService.getNewApplication), so that applications may come in
	// another order; first in, first out is by number
	// (SchedulerApplicationAttempt.compareInputOrderTo). 0: numbers follow the
	// submissions, and the time is java.ClusterTimestamp.
	Number, Stamp int64

	// Unmanaged: the application master runs outside the cluster. It may ask at
	// once; AM counts only against AM limits, as it is (the ResourceManager
	// itself counts a minimum allocation).
	Unmanaged bool
}

// Ask is one row of an application master's request: it sets (does not add to)
// the outstanding count of its key (Priority, AllocID) at its place.
type Ask struct {
	Priority int32 // lower goes first
	AllocID  int64 // allocation request id, default 0
	Where    Place
	Size     Resource
	Count    int32
	Strict   bool   // relaxLocality = false
	Label    string // for AnyPlace only; a Labeller's
}

// AskResponse is what an application master hears back. The slices are reused
// by the next call with the same AskResponse.
type AskResponse struct {
	Ignored   bool     // application unknown, ended, or its AM has no container yet
	Refused   error    // a row asks for more than any container may have: nothing was done
	Headroom  Resource // what the application may still get, as it is reported to it
	Granted   []int32  // ordinals allocated since the last ask and still live, ascending
	Completed []int32  // ordinals granted earlier that ended since, ascending
	Withdrawn []int32  // ordinals allocated and not told before that exceeded this ask and are over
}

// EventKind tells what the scheduler committed.
type EventKind uint8

// Kinds of Event.
const (
	Allocate EventKind = iota
	Reserve
	Release // reservations given up without a grant
)

// Event is one proposal in the order in which it was committed.
type Event struct {
	Kind            EventKind
	Refused         bool // the commit check turned it down
	FromReservation bool
	Locality        uint8  // 0 node-local, 1 rack-local, 2 off-switch
	Shared          bool   // idle resources of a shared partition, taken by an ask without label
	Kills           uint16 // containers killed for room (lazy preemption), also where refused
	App             AppID
	Node            NodeID
	Ordinal         int32 // Allocate: the container's ordinal; else -1
	Priority        int32
	Proposal        uint32 // asynchronous scheduling: number in the order in which proposals were made
	Partition       int32  // of the node, by the order of Labeller.DeclareLabels, from 1; 0 without label
	AllocID         int64  // -1 for an AM
	Size            Resource
	Unreserved      []NodeID // nodes whose reservation was given back in the same proposal; valid until the next call
}

// Scheduler decides which container goes where. One instance serves one run.
// Calls come in the order of simulated time; the instance keeps no clock.
type Scheduler interface {
	// AddNode registers a node.
	AddNode(NodeSpec) (NodeID, error)
	// LoseNode expires a node with all that ran on it; lost containers come
	// back in dst.
	LoseNode(n NodeID, dst []Container) []Container
	// Place interns the name of a node, of a rack, or "*".
	Place(name string) Place
	// Submit admits an application or rejects it with the reason.
	Submit(AppSpec) (AppID, error)
	// Ask is one heartbeat of an application master.
	Ask(app AppID, asks []Ask, release []int32, resp *AskResponse)
	// Beat is one heartbeat of a node: done containers are freed first, then
	// the node is scheduled. Committed proposals are appended to dst.
	Beat(n NodeID, done []Container, dst []Event) []Event
	// Pending reports whether a beat of the node could change anything: false
	// lets the runtime skip the beat without changing the history.
	Pending(n NodeID) bool
	// End ends an application: its containers, reservations and asks vanish.
	End(app AppID)
}

// Preemptor is a Scheduler with a preemption policy.
type Preemptor interface {
	// SetClock tells the time in milliseconds, before Preempt and whatever starts
	// containers: their ages count.
	SetClock(ms int64)
	// Preempt is one round: containers now marked are appended to marked, those
	// killed to killed.
	Preempt(marked, killed []Container) (m, k []Container)
}

// Labeller is a Scheduler that knows node labels.
type Labeller interface {
	// DeclareLabels tells the cluster's labels, before its nodes.
	DeclareLabels([]Label) error
}

// Killer is a Scheduler that can kill containers while it schedules nodes.
type Killer interface {
	// Killed appends what has been killed so since the last call.
	Killed(dst []Container) []Container
	// Widened reports, once, that Hinter.Occupancy may be NodeRoom again for nodes on which
	// nothing has ended since it was asked, because containers there may be killed.
	Widened() bool
}

// NodeSorter is a Scheduler that keeps an order of nodes and renews it by a
// timer.
type NodeSorter interface {
	// SortNodes is one run of the timer.
	SortNodes()
	// SortInterval is the time between two runs in milliseconds, 0 for none.
	SortInterval() int64
}

// QueueKeeper is a Scheduler that makes queues on first use and has policies that
// remove them or share capacity out among them.
type QueueKeeper interface {
	// KeepQueues runs what is due at a time in milliseconds.
	KeepQueues(now int64)
	// KeepInterval is the time between two calls in milliseconds, 0 for none.
	KeepInterval() int64
}

// Hinter is a Scheduler that can say cheaply why Pending is false, so that the
// runtime need not ask for every node after every change.
type Hinter interface {
	// Waiting reports whether a beat of any node without a reservation could
	// change anything. While it is false, Pending is false for all of these.
	Waiting() bool
	// Occupancy is what of the node a heartbeat could use.
	Occupancy(n NodeID) Occupancy
}

// Occupancy is what of a node a scheduler could use at its heartbeat.
type Occupancy uint8

// Occupancies of a node.
const (
	// NodeFull: until something on the node ends, Pending stays false.
	NodeFull Occupancy = iota
	// NodeRoom: the node could hold another container, and is reserved for none.
	NodeRoom
	// NodeReserved: it is reserved, or kept, for an application; Pending may hold
	// for it whatever Waiting says.
	NodeReserved
)

// Explainer is a Scheduler that can say what an application waits for.
type Explainer interface {
	// Obstacle names the limit in the way of an application, with
	// the settings and figures that decide it; "" where there is none.
	Obstacle(app AppID) string
}

// Holder is a Scheduler that knows the space of a node apart from that of its
// containers. A container that its master gives back, or that is killed, leaves
// queue and application at once, but its node has room for another only when it
// reports the process gone (SchedulerNode.releaseContainer of Hadoop 3.4.1).
type Holder interface {
	// Hold takes free space of a node, as much as the container was allocated.
	Hold(n NodeID, size Resource)
	// Unhold gives it back.
	Unhold(n NodeID, size Resource)
}

// Updater is a Scheduler that counts demand and shares at intervals, not when
// something changes.
type Updater interface {
	// Update is one such round, at a time in milliseconds. Containers that it
	// kills are appended.
	Update(now int64, killed []Container) []Container
	// Due reports whether a round would find anything new.
	Due() bool
	// Interval is the time between rounds in milliseconds.
	Interval() int64
	// Widened reports, once, that Hinter.Occupancy may be NodeRoom again for nodes on which
	// nothing has ended since it was asked.
	Widened() bool
}
