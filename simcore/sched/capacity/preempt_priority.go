package capacity

import (
	"cmp"
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Preemption by queue priority
// (ordering-policy.priority-utilization.underutilized-preemption;
// QueuePriorityContainerCandidateSelector): a reservation
// of a queue below its guarantee that has waited long enough takes its node's
// room from queues of lower priority, also where these are not beyond their
// share, or moves to a node where that is possible.

// priorityPass is the state of one such selection.
type priorityPass struct {
	*preemptPass
	touched map[*node]bool         // nodes on which something was chosen or moved in this round
	running map[*node][]*container // by node, in the order of the last look
	marked  map[*queue]res         // what a queue has had selected for it in this round
}

// Move is a reservation that preemption has moved to another node.
type Move struct {
	App      yarn.AppID
	From, To yarn.NodeID
}

// Moved returns the reservations that the last preemption round has moved.
func (s *Scheduler) Moved() []Move { return s.policy.moved }

// selectByQueuePriority goes through the reservations of queues that take from others, higher
// queues first, then older reservations
// (QueuePriorityContainerCandidateSelector.selectCandidates).
func (p *preemptPass) selectByQueuePriority() {
	w := &priorityPass{preemptPass: p, touched: map[*node]bool{}, running: map[*node][]*container{}, marked: map[*queue]res{}}
	nodes := p.s.nodesByHash()
	var waiting []*container
	for _, n := range nodes {
		if n.reserved != nil && slices.ContainsFunc(p.leaves, func(t *tempQueue) bool { return takesFrom(n.reserved.app.queue, t.q) }) {
			waiting = append(waiting, n.reserved)
		}
	}
	java.Sort(waiting, w.compare)
	for _, c := range waiting {
		if p.s.now-c.made < p.s.conf.Preemption.ByPriorityDelay || w.satisfied(c.app.queue) {
			continue
		}
		if chosen, ok := w.roomFor(c.size, c.app.queue, c.node, false); ok {
			w.take(c, chosen)
		} else if p.s.conf.Preemption.ByPriorityMove {
			w.tryToMove(c, nodes)
		}
	}
}

// takesFrom reports whether a leaf may take from another: its ancestor below their lowest common one
// has the higher priority (initializePriorityDigraph). Siblings are equal unless their parent minds.
func takesFrom(a, b *queue) bool {
	if a == b || a.orphan || b.orphan {
		return false
	}
	for !b.isBelow(a.parent) {
		a = a.parent
	}
	for b.parent != a.parent {
		b = b.parent
	}
	return a.parent.conf.Order == yarnconf.PriorityUtilization && a.conf.Priority > b.conf.Priority
}

// compare is the original's order of containers. It is none where priorities are
// nested, so that what comes of sorting by it depends on the algorithm.
func (p *priorityPass) compare(a, b *container) int {
	qa, qb := a.app.queue, b.app.queue
	switch {
	case takesFrom(qa, qb):
		return -1
	case takesFrom(qb, qa):
		return 1
	}
	return cmp.Compare(a.made, b.made)
}

// satisfied reports whether a queue has its guarantee: what it uses without reservations, and
// what has been selected for it in this round (isQueueSatisfied).
func (p *priorityPass) satisfied(q *queue) bool {
	t := p.tempIn(q, 0)
	if t == nil {
		return false
	}
	has := t.used.Sub(t.reserved).Add(p.marked[q])
	return p.s.calc.Compare(p.s.cluster, has, t.guaranteed) >= 0
}

// roomFor lists what a queue may take on a node for a size to fit, oldest first within a
// queue, and reports whether that is enough (canPreemptEnoughResourceForAsked). With toMove
// the node must not be reserved.
func (p *priorityPass) roomFor(size res, q *queue, n *node, toMove bool) (chosen []*container, ok bool) {
	if p.touched[n] || toMove && n.reserved != nil {
		return nil, false
	}
	calc := p.s.calc
	lacking := size.Sub(n.free)
	running := p.runningOn(n)
	for _, c := range running {
		if p.selected[c] {
			lacking = lacking.Sub(c.size)
		}
	}
	if calc.Fits(lacking, res{}) {
		return nil, true
	}
	allowed := p.allowed
	for _, c := range running {
		if p.selected[c] || !takesFrom(q, c.app.queue) || c.am {
			continue
		}
		if calc.Compare(p.s.cluster, allowed, c.size) >= 0 {
			allowed, lacking = allowed.Sub(c.size), lacking.Sub(c.size)
			chosen = append(chosen, c)
		}
		if calc.Fits(lacking, res{}) {
			return chosen, true
		}
	}
	return nil, false
}

// runningOn sorts a node's containers, at the first look in a round as the
// original's hash table lists them, later as they were left.
func (p *priorityPass) runningOn(n *node) []*container {
	cs, seen := p.running[n]
	if !seen {
		cs = hashOrder(p.s.appendOn(nil, n), int(n.mostRunning))
		p.running[n] = cs
	}
	java.Sort(cs, p.compare)
	return cs
}

// take selects containers for a reservation.
func (p *priorityPass) take(c *container, chosen []*container) {
	p.touched[c.node] = true
	p.marked[c.app.queue] = p.marked[c.app.queue].Add(c.size)
	for _, x := range chosen {
		p.choose(x)
		p.allowed = p.allowed.Sub(x.size)
	}
}

// tryToMove moves a reservation to a node where it can take enough
// (tryToMakeBetterReservationPlacement, CapacityScheduler.moveReservedContainer). A
// reservation moves only once: later the original looks for it where it was made.
func (p *priorityPass) tryToMove(c *container, nodes []*node) {
	if k := c.app.key(c.priority, c.alloc); k.Any.Present && k.Any.Strict {
		return
	}
	for _, n := range nodes {
		if _, ok := p.roomFor(c.size, c.app.queue, n, true); !ok || c.more != nil {
			continue
		}
		p.s.policy.moved = append(p.s.policy.moved, Move{App: c.app.id, From: c.node.id, To: n.id})
		c.more, c.node.reserved = &more{from: c.node}, nil
		c.node, n.reserved = n, c
		p.s.async.opened(n)
		p.touched[n] = true
	}
}

// madeOn is the node on which a container was made, by which it is named also
// when its reservation has been moved.
func (c *container) madeOn() *node {
	if c.reserved && c.more != nil {
		return c.more.from
	}
	return c.node
}
