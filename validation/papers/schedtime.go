package papers

import (
	"time"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
)

// schedTime measures what a scheduler's decisions cost: the time spent in its
// hooks, by a clock that the caller gives (libraries read none). It changes no
// decision.
//
// Hadoop asks its scheduler at every heartbeat of a node with a free slot, the simulator
// only at those that can matter. What another one, while tasks wait, would cost is what it
// costs to find out that none is ready, the mean over the calls of the hook Gate in the
// same run (AllBeats). Where no task waits there is nothing to search.
type schedTime struct {
	inner mr1.Scheduler
	clock func() time.Duration
	// reading is what reading the clock takes, which is part of every interval.
	reading time.Duration
	total   time.Duration

	asking time.Duration // spent in Gate
	asked  int64
	beats  int64 // simulated
	period simcore.Time
	free   []int32 // slots by node
	count  int64   // of nodes with any
	since  simcore.Time
	waits  bool         // a task waits, since then
	idle   simcore.Time // nodes times the time they had one while a task waited
}

// countOperations wraps a scheduler that is about to run and measures it in its operations, a
// nanosecond standing for one; nil if it counts none.
func countOperations(s mr1.Scheduler) *schedTime {
	c, ok := s.(sched.Counter)
	if !ok {
		return nil
	}
	return measureTime(s, func() time.Duration { return time.Duration(c.Operations()) })
}

// measureTime wraps a scheduler that is about to run. The clock gives the time since any moment;
// neither may be nil.
func measureTime(s mr1.Scheduler, clock func() time.Duration) *schedTime {
	t := &schedTime{inner: s, clock: clock}
	const readings = 256
	begin := clock()
	for range readings {
		clock()
	}
	t.reading = (clock() - begin) / (readings + 1)
	return t
}

// AllBeats returns the time spent in the scheduler's hooks and what the heartbeats of nodes with a free slot
// that were not
// simulated would have cost.
func (t *schedTime) AllBeats() time.Duration {
	if t.asked == 0 || t.period <= 0 {
		return t.total
	}
	skipped := max(float64(t.FreeBeats()-t.beats), 0)
	return t.total + time.Duration(float64(t.asking)/float64(t.asked)*skipped)
}

// FreeBeats is how many heartbeats nodes with a free slot sent while a task waited.
func (t *schedTime) FreeBeats() int64 {
	if t.period <= 0 {
		return 0
	}
	return int64(t.idle / t.period)
}

// follow keeps how many slots the nodes have free, and the time they have any.
func (t *schedTime) follow(v *mr1.View, e mr1.Event) {
	if t.waits {
		t.idle += simcore.Time(t.count) * (v.Now() - t.since)
	}
	t.since, t.waits = v.Now(), v.FirstWaiting(simcore.Map) != simcore.None ||
		v.FirstWaiting(simcore.Reduce) != simcore.None
	var by int32
	switch e.Kind {
	case mr1.TaskStarted:
		by = -1
	case mr1.TaskFinished, mr1.TaskFailed, mr1.TaskKilled:
		by = 1
	default:
		return
	}
	before := t.free[e.Node]
	t.free[e.Node] += by
	switch {
	case before == 0 && by > 0:
		t.count++
	case before+by == 0 && by < 0:
		t.count--
	}
}

// Around is Scheduler with the hooks of another wrapper of the same scheduler.
func (t *schedTime) Around(s mr1.Scheduler) mr1.Scheduler {
	t.inner = s
	return t.Scheduler()
}

// Scheduler returns what to run: it has the hooks Starter, Observer and Gate,
// passed on where the scheduler has them, and Placer only if it has it. The
// hooks Beater, Ticker, Preempter and Admitter are not passed on; a scheduler
// with one of these is returned as it is and not measured.
func (t *schedTime) Scheduler() mr1.Scheduler {
	switch t.inner.(type) {
	case mr1.Beater, mr1.Ticker, mr1.Preempter, mr1.Admitter:
		return t.inner
	}
	if p, ok := t.inner.(mr1.Placer); ok {
		return &timedPlacer{timed{t}, p}
	}
	return &timed{t}
}

type timed struct{ *schedTime }

type timedPlacer struct {
	timed
	placer mr1.Placer
}

func (t *timed) measure(since time.Duration) { t.total += max(t.clock()-since-t.reading, 0) }

// Name gives the scheduler's own name.
func (t *timed) Name() string {
	if n, ok := t.inner.(mr1.Namer); ok {
		return n.Name()
	}
	return "timed"
}

func (t *timed) Start(v *mr1.View) {
	t.period, t.free = v.Period(), make([]int32, v.Nodes())
	for n := range t.free {
		t.free[n] = v.Slots(simcore.NodeID(n), simcore.Map) + v.Slots(simcore.NodeID(n), simcore.Reduce)
		if t.free[n] > 0 {
			t.count++
		}
	}
	if s, ok := t.inner.(mr1.Starter); ok {
		defer t.measure(t.clock())
		s.Start(v)
	}
}

func (t *timed) Observe(v *mr1.View, e mr1.Event) {
	t.follow(v, e)
	if o, ok := t.inner.(mr1.Observer); ok {
		defer t.measure(t.clock())
		o.Observe(v, e)
	}
}

func (t *timed) Ready(v *mr1.View, k simcore.Kind) bool {
	g, ok := t.inner.(mr1.Gate)
	if !ok {
		return true
	}
	began := t.clock()
	ready := g.Ready(v, k)
	t.asking += max(t.clock()-began-t.reading, 0)
	t.asked++
	return ready
}

func (t *timed) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	t.beats = v.Beat()
	defer t.measure(t.clock())
	return t.inner.Pick(v, n)
}

func (t *timedPlacer) Place(v *mr1.View, task simcore.Task, dst []simcore.NodeID) []simcore.NodeID {
	return t.placer.Place(v, task, dst)
}
