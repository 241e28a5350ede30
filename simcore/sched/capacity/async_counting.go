package capacity

import (
	"errors"
	"math"
	"sort"

	"schedtune/simcore/yarn"
)

// Counting rounds: asynchronous rounds that renew reservations, count opportunities and
// remember limits, and come to nothing else. They follow each other every few
// milliseconds for as long as something is reserved or passed over.
//
// Left out: all of them up to the next event of the simulation. A round is recorded
// visit by visit (beginRecord); the runtime learns what further rounds do (Counting),
// leaves them out and counts them (yarn.CountingRounds); and before anything reads or
// changes what they would have changed, they are booked (bookSkipped).
//
// Why the result is the same:
//
//  1. Between two changes that are more than counting (realEpoch) a visit reads queues,
//     users, applications and nodes as they are, and counters of request keys. Limits that
//     leaves were handed last it sets before it reads them. So it does the same as the
//     recorded visit of its node, whatever was visited before it, until a counter decides
//     otherwise.
//  2. A counter decides otherwise only above a bound that the recorded visits have noted:
//     missed opportunities above a delay (below), renewals above the
//     number at which a key may reserve once more (renewedBelow). roundsIn is how many
//     rounds are certain to keep below; only so many may be left out (Left).
//  3. What a round counts is therefore the sum of its visits', each node once and the
//     first node twice: added up it does not depend on the order, so counters are added
//     when they are next read.
//  4. The limits are set, not added to: the last visits of the last round count
//     (lastVisit), of which only the node that round began with must be known.
//  5. No proposal waits from one round to the next, and none was refused: a refusal
//     depends on more than counters (spoiled).
//
// With placement on several nodes a round is one visit to all nodes, made twice, in the same
// order every time; so it is recorded as a whole (countingRounds.whole): what it has added to
// each counter, and how many proposals it has made. Refused proposals are part of it: each
// call proposes one more reservation on the last node of the order, which the commit refuses.
// Limits need no booking, since each round leaves the same.
//
// What ends it: any change, or a counter that comes near its bound. Each exported method
// that reads or changes any of this books first; TestVerbsBookRoundsLeftOut holds them to
// it. TestCountingRoundsMayBeLeftOut compares with rounds that are made, one by one;
// TestAsynchronousHistories of the runtime compares whole runs.

// countingRounds records a round, and what has been left out since.
type countingRounds struct {
	yarn.CountingRounds // for the runtime, which counts there what it leaves out

	on        bool   // a round is being recorded
	whole     bool   // with placement on several nodes: the round is recorded, not its visits
	before    uint32 // asynchronous.made when it began, where whole
	known     bool   // the last round was recorded to its end
	spoiled   bool   // it came to a proposal that was refused, or to more than is recorded
	realEpoch uint64 // Scheduler.realEpoch when it began
	judged    bool   // holds is about it
	holds     bool   // further rounds are like it

	keys    []tally
	counts  []count   // of visits, in order
	writes  []write   // likewise
	visits  []visited // that count or write anything, in the order of the round
	leaves  []*queue  // whose limits the round has set
	flushed int       // Skipped when limits were last brought up to date
}

// tally is a key whose counters a round changes or goes by.
type tally struct {
	key   *reqKey
	adds  [kindsOfCount]int // by a round, each node visited once
	was   [kindsOfCount]int // the counters when the round came to the key
	reset bool              // the round has set missed to none, where whole

	room [kindsOfCount]int // a visit decides otherwise only where a counter is above it

	share float32 // of which the room of renewals was last computed …
	most  int     // … and by which limit, see renewedBelow
}

// count is an increment of a visit.
type count struct {
	tally int32 // index in keys
	what  counter
}

// counter is one of the counters of a request key.
type counter uint8

const (
	countMissed      counter = iota // reqKey.missed
	countMissedPlain                // reqKey.missedPlain
	countRenewed                    // reqKey.rereserve
	kindsOfCount
)

// write is a limit that a visit has handed to a leaf.
type write struct {
	leaf  *queue
	limit res
	shown bool // a headroom was made with it
}

// visited is a visit: the position of its node in the round, and where its counts and
// writes stand.
type visited struct{ at, count, counts, write, writes int32 }

// mostCounts bounds how many increments of a round are recorded, and so the memory. A
// round of more is made every time.
const mostCounts = 1 << 18

// reset forgets everything but memory.
func (d *countingRounds) reset() {
	*d = countingRounds{CountingRounds: yarn.CountingRounds{First: d.First, Starts: d.Starts}, keys: d.keys[:0],
		counts: d.counts[:0], writes: d.writes[:0],
		visits: d.visits[:0], leaves: d.leaves[:0]}
}

// realEpoch is the same at two instants only if nothing has changed between them but by
// renewals of reservations, refused proposals and counters.
func (s *Scheduler) realEpoch() uint64 { return s.epoch - s.async.countOnly }

// Counting tells what further rounds do, nil where another must be made to know: they
// may be left out as often as Left says.
func (s *Scheduler) Counting() *yarn.CountingRounds {
	d := &s.async.counting
	if !d.known || d.spoiled || s.async.passed || d.realEpoch != s.realEpoch() || s.Backlog() > 0 {
		return nil
	}
	if !d.judged {
		s.judgeCounting()
	}
	if !d.holds || d.Left <= 0 {
		return nil
	}
	return &d.CountingRounds
}

