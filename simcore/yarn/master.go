package yarn

import (
	"slices"

	"schedtune/simcore"
)

// The application master of a MapReduce job, after RMContainerAllocator of Hadoop 3.4.1
// (heartbeat): one heartbeat a second in which it asks, hears what it was granted and what
// ended, hands containers to tasks and decides how many reduces to ask for. What it decides
// in a heartbeat goes out with the next.
//
// Heartbeats that would neither send nor decide anything are not simulated: quiet says
// when the next is of that kind, and the master sleeps (appState.asleep) until something
// happens that it would hear of (wake). Their time is that of the grid they would have come
// on. RunConfig.Eager makes all of them; the tests TestLazyEqualsEager… compare.

// Request priorities (lower is served first), those of RMContainerAllocator.
const (
	priorityFailedMap = 5
	priorityReduce    = 10
	priorityMap       = 20
)

// master is the application master of one job. Of a Spark application only appState is used.
type master struct {
	appState

	// What is still to be sent, and what is asked for.
	dirty    []int32 // map rows changed since the last ask
	failed   []int32 // maps to run again, in order
	redDirty bool    // the number of reduces asked for has changed since the last ask
	errDirty bool    // that of failed maps has

	// Tasks, as far as the master knows.
	waitMaps    int32 // maps asked for
	runMaps     int32 // maps in a container
	doneMaps    int32 // maps finished, whose output is there
	runReds     int32 // reduces in a container
	doneReds    int32 // reduces finished
	nextMap     int32 // first map that may be untaken
	pend, asked ring  // reduces not asked for yet; asked for
	lastDone    int32 // doneMaps + doneReds at the last heartbeat

	// What it does not know yet, or only the runtime does.
	granted  int32  // containers granted and not told
	heldReds int32  // containers in which reduces run or ran, until the ResourceManager has them back
	redWait  int32  // reduces that wait for maps (list of slots), -1 = none
	seen     []bool // by node: it has the job's files; where launches are modelled

	// The decision on reduces.
	started  bool         // slowstart was met
	recalc   bool         // it has to be made anew at this heartbeat
	headroom Resource     // as last told
	hanging  simcore.Time // when the oldest waiting map was asked for

	// What policies receive.
	timedMaps int32        // maps in mapTime
	mapTime   simcore.Time // sum over finished maps, from grant to end

	// What was lost.
	misses []miss       // tasks whose containers were taken, see misses.go
	losses []outputLoss // of finished maps, see outputs.go
	redo   int32        // maps that it knows to have finished once and that run again

	ends simcore.Time // WarmJob.Ends
}

// fresh returns an empty master that keeps the memory of this one.
func (m *master) fresh() master {
	return master{appState: m.appState.fresh(), redWait: -1,
		dirty: m.dirty[:0], failed: m.failed[:0], seen: m.seen[:0], misses: m.misses[:0],
		losses: m.losses[:0]}
}

// ring is a queue of task indices within a half of the job's part of taskTables.redRing.
type ring struct{ head, n int32 }

// ringAt is the memory of a job's ring: half 0 of pend, half 1 of asked.
func (s *Sim) ringAt(j, half int32) []int32 {
	b, e := s.plan.redBase[j], s.plan.redBase[j+1]
	r := e - b
	from := 2*b + half*r
	return s.redRing[from : from+r]
}

// push appends a task.
func (r *ring) push(buf []int32, t int32) {
	i := int(r.head + r.n)
	if i >= len(buf) {
		i -= len(buf)
	}
	buf[i] = t
	r.n++
}

// pop takes the first task.
func (r *ring) pop(buf []int32) int32 {
	t := buf[r.head]
	if r.head++; int(r.head) == len(buf) {
		r.head = 0
	}
	r.n--
	return t
}

// startJob fills the tables when the AM registers. Tasks that an earlier master
// has seen finish are not run again.
func (s *Sim) startJob(j int32) {
	m, job := &s.jobs[j], &s.work.Jobs[j]
	m.waitMaps = job.Maps - m.doneMaps - m.redo
	buf := s.ringAt(j, 0)
	for t := range job.Reduces {
		if m.doneReds == 0 || !s.redDone[s.plan.redBase[j]+t] {
			m.pend.push(buf, t)
		}
	}
	m.hanging, m.recalc = s.now, true
	for r := s.plan.rowBase[j]; r < s.plan.rowBase[j+1] && job.Maps > 0; r++ {
		s.touchRow(m, r)
	}
}

// touchRow notes that a row has changed.
func (s *Sim) touchRow(m *master, r int32) {
	if !s.rowDirty[r] {
		s.rowDirty[r] = true
		m.dirty = append(m.dirty, r)
	}
}

// masterBeat is one heartbeat of a job's application master (RMContainerAllocator.heartbeat).
func (s *Sim) masterBeat(j int32) {
	m := &s.jobs[j]
	if len(m.misses) > 0 {
		s.runMissed(j, m)
	}
	changed := s.ask(j, m)
	if m.closed {
		return
	}
	m.granted = 0
	s.hearMissed(m)
	if len(s.resp.Granted)+len(s.resp.Completed) > 0 {
		s.hear(m)
		s.assign(j, m)
	}
	if done := m.doneMaps + m.doneReds; done != m.lastDone || m.waitMaps > 0 {
		m.lastDone, m.recalc = done, true
	}
	if m.recalc {
		if !s.preemptReduces(j, m) {
			s.scheduleReduces(j, m)
		}
		m.recalc = false
	}
	m.beat = s.masterBeatAfter(j, s.now+1, s.now+s.amPeriod)
	if m.asleep = !s.cfg.Eager && s.quiet(j, m); m.asleep {
		s.tree.Clear(s.slotLeaf(m.slot))
	} else {
		s.tree.Set(s.slotLeaf(m.slot), m.beat)
	}
	if changed {
		s.wakeNodes()
	}
}

