package yarnfair

import (
	"math"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// couldUse reports whether a key asks for something the node could hold at all
// and the queue and those above it may have.
func (s *Scheduler) couldUse(a *app, k *reqKey, n *node) bool {
	if k.Outstanding() <= 0 {
		return false
	}
	rack, local := k.At(n.rack), k.At(n.place)
	if k.Any.Strict && rack.Asks() <= 0 || rack.Asks() > 0 && rack.Strict && local.Asks() <= 0 {
		return false
	}
	return s.mayHold(a.queue, k.Any.Size, n)
}

// mayHold reports whether a node could hold a container at all, and a leaf and
// those above it may have one more of its size.
func (s *Scheduler) mayHold(q *queue, size res, n *node) bool {
	if !size.FitsIn(n.total) {
		return false
	}
	for ; q != nil; q = q.parent {
		if !q.used.Add(size).FitsIn(q.max) {
			return false
		}
	}
	return true
}

// tryKey offers a node to one key, at the nearest locality that is allowed. ok
// is false where the key passes and the next one may be tried.
func (s *Scheduler) tryKey(a *app, k *reqKey, n *node, resv *container) (got res, ok bool) {
	k.missed++
	rack, local := k.At(n.rack), k.At(n.place)
	level := s.allowed(k)
	if rack.Asks() > 0 && local.Asks() > 0 {
		return s.assign(a, k, n, local.Size, nodeLocal, resv), true
	}
	if rack != nil && rack.Strict {
		return res{}, false
	}
	if rack.Asks() > 0 && level >= rackLocal {
		return s.assign(a, k, n, rack.Size, rackLocal, resv), true
	}
	if k.Any.Present && k.Any.Strict {
		return res{}, false
	}
	if k.Outstanding() > 0 && (k.Unique <= 1 || level == offSwitch) {
		return s.assign(a, k, n, k.Any.Size, offSwitch, resv), true
	}
	return res{}, false
}

// allowed is the farthest locality a key may take now. It begins at the node
// and widens each time more nodes than the threshold's part of the cluster have
// been passed over.
func (s *Scheduler) allowed(k *reqKey) uint8 {
	if !s.delays() {
		return offSwitch
	}
	s.changed = true
	if !k.levelSet {
		k.levelSet, k.level = true, nodeLocal
		return nodeLocal
	}
	threshold := float64(s.site.RackThreshold)
	switch k.level {
	case offSwitch:
		return offSwitch
	case nodeLocal:
		threshold = float64(s.site.NodeThreshold)
	}
	if float64(k.missed) > float64(s.liveNodes)*min(threshold, 1) {
		k.level++
		k.missed = 0
	}
	return k.level
}

// assign gives a container where it fits, or reserves the node for it. It
// returns the size asked for, reservedMark, or nothing.
func (s *Scheduler) assign(a *app, k *reqKey, n *node, size res, loc uint8, resv *container) res {
	if !size.FitsIn(n.free) {
		return s.reserve(a, k, n, size, loc, resv)
	}
	if k.levelSet && loc < k.level {
		k.level = loc
		s.changed = true
	}
	if k.Outstanding() <= 0 {
		if resv != nil {
			s.giveUp(resv)
		}
		return res{}
	}
	s.start(a, k, n, size, loc, resv)
	if !a.amRunning && !a.unmanaged {
		a.am, a.amRunning = size, true
		a.queue.amUsed = a.queue.amUsed.Add(size)
		a.queue.goes(a)
		s.serve(a)
	}
	return size
}

// start makes a running container, of a reservation's size where it comes from
// one.
func (s *Scheduler) start(a *app, k *reqKey, n *node, size res, loc uint8, resv *container) {
	s.changed = true
	c := s.newContainer()
	c.app, c.node, c.priority, c.alloc, c.size, c.loc = a, n, k.priority, k.alloc, size, loc
	if resv != nil {
		c.size, c.id = resv.size, resv.id
	} else {
		a.lastID++
		c.id = a.lastID
	}
	from := k.From(loc, n.place, n.rack)
	for i, r := range from {
		c.rows[i] = r.Kept()
	}
	s.sequence++
	c.seq, c.ordinal = s.sequence, int32(len(a.byOrdinal))
	a.byOrdinal = append(a.byOrdinal, c)
	c.atApp, c.atNode = int32(len(a.live)), int32(len(n.live))
	a.live, n.live = append(a.live, c), append(n.live, c)
	n.mostLive = max(n.mostLive, len(n.live))
	a.granted = append(a.granted, c.ordinal)
	s.charge(c, 1)
	if k.Take(&from) {
		s.unlist(a, k)
	}
	s.out = append(s.out, yarn.Event{Kind: yarn.Allocate, FromReservation: resv != nil, Locality: loc, App: a.id,
		Node:    n.id,
		Ordinal: c.ordinal, Priority: k.priority, AllocID: k.alloc, Size: yarn.Resource(c.size)})
	if resv != nil {
		s.dropReservation(resv)
	}
	s.claimed(n, a, c.size)
	if !a.amRunning && !a.unmanaged {
		s.masters = append(s.masters, c)
	}
}

func scaleUp(r res, by float64) res {
	return res{Memory: yarnconf.Truncate(math.Ceil(float64(r.Memory) * by)),
		VCores: yarnconf.Truncate(math.Ceil(float64(r.VCores) * by))}
}
