package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// precedence orders limits met at different nodes: limits that hold whatever the
// node come first, then what passes by itself or concerns free space, and at last
// nodes that are full.
var precedence = []capacity.Obstacle{
	capacity.AtQueueLimit, capacity.NotAccessible, capacity.AtUserLimit, capacity.OverHeadroom, capacity.BlockedByApp,
	capacity.EnoughReserved,
	capacity.MastersNotHere, capacity.SharedDelay, capacity.CommitRefused, capacity.Outranked, capacity.RackDelay,
	capacity.OffSwitchDelay,
	capacity.NodeReserved, capacity.StrictPlace, capacity.HoldsReservation, capacity.WouldReserve, capacity.MustGiveBack,
	capacity.NodeTooSmall,
	capacity.NodeFull, capacity.OtherPartition,
}

// looks adds what the looks at the nodes came to.
func (w *walk) looks() {
	st := w.st
	met := map[capacity.Obstacle][]*capacity.Sight{}
	for i := range st.Sights {
		s := &st.Sights[i]
		o := s.Obstacle
		switch {
		case o == capacity.AtQueueLimit && w.ofNodes(s):
			o = capacity.NodeFull
		case o == capacity.NodeReserved && !w.fits(w.ask(), w.node(s.Node).Free):
			o = capacity.NodeFull // it would not fit there anyway
		}
		met[o] = append(met[o], s)
	}
	if p := &st.Passing; p.Held {
		w.add(Cause{Kind: KindBacklog, Binding: true, Counts: true, Count: p.Backlog, Most: p.MostBacklog,
			Property: yarnconf.Prefix + "schedule-asynchronously.maximum-pending-backlogs"})
	} else if free := met[capacity.NoObstacle]; len(free) > 0 {
		w.add(Cause{Kind: KindNone, Binding: true, Partition: st.Partition, Asked: w.ask(), Nodes: len(free), Of: len(w.here)})
		return
	}
	if len(w.here) == 0 {
		w.add(Cause{Kind: KindNoNodes, Binding: true, Partition: st.Partition, Asked: w.ask()})
		return
	}
	if p := &st.Passing; p.Uncommitted > 0 {
		w.add(Cause{Kind: KindUncommitted, Binding: true, Counts: true, Count: p.Uncommitted, Asked: w.ask()})
	}
	if w.noAccess() {
		return
	}
	for _, o := range precedence {
		if seen := met[o]; len(seen) > 0 {
			if len(w.out) > 0 && ofNode(o) && w.roomSomewhere() {
				continue
			}
			c := w.cause(o, seen)
			c.Binding, c.Nodes, c.Of = true, len(seen), len(w.here)
			w.add(c)
		}
	}
	w.preempting()
}

// ofNodes reports whether a queue that is at its limit is so because the partition is
// full, and no maximum of the path is reached.
func (w *walk) ofNodes(s *capacity.Sight) bool {
	root := &w.st.Levels[len(w.st.Levels)-1]
	for i := range w.st.Levels {
		if l := &w.st.Levels[i]; l.Queue == s.Queue {
			return l.Maximum == root.Maximum && !w.other(len(w.st.Levels)-1)
		}
	}
	return false
}

// noAccess adds that the queue may not use the partition, and reports whether it may
// not.
func (w *walk) noAccess() bool {
	if w.st.Partition == "" || !slices.ContainsFunc(w.st.Levels, func(l capacity.LevelStanding) bool {
		return !l.Accessible
	}) {
		return w.noCapacity()
	}
	w.add(Cause{Kind: KindNoAccess, Binding: true, Partition: w.st.Partition,
		Property: yarnconf.Key(w.st.Queue, "accessible-node-labels")})
	return true
}

// noCapacity adds that a queue of the path may use the partition and has no capacity of
// it, and reports whether that is so.
func (w *walk) noCapacity() bool {
	for i := len(w.st.Levels) - 2; i >= 0 && w.st.Partition != ""; i-- { // root has all
		if l := &w.st.Levels[i]; l.Maximum.Memory == 0 && len(w.here) > 0 {
			w.add(Cause{Kind: KindNoCapacity, Binding: true, Partition: w.st.Partition, Queue: l.Queue, Asked: w.ask(),
				Property: yarnconf.Key(l.Queue, inPartition(w.st.Partition, yarnconf.Capacity))})
			return true
		}
	}
	return false
}

