package yarn

import (
	"fmt"
	"math/bits"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The accounts of containers. A container has one from its allocation (committed) until the
// ResourceManager has its space back (release). Its slot is in use for as long, or until its
// process has ended, if that is later.

// release closes a container's account and frees its slot; its leaf is clear.
func (s *Sim) release(sl int32, c *slot) {
	s.book(c)
	s.slots.put(sl)
}

// releaseAtExit closes the account of a container whose process occupies its node until an
// instant. If the scheduler counts such space (Holder), the slot remains in use as an
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

// containerSize returns the requested size of a container.
func (s *Sim) containerSize(c *slot) Resource {
	switch {
	case c.kind <= reduceContainer:
		return mapReduce{s}.size(c)
	case c.kind == masterContainer:
		return s.plan.amAsk[c.job]
	}
	return s.kindOf(c.job).size(c)
}

// book records the end of a container.
func (s *Sim) book(c *slot) {
	if s.policy.on {
		s.countTask(c, -1)
	}
	s.held.add(s.containerSize(c).Memory, s.now-c.granted)
	if s.cfg.Trace != nil {
		s.trace(c, -1)
	}
	if c.launched {
		s.rec.Ended(simcore.JobID(c.job), simcore.Kind(c.kind), c.outcome, s.now-c.granted, c.loc)
	}
}

// committed handles one proposal of the scheduler. An allocation of the heartbeat that ended its
// application has ended with it.
func (s *Sim) committed(e *Event) {
	if s.cfg.Observe != nil || s.cfg.Reservations != nil {
		s.observe(e)
	}
	if e.Kind != Allocate || e.Refused {
		return // no progress: a reservation is repeated at every heartbeat
	}
	s.progress = s.now
	j := s.appJob[e.App]
	m := &s.jobs[j]
	if m.app != e.App {
		return
	}
	kind := masterContainer
	if e.Ordinal > 0 {
		kind = s.kindOf(j).containerKind(e)
	}
	sl := s.open(slot{job: j, node: s.nodeOf[e.Node], ord: e.Ordinal, kind: kind, granted: s.now, size: e.Size})
	switch {
	case sl < 0:
	case e.Ordinal == 0:
		s.startMaster(sl)
	default:
		s.kindOf(j).granted(sl, &s.slots.all[sl], e.Priority)
	}
}

// open opens the account of a container without a task in a free slot; -1 and an error of the run if there is none.
func (s *Sim) open(c slot) int32 {
	sl := s.slots.take()
	if sl < 0 {
		s.fail(fmt.Errorf("yarn: containers at %v: more than the memory of the nodes", s.now.Std()))
		return -1
	}
	m := &s.jobs[c.job]
	m.number(c.ord, sl)
	c.task, c.next, c.state = -1, -1, granted
	if s.prefetcher != nil {
		c.handle = s.prefetcher.Handle(Container{m.app, c.ord})
	}
	at := &s.slots.all[sl]
	*at = c
	if s.policy.on {
		s.countTask(at, 1)
	}
	if s.cfg.Trace != nil {
		s.trace(at, +1)
	}
	return sl
}

// observe passes a proposal to the run's observers.
func (s *Sim) observe(e *Event) {
	if s.cfg.Observe != nil {
		s.cfg.Observe(s.now, e)
	}
	if s.cfg.Reservations != nil && !e.Refused {
		s.traceReservations(e)
	}
}

// trace passes the allocation or end of a container to the run's tracer.
func (s *Sim) trace(c *slot, delta int8) {
	e := ContainerChange{Job: simcore.JobID(c.job), Node: simcore.NodeID(c.node), Master: c.kind == masterContainer,
		Delta:   delta,
		Ordinal: c.ord, Size: s.containerSize(c), Lost: delta < 0 && c.outcome == kernel.Killed}
	if c.kind == reduceContainer {
		e.Kind = simcore.Reduce
	}
	s.cfg.Trace(s.now, e)
}

// traceReservations passes the reservations that a proposal makes, uses or
// releases to the run's observer.
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

// fail ends the run with an error, the first one.
func (s *Sim) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// area sums MiB times microseconds: a thousand large nodes exceed 64 bits within
// a day.
type area struct{ hi, lo uint64 }

// add adds memory in MiB over a time.
func (a *area) add(mib int64, d simcore.Time) {
	hi, lo := bits.Mul64(uint64(mib), uint64(d))
	var carry uint64
	a.lo, carry = bits.Add64(a.lo, lo, 0)
	a.hi += hi + carry
}

// float returns the sum in MiB × microseconds.
func (a *area) float() float64 { return float64(a.hi)*(1<<64) + float64(a.lo) }
