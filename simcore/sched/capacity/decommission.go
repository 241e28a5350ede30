package capacity

import (
	"slices"

	"schedtune/simcore/yarn"
)

var (
	_ yarn.Decommissioner = (*Scheduler)(nil)
	_ yarn.Loader         = (*Scheduler)(nil)
)

// Nodes that are being decommissioned gracefully, and the load that scaling rules go by.

// Decommission puts a node into the state DECOMMISSIONING: the commit turns down whatever is
// proposed for it (FiCaSchedulerApp.accept), rounds and offers of several nodes pass it over
// (CapacityScheduler.shouldSkipNodeSchedule), and each of its heartbeats makes its size what
// is allocated there (shrink). LoseNode ends it. A node that is lost or being emptied already
// stays as it is.
func (s *Scheduler) Decommission(id yarn.NodeID) {
	if int(id) >= len(s.nodes) || s.nodes[id].lost || s.nodes[id].draining {
		return
	}
	s.settle()
	s.nodes[id].draining = true
	s.listsDue(s.nodes[id])
	s.epoch++
}

// shrink takes what is free on a node off the cluster, where anything is: limits are computed
// anew once for the node's size and twice for its labels (AbstractYarnScheduler.nodeUpdate,
// CapacityScheduler.updateNodeAndQueueResource, RMNodeLabelsManager.updateNodeResource).
// allocated is what containers held when the heartbeat began to schedule.
func (s *Scheduler) shrink(n *node, allocated res) {
	if n.total == allocated {
		if s.rules.UpdatesDraining {
			s.clusterChanged()
		}
		return
	}
	less := n.total.Sub(allocated)
	n.total = allocated
	n.free = n.free.Sub(less)
	s.cluster = s.cluster.Sub(less)
	s.parts[n.part].total = s.parts[n.part].total.Sub(less)
	s.findLargest()
	s.reentered(n)
	s.clusterChanged()
	s.clusterChanged()
	for _, c := range s.appendOn(nil, n) { // changes nothing but which users have an object
		s.moveUse(c, n.part, n.part)
	}
	if n.reserved != nil {
		s.complete(n.reserved, byKill)
	}
	s.clusterChanged()
}

// reentered puts a node at the end of what lists nodes in order of entry: the
// original takes it out of its partition's list and in again, and out of what the
// label manager remembers (ClusterNodeTracker, RMNodeLabelsManager.updateNodeResource).
func (s *Scheduler) reentered(n *node) {
	s.entries++
	n.entry = s.entries
	s.async.orderOf = -1
	if !s.conf.MultiNode {
		return
	}
	s.listsDue(n)
	l := s.lists[n.part]
	nodes := slices.DeleteFunc(slices.Clone(l.nodes), func(m *node) bool { return m == n })
	if l.listed && len(nodes) == 0 {
		s.forgetList(n.part)
	}
	s.setList(n.part, append(nodes, n))
	n.relabelled = false // it is one that registers with its label
	if n.part != 0 {
		l.ids.remove(labelID{n, false})
		l.ids.add(labelID{n, false})
		s.listAnew(n.part)
	}
}

// findLargest finds the largest node, component by component.
func (s *Scheduler) findLargest() {
	s.largest = res{}
	for _, m := range s.nodes {
		if !m.lost {
			s.largest = s.largest.MaxEach(m.total)
		}
	}
}

// Load is what applications still ask for, what containers hold and what is free, of all
// partitions (QueueMetrics of root: pending, allocated, available). What is reserved is none
// of these.
func (s *Scheduler) Load() (pending, allocated, available yarn.Resource) {
	s.settle()
	var ask, used, reserved res
	for p := range s.parts {
		at := s.root.at(int32(p))
		ask, used, reserved = ask.Add(at.pending), used.Add(at.used), reserved.Add(at.reserved)
	}
	return yarn.Resource(ask), yarn.Resource(used.Sub(reserved)), yarn.Resource(s.cluster.SubFloor(used))
}

// Used is what containers hold of a node.
func (s *Scheduler) Used(id yarn.NodeID) yarn.Resource {
	if int(id) >= len(s.nodes) {
		return yarn.Resource{}
	}
	return yarn.Resource(s.nodes[id].total.Sub(s.nodes[id].free))
}
