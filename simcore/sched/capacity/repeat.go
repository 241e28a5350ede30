package capacity

import "slices"

// With placement on several nodes rounds do not come to rest while something is
// reserved: each call renews the reservations and makes one more on the last node
// of the order, which the commit refuses. Such rounds change counters only. Where
// two of them in a row have done the same, and no counter that they change can
// decide otherwise by growing, all that follow do the same until something else
// changes. They can be left out, and are counted when they are over (Skip).

// repetition watches rounds for repeating themselves.
type repetition struct {
	on      bool   // the last round was watched
	judged  bool   // and compared with the one before
	differs bool   // it came to too many keys to compare
	quiet   bool   // it changed nothing but counters
	same    bool   // as the one before, which was quiet too
	moves   uint64 // Scheduler.moves when it began
	first   uint32 // the last proposal before it
	made    uint32 // its proposals
	keys    []counted
	at      int // the key at hand

	before struct { // the round before
		quiet bool
		made  uint32
		keys  []counted
	}
}

// counted is a key whose counters a round comes to: at first their values before
// the round, after the comparison what it added.
type counted struct {
	app               *app
	priority          int32
	alloc             int64
	missed, rereserve int
	end               int // rereserve after the round

	missedDecides, rereserveDecides bool // it may decide otherwise once it has grown
}

func (c *counted) added(d *counted) bool {
	return c.app == d.app && c.priority == d.priority && c.alloc == d.alloc && c.missed == d.missed && c.rereserve == d.rereserve
}

// mostCounted is how many keys a watched round may come to.
const mostCounted = 1024

// moves counts what has changed but for renewals, refusals and counters.
func (s *Scheduler) moves() uint64 { return s.clock - s.async.still }

// watchRound begins to watch a round.
func (s *Scheduler) watchRound() {
	r := &s.async.repeat
	if r.on && !r.judged {
		s.judgeRound()
	}
	b := &r.before
	b.quiet, b.made = r.on && r.quiet, r.made
	b.keys, r.keys = r.keys, b.keys[:0]
	r.on = s.conf.MultiNode && !s.labelled() && len(s.listOrder) == 1 && len(s.killables) == 0 && !s.conf.Preemption.ByPriority && s.Backlog() == 0
	r.judged, r.differs, r.moves, r.first, r.at = false, false, s.moves(), s.async.made, 0
}

// note keeps the counters of the key that the round at hand comes to. Most rounds
// come to keys in the order of before.
func (s *Scheduler) note(a *app, k *reqKey) {
	r := &s.async.repeat
	is := func(c *counted) bool { return c.app == a && c.priority == k.priority && c.alloc == k.alloc }
	for i := range r.keys {
		if at := (r.at + i) % len(r.keys); is(&r.keys[at]) {
			r.at = at
			return
		}
	}
	if len(r.keys) == mostCounted {
		r.differs = true
		return
	}
	r.at = len(r.keys)
	r.keys = append(r.keys, counted{app: a, priority: k.priority, alloc: k.alloc, missed: k.missed, rereserve: k.rereserve})
}

// missedDecides notes that the missed opportunities of the key at hand, as many as
// they are, decided something or were set to none.
func (s *Scheduler) missedDecides() {
	if r := &s.async.repeat; r.on && r.at < len(r.keys) {
		r.keys[r.at].missedDecides = true
	}
}

// rereserveDecides notes the same of the renewals of its reservations.
func (s *Scheduler) rereserveDecides() {
	if r := &s.async.repeat; r.on && r.at < len(r.keys) {
		r.keys[r.at].rereserveDecides = true
	}
}

// judgeRound compares the last round with the one before.
func (s *Scheduler) judgeRound() {
	r := &s.async.repeat
	r.judged, r.made = true, s.async.made-r.first
	r.quiet = !r.differs && r.moves == s.moves() && !s.async.passed && s.Backlog() == 0
	if r.same = false; !r.quiet {
		return
	}
	for i := range r.keys {
		c := &r.keys[i]
		k := c.app.key(c.priority, c.alloc)
		c.missed, c.rereserve, c.end = k.missed-c.missed, k.rereserve-c.rereserve, k.rereserve
		r.quiet = r.quiet && (c.missed == 0 || !c.missedDecides) && (c.rereserve == 0 || !c.rereserveDecides)
	}
	r.same = r.quiet && r.before.quiet && r.made == r.before.made && slices.EqualFunc(r.keys, r.before.keys, func(c, d counted) bool { return c.added(&d) })
}

// Repeats reports whether all rounds to come do what the last two have done, which
// was to make proposals that are refused and to renew reservations, until something
// else changes; and how many proposals each of them makes.
func (s *Scheduler) Repeats() (proposals int, ok bool) {
	r := &s.async.repeat
	if !r.on || s.Backlog() > 0 {
		return 0, false
	}
	if !r.judged {
		s.judgeRound()
	}
	return int(r.made), r.same && r.moves == s.moves()
}

// Skip counts rounds that were left out because they repeated the last one.
func (s *Scheduler) Skip(rounds int) {
	r := &s.async.repeat
	if !r.on || !r.judged || !r.same {
		return
	}
	s.async.made += uint32(rounds) * r.made
	for i := range r.keys {
		c := &r.keys[i]
		if c.app.ended {
			continue
		}
		k := c.app.key(c.priority, c.alloc)
		k.missed += rounds * c.missed
		if k.rereserve == c.end { // else a reservation has been given up since
			k.rereserve += rounds * c.rereserve
		}
	}
	r.on = false
}
