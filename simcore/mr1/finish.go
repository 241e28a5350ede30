package mr1

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// release gives an attempt's slot back.
func (s *Sim) release(node *nodeState, a *slotState) {
	k, p := a.kind&1, a.pool&1
	node.running[k]--
	s.jobs[a.job].of[k].running--
	s.totalRunning[k]--
	node.free[p]++
	s.totalFree[p]++
}

// finish handles the reported end of an attempt. What finished attempts add to
// their job's tally is kept in its state until the job ends.
func (s *Sim) finish(node *nodeState, i int32) {
	a := &s.slots[i]
	t, took := simcore.Task{Job: a.job, Kind: a.kind, Index: a.task}, s.now-a.start
	st := &s.jobs[t.Job]
	of := &st.of[t.Kind&1]
	s.release(node, a)
	a.job, s.slots[i].at, s.lastEnded = simcore.None, simcore.Never, i
	s.idleDirty = s.idleDirty || s.gate != nil && s.idleWanted()
	if a.outcome == kernel.Failed {
		s.rec.Ended(t.Job, t.Kind, kernel.Failed, took, a.loc)
		s.attemptFailed(t, node.id, s.twinOf(i), took)
		return
	}
	s.rec.User(st.user).Held--
	if t.Kind == simcore.Map && a.loc != simcore.NodeLocal {
		s.rec.Job(t.Job).At[a.loc]++
	}
	if a.paired {
		twin := s.more[i].twin
		s.slots[twin].paired = false
		s.kill(twin, false)
	}
	of.done++
	of.took += took
	if s.detail {
		at := s.taskAt(t.Job, t.Kind, t.Index)
		s.task[at] = taskDone
		if t.Kind == simcore.Map && len(s.where) > 0 {
			s.where[at] = int32(node.id)
		}
	}
	s.tell(Event{Kind: TaskFinished, Node: node.id, Task: t, Took: took})
	if s.execOn && t.Kind == simcore.Map {
		s.exec.MapDone(s.now, t, node.id)
		s.armExec()
	}
	if of.done == of.tasks {
		if t.Kind == simcore.Map {
			s.mapsDone(t.Job)
		}
		s.checkJob(t.Job)
	}
}

// attemptFailed counts a failed attempt and retries the task or fails the job.
func (s *Sim) attemptFailed(t simcore.Task, n simcore.NodeID, twin int32, took simcore.Time) {
	at := s.taskAt(t.Job, t.Kind, t.Index)
	s.failed[at]++
	s.tell(Event{Kind: TaskFailed, Node: n, Task: t, Took: took})
	if twin != simcore.None {
		s.slots[twin].paired = false
	}
	switch {
	case int32(s.failed[at]) >= s.cfg.Failures.MaxAttempts:
		s.endJob(t.Job, true)
	case twin == simcore.None:
		s.requeue(t)
	}
}

// twinOf returns the slot of the task's other attempt, None if there is none.
func (s *Sim) twinOf(i int32) int32 {
	if s.slots[i].paired {
		return s.more[i].twin
	}
	return simcore.None
}

// kill ends an attempt without result. If again, and no other attempt of the
// task runs, the task is pending again.
func (s *Sim) kill(i int32, again bool) {
	a, n, twin := s.slots[i], s.nodeOf[i], s.twinOf(i)
	node := s.node(n)
	if a.parked {
		s.unpark(a.job, i)
	}
	s.stopExec(i)
	s.setDue(node, i, simcore.Never)
	took := s.now - a.start
	s.rec.Ended(a.job, a.kind, kernel.Killed, took, a.loc)
	s.release(node, &a)
	s.slots[i].job = simcore.None
	s.noteFree(node)
	s.idleDirty = true
	s.tell(Event{Kind: TaskKilled, Node: n, Task: simcore.Task{Job: a.job, Kind: a.kind, Index: a.task}, Took: took})
	if twin != simcore.None {
		s.slots[twin].paired = false
	} else if again {
		s.requeue(simcore.Task{Job: a.job, Kind: a.kind, Index: a.task})
	}
}

// requeue makes a task pending again.
func (s *Sim) requeue(t simcore.Task) {
	if s.jobs[t.Job].phase != jobActive {
		return
	}
	s.task[s.taskAt(t.Job, t.Kind, t.Index)] = taskPending
	s.jobs[t.Job].of[t.Kind].fresh = min(s.jobs[t.Job].of[t.Kind].fresh, t.Index)
	s.place.rewind(t.Job)
	s.addPending(t.Job, t.Kind, 1)
}

func (s *Sim) preemption(n simcore.NodeID) {
	s.scratch = s.preempt.Preempt(&s.view, n, s.scratch[:0])
	for _, p := range s.scratch {
		if i := s.find(p); i != simcore.None {
			s.kill(i, true)
		}
	}
}

// find returns the slot of a running attempt, None if it no longer runs.
func (s *Sim) find(p Attempt) int32 {
	if p.Node < 0 || int(p.Node) >= len(s.nodes) {
		return simcore.None
	}
	for i := range s.slotsOf(p.Node) {
		if a := &s.slots[i]; a.job == p.Task.Job && a.kind == p.Task.Kind && a.task == p.Task.Index &&
			a.spec == p.Speculative {
			return i
		}
	}
	return simcore.None
}

// idleWanted reports whether a node stands idle while a task is pending that
// could use it.
func (s *Sim) idleWanted() bool {
	return s.totalPending[simcore.Map] > 0 && s.idle.free[0].count > 0 ||
		s.totalPending[simcore.Reduce] > 0 && s.idle.free[s.pool(simcore.Reduce)].count > 0
}
