package capacity

import "schedtune/simcore/yarn"

// Heartbeats that can change nothing.
//
// Left out: the scheduling part of a heartbeat (fillNode) and the visit of a node in a
// round, where one like it has changed nothing and nothing has changed since. The
// runtime does not even make such heartbeats (Pending).
//
// Why nothing is missed:
//
//  1. Without ended containers a heartbeat is a function of the scheduler's state and of
//     its node. One that has changed nothing changes nothing when it is repeated, as long
//     as the state is the same.
//  2. changeLog.epoch grows with everything that may change a decision, an answer or a
//     counter: each verb adds to it, and so does a heartbeat or visit that has set changed.
//     Two instants of one epoch therefore have one state.
//  3. Not counted are limits that a walk only remembers (limitsMoved): the last limit
//     handed to a leaf, the user behind a headroom. A walk sets them before it reads them,
//     and a walk that changed nothing sets them to the same again. Where nodes have labels
//     walks in other partitions set them otherwise in between, so there, and in rounds,
//     whose order counts, they are counted too.
//  4. Opportunities are counters that decide: a heartbeat that counts one has changed
//     something. What comes to rest are heartbeats that limits end before an application
//     is tried, and those in which keys are passed over.
//  5. A heartbeat that came to nothing that depends on its node (nodeMattered) is the same
//     on every node: quietAll then speaks for all of them, else node.quiet for its own.
//     A node with a reservation is never left out.
//
// What ends it: the next epoch. TestIdleHeartbeatsAreKnown makes the heartbeats that are
// said to change nothing; the runtime's tests TestLazyEqualsEager… compare histories with
// those of runs that make all of them.

// changeLog tells that nothing has changed since some earlier instant.
type changeLog struct {
	epoch uint64 // see above; 0 before the first verb

	// Of the heartbeat or visit at hand.
	changed      bool // it has changed something but the limits of limitsMoved
	limitsMoved  bool // it has changed a limit that is only remembered
	nodeMattered bool // it came to something that depends on its node

	quietAll uint64 // epoch in which a heartbeat changed nothing, whatever its node

	fault error // see Fault

	// Of exchange.go.
	neutral uint64    // of the epochs, those after which all that walks go by was as before
	walked  walkStats // what the last walk came to
	repeats int       // exchanges repeated so far, for tests
}

var _ yarn.Hinter = (*Scheduler)(nil)

// Pending reports whether a heartbeat of the node could change anything. It could not
// where nothing is asked for or the node is full, nor if a heartbeat since the last change
// has changed nothing, be it of this node or of another where limits alone stood in the
// way. With asynchronous scheduling only nodes that are being emptied need theirs.
func (s *Scheduler) Pending(id yarn.NodeID) bool {
	if int(id) >= len(s.nodes) {
		return false
	}
	n := s.nodes[id]
	if n.lost || s.rounds() && !n.draining {
		return false
	}
	s.settle()
	if n.reserved != nil || n.draining && (n.free != (res{}) || s.rules.UpdatesDraining) {
		return true
	}
	asked := s.hasPending(s.root.at(n.part)) || n.part != 0 && s.hasPending(&s.root.queuePart)
	if s.conf.MultiNode {
		return s.async.reservations > 0 || s.lists[n.part].quiet != s.epoch && asked
	}
	return n.quiet != s.epoch && s.quietAll != s.epoch && s.roomy(n) && asked
}

// roomy reports whether a node holds at least a minimum allocation, be it by killing
// (CapacityScheduler.allocateContainerOnSingleNode tests unallocated and killable
// resources).
func (s *Scheduler) roomy(n *node) bool {
	free := n.free
	if s.mayBeKilled() {
		free = free.Add(n.killable)
	}
	return s.holds(free, s.minAlloc)
}

// Waiting reports whether any application asks for something, unless limits alone are
// known to stop every node. With placement on several nodes a heartbeat of any node also
// looks after reservations.
func (s *Scheduler) Waiting() bool {
	s.settle()
	if s.conf.MultiNode {
		if s.async.reservations > 0 {
			return true
		}
	} else if s.quietAll == s.epoch {
		return false
	}
	for p := range s.parts {
		if s.hasPending(s.root.at(int32(p))) {
			return true
		}
	}
	return false
}

// Occupancy is what of its node a heartbeat could use. With placement on several nodes a
// heartbeat of a full node may fill another.
func (s *Scheduler) Occupancy(id yarn.NodeID) yarn.Occupancy {
	if s.rounds() || int(id) >= len(s.nodes) {
		return yarn.NodeFull
	}
	n := s.nodes[id]
	switch {
	case n.reserved != nil:
		return yarn.NodeReserved
	case !n.lost && (s.conf.MultiNode || s.roomy(n)):
		return yarn.NodeRoom
	}
	return yarn.NodeFull
}
