package yarnfair

import (
	"math"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// reserve reserves a node for an ask that does not fit now, if the application
// has less than its share, the ask is large enough, and the application has not
// reserved too many nodes already.
func (s *Scheduler) reserve(a *app, k *reqKey, n *node, size res, loc uint8, resv *container) res {
	if !s.mayReserve(a, n, size, loc) {
		return res{}
	}
	if resv != nil {
		return reservedMark // renewed
	}
	s.changed = true
	a.lastID++
	c := s.newContainer()
	c.app, c.node, c.priority, c.alloc, c.size, c.id = a, n, k.priority, k.alloc, size, a.lastID
	c.ordinal, c.reserved, c.atApp = -1, true, int32(len(a.resv))
	a.resv = append(a.resv, c)
	a.reserved = a.reserved.Add(size)
	n.reserved = c
	s.reservations++
	s.out = append(s.out, yarn.Event{Kind: yarn.Reserve, Locality: loc, App: a.id, Node: n.id, Ordinal: -1,
		Priority: k.priority, AllocID: k.alloc, Size: yarn.Resource(size)})
	return reservedMark
}

func (s *Scheduler) mayReserve(a *app, n *node, size res, loc uint8) bool {
	return s.couldReserve(size) && s.starved(a) && s.largeEnough(a.queue, size) && !n.claimedBy(a) &&
		!s.tooManyReserved(a, n, loc)
}

// starved reports whether an application has less than its fair share, or than
// its part of the queue's minimum.
func (s *Scheduler) starved(a *app) bool {
	return s.below(a.queue, a.used, a.fair) || !a.starve.min.IsNone()
}

// below compares an amount with a share: by memory, or under drf by the larger
// share of the cluster.
func (s *Scheduler) below(q *queue, r, share res) bool {
	if q.policy != drf {
		return r.Memory < share.Memory
	}
	if r == share {
		return false
	}
	if s.cluster.IsNone() {
		return yarnconf.Calculator{Dominant: true}.Compare(s.cluster, r, share) < 0
	}
	return r.LargestShare(s.cluster)-share.LargestShare(s.cluster) < 0
}

func (s *Scheduler) largeEnough(q *queue, size res) bool {
	return yarnconf.Calculator{Dominant: q.policy == drf}.Compare(s.cluster, size, s.reserveAt) >= 0
}

// tooManyReserved limits the nodes an application has reserved, on the rack or
// in all, to a part of those there are. A node asked for by name is free of it.
func (s *Scheduler) tooManyReserved(a *app, n *node, loc uint8) bool {
	if loc == nodeLocal {
		return false
	}
	nodes, have := s.liveNodes, len(a.resv)
	if loc == rackLocal {
		nodes, have = s.onRack[n.rack], 0
		for _, c := range a.resv {
			if c.node.rack == n.rack {
				have++
			}
		}
	}
	return have >= int(math.Ceil(float64(float32(nodes)*s.site.ReservableNodes)))
}

// tryReserved serves a node's reservation. It reports false where the
// reservation could never be served and was given up.
func (s *Scheduler) tryReserved(n *node) bool {
	c := n.reserved
	k := c.app.key(c.priority, c.alloc)
	if !s.couldUse(c.app, k, n) || s.overAMShare(c.app) {
		s.giveUp(c)
		return false
	}
	if c.size.FitsIn(n.free) {
		s.tryKey(c.app, k, n, c)
	}
	return true
}

// giveUp drops a reservation without a grant and reports it.
func (s *Scheduler) giveUp(c *container) {
	s.changed = true
	i := len(s.unreserv)
	s.unreserv = append(s.unreserv, c.node.id)
	s.out = append(s.out, yarn.Event{Kind: yarn.Release, App: c.app.id, Node: c.node.id, Ordinal: -1,
		Priority: c.priority, AllocID: c.alloc, Size: yarn.Resource(c.size), Unreserved: s.unreserv[i : i+1 : i+1]})
	s.dropReservation(c)
}

// dropReservation takes a reservation off its node and application.
func (s *Scheduler) dropReservation(c *container) {
	a := c.app
	a.resv = swapOut(a.resv, int(c.atApp), func(x *container, i int) { x.atApp = int32(i) })
	a.reserved = a.reserved.Sub(c.size)
	c.node.reserved = nil
	s.reservations--
	c.over = true
	s.freeContainers = append(s.freeContainers, c)
}
