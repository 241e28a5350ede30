package sched

import (
	"time"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// Timed measures what a scheduler's decisions cost: the time spent in its
// hooks, by a clock that the caller gives (libraries read none). It changes no
// decision.
type Timed struct {
	inner mr1.Scheduler
	clock func() time.Duration
	total time.Duration
}

// Time wraps a scheduler that is about to run.
func Time(s mr1.Scheduler, clock func() time.Duration) *Timed {
	return &Timed{inner: s, clock: clock}
}

// Total returns the time spent so far.
func (t *Timed) Total() time.Duration { return t.total }

// Scheduler returns what to run: it has the hooks Starter, Observer and Gate,
// passed on where the scheduler has them, and Placer only if it has it. The
// hooks Beater, Ticker, Preempter and Admitter are not passed on; a scheduler
// with one of these is returned as it is and not measured.
func (t *Timed) Scheduler() mr1.Scheduler {
	switch t.inner.(type) {
	case mr1.Beater, mr1.Ticker, mr1.Preempter, mr1.Admitter:
		return t.inner
	}
	if p, ok := t.inner.(mr1.Placer); ok {
		return &timedPlacer{timed{t}, p}
	}
	return &timed{t}
}

type timed struct{ *Timed }

type timedPlacer struct {
	timed
	placer mr1.Placer
}

func (t *timed) measure(since time.Duration) { t.total += t.clock() - since }

// Name gives the scheduler's own name.
func (t *timed) Name() string {
	if n, ok := t.inner.(mr1.Namer); ok {
		return n.Name()
	}
	return "timed"
}

func (t *timed) Start(v *mr1.View) {
	if s, ok := t.inner.(mr1.Starter); ok {
		defer t.measure(t.clock())
		s.Start(v)
	}
}

func (t *timed) Observe(v *mr1.View, e mr1.Event) {
	if o, ok := t.inner.(mr1.Observer); ok {
		defer t.measure(t.clock())
		o.Observe(v, e)
	}
}

func (t *timed) Ready(v *mr1.View, k simcore.Kind) bool {
	if g, ok := t.inner.(mr1.Gate); ok {
		return g.Ready(v, k)
	}
	return true
}

func (t *timed) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	defer t.measure(t.clock())
	return t.inner.Pick(v, n)
}

func (t *timedPlacer) Place(v *mr1.View, task simcore.Task, dst []simcore.NodeID) []simcore.NodeID {
	return t.placer.Place(v, task, dst)
}