// preempting adds, before the first cause that is space, that space is on its way.
func (w *walk) preempting() {
	p := &w.st.Passing
	at := slices.IndexFunc(w.out, func(c Cause) bool {
		return c.Kind == KindNoRoom || c.Kind == KindFragmented || c.Kind == KindReserved || c.Kind == KindHolds
	})
	if p.Marked == 0 || at < 0 {
		return
	}
	c := Cause{Kind: KindPreempting, Binding: true, Queue: w.st.Queue, User: w.st.User, Cores: w.st.Dominant,
		Partition: w.st.Partition,
		Asked:     w.ask(), Marked: p.Marked, MarkedSize: p.MarkedSize, KillIn: p.KillIn}
	w.out = slices.Insert(w.out, at, c)
}

func (w *walk) node(id yarn.NodeID) *capacity.NodeStanding {
	i, _ := slices.BinarySearchFunc(w.st.Nodes, id, func(n capacity.NodeStanding, id yarn.NodeID) int {
		return cmp.Compare(n.ID, id)
	})
	return &w.st.Nodes[i]
}

// fits compares sizes as the scheduler's calculator does.
func (w *walk) fits(size, free yarn.Resource) bool {
	return size.Memory <= free.Memory && (!w.st.Dominant || size.VCores <= free.VCores)
}

// cause is what a limit met at some nodes says.
func (w *walk) cause(o capacity.Obstacle, seen []*capacity.Sight) Cause {
	st, first := w.st, seen[0]
	c := Cause{Partition: st.Partition, Asked: w.ask()}
	switch o {
	case capacity.AtQueueLimit, capacity.OverHeadroom:
		return w.queueCause(o, first)
	case capacity.AtUserLimit:
		c = w.userCause(true)
		c.Limit = first.Limit
	case capacity.NotAccessible:
		c.Kind, c.Property = KindNoAccess, yarnconf.Key(st.Queue, "accessible-node-labels")
	case capacity.BlockedByApp:
		return w.blockedCause(c, first)
	case capacity.Outranked:
		w.outranked(&c, first)
		if first.Queue != "" && first.Queue != st.Queue {
			c.Kind, c.Queue = KindQueueOrder, first.Queue
		}
	case capacity.EnoughReserved:
		c.Kind, c.Property = KindEnoughReserved, yarnconf.Prefix+"reservations-continue-look-all-nodes"
	case capacity.MastersNotHere:
		c.Kind = KindSharedMasters
	case capacity.SharedDelay, capacity.RackDelay, capacity.OffSwitchDelay:
		w.delay(&c, o)
	case capacity.NodeReserved:
		c.Kind, c.Blocker = KindReserved, w.names(first.By)
		c.Free = w.node(first.Node).Free
	case capacity.StrictPlace:
		c.Kind = KindStrict
	case capacity.HoldsReservation:
		n := w.reservedNode(w.node(first.Node))
		c.Kind, c.Free, c.Node, c.Reason = KindHolds, n.Free, n.Name, w.mustEnd(n)
	case capacity.CommitRefused:
		c.Kind = KindCommit
	case capacity.MustGiveBack:
		if !st.UserOpen { // by the test for partitions with labels, which looks at what the user has without
			return w.userCause(true)
		}
		w.space(&c)
	case capacity.WouldReserve, capacity.NodeTooSmall, capacity.NodeFull:
		w.space(&c)
	case capacity.OtherPartition:
		c.Kind = KindNoRoom
		w.space(&c)
	}
	return c
}

// blockedCause is the cause where another application comes first and gets nothing
// either: a limit above that the asked container breaks by itself, or that application.
func (w *walk) blockedCause(c Cause, first *capacity.Sight) Cause {
	st := w.st
	for i := len(st.Levels) - 2; i >= 0; i-- {
		if l := &st.Levels[i]; !l.Holds && w.own(i) { // it would not fit if it came first
			return w.levelCause(l, true)
		}
	}
	w.outranked(&c, first)
	c.Property = yarnconf.Key(st.Queue, inPartition(st.Partition, yarnconf.MaximumCapacity))
	return c
}

// delay fills a cause that counts the scheduling opportunities passed so far, of
// those that must pass. The ask is the first of the list, whose keys come first.
func (w *walk) delay(c *Cause, o capacity.Obstacle) {
	a := &w.st.Asks[0]
	c.Counts = true
	switch o {
	case capacity.SharedDelay:
		c.Kind, c.Count, c.Most = KindSharedDelay, a.SharedMissed, len(w.st.Nodes)
	case capacity.RackDelay:
		c.Kind, c.Count, c.Most, c.Property = KindRackDelay, a.Missed, a.RackAfter, yarnconf.LocalityDelay
	case capacity.OffSwitchDelay:
		c.Kind, c.Count, c.Most, c.Property = KindAnyDelay, a.Missed, a.AnyAfter,
			yarnconf.Prefix+"rack-locality-additional-delay"
	}
}

