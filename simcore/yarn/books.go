package yarn

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The books of containers: what comes, what goes, and who is told. A container is in the
// books from its allocation (committed) until the ResourceManager has its space back
// (release), and its slot is in use for as long, or until its process is gone where that
// takes longer.

// release takes a slot's container out of the books; its leaf is clear.
func (s *Sim) release(sl int32, c *slot) {
	s.book(c)
	s.slots.put(sl)
}

// releaseAtExit takes a container out of the books whose process holds its node's space until
// an instant: where the scheduler knows such space (Holder), its slot stays in use as an
// exitingProcess.
func (s *Sim) releaseAtExit(sl int32, c *slot, until simcore.Time) {
	if s.holder == nil || until <= s.now || s.nodes[c.node].lost {
		s.release(sl, c)
		s.freed(c.node)
		return
	}
	s.book(c)
	c.kind = exitingProcess
	s.holder.Hold(s.nodes[c.node].id, c.size)
	s.report(sl, c, until)
}

// processGone is the end of such a process.
func (s *Sim) processGone(sl int32, c *slot) {
	s.holder.Unhold(s.nodes[c.node].id, c.size)
	s.slots.put(sl)
}

// containerSize is what a container was asked with.
func (s *Sim) containerSize(c *slot) Resource {
	if c.kind == masterContainer {
		return s.plan.amAsk[c.job]
	}
	return s.kindOf(c.job).size(c)
}

// book enters the end of a container.
func (s *Sim) book(c *slot) {
	if s.policy.on {
		s.countTask(c, -1)
	}
	var asked Resource
	if c.kind <= reduceContainer {
		asked = mapReduce{s}.size(c) // as mostly, without a call
	} else {
		asked = s.containerSize(c)
	}
	s.held.add(asked.Memory, s.now-c.granted)
	if s.cfg.Trace != nil {
		s.trace(c, -1)
	}
	if c.launched {
		s.rec.Ended(simcore.JobID(c.job), simcore.Kind(c.kind), c.outcome, s.now-c.granted, c.loc)
	}
}

// committed books one proposal of the scheduler.
func (s *Sim) committed(e *Event) {
	if s.cfg.Observe != nil || s.cfg.Reservations != nil {
		s.observe(e)
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
	m.number(e.Ordinal, sl)
	kind := masterContainer
	if e.Ordinal > 0 && s.isMapReduce(j) {
		kind = mapReduce{s}.containerKind(e)
	} else if e.Ordinal > 0 {
		kind = s.kindOf(j).containerKind(e)
	}
	c := &s.slots.all[sl]
	*c = slot{job: j, node: s.nodeOf[e.Node], ord: e.Ordinal, task: -1, next: -1, kind: kind, state: granted, granted: s.now, size: e.Size}
	if s.policy.on {
		s.countTask(c, 1)
	}
	if s.prefetcher != nil {
		c.handle = s.prefetcher.Handle(Container{e.App, e.Ordinal})
	}
	if s.cfg.Trace != nil {
		s.trace(c, +1)
	}
	switch {
	case e.Ordinal == 0:
		s.startMaster(sl)
	case s.isMapReduce(j):
		s.taskGranted(c, m)
	default:
		s.kindOf(j).granted(j, sl, e.Priority)
	}
}

// observe tells the run's observers of a proposal.
func (s *Sim) observe(e *Event) {
	if s.cfg.Observe != nil {
		s.cfg.Observe(s.now, e)
	}
	if s.cfg.Reservations != nil && !e.Refused {
		s.traceReservations(e)
	}
}

// trace tells the run's tracer that a container came or went.
func (s *Sim) trace(c *slot, delta int8) {
	e := ContainerChange{Job: simcore.JobID(c.job), Node: simcore.NodeID(c.node), Master: c.kind == masterContainer, Delta: delta,
		Ordinal: c.ord, Size: s.containerSize(c), Lost: delta < 0 && c.outcome == kernel.Killed}
	if c.kind == reduceContainer {
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

// fail ends the run with an error; the first counts.
func (s *Sim) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}
