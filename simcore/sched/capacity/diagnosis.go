package capacity

import "schedtune/simcore/yarn"

// Why an application gets nothing from a walk: the tests on its way tell a diagnosis, if
// there is one, what they came to (as the original tells its ActivitiesManager).

// Obstacle is what ended a look at a node for an application.
type Obstacle uint8

// Obstacles, in the order in which a look comes to them.
const (
	NoObstacle     Obstacle = iota // it would get a container there
	NodeReserved                   // the node is kept for By
	NodeFull                       // the node holds no minimum allocation
	OtherPartition                 // nothing is asked of the node's partition
	NotAccessible                  // the queue may not use the partition
	AtQueueLimit                   // Queue uses what it may, by Limit
	Outranked                      // the node's space goes to By, in another queue or earlier in order
	// By, earlier in order, asks for more than the leaf has left, which ends the leaf's turn
	BlockedByApp
	AtUserLimit      // the user is over the limit
	MastersNotHere   // a master may not use idle resources of a shared partition
	OverHeadroom     // the ask is more than the leaf has left
	EnoughReserved   // as many reservations as asks
	SharedDelay      // opportunities to pass before an ask without label uses a shared partition
	StrictPlace      // the ask is for other nodes only
	RackDelay        // opportunities to pass before another node of the rack
	OffSwitchDelay   // opportunities to pass before another rack
	NodeTooSmall     // the node could not hold it if it were empty
	MustGiveBack     // no reservation to give back for it
	WouldReserve     // too little is free on the node: it is reserved
	HoldsReservation // it is reserved for the application and still too full
	CommitRefused    // the check at the commit turns it down
)

// Sight is what a look at one node came to.
type Sight struct {
	Node     yarn.NodeID
	Obstacle Obstacle
	By       yarn.AppID    // Outranked, BlockedByApp, NodeReserved
	Queue    string        // AtQueueLimit: path of the queue; Outranked: of the leaf that By is in
	Limit    yarn.Resource // AtQueueLimit: what it may use; AtUserLimit: the user; OverHeadroom: what is left
	Priority int32         // of By
}

// diagnosis notes why one application gets nothing while nodes are looked at. It is nil but
// in the copies that Standing makes; its methods for tests then do nothing.
type diagnosis struct {
	app   *app
	leaf  *queue // the application's
	sight Sight  // what was said last of the application at the node at hand
	seen  bool   // something was
}

// note keeps the last thing said of the application: a look goes on to other keys
// and to what a shared partition gives where the first gave nothing. That nothing
// is asked, or that another ended the turn, counts only where nothing else is said.
func (w *diagnosis) note(o Obstacle) *Sight {
	if w.seen && (o == OtherPartition || o == BlockedByApp) {
		return &Sight{}
	}
	w.sight, w.seen = Sight{Node: w.sight.Node, Obstacle: o, By: -1}, o != OtherPartition
	return &w.sight
}

// inOtherGroup notes that an application is not served by nodes of the partition
// at hand, whatever it asks for (fifo-with-partitions).
func (w *diagnosis) inOtherGroup(a *app) {
	if w != nil && a == w.app {
		w.note(OtherPartition)
	}
}

// atQueue notes that a queue may not use more of a partition.
func (w *diagnosis) atQueue(q *queue, p int32, lim *limits) {
	if w != nil && w.leaf.isBelow(q) {
		at := w.note(AtQueueLimit)
		at.Queue, at.Limit = q.path, yarn.Resource(lim.headroom.Add(q.at(p).used))
	}
}

// passedOver notes that an application was passed over before its asks were
// looked at: its user is over the limit, or it asks nothing of the partition.
func (w *diagnosis) passedOver(s *Scheduler, a *app, p int32) {
	if w == nil || a != w.app {
		return
	}
	if !a.wantsMore(p) {
		w.note(OtherPartition)
		return
	}
	who := forActive
	if s.shared {
		who = forShared
	}
	w.note(AtUserLimit).Limit = yarn.Resource(s.userLimit(a.queue, a.slot.u, s.part, who))
}

// turnOver notes that an application ended its leaf's turn.
func (w *diagnosis) turnOver(a *app) {
	if w != nil && a != w.app && a.queue == w.leaf {
		at := w.note(BlockedByApp)
		at.By, at.Priority = a.id, a.priority
	}
}

// atKey notes the result of a look of the application at a node for one key.
func (w *diagnosis) atKey(s *Scheduler, a *app, k *reqKey, n *node, lim *limits, v verdict) {
	if w == nil || a != w.app || v >= allocates {
		return
	}
	o := NodeFull
	switch {
	case n != nil:
		o = s.obstacle(a, k, n, v)
	case v == leafSkipped:
		o = OverHeadroom
	case s.together != nil: // nodes are looked at together: none of them gave anything
		o = s.obstacleTogether(a, k, s.together)
	}
	at := w.note(o)
	if at.Obstacle == OverHeadroom {
		at.Limit = yarn.Resource(lim.headroom)
	}
}

// obstacle returns which of the tests behind a verdict failed. The tests themselves
// are those of checkRequest, localities and fit.
func (s *Scheduler) obstacle(a *app, k *reqKey, n *node, v verdict) Obstacle {
	rack := k.At(n.rack)
	switch {
	case v == leafSkipped:
		return OverHeadroom
	case s.labelled() && s.shared && a.master == nil && !a.unmanaged && !s.conf.SharedForMasters:
		return MastersNotHere
	case s.labelled() && k.label != s.askingOn(n.part):
		return OtherPartition
	case s.labelled() && s.shared && k.missedPlain < s.liveNodes:
		return SharedDelay
	case !s.conf.ContinueLooking && !s.wantsMore(a, k, k.Any.Size):
		return EnoughReserved
	case rack.Asks() > 0 && rack.Strict || k.Any.Strict:
		return StrictPlace
	case !s.fits(k.Any.Size, n.total):
		return NodeTooSmall
	case s.offSwitchAllowed(k, nil):
		return MustGiveBack
	case !s.holds(n.free, k.Any.Size): // without a delay it would not get a container here either
		return NodeFull
	case rack.Asks() > 0:
		return RackDelay
	}
	return OffSwitchDelay
}
