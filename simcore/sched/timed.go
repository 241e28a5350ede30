package sched

import (
	"time"

	"schedtune/simcore"
)

// Timed measures what a scheduler's decisions cost: the time spent in its
// hooks, by a clock that the caller gives (libraries read none). It changes no
// decision.
type Timed struct {
	inner simcore.Scheduler
	clock func() time.Duration
	total time.Duration
}

// Time wraps a scheduler that is about to run.
func Time(s simcore.Scheduler, clock func() time.Duration) *Timed {
	return &Timed{inner: s, clock: clock}
}

// Total returns the time spent so far.
func (t *Timed) Total() time.Duration { return t.total }

// Scheduler returns what to run: it has the hooks Starter, Observer and Gate,
// passed on where the scheduler has them, and Placer only if it has it. The
// hooks Beater, Ticker, Preempter and Admitter are not passed on; a scheduler
// with one of these is returned as it is and not measured.
func (t *Timed) Scheduler() simcore.Scheduler {
	switch t.inner.(type) {
	case simcore.Beater, simcore.Ticker, simcore.Preempter, simcore.Admitter:
		return t.inner
	}
	if p, ok := t.inner.(simcore.Placer); ok {
		return &timedPlacer{timed{t}, p}
	}
	return &timed{t}
}

type timed struct{ *Timed }

type timedPlacer struct {
	timed
	placer simcore.Placer
}

func (t *timed) measure(since time.Duration) { t.total += t.clock() - since }

// Name gives the scheduler's own name.
func (t *timed) Name() string {
	if n, ok := t.inner.(simcore.Namer); ok {
		return n.Name()
	}
	return "timed"
}

func (t *timed) Start(v *simcore.View) {
	if s, ok := t.inner.(simcore.Starter); ok {
		defer t.measure(t.clock())
		s.Start(v)
	}
}

func (t *timed) Observe(v *simcore.View, e simcore.Event) {
	if o, ok := t.inner.(simcore.Observer); ok {
		defer t.measure(t.clock())
		o.Observe(v, e)
	}
}

func (t *timed) Ready(v *simcore.View, k simcore.Kind) bool {
	if g, ok := t.inner.(simcore.Gate); ok {
		return g.Ready(v, k)
	}
	return true
}

func (t *timed) Pick(v *simcore.View, n simcore.NodeID) (simcore.Task, bool) {
	defer t.measure(t.clock())
	return t.inner.Pick(v, n)
}

func (t *timedPlacer) Place(v *simcore.View, task simcore.Task, dst []simcore.NodeID) []simcore.NodeID {
	return t.placer.Place(v, task, dst)
}
