package diagnose

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// sentences are the texts of causes; {} hold what fields fills in.
var sentences = map[string]string{
	KindNone:         "nothing holds it: {nodes} of {of} nodes would give it {asked} at their next heartbeat",
	KindEnded:        "it is over",
	KindNothingAsked: "its application master asks for no container; it holds {used}",
	KindLaunching: "its application master has a container ({used}) and has not registered yet: its node is " +
		"starting it, or cannot (the container's log on the node tells)",
	KindParallelUser:  "user {user} runs {applications} of at most {most} (max-parallel-apps of the user)",
	KindParallelQueue: "queue {queue} runs {applications} of at most {most} (max-parallel-apps)",
	KindMastersQueue: "AMs of queue {queue}{in} use {used} of {limit} (maximum-am-resource-percent); " +
		"this one needs {asked}{before}",
	KindMastersUser: "AMs of user {user} in queue {queue}{in} use {used} of {limit}; this one needs " +
		"{asked}{before}",
	KindQueueMaximum: "queue {queue}{in} uses {used}{reserved} of at most {limit} (maximum-capacity); the ask is {asked}",
	KindUserLimit: "user {user} uses {used}{reserved} of at most {limit} in queue {queue}{in} (user limit); the " +
		"ask is {asked}",
	KindSiblings: "a queue beside {queue} is at its limit with asks outstanding and keeps what the parent has " +
		"left{in}",
	KindOrder:      "application {blocker} comes earlier in queue {queue}{in} and asks for what is left",
	KindQueueOrder: "application {blocker} of queue {queue} is served first{in}",
	KindRackDelay: "it waits for its nodes: {count} of {most} scheduling opportunities have passed before another " +
		"node of the rack is taken (node-locality-delay)",
	KindAnyDelay: "it waits for its racks: {count} of {most} scheduling opportunities have passed before any " +
		"node is taken (node-locality-delay, rack-locality-additional-delay)",
	KindStrict: "it asks for certain nodes or racks only (relaxLocality false), and there is no space there",
	KindReserved: "{nodes} of {of} nodes{labelled} have space for it and are reserved for other applications, " +
		"the first for {blocker}",
	KindHolds:          "node {node} is reserved for it and has {free} free of the {asked} it asks for{why}",
	KindEnoughReserved: "it has as many reservations as asks, and reservations-continue-look-all-nodes is off",
	KindFragmented:     "{free} of {limit} are free{in}{kept}, on no single node the {asked} it asks for{away}",
	KindTooSmall:       "no node{labelled} could hold the {asked} it asks for",
	KindNoRoom:         "the nodes{labelled} are full: {used} of {limit} are used, the ask is {asked}{away}",
	KindNoAccess:       "queue {queue} may not use nodes labelled {partition} (accessible-node-labels)",
	KindNoCapacity: "queue {queue} has no capacity on nodes labelled {partition} " +
		"(accessible-node-labels.{partition}.capacity), and no application of it runs there{why}",
	KindNoNodes: "no node has the label {partition}",
	KindSharedDelay: "idle resources of a shared partition are taken after {most} scheduling opportunities; {count} " +
		"have passed",
	KindSharedMasters: "an application master may not use idle resources of a shared partition " +
		"(node-labels.am.allow-non-exclusive-allocation)",
	KindStopped:      "queue {queue} is stopped and refuses applications",
	KindApplications: "queue {queue} has {applications} of at most {most}{refuses}",
	KindUserApps:     "user {user} has {applications} of at most {most} in queue {queue}{refuses}",
	KindNotMade:      "{reason}",
	KindPreempting: "preemption has marked {containers} with {size}{in} of other applications; the first is " +
		"killed in about {seconds} s",
	KindBacklog: "asynchronous scheduling is paused: {count} proposals wait for their commit, and no round " +
		"is made with more than {most} (maximum-pending-backlogs)",
	KindUncommitted: "{count} containers are proposed for it and wait for their commit",
	KindClusterApps: "the cluster has {applications} of at most {most}{refuses} (maximum-applications)",
}

// Texts of kinds that have several.
const (
	lowerPriority = "application {blocker} has priority {theirs} in queue {queue}{in}, this one {own}, and asks for " +
		"what is left (yarn application -updatePriority changes it)"
	roomLeft    = "the nodes{labelled} have {used} of {limit} in use; the ask is {asked}"
	roomUnknown = "the nodes{labelled} are full{away}"
)

