package simcore

import (
	"iter"
	"math/bits"
)

// offer asks the scheduler for tasks while the node has a free slot that a
// pending task could use.
func (s *Sim) offer(n NodeID) {
	node := s.node(n)
	s.beat++
	for s.fits(node) {
		t, ok := s.sched.Pick(&s.view, n)
		if !ok {
			break
		}
		i, reason := s.choose(t, n)
		if reason != "" {
			s.err = &PickError{schedulerName(s.sched), s.now, n, t, reason}
			return
		}
		t.Index = i
		s.launch(t, n, false)
	}
	if s.cfg.Speculation.On {
		s.speculate(n)
	}
}

func (s *Sim) fits(node *nodeState) bool {
	return s.totalPending[Map] > 0 && node.free[0] > 0 ||
		s.totalPending[Reduce] > 0 && node.free[s.pool(Reduce)] > 0
}

// choose checks a pick and settles which task is meant.
func (s *Sim) choose(t Task, n NodeID) (int32, string) {
	switch {
	case t.Job < 0 || int(t.Job) >= len(s.jobs):
		return 0, "there is no such job"
	case t.Kind > Reduce:
		return 0, "there is no such kind"
	case s.node(n).free[s.pool(t.Kind)] <= 0:
		return 0, "the node has no free slot for it"
	case s.jobs[t.Job].phase != jobActive:
		return 0, "the job is not active"
	case s.jobs[t.Job].pending[t.Kind] <= 0:
		return 0, "no task of that kind is pending"
	case t.Index == AnyTask && !s.detail:
		return s.jobs[t.Job].fresh[t.Kind], ""
	case t.Index == AnyTask:
		s.pickLoc, s.pickAny = NodeLocal, true
		return s.any(t, n), ""
	case t.Index < 0 || t.Index >= s.taskCount(t.Job, t.Kind):
		return 0, "the job has no task of that index"
	case !s.detail:
		if t.Index != s.jobs[t.Job].fresh[t.Kind] {
			return 0, "tasks of a run without data placement are launched in order"
		}
	case s.task[s.taskAt(t.Job, t.Kind, t.Index)] != taskPending:
		return 0, "the task is not pending"
	}
	return t.Index, ""
}

func (s *Sim) any(t Task, n NodeID) int32 {
	if t.Kind == Map {
		i, l := s.nearest(t.Job, n)
		s.pickLoc = l
		return i
	}
	return s.firstPending(t.Job, t.Kind)
}

// firstPending returns the job's first pending task of a kind.
func (s *Sim) firstPending(j JobID, k Kind) int32 {
	st := &s.jobs[j]
	if s.detail {
		at := s.taskAt(j, k, 0)
		for s.task[at+st.fresh[k]] != taskPending {
			st.fresh[k]++
		}
	}
	return st.fresh[k]
}

// launch starts an attempt of a task on a free slot of the node and returns
// the slot.
func (s *Sim) launch(t Task, n NodeID, second bool) int32 {
	i := s.freeSlot(n, s.pool(t.Kind))
	a, st := &s.slots[i], &s.jobs[t.Job]
	a.job, a.task, a.kind, a.start, a.spec, a.outcome = t.Job, t.Index, t.Kind, s.now, second, Finished
	a.paired, a.loc = false, NodeLocal
	if s.detail {
		s.detailed(i, t, n)
	} else {
		st.fresh[t.Kind]++
	}
	if !second {
		s.addPending(t.Job, t.Kind, -1)
	}
	st.running[t.Kind]++
	s.totalRunning[t.Kind]++
	s.occupy(n, a)
	s.lastLaunch = s.now
	s.rec.launched(st.user, t.Job, s.now)
	if s.plain && t.Kind == Map {
		s.report(i, s.now+s.cfg.Launch+s.dur.scale(s.dur.base(t, 0), t, 0, n, 1))
	} else {
		s.begin(i, t, n)
	}
	if s.watched>>TaskStarted&1 != 0 {
		s.tell(Event{Kind: TaskStarted, Node: n, Task: t})
	}
	return i
}

