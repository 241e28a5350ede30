package capacity

import (
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/yarn"
)

// Placement on several nodes (multi-node-placement-enabled;
// CapacityScheduler.allocateContainersOnMultiNodes): a heartbeat, or a round, offers all
// nodes of a partition at once; the leaf's policy orders them. multinode_order.go has the
// orders, multinode_lists.go which nodes are listed where, multinode_scan.go a shortcut.

var _ yarn.NodeSorter = (*Scheduler)(nil)

// nodeLists is what placement on several nodes keeps; without it all is empty.
type nodeLists struct {
	lists     []*nodeList // by partition
	listOrder []int32     // partitions that have lists, in order of entry
	ranked    int         // how many nodes node.rank is of

	together *candidates // offered at once by the walk at hand; nil outside one
	heard    []*node     // scratch of offered
}

// nodeList is the nodes of a partition as the original lists them, which after a
// change of labels is not always as they are labelled.
type nodeList struct {
	listed bool // there is a list, maybe an empty one
	nodes  []*node
	byHash []*node // nodes in the order of a hash table made of them
	due    bool    // byHash and sorted have to be made anew
	lost   bool    // some of nodes are lost or being emptied
	quiet  uint64  // epoch in which an offer of all nodes was found to change nothing

	sorted   []*node // by usage, that of node.sortedBy
	moved    []*node // whose usage has changed since; noted in node.moved
	snapshot []*node // as last sorted by the timer
	scans    []scan  // what is known of the room in it
	scanning bool    // it may be used: each node of the snapshot is usable and listed nowhere else

	ids labelIDs
}

// usageMoved notes that what runs on a node has changed.
func (s *Scheduler) usageMoved(n *node) {
	if len(s.lists) == 0 {
		return
	}
	if len(n.listedIn) != 1 {
		s.listsDue(n)
		return
	}
	l := s.lists[n.listedIn[0]]
	if l.scanning {
		s.freed(l, n)
	}
	if !n.moved && !l.due {
		n.moved = true
		l.moved = append(l.moved, n)
	}
}

// candidates are the nodes offered at once (CandidateNodeSet).
type candidates struct {
	part int32
	late func(yarn.NodeID) bool // nodes that are not to be used; may be nil
	only *node                  // where there is a single one
	any  []*node                // in the order of the original's table
}

// heard reports whether a node is there and not late.
func (c *candidates) heard(n *node) bool {
	return !n.lost && (c.late == nil || !c.late(n.id))
}

// offered lists the nodes of a partition and counts them; for a heartbeat whose partition lists
// none, the candidate is its own node.
func (s *Scheduler) offered(part int32, late func(yarn.NodeID) bool, own *node) (c candidates, count int) {
	l := s.listOf(part)
	c = candidates{part: part, late: late, any: l.byHash}
	if late != nil || l.lost {
		s.heard = s.heard[:0]
		for _, n := range l.nodes {
			if !n.draining && c.heard(n) {
				s.heard = append(s.heard, n)
			} else if !n.lost && !n.draining {
				s.async.passed = true
			}
		}
		tableOrder(s.heard)
		c.any = s.heard
	}
	if count = len(c.any); count == 0 && own != nil {
		return candidates{part: part, only: own, any: []*node{own}}, 0
	}
	if count == 1 {
		c.only = c.any[0]
	}
	return c, count
}

// listOf brings a partition's list up to date.
func (s *Scheduler) listOf(part int32) *nodeList {
	l := s.lists[part]
	if l.due {
		l.due = false
		s.rankNodes()
		l.byHash = append(l.byHash[:0], l.nodes...)
		tableOrder(l.byHash)
		l.lost = slices.ContainsFunc(l.nodes, func(n *node) bool { return n.lost || n.draining })
		l.sortAfresh()
	}
	return l
}

// beatTogether is fillNode with placement on several nodes.
func (s *Scheduler) beatTogether(n *node, dst []yarn.Event) []yarn.Event {
	l := s.listOf(n.part)
	if l.quiet == s.epoch && s.async.reservations == 0 {
		return dst
	}
	s.unreserved, s.named = s.unreserved[:0], s.named[:0]
	before := s.epoch
	s.changed, s.limitsMoved = false, false
	s.out = dst
	listed := s.scheduleTogether(n)
	dst = s.roundOver()
	if s.changed || s.limitsMoved {
		s.epoch++
	}
	if s.epoch == before && listed && slices.Contains(n.listedIn, n.part) {
		l.quiet = s.epoch
	}
	return dst
}

// scheduleTogether is schedule with all nodes of the heartbeating node's
// partition. It reports whether the partition lists any that may be used.
func (s *Scheduler) scheduleTogether(n *node) bool {
	s.refusals = 0
	c, count := s.offered(n.part, nil, n)
	listed := count > 0
	for off, count := 0, 0; ; {
		s.fillReservations(&c)
		if !s.walkTogether(&c) {
			return listed
		}
		p := &s.prop
		s.commit(p)
		count++
		if p.loc == offSwitch {
			off++
		}
		if p.reserve || s.refusals >= endlessAfter || s.beatFull(off, count) {
			return listed
		}
	}
}

