package capacity

import (
	"cmp"
	"slices"

	"schedtune/simcore/internal/kernel"
	"schedtune/yarnconf"
)

// The order in which nodes that are offered together are tried
// (MultiNodeSortingManager, ResourceUsageMultiNodeLookupPolicy): by what they use, made anew
// at each look or as a timer made it last.

// preference goes over nodes in a policy's order (MultiNodeSortingManager.getMultiNodeSortIterator).
type preference struct {
	c     *candidates
	nodes []*node   // the order
	scans *nodeList // whose snapshot nodes is, where what is known of its room may be used
	first bool      // only the first usable one
	timed bool      // nodes are as a timer has sorted them, or a single one: decommissioned ones too
	i     int       // of the next one
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
	return preference{c: c, nodes: l.sorted}
}

// next returns nil after the last.
func (p *preference) next() *node {
	for p.i < len(p.nodes) {
		n := p.nodes[p.i]
		p.i++
		if !p.c.heard(n) || n.draining && !p.timed { // MultiNodeSortingManager
			continue
		}
		if p.first {
			p.i = len(p.nodes)
		}
		return n
	}
	return nil
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
			l.snapshot = append(l.snapshot[:0], l.sorted...)
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

// compareUsage orders nodes by what they used when they were last sorted, equal ones by host and
// port (ResourceUsageMultiNodeLookupPolicy).
func compareUsage(a, b *node) int {
	return cmp.Or(comparePlain(a.sortedBy, b.sortedBy), cmp.Compare(a.rank, b.rank))
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
	l.moved, l.sorted = l.moved[:0], append(l.sorted[:0], l.nodes...)
	for _, n := range l.nodes {
		n.sortedBy = n.total.Sub(n.free)
	}
	slices.SortFunc(l.sorted, compareUsage)
}

// reposition moves the nodes whose usage has changed to their places. It sorts afresh where
// one is not found where it was.
func (l *nodeList) reposition() {
	for _, n := range l.moved {
		n.moved = false
		from, ok := slices.BinarySearchFunc(l.sorted, n, compareUsage)
		if !ok {
			l.sortAfresh()
			return
		}
		rest := slices.Delete(l.sorted, from, from+1)
		n.sortedBy = n.total.Sub(n.free)
		l.sorted = kernel.Insert(rest, n, compareUsage)
	}
	l.moved = l.moved[:0]
}