// detailed notes what is known only where tasks are tracked singly.
func (s *Sim) detailed(i int32, t Task, n NodeID) {
	at, a := s.taskAt(t.Job, t.Kind, t.Index), &s.slots[i]
	s.task[at] = taskRunning
	s.more[i].attempt = int32(s.failed[at])
	if t.Kind == Map && s.pickAny {
		a.loc = s.pickLoc
	} else if t.Kind == Map {
		a.loc = s.place.locality(s, t, n)
	}
	s.pickAny = false
	if a.spec {
		s.more[i].attempt += secondAttempt
	}
}

// attemptOf numbers the slot's attempt.
func (s *Sim) attemptOf(i int32) int32 {
	if s.detail {
		return s.more[i].attempt
	}
	return 0
}

// secondAttempt is added to the attempt number of speculative attempts, so
// that they have draws of their own.
const secondAttempt = 1 << 16

// freeSlot returns a free slot of the node, first the one that was emptied
// last, because it is in the cache.
func (s *Sim) freeSlot(n NodeID, pool uint8) int32 {
	i := s.lastEnded
	if s.nodeOf[i] == n && s.slots[i].pool == pool && s.slots[i].job == None {
		return i
	}
	i, _ = s.slotRange(n)
	for s.slots[i].job != None || s.slots[i].pool != pool {
		i++
	}
	return i
}

func (s *Sim) occupy(n NodeID, a *slotState) {
	node := s.node(n)
	node.free[a.pool]--
	node.running[a.kind]++
	s.totalFree[a.pool]--
}

func (s *Sim) release(n NodeID, a *slotState) {
	node := s.node(n)
	node.running[a.kind]--
	s.jobs[a.job].running[a.kind]--
	s.totalRunning[a.kind]--
	if !node.lost {
		node.free[a.pool]++
		s.totalFree[a.pool]++
	}
}

// begin works out when the attempt ends, as far as that is known yet.
func (s *Sim) begin(i int32, t Task, n NodeID) {
	a := &s.slots[i]
	from := s.now + s.cfg.Launch
	if s.cfg.LaunchJitter > 0 {
		from += Time(taskKey(s.latency, t).IntN(uint64(s.attemptOf(i)), int(s.cfg.LaunchJitter)+1))
	}
	switch {
	case s.execOn:
		s.launchExec(i, from)
	case t.Kind == Map:
		s.schedule(i, from+s.dur.Map(t, s.attemptOf(i), n, a.loc))
	case s.jobs[t.Job].done[Map] == s.jobs[t.Job].tasks[Map]:
		s.schedule(i, s.reduceEnd(i, from))
	default:
		s.setSlot(i, Never)
		a.parked = true
		s.more[i].begin, s.more[i].next = from, s.jobs[t.Job].parked
		s.jobs[t.Job].parked = i
	}
}

// reduceEnd is when a reduce ends whose maps are all done.
func (s *Sim) reduceEnd(i int32, from Time) Time {
	a := &s.slots[i]
	t := Task{a.job, Reduce, a.task}
	copied := max(from, s.now) + s.dur.Shuffle(t, from, s.rec.Job(a.job).MapsDone)
	return copied + s.dur.Reduce(t, s.attemptOf(i), s.nodeOf[i])
}

// schedule sets the end of an attempt, or an earlier failure, and the
// heartbeat that reports it.
func (s *Sim) schedule(i int32, end Time) {
	if s.cfg.Failures.Attempt > 0 && s.fails(i) {
		a := &s.slots[i]
		a.outcome = Failed
		u := taskKey(s.mishap, Task{a.job, a.kind, a.task}).Float64(2*uint64(s.attemptOf(i)) + 1)
		end = s.now + Time(float64(end-s.now)*u)
	}
	s.report(i, end)
}

// fails draws whether the attempt fails.
func (s *Sim) fails(i int32) bool {
	a, p := &s.slots[i], s.cfg.Failures.Attempt
	return p > 0 && taskKey(s.mishap, Task{a.job, a.kind, a.task}).Float64(2*uint64(s.attemptOf(i))) < p
}

// report schedules the heartbeat that tells of the attempt's end.
func (s *Sim) report(i int32, end Time) {
	n := s.nodeOf[i]
	if s.node(n).dead {
		return
	}
	if !s.cfg.OutOfBand {
		end = s.beatAt(n, end)
	}
	if end >= s.tree.Limit() {
		s.err = ErrHorizon
	}
	s.setSlot(i, end)
}

