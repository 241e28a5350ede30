package capacity

import (
	"math"
	"sort"

	"schedtune/simcore/yarn"
)

// Asynchronous rounds do not come to rest while something is reserved or passed
// over: each renews the reservations and counts opportunities. Between two changes
// a node's visit comes to the same whatever was visited before it, as long as no
// counter has grown so far that it decides otherwise. So one round tells what all
// rounds to come do, up to the first of these counters: what the visit of each node
// counts, once in a round and twice for the first node. The runtime leaves them out
// (yarn.Steady), and their counters are added when they are next looked at.
//
// Beside counters a visit leaves the limits that leaves were last handed, which
// headrooms are computed from (queue.cachedLimit, queue.shownLimit). They are set, not
// added to: the last round's last visits count.

// steadiness records a round and what has been left out since.
type steadiness struct {
	yarn.Steady
	on      bool   // a round is being recorded
	known   bool   // the last round was, to its end
	spoiled bool   // it came to a proposal that was refused
	moves   uint64 // Scheduler.moves when it began
	judged  bool
	holds   bool // rounds to come are like it, as judged

	keys    []tally
	counts  []count
	writes  []write
	visits  []visited // that count or write anything, in the order of the round
	leaves  []*queue  // whose limits the round has set
	flushed int       // Skipped when limits were last brought up to date
}

// tally is a key whose counters a round changes or goes by.
type tally struct {
	key  *reqKey
	adds [kindsOfCount]int // by a round, once for each node

	// A visit decides otherwise only where a counter is above.
	missedRoom, plainRoom, renewedRoom int

	share float32 // of which and of most renewedRoom was last computed
	most  int
}

// count is an increment of a visit.
type count struct {
	tally int32
	what  counter
}

type counter uint8

const (
	countMissed counter = iota
	countMissedPlain
	countRenewed
	kindsOfCount
)

// write is a limit that a visit has handed to a leaf.
type write struct {
	leaf  *queue
	limit res
	shown bool
}

// visited is a visit: the position of its node in the walk, and where its counts and
// writes are.
type visited struct{ at, count, counts, write, writes int32 }

// mostCounts is how many increments of a round are recorded.
const mostCounts = 1 << 18

// reset forgets everything but memory.
func (d *steadiness) reset() {
	*d = steadiness{Steady: yarn.Steady{First: d.First, Starts: d.Starts}, keys: d.keys[:0], counts: d.counts[:0], writes: d.writes[:0],
		visits: d.visits[:0], leaves: d.leaves[:0]}
}

// beginRecord begins to record a round. What was found to change nothing before is
// looked at again, since it leaves limits behind.
func (s *Scheduler) beginRecord(lag int) {
	d := &s.async.steady
	d.known, d.judged, d.holds, d.spoiled = false, false, false, false
	d.on = !s.conf.MultiNode && len(s.killables) == 0 && s.Backlog() == 0 && lag >= 0
	if !d.on {
		return
	}
	s.clock++
	s.async.still++
	d.moves = s.moves()
	d.keys, d.counts, d.writes, d.visits, d.leaves = d.keys[:0], d.counts[:0], d.writes[:0], d.visits[:0], d.leaves[:0]
	nodes := len(s.walkOrder())
	if cap(d.First) < nodes {
		d.First, d.Starts = make([]uint8, nodes), make([]int32, nodes)
	}
	d.First, d.Starts = d.First[:nodes], d.Starts[:nodes]
	clear(d.First)
	clear(d.Starts)
}

// beginVisit and endVisit enclose a visit that is recorded, of the node at a
// position.
func (d *steadiness) beginVisit(at int) {
	d.visits = append(d.visits, visited{at: int32(at), count: int32(len(d.counts)), write: int32(len(d.writes))})
}

func (d *steadiness) endVisit(proposals uint32) {
	v := &d.visits[len(d.visits)-1]
	v.counts, v.writes = int32(len(d.counts))-v.count, int32(len(d.writes))-v.write
	if v.counts+v.writes == 0 {
		d.visits = d.visits[:len(d.visits)-1]
		return
	}
	d.First[v.at] = uint8(proposals)
	if len(d.counts) > mostCounts {
		d.on, d.spoiled = false, true
	}
}

// endRecord ends the record of a round.
func (s *Scheduler) endRecord() {
	d := &s.async.steady
	d.known, d.on = d.on && !d.spoiled, false
}

// tallyOf finds or makes the tally of a key.
func (d *steadiness) tallyOf(k *reqKey) int32 {
	if i := k.tally; int(i) < len(d.keys) && d.keys[i].key == k {
		return i
	}
	k.tally = int32(len(d.keys))
	d.keys = append(d.keys, tally{key: k, missedRoom: math.MaxInt, plainRoom: math.MaxInt, renewedRoom: math.MaxInt})
	return k.tally
}

// counted notes that a visit has added to a counter of a key.
func (d *steadiness) counted(k *reqKey, what counter) {
	if d.on {
		d.counts = append(d.counts, count{d.tallyOf(k), what})
	}
}

// missedBelow notes that a visit decides otherwise where a key has missed more
// opportunities than room.
func (d *steadiness) missedBelow(k *reqKey, room int) {
	if d.on {
		t := &d.keys[d.tallyOf(k)]
		t.missedRoom = min(t.missedRoom, room)
	}
}