// Text says a cause in one sentence with its figures.
func (c *Cause) Text() string {
	said, known := sentences[c.Kind]
	switch {
	case !known:
		return strings.ReplaceAll(c.Kind, "-", " ")
	case c.Kind == KindOrder && c.BlockerPriority > c.Priority:
		said = lowerPriority
	case c.Kind == KindNoRoom && !c.Binding:
		said = roomLeft
	case c.Kind == KindNoRoom && c.Limit.Memory == 0:
		said = roomUnknown
	}
	if said = c.fields().Replace(said); c.Bare != "" && c.Reason != "" {
		said += "; " + c.Reason
	}
	return said
}

// fields are what sentences name.
func (c *Cause) fields() *strings.Replacer {
	in, labelled := "", ""
	if c.Partition != "" {
		in, labelled = " on nodes labelled "+c.Partition, " labelled "+c.Partition
	}
	number := strconv.Itoa
	return strings.NewReplacer("{queue}", c.Queue, "{user}", c.User, "{blocker}", c.Blocker, "{reason}", c.Reason,
		"{partition}", c.Partition, "{in}", in, "{labelled}", labelled,
		"{used}", c.size(c.Used), "{limit}", c.size(c.Limit), "{asked}", c.size(c.Asked), "{free}", c.size(c.Free), "{size}",
		c.size(c.MarkedSize),
		"{count}", number(c.Count), "{applications}", text.Count(c.Count, "application"), "{most}", number(c.Most), "{nodes}", number(c.Nodes), "{of}", number(c.Of), "{marked}",
		number(c.Marked), "{containers}", text.Count(c.Marked, "container"),
		"{theirs}", fmt.Sprint(c.BlockerPriority), "{own}", fmt.Sprint(c.Priority), "{seconds}",
		fmt.Sprint((c.KillIn+999)/1000),
		"{reserved}", c.part(c.Reserved, "of it reserved"), "{kept}", c.part(c.Kept, "of it on reserved nodes"),
		"{node}", cmp.Or(c.Node, "a node"), "{why}", prefixed("; ", c.Reason),
		"{away}", c.away(), "{refuses}", c.refuses(), "{before}", c.before())
}

// size renders a resource by what the scheduler looks at.
func (c *Cause) size(r yarn.Resource) string {
	if c.Cores {
		return fmt.Sprintf("%d MiB and %s", r.Memory, plural(r.VCores, "core"))
	}
	return fmt.Sprintf("%d MiB", r.Memory)
}

// part names a part of a quantity; nothing where it is zero.
func (c *Cause) part(r yarn.Resource, what string) string {
	if r == (yarn.Resource{}) {
		return ""
	}
	return ", " + c.size(r) + " " + what
}

// prefixed is a text with something before it; nothing where it is empty.
func prefixed(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// StageText says how far an application has come.
func StageText(st *capacity.Standing) string {
	switch s := st.Stage; {
	case s == capacity.HeldBack:
		return "ACCEPTED, not admitted to its queue"
	case s == capacity.Waiting:
		return "ACCEPTED, its application master is not allowed to start"
	case s == capacity.Over:
		return "over"
	case !st.HasMaster:
		return "ACCEPTED, its application master waits for a container"
	case st.Launching:
		return "ACCEPTED, its application master is being started"
	}
	return "RUNNING"
}

// away lists nodes that would have space and give none.
func (c *Cause) away() string {
	s := ""
	if c.Draining > 0 {
		s += fmt.Sprintf("; nodes being decommissioned: %d", c.Draining)
	}
	if c.Gone > 0 {
		s += fmt.Sprintf("; nodes lost or unhealthy: %d", c.Gone)
	}
	return s
}

// before counts applications that wait for the same limit and come earlier.
func (c *Cause) before() string {
	switch c.Before.Count {
	case 0:
		return ""
	case 1:
		return ", and that of one application that waits before it " + c.size(c.Before.Ask)
	}
	return fmt.Sprintf(", and those of %d applications that wait before it %s", c.Before.Count, c.size(c.Before.Ask))
}

func (c *Cause) refuses() string {
	if c.Binding {
		return ", no more are accepted"
	}
	return ""
}
