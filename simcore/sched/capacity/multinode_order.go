package capacity

import (
	"cmp"
	"slices"

	"schedtune/yarnconf"
)

// The order in which nodes that are offered together are tried
// (MultiNodeSortingManager, ResourceUsageMultiNodeLookupPolicy): by what they use, made anew
// at each look or as a timer made it last.

// preference goes over nodes in a policy's order (MultiNodeSortingManager.getMultiNodeSortIterator).
type preference struct {
	c      *candidates
	sorted []sortedNode // one of these two is the order
	nodes  []*node
	scans  *nodeList // whose snapshot nodes is, where what is known of its room may be used
	first  bool      // only the first usable one
	timed  bool      // nodes are as a timer has sorted them, or a single one: decommissioned ones too
	i      int       // of the next one
}

// preferred begins a walk in the order of an application's policy. Without one
// only the first of the table is seen; a timer's order is that of its last run.
func (s *Scheduler) preferred(a *app) preference {
	c := s.together
	switch {
	case c.only != nil: // no policy is asked, even for a decommissioned node (CandidateNodeSetUtils.getSingleNode)
		return preference{c: c, nodes: c.any, timed: true}
	case !a.sorted:
		return preference{c: c, nodes: c.any, first: true}
	}
	l := s.listOf(c.part)
	if s.sortTimer() {
		p := preference{c: c, nodes: l.snapshot, timed: true}
		if l.scanning && c.late == nil && !(s.conf.SkipReserved && s.async.reservations > 0) {
			p.scans = l
		}
		return p
	}
	l.reposition()
	return preference{c: c, sorted: l.sorted}
}

// next returns nil after the last.
func (p *preference) next() *node {
	for {
		var n *node
		switch {
		case p.i < len(p.sorted):
			n = p.sorted[p.i].n
		case p.i < len(p.nodes):
			n = p.nodes[p.i]
		default:
			return nil
		}
		p.i++
		if !p.c.heard(n) || n.draining && !p.timed { // MultiNodeSortingManager
			continue
		}
		if p.first {
			p.i = len(p.nodes)
		}
		return n
	}
}

// sortTimer reports whether the order of nodes is kept from one run of a timer to
// the next.
func (s *Scheduler) sortTimer() bool {
	for _, o := range s.conf.NodeSortings {
		if o.Class == yarnconf.ByUsage {
			return o.Interval != 0
		}
	}
	return false
}

// sortsNodes reports whether a new application of a leaf sees the nodes in a
// policy's order.
func (s *Scheduler) sortsNodes(q *queue) bool {
	return slices.ContainsFunc(s.conf.NodeSortings, func(o yarnconf.NodeSorting) bool {
		return o.Class == q.conf.NodeSorting
	})
}

// SortNodes is one run of the timer that sorts nodes (MultiNodeSorter.reSortClusterNodes).
func (s *Scheduler) SortNodes() {
	if !s.conf.MultiNode {
		return
	}
	s.epoch++
	for p := range s.lists {
		if l := s.listOf(int32(p)); l.listed {
			l.reposition()
			l.snapshot = l.snapshot[:0]
			for _, o := range l.sorted {
				l.snapshot = append(l.snapshot, o.n)
			}
			l.beginScans()
		}
	}
}

// SortInterval is the time between two runs in milliseconds, 0 for none.
func (s *Scheduler) SortInterval() int64 {
	if s.conf.MultiNode {
		for _, o := range s.conf.NodeSortings {
			if o.Interval != 0 {
				return o.Interval
			}
		}
	}
	return 0
}

// compare orders nodes by what they use, equal ones by host and port
// (ResourceUsageMultiNodeLookupPolicy).
func (a sortedNode) compare(b sortedNode) int {
	return cmp.Or(cmp.Compare(a.used.Memory, b.used.Memory), cmp.Compare(a.used.VCores, b.used.VCores),
		cmp.Compare(a.n.rank, b.n.rank))
}

// rankNodes numbers the nodes by host and port, which decides between nodes of equal use.
func (s *Scheduler) rankNodes() {
	if s.ranked == len(s.nodes) {
		return
	}
	s.ranked = len(s.nodes)
	all := slices.Clone(s.nodes)
	slices.SortStableFunc(all, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.port, b.port))
	})
	for i, n := range all {
		n.rank = int32(i)
	}
}

// sortAfresh sorts the nodes by what they use now.
func (l *nodeList) sortAfresh() {
	for _, n := range l.moved {
		n.moved = false
	}
	l.moved, l.sorted = l.moved[:0], l.sorted[:0]
	for _, n := range l.nodes {
		l.sorted = append(l.sorted, sortedNode{n, n.total.Sub(n.free)})
	}
	slices.SortFunc(l.sorted, sortedNode.compare)
	for _, o := range l.sorted {
		o.n.sortedBy = o.used
	}
}

// reposition moves the nodes whose usage has changed to their places. It sorts afresh where
// one is not found where it was.
func (l *nodeList) reposition() {
	for _, n := range l.moved {
		n.moved = false
		now := sortedNode{n, n.total.Sub(n.free)}
		from, ok := slices.BinarySearchFunc(l.sorted, sortedNode{n, n.sortedBy}, sortedNode.compare)
		if !ok {
			l.sortAfresh()
			return
		}
		to, _ := slices.BinarySearchFunc(l.sorted, now, sortedNode.compare)
		if to > from {
			to--
			copy(l.sorted[from:to], l.sorted[from+1:to+1])
		} else {
			copy(l.sorted[to+1:from+1], l.sorted[to:from])
		}
		l.sorted[to], n.sortedBy = now, now.used
	}
	l.moved = l.moved[:0]
}
