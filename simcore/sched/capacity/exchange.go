package capacity

import (
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Exchanges: a container ends, and its user's applications get the next one, of its
// size, on its node. In a full cluster most heartbeats are of this kind.
//
// Left out: booking the end out and the start in, and the walk between them, where the
// last such walk of the user is known to come to the same (repeatExchange). Everything an
// observer can see is done: event, ordinals, counters, what the AM receives.
//
// Why the result is the same:
//
//  1. After an exchange all that walks go by is as it was before it: what the queues, the
//     user and the node use, since one container of a leaf takes the place of another of
//     its size; what is free on the node; and that there are asks, while the application
//     asks for more (asksOn, and more than one container under the key).
//  2. So the end of any such container leads through the same walk to the same
//     application, as long as nothing else changes. changeLog.epoch tells when something
//     may have; epochs after which all is as it was are counted in changeLog.neutral: those
//     of exchanges, of renewed reservations, and of what point 6 leaves to be decided.
//     walkEpoch is what is left.
//  3. What only walks through one leaf's applications go by is counted there
//     (leafState.leafEpoch): exchanges between its users, and renewals of its
//     reservations, after which a key may reserve once more (wantsMore).
//  4. A walk leaves behind, beside its proposal: the opportunity of the key, which is
//     counted here too; the limit its leaf was handed, which a walk that came to nothing
//     may have replaced since and which is set again; and limits of leaves that it only
//     passed, which are handed anew before they are read. That it looked at one leaf and
//     one key only is what walkStats is for.
//  5. userTable.version, by which user limits are computed anew, need not grow: what has
//     been computed since the walk would come out the same, and what the walk left stale is
//     stale still. The one sum of floats, of the users' ratios, may end beside where it was
//     after an end and a start; such an exchange is not remembered.
//
//  6. Of a key walks see, before they try a node for it, only whether "*" is asked for, and
//     in which size. Its rows of other places and its opportunities decide at which
//     locality it gets a container, if at all; that is decided anew for each exchange
//     (placeExchange). So asks that leave "*" as it is but for the number (sameDemand) are
//     neutral, and so are heartbeats that only count opportunities. (They may also count
//     the users that only wait, but only limits on masters go by that.)
//
// What ends it: another walkEpoch or leafEpoch, another size, the key's last container, a
// node that holds more than it has. What begins none is in exchangeable and exchanged.
//
// TestExchanges, TestExchangesNear, TestExchangeAfterNothing, TestExchangeEnds and
// TestExchangeNode compare with walks alone, TestHistories of the runtime whole runs.

// exchange is what the walk after the end of a user's container came to, where an
// application of the same user got the next one.
type exchange struct {
	epoch     uint64 // walkEpoch then, plus 1; 0: nothing is remembered
	leafEpoch uint64 // the leaf's then
	limit     res    // that the leaf was handed
	size      res    // of both containers
	app       *app   // which got the container
	key       *reqKey
}

// walkStats is what a walk came to, as far as exchanges need to know.
type walkStats struct {
	leaves int // whose applications it looked at
	keys   int // that it tried the node for
}

// walkEpoch is the same at two instants only if all is that walks go by, but for what is
// counted in leaves.
func (s *Scheduler) walkEpoch() uint64 { return s.epoch - s.neutral }

// exchangeable returns the container that has ended on a node where its end may be an
// exchange, else nil: the heartbeat may give out one container only, and nothing of what
// the argument above leaves aside is about, such as labels, reservations on the node,
// containers that may be killed, or an order of applications that usage changes.
func (s *Scheduler) exchangeable(n *node, d yarn.Container) *container {
	if n.reserved != nil || n.draining || s.mayBeKilled() || s.labelled() ||
		s.conf.MultiNode || s.rounds() || s.noShortcuts || s.roomy(n) && !s.beatFull(1, 1) {
		return nil
	}
	a := s.lookUp(d.App)
	if a == nil {
		return nil
	}
	c := s.container(a, d.Ordinal)
	if c == nil || c.node != n || c.am || !c.acquired || a.slot.u == nil || a.queue.conf.AppOrder == yarnconf.Fair {
		return nil
	}
	return c
}

// beatExchange is Beat for such a container.
func (s *Scheduler) beatExchange(c *container, n *node, dst []yarn.Event) []yarn.Event {
	q, of, size, epoch := c.app.queue, c.app.slot, c.size, s.epoch
	x := &of.exchange
	if x.epoch == s.walkEpoch()+1 && x.leafEpoch == q.leafEpoch && x.size == size && x.key.Outstanding() > 1 &&
		s.fits(res{}, n.free) && s.placeExchange(x, n) {
		return s.repeatExchange(x, c, n, dst)
	}
	ratio, before := q.users.ratio, len(dst)
	s.complete(c, byFinish)
	dst = s.fillNode(n, dst)
	p := &s.prop
	if len(dst) != before+1 || dst[before].Ordinal <= 0 || p.size != size || !s.exchanged(p, q, n) {
		return dst
	}
	s.neutral += s.epoch - epoch
	if p.app.slot == of && q.users.ratio == ratio { // a sum of floats, which may end beside where it was
		*x = exchange{s.walkEpoch() + 1, q.leafEpoch, q.cachedLimit, size, p.app, p.key}
	} else {
		q.leafEpoch++
	}
	return dst
}

// exchanged reports whether an accepted proposal is an exchange: for an application of
// the leaf, which has reserved nothing and asks for more, after a walk that came to
// nothing else than it.
func (s *Scheduler) exchanged(p *proposal, q *queue, n *node) bool {
	return p.app.queue == q && p.from == nil && p.giveBack == nil && len(p.app.reservations) == 0 &&
		s.walked.leaves == 1 && s.walked.keys == 1 && s.onlyOne(p.loc, n) && s.asksOn(p.app)
}

// onlyOne reports whether a heartbeat of a node ends after one container of a locality.
func (s *Scheduler) onlyOne(loc uint8, n *node) bool {
	return loc == offSwitch || !s.roomy(n) || s.beatFull(0, 1)
}

// placeExchange leaves the proposal of the next exchange in s.prop. Where other places than
// "*" are asked for, it is decided here at which locality, if at all: if not, or for another
// size, it returns false, and all is as before.
func (s *Scheduler) placeExchange(x *exchange, n *node) bool {
	k := x.key
	if k.anywhere() {
		k.missed++
		s.begin(x.app, k, n, nil, x.size, offSwitch)
		return true
	}
	missed, lim := k.missed, &s.limits[0]
	lim.start(x.size) // in place of a headroom that holds as much
	lim.kill = false
	n.free = n.free.Add(x.size)
	v := s.tryOnNode(x.app, k, n, lim, nil)
	n.free = n.free.Sub(x.size)
	if v != allocates || s.prop.size != x.size || !s.onlyOne(s.prop.loc, n) {
		k.missed = missed
		return false
	}
	s.settleOpportunities(k)
	return true
}

// asksOn reports whether walks see that an application asks for containers: they look at
// what is pending in each queue on the way to it.
func (s *Scheduler) asksOn(a *app) bool {
	for q := a.queue; q != nil; q = q.parent {
		if !s.hasPending(&q.queuePart) {
			return false
		}
	}
	return a.wantsMore(0)
}

// repeatExchange is a heartbeat that comes to what the remembered one came to. The
// container's memory becomes that of the next one, at the same place of its node.
func (s *Scheduler) repeatExchange(x *exchange, c *container, n *node, dst []yarn.Event) []yarn.Event {
	s.refusals, s.unreserved, s.named = 0, s.unreserved[:0], s.named[:0]
	c.app.handles[c.ordinal] = 0
	c.app.completed = append(c.app.completed, c.ordinal)
	if c.app != x.app {
		c.app.charge(n.part, c.size, -1)
		x.app.charge(n.part, x.size, 1)
	}

	q := x.app.queue
	if q.cachedLimit = x.limit; q.shownLimit != x.limit {
		q.shownLimit = x.limit
	}
	s.accepted++
	dst = appendEvent(dst, &s.prop, false)
	s.give(c, &s.prop, 0)
	dst[len(dst)-1].Ordinal = c.ordinal
	s.epoch += 3 // as the end, the commit and the heartbeat would
	if s.asksOn(x.app) {
		s.neutral += 3
		s.repeats++
	}
	return dst
}

// sameDemand reports whether an ask changes nothing but how many containers are asked for, of
// which walks see only whether there are any, and at which places. Of an application with
// reservations walks look at the numbers too (wantsMore).
func (s *Scheduler) sameDemand(a *app, asks []yarn.Ask) bool {
	if s.labelled() || len(a.reservations) > 0 || !s.asksOn(a) {
		return false
	}
	var k *reqKey
	for i := range asks {
		r := &asks[i]
		if k == nil || k.priority != r.Priority || k.alloc != r.AllocID {
			if k = a.key(r.Priority, r.AllocID); k.Outstanding() <= 0 {
				return false
			}
		}
		if r.Where == yarn.AnyPlace && (r.Count <= 0 || r.Strict || k.Any.Size != res(r.Size)) {
			return false
		}
	}
	return true
}
