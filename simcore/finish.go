package simcore

// release gives an attempt's slot back.
func (s *Sim) release(node *nodeState, a *slotState) {
	node.running[a.kind]--
	s.jobs[a.job].running[a.kind]--
	s.totalRunning[a.kind]--
	if !node.lost {
		node.free[a.pool]++
		s.totalFree[a.pool]++
	}
}

// finish handles the reported end of an attempt.
func (s *Sim) finish(node *nodeState, i int32) {
	a, n := &s.slots[i], node.id
	t, took, twin := Task{a.job, a.kind, a.task}, s.now-a.start, s.twinOf(i)
	s.rec.ended(s.jobs[t.Job].user, t.Job, t.Kind, a.outcome, took, a.loc)
	s.release(node, a)
	a.job, a.at, s.lastEnded = None, Never, i
	s.idleDirty = s.idleDirty || s.gate != nil && s.idleWanted()
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
	node := s.node(n)
	if a.parked {
		s.unpark(a.job, i)
	}
	s.stopExec(i)
	s.setSlot(node, i, Never)
	took := s.now - a.start
	s.rec.Ended(a.job, a.kind, Killed, took, a.loc)
	s.release(node, &a)
	s.slots[i].job = None
	s.noteFree(node)
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

// idleWanted reports whether a node stands idle while a task is pending that
// could use it.
func (s *Sim) idleWanted() bool {
	return s.totalPending[Map] > 0 && s.idle.free[0].count > 0 ||
		s.totalPending[Reduce] > 0 && s.idle.free[s.pool(Reduce)].count > 0
}
