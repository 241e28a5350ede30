package capacity

import "schedtune/simcore/yarn"

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
	Free        yarn.Resource // on the partition's nodes, reserved ones too
}

// EachBlocked calls f for every application with requests, leaf by leaf, with what stops its
// first request: of masters, all of one size and user of a leaf alike. It tests what a walk
// tests, with the walk's own figures, without making one, and changes nothing. Standing tells
// the same of one application with all figures, and of the walk itself: who is served before.
func (s *Scheduler) EachBlocked(f func(Blocked)) {
	s.settle()
	w := blockedWalk{Scheduler: s, report: f, seen: map[askOf]Limit{}}
	for _, q := range s.queues {
		w.over = 0
		for _, a := range q.nonRunnable {
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
	seen   map[askOf]Limit // what asks of a kind came to
	over   uint64          // partitions in which the leaf's turn is over, by bit
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
func (w *blockedWalk) add(a *app, p int32, limit func(*app) (Limit, *queue)) {
	amount, root := a.at(p).pending, w.root.at(p)
	if amount.Memory <= 0 {
		return
	}
	l, at := limit(a)
	w.report(Blocked{App: a.id, Queue: a.queue.path, User: a.user, Limit: l, At: at.path, Label: w.parts[p].name,
		Amount: yarn.Resource(amount), Free: yarn.Resource(w.parts[p].total.Sub(root.used).Add(root.reserved).Floor())})
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

// parallelLimit finds the limit of mayRun, of an application that may not.
func (w *blockedWalk) parallelLimit(a *app) (Limit, *queue) {
	if w.global(a.user).runnable >= w.conf.UserParallel(a.user) {
		return ParallelUser, a.queue
	}
	for q := a.queue; q != nil; q = q.parent {
		if q.runnable >= q.conf.MaxParallelApps {
			return ParallelQueue, q
		}
	}
	return Unlimited, a.queue
}

// mastersLimit finds the limit on masters, as activateWaiting tests it. Within all of them an
// application waits until one of its queue is submitted or ends.
func (w *blockedWalk) mastersLimit(a *app) (Limit, *queue) {
	of := askOf{part: a.amPart, size: a.at(a.amPart).am, leaf: a.queue, user: a.user}
	l, known := w.seen[of]
	if !known {
		var m MasterLimits
		switch w.mastersOf(a, &m); {
		case !m.QueueFits:
			l = MastersOfQueue
		case !m.UserFits:
			l = MastersOfUser
		}
		w.seen[of] = l
	}
	return l, a.queue
}

// requestLimit finds what stops the first ask of an active application, in the order of
// assignParent, assignLeaf and place.go.
func (w *blockedWalk) requestLimit(a *app) (Limit, *queue) {
	k := a.firstAsk()
	p, size := k.label, k.Any.Size
	var full, small *queue // the highest that uses all it may, or has not enough left
	for q := a.queue; q != nil; q = q.parent {
		at := q.at(p)
		if !at.accessible || at.eff.Max.Memory == 0 {
			return NoPartition, q
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
	u, limit := a.slot.u, w.userLimitNow(a.queue, p)
	switch {
	case full != nil:
		return QueueMaximum, full
	case !open && small != nil: // rounded down to the minimum allocation nothing is left
		return QueueMaximum, small
	case !open:
		return NoSpace, w.root
	case w.over>>p&1 != 0: // an earlier application asks for more than the leaf has left
		if small != nil {
			return QueueMaximum, small
		}
		return Unlimited, a.queue
	case u != nil && w.more(u.at(p).used.Sub(unreservable), w.weighted(u.share(), limit)):
		if w.more(w.calc.RoundUp(a.queue.at(p).userMost, w.minAlloc), limit) {
			return UserShare, a.queue
		}
		return UserFactor, a.queue
	case short:
		if w.over |= 1 << p; small != nil {
			return QueueMaximum, small
		}
		return NoSpace, w.root
	}
	l := w.nodesLimit(a, k)
	if l == NoSpace {
		return l, w.root
	}
	return l, a.queue
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
func (w *blockedWalk) nodesLimit(a *app, k *reqKey) Limit {
	of := askOf{part: k.label, size: k.Any.Size}
	least, known := w.seen[of]
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
		w.seen[of] = least
	}
	if least == NoSpace && len(a.reservations) > 0 {
		return Reservation
	}
	return least
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