// judgeCounting sums up the recorded round, and how often it may be repeated.
func (s *Scheduler) judgeCounting() {
	d := &s.async.counting
	d.judged, d.Each, d.Skipped, d.flushed = true, 0, 0, 0
	if d.whole {
		d.Each = int(s.async.made - d.before)
		for i := range d.keys {
			t := &d.keys[i]
			for what, now := range t.key.counters() {
				t.adds[what] = *now - t.was[what]
			}
			if t.reset && t.adds[countMissed] != 0 {
				d.holds = false // how far the counter comes during a round is not known
				return
			}
		}
	}
	for i := range d.visits {
		v := &d.visits[i]
		d.Each += int(d.First[v.at])
		for _, c := range d.counts[v.count : v.count+v.counts] {
			d.keys[c.tally].adds[c.what]++
		}
		for i := range d.writes[v.write : v.write+v.writes] {
			s.sets(d.writes[int(v.write)+i].leaf)
		}
	}
	// The 1: an opportunity that is given back counts while its visit lasts.
	left := math.MaxInt32
	for i := range d.keys {
		t := &d.keys[i]
		t.room[countMissed]--
		for what, now := range t.key.counters() {
			left = min(left, roundsIn(t.room[what]-*now, t.adds[what]))
		}
	}
	d.Left, d.holds = left, left > 0
}

// roundsIn is how many rounds add no more than room to a counter, to which each
// adds so much once for each node and at most as much again for the first.
func roundsIn(room, each int) int {
	if each == 0 {
		return math.MaxInt32
	}
	return max(0, room/(2*each))
}

// sets notes, once, that rounds set a leaf's limit.
func (s *Scheduler) sets(q *queue) {
	d := &s.async.counting
	if i := q.tally; int(i) < len(d.leaves) && d.leaves[i] == q {
		return
	}
	q.tally = int32(len(d.leaves))
	d.leaves = append(d.leaves, q)
}

// counters are the counters of a key, by their kinds.
func (k *reqKey) counters() [kindsOfCount]*int {
	return [kindsOfCount]*int{countMissed: &k.missed, countMissedPlain: &k.missedPlain, countRenewed: &k.rereserve}
}

// bookSkipped books the rounds that were left out: counters, numbers of proposals and
// limits are then as if they had been made. That nothing else has changed since the record
// is what all of this rests on; where it has, figures can no longer be trusted (Fault).
func (s *Scheduler) bookSkipped() {
	d := &s.async.counting
	if d.Skipped == 0 {
		return
	}
	if d.realEpoch != s.realEpoch() && s.fault == nil {
		s.fault = errors.New("capacity: something has changed before rounds that were left out were booked: a fault of " +
			"this package")
	}
	s.bookSkippedLimits()
	if s.clocked {
		s.now = max(s.now, d.Clock)
	}
	n := d.Skipped
	d.Skipped, d.flushed = 0, 0
	proposals := n * d.Each
	for i := range d.keys {
		t := &d.keys[i]
		for what, each := range t.adds {
			*t.key.counters()[what] += n * each
		}
		s.accepted += int64(n * t.adds[countRenewed])
	}
	for i := range d.visits {
		v := &d.visits[i]
		n := int(d.Starts[v.at])
		if n == 0 {
			continue
		}
		d.Starts[v.at] = 0
		proposals += n * int(d.First[v.at])
		for _, c := range d.counts[v.count : v.count+v.counts] {
			*d.keys[c.tally].key.counters()[c.what] += n
			if c.what == countRenewed {
				s.accepted += int64(n)
			}
		}
	}
	s.async.made += uint32(proposals)
	s.epoch++
	s.async.countOnly++
}

// Fault returns an error once the scheduler has found itself in contradiction, which only
// a fault of this package can bring about: what it has decided since is not to be trusted.
func (s *Scheduler) Fault() error { return s.fault }

// bookSkippedLimits sets the limits that the rounds left out have handed to leaves last,
// and counts nothing: that is all a question for a headroom needs.
func (s *Scheduler) bookSkippedLimits() {
	d := &s.async.counting
	if d.Skipped == d.flushed {
		return
	}
	d.flushed = d.Skipped
	// Backwards from the last visit, that of the last round's first node again.
	set, shown := 0, 0
	for i := range d.leaves {
		d.leaves[i].booked = 0
	}
	n := len(d.visits)
	if n == 0 {
		return
	}
	last := d.lastVisit()
	for i := range n {
		v := &d.visits[(last-i+n)%n]
		for w := v.write + v.writes - 1; w >= v.write; w-- {
			x := &d.writes[w]
			q := x.leaf
			if q.booked&limitSet == 0 {
				q.booked |= limitSet
				q.cachedLimit = x.limit
				set++
			}
			if x.shown && q.booked&limitShown == 0 {
				q.booked |= limitShown
				q.shownLimit = x.limit
				shown++
			}
		}
		if set == len(d.leaves) && shown == len(d.leaves) {
			return
		}
	}
}

// lastVisit is the recorded visit that is the last of the last round left out: that of
// its first node, or of the one before it round the walk.
func (d *countingRounds) lastVisit() int {
	nodes, first := int32(len(d.First)), d.visits[0].at
	after := func(at int32) int32 { return (at - first + nodes) % nodes }
	last := after(min(d.Last, nodes-1))
	return sort.Search(len(d.visits), func(i int) bool { return after(d.visits[i].at) > last }) - 1
}

// What bookSkippedLimits has set of a leaf.
const (
	limitSet uint8 = 1 << iota
	limitShown
)