// ask sends the rows that changed (RMContainerRequestor.makeRemoteRequest), and takes the
// answer into s.resp. It reports whether anything went out.
func (s *Sim) ask(j int32, m *master) bool {
	s.asks = s.asks[:0]
	if m.errDirty || m.redDirty || len(m.dirty) > 0 {
		s.listAsks(j, m)
	}
	before := m.headroom
	s.sched.Ask(m.app, s.asks, m.release, &s.resp)
	if s.resp.Refused != nil { // its AM kills the job (RMContainerAllocator.handleMapContainerRequest, heartbeat)
		s.refused(j)
		s.finishJob(j, true)
		return false
	}
	m.headroom = s.resp.Headroom
	m.recalc = m.recalc || m.headroom != before
	if len(m.release) == 0 {
		return len(s.asks) > 0
	}
	for _, n := range m.backTo {
		s.freed(n)
	}
	m.release, m.backTo = m.release[:0], m.backTo[:0]
	return true
}

// refused notes a request above the maximum allocation, or for a node label that the queue may not use: the
// ResourceManager rejects it (InvalidResourceRequestException), and its application fails.
func (s *Sim) refused(j int32) {
	s.rec.RefuseRequest(simcore.JobID(j), limitOf(s.work.Jobs[j].ID, s.resp.Refused))
}

// listAsks puts the rows that changed into s.asks.
func (s *Sim) listAsks(j int32, m *master) {
	p, labels := &s.plan, s.labelsOf(j)
	if m.errDirty {
		s.asks = append(s.asks, Ask{Priority: priorityFailedMap, Where: AnyPlace, Size: p.mapAsk[j],
			Count: int32(len(m.failed)), Label: labels.Map})
		m.errDirty = false
	}
	if m.redDirty {
		s.asks = append(s.asks, Ask{Priority: priorityReduce, Where: AnyPlace, Size: p.redAsk[j], Count: m.asked.n,
			Label: labels.Reduce})
		m.redDirty = false
	}
	at := len(s.asks)
	s.asks = slices.Grow(s.asks, len(m.dirty))[:at+len(m.dirty)]
	for i, r := range m.dirty {
		a := &s.asks[at+i] // all of it is set: it may be one of an earlier ask
		a.Priority, a.AllocID, a.Where, a.Size, a.Count, a.Strict, a.Label = priorityMap, 0, s.placeOf(p.rowAt[r]),
			p.mapAsk[j], s.rowLeft[r], false, ""
		if a.Where == AnyPlace {
			a.Label = labels.Map
		}
		s.rowDirty[r] = false
	}
	m.dirty = m.dirty[:0]
}

// placeOf returns the scheduler's id of a place: of anyRow (spark.AnyHost), a node, or a rack r as
// -2-r.
func (s *Sim) placeOf(at int32) Place {
	switch {
	case at == anyRow:
		return AnyPlace
	case at >= 0:
		return s.place[at]
	}
	return s.place[len(s.nodes)+int(-2-at)]
}

// quiet reports whether the next heartbeat, and so every later one, would neither send nor
// decide anything new unless something happens first: nothing has changed that is still to
// go out, nothing is to be heard, and the decision on reduces stands, because there are none
// to ask for, or none to take back and none to make room with.
func (s *Sim) quiet(j int32, m *master) bool {
	if m.errDirty || m.redDirty || len(m.dirty)+len(m.release) > 0 || m.granted > 0 || m.recalc || len(m.misses) > 0 {
		return false
	}
	if s.stranded(m) {
		return true
	}
	if m.pend.n > 0 && (s.cfg.Policies.Reduces != nil || m.started || m.doneMaps >= s.slowstartMaps(j)) {
		return false
	}
	return s.work.Jobs[j].Reduces == 0 || m.runMaps > 0 || m.waitMaps == 0 || m.asked.n+m.runReds == 0
}

// wakeEnded is wake of a sleeping AM after the end of a task or container. It means
// nothing to one that neither has reduces to ask for nor might take asks back.
func (s *Sim) wakeEnded(j int32, m *master) {
	if m.pend.n == 0 && (m.waitMaps == 0 || s.work.Jobs[j].Reduces == 0) {
		return
	}
	s.wakeUp(j, m)
}

// wake gives a sleeping application master its next heartbeat back.
func (s *Sim) wake(j int32, m *master) {
	if m.asleep {
		s.wakeUp(j, m)
	}
}

// wakeUp is wake of one that sleeps: its next heartbeat is the first of its grid to come.
func (s *Sim) wakeUp(j int32, m *master) {
	m.asleep = false
	leaf := s.slotLeaf(m.slot)
	m.beat = s.masterBeatAfter(j, s.earliest(leaf), s.nextOnGrid(m.beat, s.amPeriod, leaf))
	s.tree.Set(leaf, m.beat)
}

// masterBeatAfter returns the job's first recorded AM heartbeat from an instant
// on, or the given time if none is recorded.
func (s *Sim) masterBeatAfter(j int32, from, otherwise simcore.Time) simcore.Time {
	return firstOf(pick(s.recorded.MasterBeats, j), from, simcore.Never, otherwise)
}