// queueCause names the queue whose maximum leaves too little. Where every queue of
// the path would hold the ask, siblings keep what is left.
func (w *walk) queueCause(o capacity.Obstacle, s *capacity.Sight) Cause {
	for i := len(w.st.Levels) - 1; i >= 0; i-- {
		l := &w.st.Levels[i]
		if o == capacity.AtQueueLimit && l.Open || o == capacity.OverHeadroom && l.Holds || l.Queue == "root" &&
			w.other(i) || !w.own(i) {
			continue
		}
		return w.levelCause(l, true)
	}
	for i := len(w.st.Levels) - 1; i >= 0; i-- { // rounded down to the minimum allocation nothing is left
		if l := &w.st.Levels[i]; !l.Holds && w.own(i) {
			return w.levelCause(l, true)
		}
	}
	return Cause{Kind: KindSiblings, Partition: w.st.Partition, Asked: w.ask(), Limit: s.Limit}
}

// other reports whether a queue below level i is at a maximum of its own as well.
func (w *walk) other(i int) bool {
	return slices.ContainsFunc(w.st.Levels[:i], func(l capacity.LevelStanding) bool {
		return (!l.Open || !l.Holds) && l.Maximum != w.st.Levels[len(w.st.Levels)-1].Maximum
	})
}

// space says how the partition's free space falls short.
func (w *walk) space(c *Cause) {
	ask := w.ask()
	var total, free, kept, most yarnconf.Resource
	large := false
	for _, n := range w.here {
		large, most = large || w.fits(ask, n.Total), most.MaxEach(yarnconf.Resource(n.Total))
		total, free = total.Add(yarnconf.Resource(n.Total)), free.Add(yarnconf.Resource(n.Free))
		if n.Reserved >= 0 {
			kept = kept.Add(yarnconf.Resource(n.Free))
		}
	}
	c.Free, c.Kept = yarn.Resource(free), yarn.Resource(kept)
	c.Limit, c.Used = yarn.Resource(total), yarn.Resource(total.Sub(free))
	c.Draining, c.Gone = w.st.Passing.Draining, w.st.Passing.Gone
	switch {
	case !large:
		c.Kind, c.Limit = KindTooSmall, yarn.Resource(most)
	case w.fits(ask, c.Free):
		c.Kind = KindFragmented
	default:
		c.Kind = KindNoRoom
	}
}

// reservedNode is the first node that is reserved for the application; other where none is.
func (w *walk) reservedNode(other *capacity.NodeStanding) *capacity.NodeStanding {
	for i := range w.st.Nodes {
		if n := &w.st.Nodes[i]; n.Reserved == w.st.App {
			return n
		}
	}
	return other
}

// mustEnd says what holds the space on the reserved node, the largest holder first.
func (w *walk) mustEnd(n *capacity.NodeStanding) string {
	here := slices.DeleteFunc(slices.Clone(w.st.Holders), func(h capacity.Holding) bool {
		return h.OnReserved.Memory == 0
	})
	slices.SortStableFunc(here, func(a, b capacity.Holding) int {
		return cmp.Compare(b.OnReserved.Memory, a.OnReserved.Memory)
	})
	var list []string
	for _, h := range here[:min(len(here), 3)] {
		list = append(list, fmt.Sprintf("%s (%d MiB)", h.Name, h.OnReserved.Memory))
	}
	if len(list) == 0 {
		return ""
	}
	part := "some"
	if short := w.ask().Memory - n.Free.Memory; short > 0 {
		part = fmt.Sprintf("%d MiB", short)
	}
	text := "containers of " + strings.Join(list, ", ") + " run there, of which " + part + " must end"
	if n.Free.Memory >= 1 {
		text += fmt.Sprintf("; a container of at most %d MiB would fit there now", n.Free.Memory)
	}
	return text
}

// ofNode reports whether a limit is that a node has too little left.
func ofNode(o capacity.Obstacle) bool {
	switch o {
	case capacity.WouldReserve, capacity.NodeTooSmall, capacity.NodeFull, capacity.OtherPartition:
		return true
	}
	return false
}

// roomSomewhere reports whether a node of the partition has space for the ask.
func (w *walk) roomSomewhere() bool {
	return slices.ContainsFunc(w.here, func(n *capacity.NodeStanding) bool {
		return n.Reserved < 0 && w.fits(w.ask(), n.Free)
	})
}

// outranked says which application is served first.
func (w *walk) outranked(c *Cause, s *capacity.Sight) {
	c.Kind, c.Blocker, c.Priority, c.BlockerPriority = KindOrder, w.names(s.By), w.st.Priority, s.Priority
}