// nodeDue is a node's leaf: attempts on their way to the Exec start, and if
// anything else is due, it is a heartbeat.
func (s *Sim) nodeDue(n NodeID) {
	if s.execOn && !s.startDue(n) {
		s.rekey(n)
		return
	}
	s.heartbeat(n)
}

// startDue starts the node's attempts whose launch latency has passed and
// reports whether something else is due.
func (s *Sim) startDue(n NodeID) bool {
	more := false
	for i := range s.slotsOf(n) {
		if s.slots[i].at != s.now {
			continue
		}
		if s.slots[i].launching {
			s.startExec(i)
		} else {
			more = true
		}
	}
	return more
}

// heartbeat is everything that happens at one heartbeat of a node: ended tasks
// are reported, then its free slots are offered. The node's leaf is written
// once, at the end.
func (s *Sim) heartbeat(n NodeID) {
	node := s.node(n)
	node.lastBeat, s.beating = s.now, n
	if s.execOn {
		s.startDue(n)
	}
	for from, end := s.slotRange(n); from < end; from += 64 {
		for due := s.due(from, min(end, from+64)); due != 0; due &= due - 1 {
			if i := from + int32(bits.TrailingZeros64(due)); s.slots[i].at == s.now {
				s.finish(i)
			}
		}
	}
	if s.beater != nil {
		s.beater.Heartbeat(&s.view, n)
	}
	if s.preempt != nil {
		s.preemption(n)
	}
	s.offer(n)
	s.noteFree(n)
	s.beating = None
	s.rekey(n)
}

// due tells which of the slots [from, to), at most 64, have their event now,
// as bits.
func (s *Sim) due(from, to int32) uint64 {
	mask, now := uint64(0), s.now
	slots := s.slots[from:to]
	for i := range slots {
		bit := uint64(0)
		if slots[i].at == now { // compiled without a jump
			bit = 1
		}
		mask |= bit << (i & 63)
	}
	return mask
}

// setSlot gives a slot its next event, Never for none.
func (s *Sim) setSlot(i int32, at Time) {
	s.slots[i].at = at
	if n := s.nodeOf[i]; n != s.beating {
		s.rekey(n)
	}
}

// rekey sets the node's leaf to the earliest event of its slots.
func (s *Sim) rekey(n NodeID) {
	first := Never
	from, end := s.slotRange(n)
	slots := s.slots[from:end]
	for i := range slots {
		first = min(first, slots[i].at)
	}
	s.tree.Set(nodeLeaf+s.idle.rank[n], first)
}

// finish handles the reported end of an attempt.
func (s *Sim) finish(i int32) {
	a, n := &s.slots[i], s.nodeOf[i]
	t, took, twin := Task{a.job, a.kind, a.task}, s.now-a.start, s.twinOf(i)
	s.rec.ended(s.jobs[t.Job].user, t.Job, t.Kind, a.outcome, took, a.loc)
	s.release(n, a)
	a.job, a.at, s.lastEnded = None, Never, i
	s.idleDirty = s.idleDirty || s.gate != nil
	if a.outcome == Failed {
		s.attemptFailed(t, n, twin, took)
		return
	}
	if twin != None {
		s.slots[twin].paired = false
		s.kill(twin, false)
	}
	st := &s.jobs[t.Job]
	st.done[t.Kind]++
	st.took[t.Kind] += took
	if s.detail {
		at := s.taskAt(t.Job, t.Kind, t.Index)
		s.task[at] = taskDone
		if t.Kind == Map && len(s.where) > 0 {
			s.where[at] = int32(n)
		}
	}
	if s.watched>>TaskFinished&1 != 0 {
		s.tell(Event{Kind: TaskFinished, Node: n, Task: t, Took: took})
	}
	if t.Kind == Map && s.execOn {
		s.exec.MapDone(s.now, t, n)
		s.armExec()
	}
	if st.done[t.Kind] == st.tasks[t.Kind] {
		if t.Kind == Map {
			s.mapsDone(t.Job)
		}
		s.checkJob(t.Job)
	}
}

// twinOf returns the slot of the task's other attempt, None if there is none.
func (s *Sim) twinOf(i int32) int32 {
	if s.slots[i].paired {
		return s.more[i].twin
	}
	return None
}

