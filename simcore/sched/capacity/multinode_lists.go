package capacity

import (
	"slices"

	"schedtune/internal/java"
)

// Lists of nodes by partition, as the original keeps them for placement on several nodes
// (ClusterNodeTracker.updateNodesPerPartition, CapacityScheduler.refreshLabelToNodeCache).
// After a change of labels a list is made anew from what the label manager remembers, and
// only for partitions that have a label and a node: a node that leaves the partition without
// label stays listed there, one that loses its label is listed nowhere new, and one that
// registered with its label is remembered there for ever once it is given another.

// labelIDs is the set of node ids that the label manager has for a label. Each
// node is there twice, once as a whole host.
type labelIDs struct {
	ids  []labelID // in order of entry
	most int       // how many there were at a time: the size of the original's hash table follows
}

// labelID is a node's id, or that of its whole host (port 0).
type labelID struct {
	n    *node
	host bool
}

// hash is NodeId.hashCode.
func (id labelID) hash() uint32 {
	if id.host {
		return java.HashNode(id.n.host, 0)
	}
	return id.n.hash
}

// add enters ids unless they are there.
func (l *labelIDs) add(ids ...labelID) {
	for _, id := range ids {
		if !slices.Contains(l.ids, id) {
			l.ids = append(l.ids, id)
			l.most = max(l.most, len(l.ids))
		}
	}
}

// remove takes an id out, if it is there.
func (l *labelIDs) remove(id labelID) {
	l.ids = slices.DeleteFunc(l.ids, func(x labelID) bool { return x == id })
}

// nodes lists the nodes that are there in the order of a copy of the set: first that of the
// set's own table, then that of the copy's.
func (l *labelIDs) nodes() []*node {
	ids := slices.Clone(l.ids)
	java.SortByHash(ids, java.TableSize(l.most), labelID.hash)
	java.SortByHash(ids, setSize(len(ids), len(ids)), labelID.hash)
	var nodes []*node
	for _, id := range ids {
		if !id.host && !id.n.lost {
			nodes = append(nodes, id.n)
		}
	}
	return nodes
}

// makeLists makes empty lists, where the configuration has placement on several nodes.
func (s *Scheduler) makeLists() {
	s.lists, s.listOrder, s.async.reservations, s.ranked = s.lists[:0], s.listOrder[:0], 0, 0
	if s.conf.MultiNode {
		for range s.parts {
			s.lists = append(s.lists, &nodeList{})
		}
	}
}

// listNode lists a new node.
func (s *Scheduler) listNode(n *node) {
	if !s.conf.MultiNode {
		return
	}
	l := s.lists[n.part]
	s.setList(n.part, append(l.nodes, n))
	if n.part != 0 {
		l.ids.add(labelID{n, true}, labelID{n, false})
		s.listAnew(n.part)
	}
}

// unlistNode takes a lost node out of its partition's list.
func (s *Scheduler) unlistNode(n *node) {
	if !s.conf.MultiNode {
		return
	}
	s.listsDue(n)
	l := s.lists[n.part]
	if n.part != 0 {
		l.ids.remove(labelID{n, false})
	}
	if i := slices.Index(l.nodes, n); i >= 0 {
		s.setList(n.part, slices.Delete(slices.Clone(l.nodes), i, i+1))
	}
	if l.listed && len(l.nodes) == 0 {
		s.forgetList(n.part)
	}
}

// listsDue notes that the lists that have a node are out of date.
func (s *Scheduler) listsDue(n *node) {
	for _, p := range n.listedIn {
		s.lists[p].due = true
	}
}

// forgetList forgets the empty list of a partition.
func (s *Scheduler) forgetList(part int32) {
	s.lists[part].listed = false
	s.listOrder = slices.DeleteFunc(s.listOrder, func(p int32) bool { return p == part })
}

// relistNode brings the lists up to date as far as the original does when a node
// has been given another label.
func (s *Scheduler) relistNode(n *node, from, to int32) {
	if !s.conf.MultiNode {
		return
	}
	if from != 0 {
		s.lists[from].ids.remove(labelID{n, true})
		if n.relabelled {
			s.lists[from].ids.remove(labelID{n, false})
		}
	}
	n.relabelled = true
	if to != 0 {
		s.lists[to].ids.add(labelID{n, true}, labelID{n, false})
	}
	for _, p := range [2]int32{from, to} {
		if p != 0 && len(s.lists[p].ids.ids) > 0 {
			s.listAnew(p)
		}
	}
}

// listAnew makes the list of a partition from what the label manager remembers.
func (s *Scheduler) listAnew(p int32) {
	s.setList(p, s.lists[p].ids.nodes())
	s.listOrder = append(slices.DeleteFunc(s.listOrder, func(x int32) bool { return x == p }), p)
}

// setList replaces a partition's list, and notes in the nodes where they are listed.
func (s *Scheduler) setList(p int32, nodes []*node) {
	for _, l := range s.lists {
		l.scanning = false // until the nodes are sorted again
	}
	l := s.lists[p]
	for _, n := range l.nodes {
		n.listedIn = slices.DeleteFunc(n.listedIn, func(x int32) bool { return x == p })
	}
	for _, n := range nodes {
		n.listedIn = append(n.listedIn, p)
	}
	l.nodes, l.due = nodes, true
	if !l.listed {
		l.listed = true
		s.listOrder = append(s.listOrder, p)
	}
}
