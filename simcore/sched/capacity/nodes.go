package capacity

import (
	"fmt"

	"schedtune/internal/java"
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
)

// nodeTable is the nodes of the cluster, and the names of places.
type nodeTable struct {
	nodes     []*node // by id, lost ones too
	block     []node  // what is left of the last one
	liveNodes int
	mostNodes int                    // at a time: the size of the original's hash table follows
	entries   int                    // nodes entered into lists so far
	nodeIDs   map[string]yarn.NodeID // by name: the last of that name

	cluster   res  // sum of the nodes' sizes, of all partitions
	largest   res  // largest node, component by component: bounds what may be asked for
	unsettled bool // nodes came while no application was there: figures are due, see settle

	requests.Places // names of nodes and racks
}

// node is a registered node (FiCaSchedulerNode): what heartbeats need, in two lines of the
// cache, of which heartbeats that come to nothing and exchanges that repeat one need the
// first alone. TestSizes holds it to that.
type node struct {
	free        res        // total less running containers and space held; a reservation takes none
	quiet       uint64     // epoch in which a heartbeat was found to change nothing
	reserved    *container // at most one reservation
	id          yarn.NodeID
	part        int32 // number of the partition
	place, rack yarn.Place
	mostRunning int32 // containers at a time
	lost        bool
	draining    bool  // it is being decommissioned (DECOMMISSIONING)
	at          int32 // position in asynchronous.order
	_           [4]byte

	total    res
	running  []uint32 // handles, see running.go
	killable res      // sum of killables
	*nodeRest
}

// nodeRest is what of a node is rarely looked at.
type nodeRest struct {
	host string
	port int
	hash uint32 // of the node's id in the original (NodeId.hashCode)

	killables    []*container // that proposals may kill, oldest mark first
	mostKillable int          // at a time

	// Placement on several nodes.
	listedIn   []int32 // partitions whose lists have it
	moved      bool    // its usage has changed since the one list was sorted; it is in nodeList.moved
	sortedBy   res     // usage by which it stands there
	rank       int32   // among all nodes, by host and port
	inOrder    int32   // place in the order last made by a timer
	relabelled bool    // was ever given another label

	entry int // nodes are listed in this order: of registration, or later
}

// AddNode registers a node (CapacityScheduler.addNode) and returns its id; ids count from
// 0. Errors: the name of a node that is there, a size below 0, a label that was not
// declared.
func (s *Scheduler) AddNode(spec yarn.NodeSpec) (yarn.NodeID, error) {
	if id, ok := s.nodeIDs[spec.Name]; ok && !s.nodes[id].lost {
		return 0, fmt.Errorf("node %s: registered already", spec.Name)
	}
	if err := spec.Validate(); err != nil {
		return 0, err
	}
	part, err := s.labelNumber(spec.Label)
	if err != nil {
		return 0, fmt.Errorf("node %s: %w", spec.Name, err)
	}
	s.bookSkipped()
	if part != 0 && len(s.apps) > 0 {
		s.clusterChanged() // the label is announced before the node
	}
	n := s.newNode()
	n.part = part
	n.place, n.rack = s.Place(spec.Name), s.Place(spec.Rack)
	n.total = res(spec.Resource)
	n.free = n.total
	n.host, n.port = spec.Address()
	s.entries++
	n.entry = s.entries
	n.hash = java.HashNode(n.host, n.port)
	s.listNode(n)
	s.nodeIDs[spec.Name] = n.id
	s.liveNodes++
	s.mostNodes = max(s.mostNodes, s.liveNodes)
	s.cluster = s.cluster.Add(n.total)
	s.parts[part].total = s.parts[part].total.Add(n.total)
	s.largest = s.largest.MaxEach(n.total)
	s.epoch++
	if len(s.apps) == 0 {
		s.unsettled = true // many nodes usually register at once
	} else {
		s.nodesChanged()
	}
	return n.id, nil
}

// newNode appends a node. Nodes are made in blocks that begin at a line of the cache.
func (s *Scheduler) newNode() *node {
	if len(s.block) == 0 {
		s.block = make([]node, blockSize(len(s.nodes)))
	}
	n := &s.block[0]
	s.block = s.block[1:]
	n.id, n.nodeRest = yarn.NodeID(len(s.nodes)), &nodeRest{}
	s.nodes = append(s.nodes, n)
	return n
}

// settle brings up to date what was put off: figures, by AddNode, and the booking of
// rounds that were left out. Verbs begin with it.
func (s *Scheduler) settle() {
	if s.unsettled || s.async.counting.Skipped > 0 {
		s.settleNow()
	}
}

// settleNow stands apart so that settle is short enough to be inlined.
func (s *Scheduler) settleNow() {
	s.bookSkipped()
	if s.unsettled {
		s.unsettled = false
		s.clusterChanged()
	}
}

