package why

import (
	"fmt"
	"strings"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// Text says a cause in one sentence with its figures.
func (c *Cause) Text() string {
	in, of := "", ""
	if c.Partition != "" {
		in, of = " on nodes labelled "+c.Partition, " labelled "+c.Partition
	}
	switch c.Kind {
	case KindNone:
		return fmt.Sprintf("nothing holds it: %d of %d nodes would give it %s at their next heartbeat", c.Nodes, c.Of, c.size(c.Asked))
	case KindEnded:
		return "it is over"
	case KindNothingAsked:
		return fmt.Sprintf("its application master asks for no container; it holds %s", c.size(c.Used))
	case KindParallelUser:
		return fmt.Sprintf("user %s runs %d applications of at most %d (max-parallel-apps of the user)", c.User, c.Count, c.Most)
	case KindParallelQueue:
		return fmt.Sprintf("queue %s runs %d applications of at most %d (max-parallel-apps)", c.Queue, c.Count, c.Most)
	case KindMastersQueue:
		return fmt.Sprintf("application masters of queue %s%s use %s of %s (maximum-am-resource-percent); this one needs %s", c.Queue, in, c.size(c.Used), c.size(c.Limit), c.size(c.Asked))
	case KindMastersUser:
		return fmt.Sprintf("application masters of user %s in queue %s%s use %s of %s; this one needs %s", c.User, c.Queue, in, c.size(c.Used), c.size(c.Limit), c.size(c.Asked))
	case KindQueueMaximum:
		return fmt.Sprintf("queue %s%s uses %s of at most %s (maximum-capacity); the ask is %s", c.Queue, in, c.size(c.Used), c.size(c.Limit), c.size(c.Asked))
	case KindUserLimit:
		return fmt.Sprintf("user %s uses %s of at most %s in queue %s%s (user limit); the ask is %s", c.User, c.size(c.Used), c.size(c.Limit), c.Queue, in, c.size(c.Asked))
	case KindSiblings:
		return fmt.Sprintf("a queue beside %s is at its limit with asks outstanding and keeps what the parent has left%s", c.Queue, in)
	case KindOrder:
		if c.BlockerPriority > c.Priority {
			return fmt.Sprintf("application %s has priority %d in queue %s%s, this one %d, and asks for what is left (yarn application -updatePriority changes it)", c.Blocker, c.BlockerPriority, c.Queue, in, c.Priority)
		}
		return fmt.Sprintf("application %s comes earlier in queue %s%s and asks for what is left", c.Blocker, c.Queue, in)
	case KindQueueOrder:
		return fmt.Sprintf("application %s of queue %s is served first%s", c.Blocker, c.Queue, in)
	case KindRackDelay:
		return fmt.Sprintf("it waits for its nodes: %d of %d scheduling opportunities have passed before another node of the rack is taken (node-locality-delay)", c.Count, c.Most)
	case KindAnyDelay:
		return fmt.Sprintf("it waits for its racks: %d of %d scheduling opportunities have passed before any node is taken (node-locality-delay, rack-locality-additional-delay)", c.Count, c.Most)
	case KindStrict:
		return "it asks for certain nodes or racks only (relaxLocality false), and there is no space there"
	case KindReserved:
		return fmt.Sprintf("%d of %d nodes%s have space for it and are reserved for other applications, the first for %s", c.Nodes, c.Of, of, c.Blocker)
	case KindHolds:
		return fmt.Sprintf("a node is reserved for it and has %s free of the %s it asks for", c.size(c.Free), c.size(c.Asked))
	case KindEnoughReserved:
		return "it has as many reservations as asks, and reservations-continue-look-all-nodes is off"
	case KindFragmented:
		return fmt.Sprintf("%s are free%s, on no single node the %s it asks for%s", c.size(c.Free), in, c.size(c.Asked), c.away())
	case KindTooSmall:
		return fmt.Sprintf("no node%s could hold the %s it asks for", of, c.size(c.Asked))
	case KindNoRoom:
		if !c.Binding {
			return fmt.Sprintf("the nodes%s have %s of %s in use; the ask is %s", of, c.size(c.Used), c.size(c.Limit), c.size(c.Asked))
		}
		if c.Limit.Memory == 0 {
			return fmt.Sprintf("the nodes%s are full%s", of, c.away())
		}
		return fmt.Sprintf("the nodes%s are full: %s of %s are used, the ask is %s%s", of, c.size(c.Used), c.size(c.Limit), c.size(c.Asked), c.away())
	case KindNoAccess:
		return fmt.Sprintf("queue %s may not use nodes labelled %s (accessible-node-labels)", c.Queue, c.Partition)
	case KindNoNodes:
		return fmt.Sprintf("no node has the label %s", c.Partition)
	case KindSharedDelay:
		return fmt.Sprintf("idle resources of a shared partition are taken after %d scheduling opportunities; %d have passed", c.Most, c.Count)
	case KindSharedMasters:
		return "an application master may not use idle resources of a shared partition (node-labels.am.allow-non-exclusive-allocation)"
	case KindStopped:
		return fmt.Sprintf("queue %s is stopped and refuses applications", c.Queue)
	case KindApplications:
		return fmt.Sprintf("queue %s has %d applications of at most %d%s", c.Queue, c.Count, c.Most, c.refuses())
	case KindUserApps:
		return fmt.Sprintf("user %s has %d applications of at most %d in queue %s%s", c.User, c.Count, c.Most, c.Queue, c.refuses())
	case KindNotMade:
		return c.Reason
	case KindPreempting:
		return fmt.Sprintf("preemption has marked %d containers with %s%s of other applications; the first is killed in about %d s", c.Marked, c.size(c.MarkedSize), in, (c.KillIn+999)/1000)
	case KindBacklog:
		return fmt.Sprintf("asynchronous scheduling stands still: %d proposals wait for their commit, and no round is made with more than %d (maximum-pending-backlogs)", c.Count, c.Most)
	case KindUncommitted:
		return fmt.Sprintf("%d containers are proposed for it and wait for their commit", c.Count)
	case KindClusterApps:
		return fmt.Sprintf("the cluster has %d applications of at most %d%s (maximum-applications)", c.Count, c.Most, c.refuses())
	}
	return strings.ReplaceAll(c.Kind, "-", " ")
}

// size renders a resource by what the scheduler looks at.
func (c *Cause) size(r yarn.Resource) string {
	if c.Cores {
		return fmt.Sprintf("%d MiB and %d cores", r.Memory, r.VCores)
	}
	return fmt.Sprintf("%d MiB", r.Memory)
}

// StageText says how far an application has come.
func StageText(s capacity.Stage, master bool) string {
	switch {
	case s == capacity.HeldBack:
		return "ACCEPTED, not admitted to its queue"
	case s == capacity.Waiting:
		return "ACCEPTED, its application master is not allowed to start"
	case s == capacity.Over:
		return "over"
	case !master:
		return "ACCEPTED, its application master waits for a container"
	}
	return "RUNNING"
}

// away tells of nodes that would have space and give none.
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

func (c *Cause) refuses() string {
	if c.Binding {
		return ", no more are accepted"
	}
	return ""
}
