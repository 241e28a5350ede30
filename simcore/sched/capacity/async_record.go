package capacity

import (
	"math"

	"schedtune/simcore/internal/kernel"
)

// The record of a round, see async_counting.go: what each visit counts, the limits that it
// hands to leaves, and above which counters it would have decided otherwise.

// beginRecord begins to record a round, unless proposals wait or nodes of several partitions
// are offered together. Single nodes found to change nothing before are visited again, in a
// new epoch, since they leave limits behind.
func (s *Scheduler) beginRecord(lag int) {
	d := &s.async.counting
	d.known, d.judged, d.holds, d.spoiled = false, false, false, false
	d.whole, d.before = s.conf.MultiNode, s.async.made
	d.on = !s.mayBeKilled() && s.Backlog() == 0 && lag >= 0 && (!d.whole || !s.labelled() && len(s.listOrder) == 1)
	if !d.on {
		return
	}
	nodes := 0
	if !d.whole {
		s.epoch++
		s.async.countOnly++
		nodes = len(s.roundOrder())
	}
	d.realEpoch = s.realEpoch()
	d.keys, d.counts, d.writes, d.visits, d.leaves = d.keys[:0], d.counts[:0], d.writes[:0], d.visits[:0], d.leaves[:0]
	d.First, d.Starts = kernel.Zeroed(d.First, nodes), kernel.Zeroed(d.Starts, nodes)
}

// beginVisit begins the record of a visit, of the node at a position.
func (d *countingRounds) beginVisit(at int) {
	d.visits = append(d.visits, visited{at: int32(at), count: int32(len(d.counts)), write: int32(len(d.writes))})
}

// endVisit ends it. A visit that has left nothing behind is not kept.
func (d *countingRounds) endVisit(proposals uint32) {
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
	d := &s.async.counting
	d.known, d.on = d.on && !d.spoiled, false
}

// tallyOf finds or makes the tally of a key and returns its index.
func (d *countingRounds) tallyOf(k *reqKey) int32 {
	if i := k.tally; int(i) < len(d.keys) && d.keys[i].key == k {
		return i
	}
	k.tally = int32(len(d.keys))
	t := tally{key: k}
	for what, now := range k.counters() {
		t.was[what], t.room[what] = *now, math.MaxInt
	}
	d.keys = append(d.keys, t)
	return k.tally
}

// comesTo notes the counters of a key as they are when a round first comes to it, where the
// round is recorded as a whole.
func (d *countingRounds) comesTo(k *reqKey) {
	if d.on && d.whole {
		d.tallyOf(k)
	}
}

// restarted notes that the missed opportunities of a key have been set to none.
func (d *countingRounds) restarted(k *reqKey) {
	if d.on && d.whole {
		d.keys[d.tallyOf(k)].reset = true
	}
}

// counted notes that a visit has added to a counter of a key.
func (d *countingRounds) counted(k *reqKey, what counter) {
	if d.on && !d.whole {
		d.counts = append(d.counts, count{d.tallyOf(k), what})
	}
}

// below notes that a visit decides otherwise where a counter of a key is above room.
func (d *countingRounds) below(k *reqKey, what counter, room int) {
	if d.on {
		t := &d.keys[d.tallyOf(k)]
		t.room[what] = min(t.room[what], room)
	}
}

// renewedBelow notes that a visit decides otherwise once a key's reservations have
// been renewed so often that the starvation is above most. The room that is kept
// may be a little less.
func (d *countingRounds) renewedBelow(k *reqKey, share float32, most int) {
	if !d.on || share <= 0 {
		return
	}
	t := &d.keys[d.tallyOf(k)]
	if t.share == share && t.most == most {
		return
	}
	t.share, t.most = share, most
	held := len(k.reservations)
	room := int(min(float64(most+1)*float64(held)/float64(share), 1<<52))
	for room > k.rereserve && starvation(room, held, share) > most {
		room -= room>>20 + 1
	}
	t.room[countRenewed] = min(t.room[countRenewed], max(room, k.rereserve))
}

// limited notes that a leaf was handed a limit.
func (d *countingRounds) limited(q *queue, l res) {
	if d.on && !d.whole {
		d.writes = append(d.writes, write{leaf: q, limit: l})
	}
}

// showed notes that the limit is the one that headrooms go by.
func (d *countingRounds) showed(q *queue) {
	if !d.on || d.whole {
		return
	}
	for i := len(d.writes) - 1; i >= 0; i-- {
		if d.writes[i].leaf == q {
			d.writes[i].shown = true
			return
		}
	}
}