// LoseNode expires a node with all that ran on it (CapacityScheduler.removeNode). Lost
// containers are appended to dst, by application and ordinal. Applications whose masters
// ran there end.
func (s *Scheduler) LoseNode(id yarn.NodeID, dst []yarn.Container) []yarn.Container {
	if int(id) >= len(s.nodes) || s.nodes[id].lost {
		return dst
	}
	s.settle()
	n := s.nodes[id]
	s.parts[n.part].total = s.parts[n.part].total.Sub(n.total)
	s.losses.Begin()
	var headless []*app
	s.order = hashOrder(s.appendOn(s.order[:0], n), int(n.mostRunning))
	for _, c := range s.order {
		if c.am && c.acquired {
			headless = append(headless, c.app)
		}
		s.complete(c, byKill)
	}
	if n.reserved != nil {
		s.complete(n.reserved, byKill)
	}
	n.lost = true
	s.unlistNode(n)
	s.liveNodes--
	s.cluster = s.cluster.Sub(n.total)
	s.findLargest()
	s.nodesChanged()
	s.finish(headless...)
	return s.losses.Take(dst)
}

// nodesChanged recomputes all that depends on the cluster's resources twice, as
// the original does: when a node joins or leaves, and again when it learns
// the node's labels. The second time may start applications that the limit of
// their user's masters held back the first time.
func (s *Scheduler) nodesChanged() {
	s.clusterChanged()
	s.clusterChanged()
}

// clusterChanged recomputes all that depends on the cluster's resources.
func (s *Scheduler) clusterChanged() { s.recompute(s.root) }

// recompute recomputes what depends on the cluster's resources for a queue and all below it,
// in the order of the original (AbstractParentQueue.updateClusterResource,
// AbstractLeafQueue likewise): figures from the top down, and for each leaf its limits, the
// activation of waiting applications, and the headrooms.
func (s *Scheduler) recompute(top *queue) {
	s.epoch++
	if s.labelled() {
		s.effectiveOfAll()
	} else {
		s.conf.EffectiveInto(s.cluster, s.eff)
	}
	for i, q := range s.queues {
		if q.isBelow(top) {
			q.eff = s.eff[i]
			s.figures(q, &q.queuePart)
		}
	}
	s.updateBelow(top, newLimits(s.cluster))
}

// updateBelow hands the cluster down as the limit, from a queue on.
func (s *Scheduler) updateBelow(q *queue, lim limits) {
	if q.leaf {
		s.updateLeaf(q, &lim)
		return
	}
	for _, c := range q.children {
		s.updateBelow(c, newLimits(s.limitBelow(s.belowLimit(q.at(0), &lim), c.at(0))))
	}
	s.allMoved(q)
}

// updateLeaf is updateBelow of a leaf (AbstractLeafQueue.updateClusterResource).
func (s *Scheduler) updateLeaf(q *queue, lim *limits) {
	q.lastCluster = s.cluster
	s.limitLeaf(q, lim)
	q.shownLimit = q.cachedLimit
	s.recountRatios(&q.users)
	s.allMoved(q)
	s.activateWaiting(q)
	q.users.version++
	for _, a := range q.active {
		s.show(q, a, 0, false)
	}
}

// allMoved notes that the queue's place among its siblings may have changed in
// every partition.
func (s *Scheduler) allMoved(q *queue) {
	for p := range s.parts {
		q.moved(q.at(int32(p)))
	}
}

// limitLeaf remembers the limit a leaf was last handed, cut at its maximum
// (AbstractLeafQueue.updateCurrentResourceLimits).
func (s *Scheduler) limitLeaf(q *queue, lim *limits) {
	l := s.smaller(q.most, lim.limit)
	if l != q.cachedLimit {
		q.cachedLimit, s.limitsMoved = l, true
	}
	s.async.counting.limited(q, l)
}

// show makes the leaf's present limit what an application's headroom is computed from, and
// returns the user's limit in a partition (AbstractLeafQueue.computeUserLimitAndSetHeadroom).
// A user without an object gets none and leaves the headroom as it was.
func (s *Scheduler) show(q *queue, a *app, p int32, shared bool) res {
	u := a.slot.u
	if u == nil {
		return res{}
	}
	who := forActive
	if shared {
		who = forShared
	}
	limit := s.userLimit(q, u, p, who)
	s.showCached(q, a, u)
	return limit
}

// showCached is show for a user whose limit is known already.
func (s *Scheduler) showCached(q *queue, a *app, u *user) {
	if q.shownLimit != q.cachedLimit || a.shown != u {
		q.shownLimit = q.cachedLimit
		a.shown, s.limitsMoved = u, true
	}
	s.async.counting.showed(q)
}
