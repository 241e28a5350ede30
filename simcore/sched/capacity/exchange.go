package capacity

import (
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// In a full cluster most heartbeats are exchanges: a container has ended, and its
// user's applications get the next one, of its size, on its node. All that walks go by
// is then as it was before, what queues and users use above all. As long as it stays
// so, the end of any such container leads through the same walk to the same
// application, and neither is the walk made nor usage booked out and in again.
//
// The clock tells when anything may have changed. Ticks after which all is as it was
// are taken off (neutral): those of exchanges, and those of asks that change nothing
// but how many containers are asked for, of which a walk sees only whether there are
// any. What only walks through one leaf's applications go by, as with exchanges among
// its users and renewals of its reservations, is counted there (queue.ticks).
//
// A walk leaves nothing behind beside its proposal but the opportunity of the key, the
// limit that its leaf was handed, which a walk that came to nothing may have replaced,
// and limits of leaves that it only passed, which are handed anew before they are used.
//
// The users' version stays: limits and verdicts that were computed since the walk was made
// would come out the same, and what it left stale is stale still.

// exchange is what the walk after the end of a user's container came to, where an
// application of this user got the next one.
type exchange struct {
	state uint64 // Scheduler.state then, plus 1; 0 is never
	leaf  uint64 // queue.ticks then
	limit res    // that the leaf was handed
	size  res
	app   *app
	key   *reqKey
}

// trail is what a walk came to.
type trail struct {
	leaves int // whose applications it looked at
	keys   int // that it tried the node for
}

// state is the same at two instants only if all is that walks go by, but for what is
// counted in leaves.
func (s *Scheduler) state() uint64 { return s.clock - s.neutral }

// exchangeable returns the container that has ended on a node where its end may be an
// exchange, else nil. The beat may give out one container only.
func (s *Scheduler) exchangeable(n *node, d yarn.Container) *container {
	if n.reserved != nil || n.draining || len(s.killables) > 0 || s.labelled() ||
		s.conf.MultiNode || s.rounds() || s.thorough || s.roomy(n) && !s.beatFull(1, 1) {
		return nil
	}
	a := s.lookUp(d.App)
	if a == nil {
		return nil
	}
	c := s.container(a, d.Ordinal)
	if c == nil || c.node != n || c.am || !c.acquired || a.of.u == nil || a.queue.conf.AppOrder == yarnconf.Fair {
		return nil
	}
	return c
}

// beatExchange is Beat for such a container.
func (s *Scheduler) beatExchange(c *container, n *node, dst []yarn.Event) []yarn.Event {
	q, of, size, clock := c.app.queue, c.app.of, c.size, s.clock
	x := &of.exchange
	if x.state == s.state()+1 && x.leaf == q.ticks && x.size == size && x.key.Outstanding() > 1 && s.fits(res{}, n.free) {
		return s.repeatExchange(x, c, n, dst)
	}
	ratio, before := q.users.ratio, len(dst)
	s.complete(c, byFinish)
	dst = s.fillNode(n, dst)
	p := &s.prop
	if len(dst) != before+1 || dst[before].Ordinal <= 0 || p.size != size || !s.exchanged(p, q) {
		return dst
	}
	s.neutral += s.clock - clock
	if p.app.of == of && q.users.ratio == ratio { // a sum of floats, which may end beside where it was
		*x = exchange{s.state() + 1, q.ticks, q.cachedLimit, size, p.app, p.key}
	} else {
		q.ticks++
	}
	return dst
}

// exchanged reports whether an accepted proposal is for an application of a leaf that
// asks for more, after a walk of which trail tells all.
func (s *Scheduler) exchanged(p *proposal, q *queue) bool {
	return p.app.queue == q && p.from == nil && p.giveBack == nil && len(p.app.resv) == 0 &&
		p.key.anywhere() && s.trail.leaves == 1 && s.trail.keys == 1 && s.asksOn(p.app)
}

// asksOn reports whether walks see that an application asks for containers.
func (s *Scheduler) asksOn(a *app) bool {
	for q := a.queue; q != nil; q = q.parent {
		if !s.hasPending(&q.queuePart) {
			return false
		}
	}
	return a.wantsMore(0)
}

// repeatExchange is a beat that comes to what the one that was remembered came to.
func (s *Scheduler) repeatExchange(x *exchange, c *container, n *node, dst []yarn.Event) []yarn.Event {
	s.refusals, s.unreserv, s.named = 0, s.unreserv[:0], s.named[:0]
	s.removeOrdinal(&c.app.byOrdinal, c.ordinal)
	c.app.completed = append(c.app.completed, c.ordinal)
	if c.app != x.app {
		c.app.charge(n.part, c.size, -1)
		x.app.charge(n.part, x.size, 1)
	}

	q := x.app.queue
	if q.cachedLimit = x.limit; q.shownLimit != x.limit {
		q.shownLimit, q.shownCluster = x.limit, s.cluster
	}
	x.key.missed++
	s.begin(x.app, x.key, n, nil, x.size, offSwitch)
	s.births++
	dst = appendEvent(dst, &s.prop, false)
	s.give(c, &s.prop, 0)
	dst[len(dst)-1].Ordinal = c.ordinal
	s.clock += 3 // of the end, the start and the beat
	if s.asksOn(x.app) {
		s.neutral += 3
		s.repeats++
	}
	return dst
}

// onlyCounts returns the key of an ask's last row where the ask changes nothing but
// numbers of containers that walks see to be asked for, else nil. An application with
// reservations is looked at in numbers.
func (s *Scheduler) onlyCounts(a *app, asks []yarn.Ask) (k *reqKey) {
	if s.labelled() || len(a.resv) > 0 || !s.asksOn(a) {
		return nil
	}
	for i := range asks {
		r := &asks[i]
		if r.Where != yarn.AnyPlace || r.Count <= 0 || r.Strict {
			return nil
		}
		k = a.key(r.Priority, r.AllocID)
		if k.Outstanding() <= 0 || k.Any.Size != res(r.Size) {
			return nil
		}
	}
	return k
}
