package capacity

import "slices"

// Repeated rounds with placement on several nodes. Such rounds do not come to rest while
// something is reserved: each call renews the reservations and proposes one more on the
// last node of the order, which the commit refuses.
//
// Left out: rounds that do what the last two have done (Repeats). The runtime counts them
// and tells their number afterwards (Skip).
//
// Why the result is the same:
//
//  1. A round reads the state, which has not changed but for renewals, refusals and
//     counters (realEpoch), and counters of the request keys that it comes to.
//  2. Where two rounds in a row have come to the same keys, added the same to each of
//     their counters and made the same number of proposals, the third differs only if a
//     counter decides otherwise by growing.
//  3. Which counters decide is noted where they are read: missedDecides while a delay may
//     still be waited for or a counter is reset, rereserveDecides while renewals may allow
//     a further reservation. A round that adds to such a counter is not repeated.
//
// What ends it: any change that is more than counting. Placement with labels, proposals
// that wait, containers that may be killed, and preemption by queue priority, which
// moves reservations, are left aside (watchRound).
//
// TestRepeatedRoundsMayBeSkipped and TestReservationsComeToRepeat compare with rounds that
// are made; TestAsynchronousHistories of the runtime compares whole runs.

// repetition watches rounds for repeating themselves.
type repetition struct {
	on        bool         // the last round was watched
	judged    bool         // and compared with the one before
	differs   bool         // it came to too many keys to compare
	quiet     bool         // it changed nothing but counters
	same      bool         // as the one before, which was quiet too
	realEpoch uint64       // Scheduler.realEpoch when it began
	first     uint32       // number of the last proposal before it
	made      uint32       // how many proposals it made, once judged
	keys      []watchedKey // that it came to
	at        int          // index of the key at hand

	before struct { // the round before
		quiet bool
		made  uint32
		keys  []watchedKey
	}
}

// watchedKey is a request key that a round comes to, by name, since keys move in memory.
// Its counters are at first those before the round, once judged what the round added.
type watchedKey struct {
	app               *app
	priority          int32
	alloc             int64
	missed, rereserve int
	end               int // rereserve after the round

	missedDecides, rereserveDecides bool // the counter may decide otherwise once it has grown
}

// addsLike reports whether two rounds have added the same to one key.
func (c *watchedKey) addsLike(d *watchedKey) bool {
	return c.app == d.app && c.priority == d.priority && c.alloc == d.alloc && c.missed == d.missed && c.rereserve == d.rereserve
}

// mostWatched is how many keys a watched round may come to.
const mostWatched = 1024

// realEpoch is the same at two instants only if nothing has changed between them but by
// renewals of reservations, refused proposals and counters.
func (s *Scheduler) realEpoch() uint64 { return s.epoch - s.async.countOnly }

// watchRound begins to watch a round. What was found of the last one is kept to compare
// this one with.
func (s *Scheduler) watchRound() {
	r := &s.async.repeat
	if r.on && !r.judged {
		s.judgeRound()
	}
	b := &r.before
	b.quiet, b.made = r.on && r.quiet, r.made
	b.keys, r.keys = r.keys, b.keys[:0]
	r.on = s.conf.MultiNode && !s.labelled() && len(s.listOrder) == 1 && !s.mayBeKilled() && !s.conf.Preemption.ByPriority && s.Backlog() == 0
	r.judged, r.differs, r.realEpoch, r.first, r.at = false, false, s.realEpoch(), s.async.made, 0
}

// watchKey keeps the counters of a key that the round at hand comes to, as they were when
// it first came to it. It mostly comes to them in one order again and again.
func (s *Scheduler) watchKey(a *app, k *reqKey) {
	r := &s.async.repeat
	is := func(c *watchedKey) bool { return c.app == a && c.priority == k.priority && c.alloc == k.alloc }
	for i := range r.keys {
		if at := (r.at + i) % len(r.keys); is(&r.keys[at]) {
			r.at = at
			return
		}
	}
	if len(r.keys) == mostWatched {
		r.differs = true
		return
	}
	r.at = len(r.keys)
	r.keys = append(r.keys, watchedKey{app: a, priority: k.priority, alloc: k.alloc, missed: k.missed, rereserve: k.rereserve})
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
	r.quiet = !r.differs && r.realEpoch == s.realEpoch() && !s.async.passed && s.Backlog() == 0
	if r.same = false; !r.quiet {
		return
	}
	for i := range r.keys {
		c := &r.keys[i]
		k := c.app.key(c.priority, c.alloc)
		c.missed, c.rereserve, c.end = k.missed-c.missed, k.rereserve-c.rereserve, k.rereserve
		r.quiet = r.quiet && (c.missed == 0 || !c.missedDecides) && (c.rereserve == 0 || !c.rereserveDecides)
	}
	r.same = r.quiet && r.before.quiet && r.made == r.before.made && slices.EqualFunc(r.keys, r.before.keys, func(c, d watchedKey) bool { return c.addsLike(&d) })
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
	return int(r.made), r.same && r.realEpoch == s.realEpoch()
}

// Skip counts rounds that were left out because they repeated the last one. It may come
// after what ended the repetition: an application may be over by then, a reservation filled.
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