// fillReservations tries the reservations of all nodes offered, which every call does first.
func (s *Scheduler) fillReservations(c *candidates) {
	if s.async.reservations == 0 {
		return
	}
	for _, n := range c.any {
		if n.reserved != nil {
			s.tryReserved(n)
		}
	}
}

// walkTogether is walk with several nodes.
func (s *Scheduler) walkTogether(c *candidates) bool {
	s.together = c
	found := s.walkPart(c.part, c.only)
	s.together = nil
	return found
}

// tryNodes tries a key on the nodes offered, in the order of the application's policy
// (RegularContainerAllocator.allocate with a node iterator). A reservation is made only where
// the last of them would have to be reserved, on that one.
func (s *Scheduler) tryNodes(a *app, k *reqKey, lim *limits) verdict {
	early := s.rules.CheckedBeforeNodes
	if early {
		if v := s.checkRequest(a, k, s.part, lim); v != allocates {
			return v
		}
	}
	// A node without room that is not the last counts an opportunity and changes
	// nothing else, unless the key is passed over there.
	plain := s.liveNodes > 0 && !s.labelled() && !lim.kill && k.lenient()
	checked := early
	it := s.preferred(a)
	v := keySkipped
	for n := it.next(); n != nil; {
		m := n
		n = it.next()
		if n != nil && m.reserved != nil && s.conf.SkipReserved {
			continue
		}
		if checked && plain && n != nil && !s.holds(m.free, k.Any.Size) {
			n = s.passFull(k, &it, n)
			continue
		}
		switch {
		case !early:
			v = s.precheck(a, k, m.part, lim)
		case k.label != s.askingOn(m.part):
			v = keySkipped
		default:
			v = allocates
		}
		if v != allocates {
			continue
		}
		checked = true
		v = s.tryOnNode(a, k, m, lim, nil)
		if v == allocates || v == reserves && n == nil {
			return v
		}
	}
	return v
}

// passFull counts the opportunity of a node without room, and of those that follow it as far
// as they are known to have none. It returns the node to go on with: next, or one behind.
func (s *Scheduler) passFull(k *reqKey, it *preference, next *node) *node {
	s.nodeMattered, s.changed = true, true
	k.missed++
	if it.scans != nil {
		if at := s.firstRoom(it.scans, k.Any.Size); at >= it.i {
			k.missed += at - it.i + 1
			it.i = at
			return it.next()
		}
	}
	return next
}

// visitTogether makes proposals for the nodes of a partition: one call, or as
// many as there are nodes (YARN-11752).
func (s *Scheduler) visitTogether(part int32, late func(yarn.NodeID) bool) {
	c, count := s.offered(part, late, nil)
	if count == 0 {
		return
	}
	calls := 1
	if s.rules.RoundPerNodeOfPartition {
		calls = count
	}
	l := s.lists[part]
	for ; calls > 0 && !(late == nil && s.async.reservations == 0 && l.quiet == s.epoch); calls-- {
		before := s.epoch
		s.changed, s.limitsMoved = false, false
		s.fillReservations(&c)
		if s.walkTogether(&c) {
			s.propose(&s.prop)
		}
		if s.changed || s.limitsMoved {
			s.epoch++
			s.async.countOnly++
		}
		if s.epoch == before && late == nil {
			l.quiet = s.epoch
		}
	}
}

// roundTogether is a round where nodes are offered by partition: start counts partitions, over and
// over. The first one is visited again at the end.
func (s *Scheduler) roundTogether(start int, late func(yarn.NodeID) bool) {
	parts := s.listedParts()
	for i := 0; i <= len(parts) && len(parts) > 0; i++ {
		s.visitTogether(parts[(start+i)%len(parts)], late)
	}
}

// listedParts lists the partitions with lists in the order of the original's
// table of them.
func (s *Scheduler) listedParts() []int32 {
	parts := slices.Clone(s.listOrder)
	java.HashSortBy(parts, func(p int32) string { return s.parts[p].name })
	return parts
}

// Partitions returns the partitions in which nodes are offered together, by
// their numbers, in the order of a round.
func (s *Scheduler) Partitions() []int32 {
	if !s.conf.MultiNode {
		return nil
	}
	return s.listedParts()
}

// Offered returns the nodes of a partition in the order in which their
// reservations are tried, without those that late reports.
func (s *Scheduler) Offered(part int32, late func(yarn.NodeID) bool) []yarn.NodeID {
	c, _ := s.offered(part, late, nil)
	var ids []yarn.NodeID
	for _, n := range c.any {
		ids = append(ids, n.id)
	}
	return ids
}
