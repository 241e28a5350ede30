package capacity

import (
	"math"

	"schedtune/simcore/yarn"
)

// Limit is what stops a request first.
type Limit uint8

// Limits, in the order in which a request meets them.
const (
	Unlimited      Limit = iota // a node has room: it waits for a heartbeat, or its turn
	ParallelUser                // max-parallel-apps of its user
	ParallelQueue               // max-parallel-apps of queue At
	MastersOfQueue              // maximum-am-resource-percent
	MastersOfUser               // the user's part of that
	NoPartition                 // its queue may not use the partition, or the partition has no nodes
	QueueMaximum                // maximum-capacity of queue At
	UserFactor                  // user-limit-factor
	UserShare                   // minimum-user-limit-percent: what several users share
	LocalityDelay               // nodes with room are not those asked for
	Reservation                 // nodes with room are reserved, or it waits for the node that is reserved for it
	NoSpace                     // no node has room
)

// Blocked is what an application requests and has not been allocated at an instant.
type Blocked struct {
	App         yarn.AppID
	Queue, User string // of the application; Queue is a path
	Limit       Limit
	At          string        // path of the queue whose limit it is
	Label       string        // partition of the request
	Amount      yarn.Resource // of all its requests of that partition
	Most        int64         // MiB that the limit comes to: of a queue, of a user, or of masters; else 0
	Room        int64         // MiB that the other limits on the way of a request would leave it
	Free        yarn.Resource // on the partition's nodes, reserved ones too
}

// EachBlocked calls f for every application with requests, leaf by leaf, with what stops its
// first request: of masters, all of one size and user of a leaf alike. It tests what a walk
// tests, with the walk's own figures, without making one, and changes nothing. Standing tells
// the same of one application with all figures, and of the walk itself: who is served before.
func (s *Scheduler) EachBlocked(f func(Blocked)) {
	s.settle()
	w := blockedWalk{Scheduler: s, report: f, seen: map[askOf]stop{}}
	for _, q := range s.queues {
		w.over = 0
		for _, a := range q.Held {
			w.add(a, a.amPart, w.parallelLimit)
		}
		for _, a := range q.waiting {
			w.add(a, a.amPart, w.mastersLimit)
		}
		for _, a := range q.active {
			if k := a.firstAsk(); k != nil {
				w.add(a, k.label, w.requestLimit)
			}
		}
	}
}

// blockedWalk is EachBlocked at work.
type blockedWalk struct {
	*Scheduler
	report func(Blocked)
	seen   map[askOf]stop // what asks of a kind came to
	over   uint64         // partitions in which the leaf's turn is over, by bit
}

// askOf is what asks that meet the same limit have in common: a size in a partition, of masters
// leaf and user too.
type askOf struct {
	part int32
	size res
	leaf *queue
	user string
}

// add reports an application that asks for something of a partition.
func (w *blockedWalk) add(a *app, p int32, limit func(*app) stop) {
	amount, root := a.at(p).pending, w.root.at(p)
	if amount.Memory <= 0 {
		return
	}
	by := limit(a)
	free := w.parts[p].total.Sub(root.used).Add(root.reserved).Floor()
	w.report(Blocked{App: a.id, Queue: a.queue.path, User: a.user, Limit: by.limit, At: by.at.path,
		Label: w.parts[p].name, Amount: yarn.Resource(amount), Most: by.most, Room: w.room(a, p, by),
		Free: yarn.Resource(free)})
}

// stop is the limit that stops a request, the queue whose it is, and what it comes to in MiB.
type stop struct {
	limit Limit
	at    *queue
	most  int64
}

// room is the memory that limits on the way of an application's requests leave it but for the one
// that stops them.
func (w *blockedWalk) room(a *app, p int32, by stop) int64 {
	least := int64(math.MaxInt64)
	for q := a.queue; q != nil; q = q.parent {
		if at := q.at(p); by.limit != QueueMaximum || q != by.at {
			least = min(least, at.eff.Max.Memory-at.used.Memory)
		}
	}
	if u := a.slot.u; u != nil && by.limit != UserFactor && by.limit != UserShare {
		least = min(least, w.weighted(u.share(), w.userLimitNow(a.queue, p)).Memory-u.at(p).used.Memory)
	}
	return max(least, 0)
}

// firstAsk is the first key with outstanding asks, nil where there is none.
func (a *app) firstAsk() *reqKey {
	for i := range a.keys {
		if a.keys[i].Outstanding() > 0 {
			return &a.keys[i]
		}
	}
	return nil
}