// kill ends an attempt without result. If again, and no other attempt of the
// task runs, the task is pending again.
func (s *Sim) kill(i int32, again bool) {
	a, n, twin := s.slots[i], s.nodeOf[i], s.twinOf(i)
	if a.parked {
		s.unpark(a.job, i)
	}
	s.stopExec(i)
	s.setSlot(i, Never)
	took := s.now - a.start
	s.rec.Ended(a.job, a.kind, Killed, took, a.loc)
	s.release(n, &a)
	s.slots[i].job = None
	s.noteFree(n)
	s.idleDirty = true
	if s.watched>>TaskKilled&1 != 0 {
		s.tell(Event{Kind: TaskKilled, Node: n, Task: Task{a.job, a.kind, a.task}, Took: took})
	}
	if twin != None {
		s.slots[twin].paired = false
	} else if again {
		s.requeue(Task{a.job, a.kind, a.task})
	}
}

// requeue makes a task pending again.
func (s *Sim) requeue(t Task) {
	if s.jobs[t.Job].phase != jobActive {
		return
	}
	s.task[s.taskAt(t.Job, t.Kind, t.Index)] = taskPending
	s.jobs[t.Job].fresh[t.Kind] = min(s.jobs[t.Job].fresh[t.Kind], t.Index)
	s.place.rewind(t.Job)
	s.addPending(t.Job, t.Kind, 1)
}

func (s *Sim) preemption(n NodeID) {
	s.scratch = s.preempt.Preempt(&s.view, n, s.scratch[:0])
	for _, p := range s.scratch {
		if i := s.find(p); i != None {
			s.kill(i, true)
		}
	}
}

// find returns the slot of a running attempt, None if it no longer runs.
func (s *Sim) find(p Attempt) int32 {
	if p.Node < 0 || int(p.Node) >= len(s.nodes) {
		return None
	}
	for i := range s.slotsOf(p.Node) {
		if a := &s.slots[i]; a.job == p.Task.Job && a.kind == p.Task.Kind && a.task == p.Task.Index && a.spec == p.Speculative {
			return i
		}
	}
	return None
}

func (s *Sim) slotsOf(n NodeID) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i, end := s.slotRange(n); i < end; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func (s *Sim) attempt(i int32) Attempt {
	a := &s.slots[i]
	return Attempt{Task{a.job, a.kind, a.task}, s.nodeOf[i], s.attemptOf(i) &^ secondAttempt, a.start, a.loc, a.spec}
}

func (s *Sim) progress(p Attempt) float64 {
	i := s.find(p)
	if i == None {
		return 0
	}
	a := &s.slots[i]
	if s.execOn {
		if a.launching {
			return 0
		}
		return s.exec.Progress(i, s.now)
	}
	if a.parked {
		return float64(s.jobs[a.job].done[Map]) / float64(s.work.Jobs[a.job].Maps) / 3
	}
	if end := a.at; s.now < end && end < Never {
		return float64(s.now-a.start) / float64(end-a.start)
	}
	return 1
}

func (s *Sim) load(n NodeID) NodeLoad {
	node := s.node(n)
	l := NodeLoad{Maps: node.running[Map], Reduces: node.running[Reduce]}
	if s.execOn {
		return s.exec.Load(n, l)
	}
	l.CPU = float64(l.Maps+l.Reduces) / float64(max(s.cluster.Nodes[n].Cores, 1))
	return l
}

// output adds the bytes of the job's finished map output by node.
func (s *Sim) output(j JobID, dst []int64) {
	job := &s.work.Jobs[j]
	if len(s.where) == 0 || job.Maps == 0 {
		return
	}
	for i := range job.Maps {
		if at := s.jobs[j].task + i; s.task[at] == taskDone {
			dst[s.where[at]] += mapOutput(s.work, j, i)
		}
	}
}

// mapOutput is what one map hands to the reduces, in bytes.
func mapOutput(w *Workload, j JobID, i int32) int64 {
	job := &w.Jobs[j]
	if job.FirstTask >= 0 && w.Tasks.Output != nil && job.Reduces > 0 {
		return w.Tasks.Output[job.FirstTask+i]
	}
	return job.ShuffleBytes / int64(max(job.Maps, 1))
}
