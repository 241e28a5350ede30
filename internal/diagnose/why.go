// Package diagnose explains what limits a queue and why an application is pending: which
// limit is reached first, with the scheduler's own figures, and the smallest change of
// settings that would start it. Every change is tried: on a copy of the scheduler, or by
// simulation.
//
// A standing (capacity.Standing) is taken from a simulated run or from a
// ResourceManager's answers (/ws/v1/cluster/scheduler, /apps and /nodes); the causes are
// a pure function of it.
package diagnose

import (
	"cmp"
	"slices"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Kinds of causes.
const (
	KindNone           = "nothing"                      // a heartbeat gives it a container
	KindEnded          = "ended"                        // the application is over
	KindNothingAsked   = "nothing-asked"                // its master asks for no container
	KindLaunching      = "master-launching"             // its master has a container and has not registered
	KindParallelUser   = "parallel-applications-user"   // user.max-parallel-apps
	KindParallelQueue  = "parallel-applications-queue"  // max-parallel-apps of a queue
	KindMastersQueue   = "am-limit-queue"               // maximum-am-resource-percent, in a partition
	KindMastersUser    = "am-limit-user"                // what the user's masters may use
	KindQueueMaximum   = "queue-maximum"                // maximum-capacity of a queue of the path
	KindUserLimit      = "user-limit"                   // minimum-user-limit-percent, user-limit-factor
	KindSiblings       = "headroom-kept-for-siblings"   // another queue at its limit keeps what the parent has left
	KindOrder          = "application-order"            // an earlier application ends the leaf's turn or takes the space
	KindQueueOrder     = "queue-order"                  // an application of another queue takes the space
	KindRackDelay      = "locality-delay-rack"          // node-locality-delay
	KindAnyDelay       = "locality-delay-off-switch"    // rack-locality-additional-delay
	KindStrict         = "strict-locality"              // relaxLocality false, and no space there
	KindReserved       = "reservation"                  // nodes with space are reserved for others
	KindHolds          = "waits-for-its-reservation"    // a node is reserved for it and still too full
	KindEnoughReserved = "enough-reservations"          // as many reservations as asks, continue-looking off
	KindFragmented     = "no-node-with-enough-space"    // enough is free, on no single node
	KindTooSmall       = "no-node-large-enough"         // no node could hold it if it were empty
	KindNoRoom         = "no-room"                      // the partition's nodes are full
	KindNoAccess       = "partition-not-accessible"     // the queue may not use the partition
	KindNoCapacity     = "partition-without-capacity"   // the queue has no capacity of the partition
	KindNoNodes        = "partition-without-nodes"      // no node has the label
	KindSharedDelay    = "shared-partition-delay"       // opportunities before idle resources of a shared partition
	KindSharedMasters  = "shared-partition-not-for-ams" // node-labels.am.allow-non-exclusive-allocation
	KindCommit         = "refused-at-commit"            // the check at the commit turns it down
	KindStopped        = "queue-stopped"                // refused at submission, as the next three
	KindApplications   = "maximum-applications"
	KindUserApps       = "maximum-applications-user"
	KindClusterApps    = "maximum-applications-cluster"
	KindPermission     = "submission-not-permitted"  // acl_submit_applications of the queue and of those above
	KindNotMade        = "queue-not-made"            // refused: its queue is not there, and its parent makes no more
	KindTooLarge       = "above-maximum-allocation"  // a container is larger than the ResourceManager allows
	KindPreempting     = "preemption-under-way"      // nodes are full; containers of others are marked to be killed
	KindBacklog        = "asynchronous-backlog"      // so many proposals wait for their commit that no round is made
	KindUncommitted    = "proposal-waits-for-commit" // its container is proposed and not committed yet
)

// Cause is one limit on the application's way, with its figures.
type Cause struct {
	Kind      string `json:"cause"`
	Binding   bool   `json:"binding"` // it holds the application now; else it would be next
	Queue     string `json:"queue,omitempty"`
	User      string `json:"user,omitempty"`
	Partition string `json:"partition,omitempty"`
	Blocker   string `json:"blocker,omitempty"`  // application in the way
	Property  string `json:"property,omitempty"` // setting behind the limit
	// Resources: Used of Limit, and Asked on top of it. Zero Limit and Used where
	// the limit counts applications or scheduling opportunities.
	Limit           yarn.Resource `json:"-"`
	Used            yarn.Resource `json:"-"`
	Asked           yarn.Resource `json:"-"`
	Counts          bool          `json:"-"`
	Count           int           `json:"-"` // applications that run (or are there), or opportunities passed,
	Most            int           `json:"-"` // of so many
	Nodes           int           `json:"nodes,omitempty"`
	Of              int           `json:"of_nodes,omitempty"`
	Free            yarn.Resource `json:"-"`
	Kept            yarn.Resource `json:"-"` // of Free, on nodes that are reserved
	Reserved        yarn.Resource `json:"-"` // of Used, by reservations
	Node            string        `json:"-"` // that is reserved for the application
	Cores           bool          `json:"-"` // the scheduler looks at cores too
	Priority        int32         `json:"-"` // the application's
	BlockerPriority int32         `json:"-"`
	Draining        int           `json:"decommissioning_nodes,omitempty"`
	Gone            int           `json:"lost_nodes,omitempty"`
	Marked          int           `json:"marked_containers,omitempty"` // by preemption
	MarkedSize      yarn.Resource `json:"-"`
	KillIn          int64         `json:"-"` // ms until the first of these is killed
	Reason          string        `json:"-"` // what must end on Node, why a queue is not made, or has no capacity
	Bare            string        `json:"-"` // the application's leaf, where it is guaranteed nothing
	Unknown         bool          `json:"-"` // holds if the user is in none of the groups of Reason
}

// Causes lists what holds an application, in the order in which it binds, and then
// the limits on its way that have something left, the tightest first. names tells the name of an application.
func Causes(st *capacity.Standing, names func(yarn.AppID) string) []Cause {
	w := walk{st: st, names: names}
	for i := range st.Nodes {
		if n := &st.Nodes[i]; n.Partition == st.Partition {
			w.here = append(w.here, n)
		}
	}
	switch {
	case st.Stage == capacity.Over:
		return []Cause{{Kind: KindEnded, Binding: true, Queue: st.Queue, User: st.User}}
	case st.Stage == capacity.HeldBack || st.Stage == capacity.Waiting && !w.noCapacity():
		w.reached()
	case st.Stage == capacity.Waiting:
	case st.Launching:
		w.add(Cause{Kind: KindLaunching, Binding: true, Used: st.Used})
		return w.out
	case len(st.Asks) == 0:
		w.add(Cause{Kind: KindNothingAsked, Binding: true, Used: st.Used})
		return w.out
	default:
		if w.looks(); !w.nowhere() {
			w.reached()
		}
	}
	if !w.nowhere() {
		w.rest()
	}
	return w.out
}

// nowhere reports whether the queue can have nothing of the partition, so that no other limit says anything.
func (w *walk) nowhere() bool { return len(w.out) > 0 && is(w.out[0].Kind, "nowhere") }

// walk collects causes.
type walk struct {
	st    *capacity.Standing
	names func(yarn.AppID) string
	here  []*capacity.NodeStanding // nodes of the partition
	out   []Cause
}

func (w *walk) add(c Cause) {
	c.User, c.Cores = cmp.Or(c.User, w.st.User), w.st.Dominant
	if c.Queue == "" && !is(c.Kind, "cluster") {
		c.Queue = w.st.Queue
	}
	if len(w.out) == 0 && c.Binding && len(w.st.Levels) > 0 && w.st.Levels[0].Guaranteed.Memory == 0 &&
		is(c.Kind, "capacity") {
		c.Bare = w.st.Queue
	}
	if !slices.ContainsFunc(w.out, func(o Cause) bool { return same(&o, &c) }) {
		w.out = append(w.out, c)
	}
}

// ask is the size that is asked for next.
func (w *walk) ask() yarn.Resource {
	if len(w.st.Asks) > 0 {
		return w.st.Asks[0].Size
	}
	return w.st.Masters.Size
}

// pathLimit is a limit on the application's way, with how many more requests it holds.
type pathLimit struct {
	Cause
	left int64
}

// limits lists the limits on the application's way as the scheduler tests them: parallel applications, application
// masters, the queues of the path that have a maximum of their own, from root down, and the user's limit. Binding are
// those that are reached.
func (w *walk) limits() (out []pathLimit) {
	st, m := w.st, &w.st.Masters
	add := func(c Cause, open bool) {
		c.Binding = !open
		left := (c.Limit.Memory - c.Used.Memory) / max(c.Asked.Memory, 1)
		if st.Dominant {
			left = min(left, (c.Limit.VCores-c.Used.VCores)/max(c.Asked.VCores, 1))
		}
		if c.Counts {
			left = int64(c.Most - c.Count)
		}
		out = append(out, pathLimit{c, max(left, 0)})
	}
	for _, p := range st.Parallel {
		if st.Stage == capacity.HeldBack && p.Limit < yarnconf.MaxInt {
			add(w.parallelCause(p), p.Running < p.Limit)
		}
	}
	if st.Stage != capacity.Active {
		add(Cause{Kind: KindMastersQueue, Partition: m.Partition, Limit: m.QueueMost, Used: m.QueueUsed, Asked: m.Size,
			Property: yarnconf.Key(st.Queue, inPartition(m.Partition, yarnconf.AMShare))}, m.QueueFits)
		add(Cause{Kind: KindMastersUser, Partition: m.Partition, Limit: m.UserMost, Used: m.UserUsed, Asked: m.Size,
			Property: yarnconf.Key(st.Queue, yarnconf.UserFactor)}, m.UserFits)
	}
	for i := len(st.Levels) - 1; i >= 0; i-- {
		if l := &st.Levels[i]; w.own(i) {
			open := l.Open && l.Holds
			add(w.levelCause(l, !open), open)
		}
	}
	add(w.userCause(true), st.UserOpen)
	return out
}

// reached adds the limits that are reached.
func (w *walk) reached() {
	for _, l := range w.limits() {
		if l.Binding {
			w.add(l.Cause)
		}
	}
}

// rest adds the limits that have something left, by how many more asks they hold.
func (w *walk) rest() {
	open := slices.DeleteFunc(w.limits(), func(l pathLimit) bool { return l.Binding })
	slices.SortStableFunc(open, func(a, b pathLimit) int { return cmp.Compare(a.left, b.left) })
	for _, l := range open {
		w.add(l.Cause)
	}
}

func (w *walk) parallelCause(p capacity.ParallelLimit) Cause {
	c := Cause{Kind: KindParallelQueue, Queue: p.Queue, Counts: true, Count: p.Running, Most: p.Limit}
	if p.Queue == "" {
		c.Kind, c.Property = KindParallelUser, yarnconf.Prefix+"user."+w.st.User+".max-parallel-apps"
	} else {
		c.Property = yarnconf.Key(p.Queue, "max-parallel-apps")
	}
	return c
}

// inPartition is the name of a queue's setting for a partition.
func inPartition(label, name string) string {
	if label == "" {
		return name
	}
	return "accessible-node-labels." + label + "." + name
}

// own reports whether a level has a maximum of its own, and not what the queue above it
// has.
func (w *walk) own(i int) bool {
	return i == len(w.st.Levels)-1 || w.st.Levels[i].Maximum != w.st.Levels[i+1].Maximum
}

func (w *walk) levelCause(l *capacity.LevelStanding, binding bool) Cause {
	c := Cause{Kind: KindQueueMaximum, Binding: binding, Queue: l.Queue, Partition: w.st.Partition, Limit: l.Maximum,
		Used: l.Used, Asked: w.ask(),
		Property: yarnconf.Key(l.Queue, inPartition(w.st.Partition, yarnconf.MaximumCapacity))}
	c.Reserved = l.Reserved
	if l.Queue == "root" {
		c.Kind, c.Queue, c.Property, c.Reserved = KindNoRoom, "", "", yarn.Resource{}
		c.Nodes, c.Of = 0, len(w.here)
		c.Draining, c.Gone = w.st.Passing.Draining, w.st.Passing.Gone
		if l.Reserved != (yarn.Resource{}) { // a reservation takes nothing of a node
			w.space(&c)
		}
	}
	return c
}

func (w *walk) userCause(binding bool) Cause {
	c := Cause{Kind: KindUserLimit, Binding: binding, Partition: w.st.Partition, Limit: w.st.UserLimit,
		Used: w.st.UserUsed, Asked: w.ask(),
		Property: yarnconf.Key(w.st.Queue, yarnconf.UserFactor)}
	for i := range w.st.Holders {
		if h := &w.st.Holders[i]; h.User == w.st.User && h.Queue == w.st.Queue {
			c.Reserved = yarn.Resource(yarnconf.Resource(c.Reserved).Add(yarnconf.Resource(h.Reserved)))
		}
	}
	return c
}
