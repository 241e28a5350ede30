package why

import (
	"cmp"
	"slices"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// precedence orders obstacles met at different nodes: limits that hold whatever the
// node come first, then what passes by itself or concerns free space, and at last
// nodes that are full.
var precedence = []capacity.Obstacle{
	capacity.AtQueueLimit, capacity.NotAccessible, capacity.AtUserLimit, capacity.OverHeadroom, capacity.BlockedByApp, capacity.EnoughReserved,
	capacity.MastersNotHere, capacity.SharedDelay, capacity.CommitRefused, capacity.Outranked, capacity.RackDelay, capacity.OffSwitchDelay,
	capacity.NodeReserved, capacity.StrictPlace, capacity.HoldsReservation, capacity.WouldReserve, capacity.MustGiveBack, capacity.NodeTooSmall,
	capacity.NodeFull, capacity.OtherPartition,
}

// looks adds what the looks at the nodes came to.
func (w *walk) looks() {
	st := w.st
	met := map[capacity.Obstacle][]*capacity.Sight{}
	for i := range st.Sights {
		s := &st.Sights[i]
		o := s.Obstacle
		if o == capacity.NodeReserved && !w.fits(w.ask(), w.node(s.Node).Free) {
			o = capacity.NodeFull // it would not fit there anyway
		}
		met[o] = append(met[o], s)
	}
	if free := met[capacity.NoObstacle]; len(free) > 0 {
		w.add(Cause{Kind: KindNone, Binding: true, Partition: st.Partition, Asked: w.ask(), Nodes: len(free), Of: w.nodes()})
		return
	}
	if w.nodes() == 0 {
		w.add(Cause{Kind: KindNoNodes, Binding: true, Partition: st.Partition, Asked: w.ask()})
		return
	}
	for _, o := range precedence {
		if seen := met[o]; len(seen) > 0 {
			c := w.cause(o, seen)
			c.Binding, c.Nodes, c.Of = true, len(seen), w.nodes()
			w.add(c)
		}
	}
}

func (w *walk) node(id yarn.NodeID) *capacity.NodeStanding {
	i, _ := slices.BinarySearchFunc(w.st.Nodes, id, func(n capacity.NodeStanding, id yarn.NodeID) int { return cmp.Compare(n.ID, id) })
	return &w.st.Nodes[i]
}

// fits compares sizes as the scheduler's calculator does.
func (w *walk) fits(size, free yarn.Resource) bool {
	return size.Memory <= free.Memory && (!w.st.Dominant || size.VCores <= free.VCores)
}

// cause is what an obstacle met at some nodes says.
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
		c.Kind, c.Blocker = KindOrder, w.names(first.By)
		c.Property = yarnconf.Key(st.Queue, inPartition(st.Partition, yarnconf.MaximumCapacity))
	case capacity.Outranked:
		c.Kind, c.Blocker = KindOrder, w.names(first.By)
		if first.Queue != "" && first.Queue != st.Queue {
			c.Kind, c.Queue = KindQueueOrder, first.Queue
		}
	case capacity.EnoughReserved:
		c.Kind, c.Property = KindEnoughReserved, yarnconf.Prefix+"reservations-continue-look-all-nodes"
	case capacity.MastersNotHere:
		c.Kind = KindSharedMasters
	case capacity.SharedDelay:
		c.Kind, c.Counts, c.Count, c.Most = KindSharedDelay, true, st.Asks[0].SharedMissed, len(st.Nodes)
	case capacity.RackDelay:
		a := &st.Asks[0] // keys come in the order of the list
		c.Kind, c.Counts, c.Count, c.Most, c.Property = KindRackDelay, true, a.Missed, a.RackAfter, yarnconf.LocalityDelay
	case capacity.OffSwitchDelay:
		a := &st.Asks[0] // keys come in the order of the list
		c.Kind, c.Counts, c.Count, c.Most, c.Property = KindAnyDelay, true, a.Missed, a.AnyAfter, yarnconf.Prefix+"rack-locality-additional-delay"
	case capacity.NodeReserved:
		c.Kind, c.Blocker = KindReserved, w.names(first.By)
		c.Free = w.node(first.Node).Free
	case capacity.StrictPlace:
		c.Kind = KindStrict
	case capacity.HoldsReservation:
		c.Kind, c.Free = KindHolds, w.node(first.Node).Free
	case capacity.CommitRefused:
		c.Kind = KindCommit
	case capacity.WouldReserve, capacity.MustGiveBack, capacity.NodeTooSmall, capacity.NodeFull:
		w.space(&c)
	case capacity.OtherPartition:
		c.Kind = KindNoRoom
		w.space(&c)
	}
	return c
}

// queueCause names the queue whose maximum leaves too little. Where every queue of
// the path would hold the ask, siblings keep what is left.
func (w *walk) queueCause(o capacity.Obstacle, s *capacity.Sight) Cause {
	for i := len(w.st.Levels) - 1; i >= 0; i-- {
		l := &w.st.Levels[i]
		if o == capacity.AtQueueLimit && l.Open || o == capacity.OverHeadroom && l.Holds || l.Queue == "root" && w.other(i) {
			continue
		}
		return w.levelCause(l, true)
	}
	for i := len(w.st.Levels) - 1; i >= 0; i-- { // rounded down to the minimum allocation nothing is left
		if l := &w.st.Levels[i]; !l.Holds {
			return w.levelCause(l, true)
		}
	}
	return Cause{Kind: KindSiblings, Partition: w.st.Partition, Asked: w.ask(), Limit: s.Limit}
}

// other reports whether a queue below level i is at its maximum as well.
func (w *walk) other(i int) bool {
	return slices.ContainsFunc(w.st.Levels[:i], func(l capacity.LevelStanding) bool { return !l.Open || !l.Holds })
}

// space says how the partition's free space falls short.
func (w *walk) space(c *Cause) {
	ask := w.ask()
	var total, used yarn.Resource
	large := false
	for i := range w.st.Nodes {
		n := &w.st.Nodes[i]
		if n.Partition != w.st.Partition {
			continue
		}
		large = large || w.fits(ask, n.Total)
		total.Memory, total.VCores = total.Memory+n.Total.Memory, total.VCores+n.Total.VCores
		c.Free.Memory, c.Free.VCores = c.Free.Memory+n.Free.Memory, c.Free.VCores+n.Free.VCores
	}
	used.Memory, used.VCores = total.Memory-c.Free.Memory, total.VCores-c.Free.VCores
	c.Limit, c.Used = total, used
	switch {
	case !large:
		c.Kind = KindTooSmall
	case w.fits(ask, c.Free):
		c.Kind = KindFragmented
	default:
		c.Kind = KindNoRoom
	}
}