// plainBelow is missedBelow of idle resources of shared partitions.
func (d *steadiness) plainBelow(k *reqKey, room int) {
	if d.on {
		t := &d.keys[d.tallyOf(k)]
		t.plainRoom = min(t.plainRoom, room)
	}
}

// renewedBelow notes that a visit decides otherwise once a key's reservations have
// been renewed so often that the starvation is above most. The room that is kept
// may be a little less.
func (d *steadiness) renewedBelow(k *reqKey, share float32, most int) {
	if !d.on || share <= 0 {
		return
	}
	t := &d.keys[d.tallyOf(k)]
	if t.share == share && t.most == most {
		return
	}
	t.share, t.most = share, most
	held := len(k.resv)
	room := int(min(float64(most+1)*float64(held)/float64(share), 1<<52))
	for room > k.rereserve && starvation(room, held, share) > most {
		room -= room>>20 + 1
	}
	t.renewedRoom = min(t.renewedRoom, max(room, k.rereserve))
}

// limited notes that a leaf was handed a limit.
func (d *steadiness) limited(q *queue, l res) {
	if d.on {
		d.writes = append(d.writes, write{leaf: q, limit: l})
	}
}

// showed notes that the limit is the one that headrooms go by.
func (d *steadiness) showed(q *queue) {
	if !d.on {
		return
	}
	for i := len(d.writes) - 1; i >= 0; i-- {
		if d.writes[i].leaf == q {
			d.writes[i].shown = true
			return
		}
	}
}

// Steady tells what rounds to come do, nil where another must be made to know.
func (s *Scheduler) Steady() *yarn.Steady {
	d := &s.async.steady
	if !d.known || d.spoiled || s.async.passed || d.moves != s.moves() || s.Backlog() > 0 {
		return nil
	}
	if !d.judged {
		s.judgeSteady()
	}
	if !d.holds || d.Left <= 0 {
		return nil
	}
	return &d.Steady
}

// judgeSteady sums up the recorded round.
func (s *Scheduler) judgeSteady() {
	d := &s.async.steady
	d.judged, d.Each, d.Skipped, d.flushed = true, 0, 0, 0
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
	// An opportunity that is given back counts one more while its visit lasts.
	left := math.MaxInt32
	for i := range d.keys {
		t := &d.keys[i]
		left = min(left, roundsIn(t.missedRoom-t.key.missed-1, t.adds[countMissed]), roundsIn(t.plainRoom-t.key.missedPlain, t.adds[countMissedPlain]),
			roundsIn(t.renewedRoom-t.key.rereserve, t.adds[countRenewed]))
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

// sets notes that rounds set a leaf's limit.
func (s *Scheduler) sets(q *queue) {
	d := &s.async.steady
	if i := q.tally; int(i) < len(d.leaves) && d.leaves[i] == q {
		return
	}
	q.tally = int32(len(d.leaves))
	d.leaves = append(d.leaves, q)
}

func (k *reqKey) add(what counter, n int) {
	switch what {
	case countMissed:
		k.missed += n
	case countMissedPlain:
		k.missedPlain += n
	case countRenewed:
		k.rereserve += n
	}
}

// makeUp books the rounds that were left out: counters, numbers of proposals and
// limits are then those of having made them.
func (s *Scheduler) makeUp() {
	d := &s.async.steady
	if d.Skipped == 0 {
		return
	}
	if d.moves != s.moves() {
		panic("capacity: something has changed before rounds that were left out were booked")
	}
	s.makeUpLimits()
	if s.clocked {
		s.now = max(s.now, d.Clock)
	}
	n := d.Skipped
	d.Skipped, d.flushed = 0, 0
	proposals := n * d.Each
	for i := range d.keys {
		t := &d.keys[i]
		for what, each := range t.adds {
			t.key.add(counter(what), n*each)
		}
		s.births += int64(n * t.adds[countRenewed])
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
			d.keys[c.tally].key.add(c.what, n)
			if c.what == countRenewed {
				s.births += int64(n)
			}
		}
	}
	s.async.made += uint32(proposals)
	s.clock++
	s.async.still++
}

// makeUpLimits sets the limits that the rounds left out have handed to leaves last.
func (s *Scheduler) makeUpLimits() {
	d := &s.async.steady
	if d.Skipped == d.flushed {
		return
	}
	d.flushed = d.Skipped
	// Backwards from the last visit, that of the last round's first node again.
	set, shown := 0, 0
	for i := range d.leaves {
		d.leaves[i].madeUp = 0
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
			if q.madeUp&limitSet == 0 {
				q.madeUp |= limitSet
				q.cachedLimit = x.limit
				set++
			}
			if x.shown && q.madeUp&limitShown == 0 {
				q.madeUp |= limitShown
				q.shownLimit, q.shownCluster = x.limit, s.cluster
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
func (d *steadiness) lastVisit() int {
	nodes, first := int32(len(d.First)), d.visits[0].at
	after := func(at int32) int32 { return (at - first + nodes) % nodes }
	last := after(min(d.Last, nodes-1))
	return sort.Search(len(d.visits), func(i int) bool { return after(d.visits[i].at) > last }) - 1
}

// What makeUpLimits has set of a leaf.
const (
	limitSet uint8 = 1 << iota
	limitShown
)