// mastersLimit finds the limit on masters, as activateWaiting tests it. Within all of them an
// application waits until one of its queue is submitted or ends.
func (w *blockedWalk) mastersLimit(a *app) stop {
	of := askOf{part: a.amPart, size: a.at(a.amPart).am, leaf: a.queue, user: a.user}
	by, known := w.seen[of]
	if !known {
		var m MasterLimits
		by.at = a.queue
		switch w.mastersOf(a, &m); {
		case !m.QueueFits:
			by.limit, by.most = MastersOfQueue, m.QueueMost.Memory
		case !m.UserFits:
			by.limit, by.most = MastersOfUser, m.UserMost.Memory
		}
		w.seen[of] = by
	}
	return by
}

// requestLimit finds what stops the first ask of an active application, in the order of
// assignParent, assignLeaf and place.go.
func (w *blockedWalk) requestLimit(a *app) stop {
	k := a.firstAsk()
	p, size := k.label, k.Any.Size
	var full, small *queue // the highest that uses all it may, or has not enough left
	for q := a.queue; q != nil; q = q.parent {
		at := q.at(p)
		if !at.accessible || at.eff.Max.Memory == 0 {
			return stop{limit: NoPartition, at: q}
		}
		if up := q.parent; up != nil && at.eff.Max != up.at(p).eff.Max {
			if !w.more(at.eff.Max, at.used) {
				full = q
			}
			if !w.fits(size, at.eff.Max.Sub(at.used)) {
				small = q
			}
		}
	}
	var unreservable res
	if w.conf.ContinueLooking {
		unreservable = a.reserved
	}
	lim, open := w.handDown(a.queue, p, unreservable)
	short := !w.fits(size, lim.headroom.Add(unreservable))
	if full == nil {
		full = small // rounded down to the minimum allocation nothing is left
	}
	maximum := stop{limit: NoSpace, at: w.root} // no queue has one of its own that is reached
	if full != nil {
		maximum = stop{QueueMaximum, full, full.at(p).eff.Max.Memory}
	}
	u, limit := a.slot.u, w.userLimitNow(a.queue, p)
	switch {
	case !open:
		return maximum
	case w.over>>p&1 != 0: // an earlier application asks for more than the leaf has left
		if small != nil {
			return maximum
		}
		return stop{at: a.queue}
	case u != nil && w.more(u.at(p).used.Sub(unreservable), w.weighted(u.share(), limit)):
		if w.more(w.calc.RoundUp(a.queue.at(p).userMost, w.minAlloc), limit) {
			return stop{UserShare, a.queue, limit.Memory}
		}
		return stop{UserFactor, a.queue, limit.Memory}
	case short:
		w.over |= 1 << p
		return maximum
	}
	return w.nodesLimit(a, k)
}

// handDown hands limits down to a queue as a walk does and reports whether it and all above it
// may use more; unreservable is what could be given back of the queue's reservations.
func (s *Scheduler) handDown(q *queue, p int32, unreservable res) (lim limits, open bool) {
	lim = newLimits(s.parts[p].total)
	if up := q.parent; up != nil {
		if lim, open = s.handDown(up, p, up.at(p).reserved); !open {
			return lim, false
		}
		lim = newLimits(s.childLimit(up, q, &lim, p))
	}
	s.part = p
	return lim, s.assignable(q, q.at(p), &lim, unreservable)
}

// nodesLimit finds what keeps a key from the nodes: the least of what the nodes with room for it
// come to.
func (w *blockedWalk) nodesLimit(a *app, k *reqKey) stop {
	of := askOf{part: k.label, size: k.Any.Size}
	by, known := w.seen[of]
	least := by.limit
	if !known || k.Unique > 1 {
		least = NoSpace
		k.missed++ // as a look does before it tests delays
		for _, n := range w.nodes {
			if !n.lost && !n.draining && n.part == k.label && w.holds(n.free, k.Any.Size) {
				least = min(least, w.nodeLimit(a, k, n))
			}
		}
		k.missed--
	}
	if k.Unique <= 1 {
		w.seen[of] = stop{limit: least}
	}
	switch {
	case least == NoSpace && len(a.reservations) > 0:
		least = Reservation
	case least == NoSpace:
		return stop{limit: NoSpace, at: w.root}
	}
	return stop{limit: least, at: a.queue}
}

// nodeLimit finds what keeps a key from a node with room.
func (w *blockedWalk) nodeLimit(a *app, k *reqKey, n *node) Limit {
	rack := k.At(n.rack)
	switch {
	case n.reserved != nil && n.reserved.app != a:
		return Reservation
	case k.Unique <= 1, rack.Asks() > 0 && k.At(n.place).Asks() > 0,
		rack.Asks() > 0 && !rack.Strict && w.delayOver(k, min(w.liveNodes, w.conf.NodeLocalityDelay)),
		!k.Any.Strict && w.offSwitchAllowed(k, nil):
		return Unlimited
	}
	return LocalityDelay
}
