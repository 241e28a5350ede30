package yarn

import (
	"fmt"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// nodeState is a NodeManager.
type nodeState struct {
	id      NodeID
	beat    simcore.Time // its next regular heartbeat
	done    int32        // list of slots to report, -1 = none
	soonest simcore.Time // earliest report in the list
	fails   simcore.Time // when the node is lost
	lost    bool
	heard   simcore.Time // its last heartbeat that was simulated
}

// schedule sets the node's next event. A regular heartbeat counts only while
// the scheduler could do something with it. A node with room is one of the idle
// nodes, of which sweep chooses; a full one needs nothing before one of its
// containers ends.
func (s *Sim) schedule(n int32) {
	nd := &s.nodes[n]
	at := min(nd.soonest, nd.fails)
	switch {
	case !s.sweeps:
		if s.regular[n] = s.cfg.Eager || s.sched.Pending(nd.id); s.regular[n] {
			at = min(at, nd.beat)
		}
	case s.hint.Reserved(nd.id):
		s.unidle(n)
		at = min(at, nd.beat)
	case s.hint.Room(nd.id):
		s.idle.add(n, nd.beat%s.nodePeriod)
		if n == s.swept {
			at = min(at, nd.beat)
		}
	default:
		s.unidle(n)
	}
	s.tree.Set(s.nodeLeaf(n), at)
}

// freed is called when a node has room again outside its own heartbeat.
func (s *Sim) freed(n int32) {
	if nd := &s.nodes[n]; !nd.lost && !s.cfg.Eager && !s.idle.has(n) {
		nd.beat = s.nextBeat(n)
		s.schedule(n)
	}
}

// wakeNodes gives nodes their regular heartbeat back where the scheduler now has
// use for it. It is called after whatever changes the scheduler's state.
func (s *Sim) wakeNodes() {
	if s.sorter != nil {
		s.armSort()
	}
	if s.upd != nil && s.upd.Widened() {
		s.widen()
	}
	switch {
	case s.rounds.sched != nil:
		s.armRounds()
	case s.sweeps:
		s.sweep()
	case !s.cfg.Eager:
		s.wakeEach()
	}
}

// wakeEach is for runs whose heartbeats are recorded, and for schedulers without
// hints: every node is asked.
func (s *Sim) wakeEach() {
	if s.hint != nil && !s.hint.Waiting() {
		return
	}
	for i := range s.nodes {
		n, nd := int32(i), &s.nodes[i]
		if s.regular[i] || nd.lost || !s.sched.Pending(nd.id) {
			continue
		}
		nd.beat, s.regular[i] = s.nextBeat(n), true
		s.tree.Set(s.nodeLeaf(n), min(nd.beat, nd.soonest, nd.fails))
	}
}

// nextBeat returns the first of the node's regular heartbeats still to come.
func (s *Sim) nextBeat(n int32) simcore.Time {
	nd, period := &s.nodes[n], s.nodePeriod
	if r := s.cfg.Recorded; r == nil || int(n) >= len(r.NodeBeats) {
		return s.nextOnGrid(nd.beat, period, s.nodeLeaf(n))
	}
	for nd.beat < s.earliest(s.nodeLeaf(n)) {
		nd.beat = max(s.handled(n, s.snap(n, s.arrived(n, nd.beat)+period)), nd.beat+1)
	}
	return nd.beat
}

// handled is when the scheduler came to a recorded heartbeat.
func (s *Sim) handled(n int32, at simcore.Time) simcore.Time {
	r := s.cfg.Recorded
	if r == nil || int(n) >= len(r.NodeHandled) {
		return at
	}
	if i, ok := slices.BinarySearch(r.NodeBeats[n], at); ok {
		return r.NodeHandled[n][i]
	}
	return at
}

// arrived is when the recorded heartbeat came that is handled at an instant: the
// last one before it where it came within Recorded.Handling, since the node counts
// its period from there.
func (s *Sim) arrived(n int32, at simcore.Time) simcore.Time {
	r := s.cfg.Recorded
	if r == nil || int(n) >= len(r.NodeHandled) {
		return at
	}
	if i, ok := slices.BinarySearch(r.NodeHandled[n], at); ok {
		return r.NodeBeats[n][i]
	}
	if i, _ := slices.BinarySearch(r.NodeBeats[n], at+1); i > 0 && at-r.NodeBeats[n][i-1] <= r.Handling {
		return r.NodeBeats[n][i-1]
	}
	return at
}

// snap moves a heartbeat to the recorded one beside it, or, where the record
// shows that this heartbeat came late, to that.
func (s *Sim) snap(n int32, at simcore.Time) simcore.Time {
	r := s.cfg.Recorded
	if r == nil || int(n) >= len(r.NodeBeats) {
		return at
	}
	list := r.NodeBeats[n]
	i, _ := slices.BinarySearch(list, at-beside)
	if i == len(list) {
		return at
	}
	if list[i] > at+beside { // none beside it
		if i > 0 && at-list[i-1] > lateGap {
			return list[i]
		}
		return at
	}
	if i+1 < len(list) && abs(list[i+1]-at) < abs(list[i]-at) {
		i++
	}
	return list[i]
}

// How recorded heartbeats are matched: one within beside of the computed
// instant is the same; else, if the one before it lies about a period back
// (lateGap), the next is this one, late.
const (
	beside  = 60 * simcore.Millisecond
	lateGap = 900 * simcore.Millisecond
)

func abs(t simcore.Time) simcore.Time { return max(t, -t) }

// earliest is the first instant at which a leaf may still have an event: later
// than now, or now for a leaf that comes after the event at hand.
func (s *Sim) earliest(leaf int32) simcore.Time {
	if leaf <= s.leaf {
		return s.now + 1
	}
	return s.now
}

// nextOnGrid returns the first of t, t+period, … that the leaf has not had yet.
func (s *Sim) nextOnGrid(t, period simcore.Time, leaf int32) simcore.Time {
	earliest := s.earliest(leaf)
	if t < earliest {
		t += (earliest - t + period - 1) / period * period
	}
	return t
}

// report puts a container whose process ends at `at` on its node's list; the
// NodeManager tells the ResourceManager at once (out-of-band heartbeat).
func (s *Sim) report(sl int32, c *slot, at simcore.Time) {
	nd := &s.nodes[c.node]
	c.state, c.at, c.next = ending, at, nd.done
	nd.done = sl
	s.tree.Clear(s.slotLeaf(sl))
	if at < nd.soonest {
		nd.soonest = at
		if leaf := s.nodeLeaf(c.node); at < s.tree.When(leaf) {
			s.tree.Set(leaf, at)
		}
	}
}

// nodeBeat is one heartbeat of a node at the ResourceManager: what ended is
// freed, then the scheduler may allocate.
func (s *Sim) nodeBeat(n int32) {
	nd := &s.nodes[n]
	if nd.lost {
		return
	}
	if s.now >= nd.fails {
		s.loseNode(n)
		return
	}
	s.beats++
	nd.heard = s.now
	s.unidle(n)
	s.done = s.done[:0]
	ended := int32(-1)
	if nd.soonest <= s.now {
		ended = s.takeDone(nd)
	}
	s.setClock()
	s.events = s.sched.Beat(nd.id, s.done, s.events[:0])
	s.takeKilled()
	if ended >= 0 {
		s.settle(ended)
	}
	for i := range s.events {
		s.committed(&s.events[i])
	}
	nd.beat = max(s.handled(n, s.snap(n, s.arrived(n, s.now)+s.nodePeriod)), s.now+1)
	s.schedule(n)
	if len(s.done) > 0 {
		s.progress = s.now
	}
	if len(s.done)+len(s.events) > 0 {
		s.wakeNodes()
	} else if s.sweeps {
		s.sweep()
	}
}

// takeDone collects the containers to report now into s.done and returns them
// as a list of slots.
func (s *Sim) takeDone(nd *nodeState) (ended int32) {
	ended = -1
	keep := int32(-1)
	nd.soonest = simcore.Never
	for sl := nd.done; sl >= 0; {
		c := &s.slots.all[sl]
		next := c.next
		if c.at <= s.now && c.kind == ghost0 {
			s.unhold(sl, c)
		} else if c.at <= s.now {
			s.done = append(s.done, Container{s.jobs[c.job].app, c.ord})
			c.next, ended = ended, sl
		} else {
			c.next, keep = keep, sl
			nd.soonest = min(nd.soonest, c.at)
		}
		sl = next
	}
	nd.done = keep
	return ended
}

// settle books the containers the ResourceManager now knows to be gone. An
// application master's end ends its application, with those of its containers
// that are reported in the same heartbeat.
func (s *Sim) settle(sl int32) {
	for sl >= 0 {
		c := &s.slots.all[sl] // free from here on, but not taken again before the end
		m := &s.jobs[c.job]
		if m.ords[c.ord] != sl {
			sl = c.next // went with its master
			continue
		}
		m.ords[c.ord] = gone | int32(c.kind)
		next := c.next
		s.release(sl, c)
		if c.kind == master0 {
			s.endApp(c.job)
		} else {
			s.kindOf(c.job).ended(c.job, sl)
		}
		sl = next
	}
}

// release takes a slot's container out of the books; its leaf is clear.
func (s *Sim) release(sl int32, c *slot) {
	s.book(c)
	s.slots.put(sl)
}

// haunt takes a container out of the books whose process holds its node's space
// until an instant.
func (s *Sim) haunt(sl int32, c *slot, until simcore.Time) {
	if s.holder == nil || until <= s.now || s.nodes[c.node].lost {
		s.release(sl, c)
		s.freed(c.node)
		return
	}
	s.book(c)
	c.kind = ghost0
	s.holder.Hold(s.nodes[c.node].id, c.size)
	s.report(sl, c, until)
}

// unhold is the end of such a process.
func (s *Sim) unhold(sl int32, c *slot) {
	s.holder.Unhold(s.nodes[c.node].id, c.size)
	s.slots.put(sl)
}

// containerSize is what a container was asked with.
func (s *Sim) containerSize(c *slot) Resource {
	if c.kind == master0 {
		return s.plan.amAsk[c.job]
	}
	return s.kindOf(c.job).size(c)
}

// book enters the end of a container.
func (s *Sim) book(c *slot) {
	s.held.add(s.containerSize(c).Memory, s.now-c.granted)
	if s.cfg.Trace != nil {
		s.trace(c, -1)
	}
	if c.launched {
		s.rec.Ended(simcore.JobID(c.job), simcore.Kind(c.kind), c.outcome, s.now-c.granted, c.loc)
	}
}

// committed books one proposal of the scheduler.
func (s *Sim) committed(e *Event) {
	if s.cfg.Observe != nil {
		s.cfg.Observe(s.now, e)
	}
	if s.cfg.Reservations != nil && !e.Refused {
		s.traceReservations(e)
	}
	if e.Kind != Allocate || e.Refused {
		return
	}
	s.progress = s.now // a reservation is repeated at every heartbeat and is none
	j := s.appJob[e.App]
	m := &s.jobs[j]
	if m.app != e.App {
		return // granted in the heartbeat that ended its application, and gone with it
	}
	sl := s.slots.take()
	if sl < 0 {
		s.fail(fmt.Errorf("yarn: more containers than the nodes' memory holds at %v", s.now.Std()))
		return
	}
	for int32(len(m.ords)) < e.Ordinal {
		m.ords = append(m.ords, gone|int32(master0))
	}
	m.ords = append(m.ords, sl)
	c := &s.slots.all[sl]
	*c = slot{job: j, node: s.nodeOf[e.Node], ord: e.Ordinal, task: -1, next: -1, kind: s.containerKind(j, e), state: granted, granted: s.now, size: e.Size}
	if s.cfg.Trace != nil {
		s.trace(c, +1)
	}
	if e.Ordinal == 0 {
		s.startMaster(sl)
	} else {
		s.kindOf(j).granted(j, sl, e.Priority)
	}
}

// trace tells the run's tracer that a container came or went.
func (s *Sim) trace(c *slot, delta int8) {
	e := ContainerChange{Job: simcore.JobID(c.job), Node: simcore.NodeID(c.node), Master: c.kind == master0, Delta: delta,
		Ordinal: c.ord, Size: s.containerSize(c), Lost: delta < 0 && c.outcome == kernel.Killed}
	if c.kind == reduce {
		e.Kind = simcore.Reduce
	}
	s.cfg.Trace(s.now, e)
}

// traceReservations tells of the reservations that a proposal makes, uses or
// gives back.
func (s *Sim) traceReservations(e *Event) {
	r := Reservation{Job: simcore.JobID(s.appJob[e.App])}
	for _, n := range e.Unreserved {
		r.Node = simcore.NodeID(s.nodeOf[n])
		s.cfg.Reservations(s.now, r)
	}
	if e.Kind == Reserve || e.FromReservation {
		r.Node, r.Held, r.Size = simcore.NodeID(s.nodeOf[e.Node]), e.Kind == Reserve, e.Size
		s.cfg.Reservations(s.now, r)
	}
}

func (s *Sim) containerKind(j int32, e *Event) uint8 {
	if e.Ordinal == 0 {
		return master0
	}
	return s.kindOf(j).containerKind(e)
}

func (s *Sim) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}
