package yarn

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Attempts that fail, nodes that are lost with all that runs there, masters that go with
// them, and containers that the scheduler kills.

// failNodes draws each node's failure (Faults.NodeMTTF).
func (s *Sim) failNodes() {
	mttf := s.cfg.Faults.NodeMTTF
	if mttf <= 0 {
		return
	}
	for n := range s.nodes {
		if s.nodes[n].lost {
			continue
		}
		s.nodes[n].fails = simcore.Time(float64(mttf) * s.keys.nodeFail.Exp(uint64(n)))
		s.schedule(int32(n))
	}
}

// attemptFailed ends an attempt without result; the task runs again with
// another attempt, or its job fails. Attempts that were killed do not count.
func (s *Sim) attemptFailed(sl int32, c *slot) {
	limit := s.cfg.Faults.MaxAttempts
	if limit == 0 {
		limit = 4
	}
	fails := &s.mapFails
	if c.kind == reduceContainer {
		fails = &s.redFails
	}
	failed := &(*fails)[s.number(c)]
	*failed++
	s.exit(sl, c, kernel.Failed)
	if int32(*failed) >= limit {
		s.rec.Pending(simcore.JobID(c.job), 1)
		s.finishJob(c.job, true)
		return
	}
	if s.twin(sl, c) >= 0 {
		s.wake(c.job, &s.jobs[c.job])
		return
	}
	s.rec.Pending(simcore.JobID(c.job), 1)
	if c.kind == reduceContainer {
		s.jobs[c.job].pend.pushFront(s.ringAt(c.job, 0), c.task)
		s.jobs[c.job].recalc = true
	} else {
		s.rerunMap(c.job, c.task)
	}
	s.wake(c.job, &s.jobs[c.job])
}

// rerunMap asks for a map again at the priority of failed ones
// (RMContainerAllocator, earlierFailedMaps).
func (s *Sim) rerunMap(j, task int32) {
	m := &s.jobs[j]
	m.failed = append(m.failed, task)
	s.mapWaits(m)
	m.errDirty = true
}

// mapWaits counts one more map to ask for.
func (s *Sim) mapWaits(m *master) {
	if m.waitMaps == 0 {
		m.hanging = s.now
	}
	m.waitMaps++
}

// setClock tells the scheduler the time where its preemption policy needs it.
func (s *Sim) setClock() {
	if s.cfg.PreemptEvery > 0 {
		if p, ok := s.sched.(Preemptor); ok {
			p.SetClock(int64(s.now / simcore.Millisecond))
		}
	}
}

// takeKilled takes the containers off the books that have been killed for room
// while nodes were scheduled.
func (s *Sim) takeKilled() {
	if s.killed = s.killer.Killed(s.killed[:0]); len(s.killed) > 0 {
		s.bookKilled()
	}
}

// bookKilled takes the containers that the scheduler has killed off the books.
func (s *Sim) bookKilled() {
	for _, k := range s.killed {
		j := s.appJob[k.App]
		ords := s.jobs[j].ords
		if int(k.Ordinal) >= len(ords) || ords[k.Ordinal] < 0 {
			continue // gone with its master
		}
		n := s.slots.all[ords[k.Ordinal]].node
		s.loseContainer(j, k.Ordinal)
		s.freed(n)
	}
	if len(s.killed) > 0 {
		s.progress = s.now
	}
}

// loseNode expires a node: its containers are lost, and finished maps whose
// output lay there run again while reduces of their job need them.
func (s *Sim) loseNode(n int32) {
	nd := &s.nodes[n]
	nd.lost, nd.fails = true, simcore.Never
	s.unidle(n)
	s.tree.Clear(s.nodeLeaf(n))
	s.lost = s.sched.LoseNode(nd.id, s.lost[:0])
	if s.alive--; s.alive == 0 && (s.elastic == nil || !s.elastic.coming()) {
		s.fail(fmt.Errorf("yarn: every node is lost at %v", s.now.Std()))
		return
	}
	for _, l := range s.lost {
		s.loseContainer(s.appJob[l.App], l.Ordinal)
	}
	for j := range s.jobs {
		s.kindOf(int32(j)).nodeLost(int32(j), n)
	}
	s.goneForGood(n)
	s.progress = s.now
	s.wakeNodes()
}

// loseContainer takes a container off the books that the scheduler no longer has; with a
// master its application ends.
func (s *Sim) loseContainer(j, ord int32) {
	m := &s.jobs[j]
	if int(ord) >= len(m.ords) || m.ords[ord] < 0 {
		return
	}
	if sl := m.ords[ord]; s.slots.all[sl].kind == masterContainer {
		s.loseMaster(j)
	} else {
		s.kindOf(j).lost(j, sl)
	}
}

// loseMaster ends an application with its AM. The job starts again, as often as
// it takes: what is lost with a node or preempted does not count towards
// yarn.resourcemanager.am.max-attempts (RMAppAttemptImpl of Hadoop 3.4.1). It
// fails if its output was being committed.
func (s *Sim) loseMaster(j int32) {
	m := &s.jobs[j]
	over := s.times[j].Finish != simcore.Never
	starts := m.starts + 1
	s.endApp(j)
	switch {
	case over:
	case !m.closed:
		s.restart(j, starts)
	default:
		s.times[j].Status, s.times[j].Finish = Failed, s.now
		s.rec.JobEnded(simcore.JobID(j), s.now, true)
	}
}

// restart submits a job's next attempt. Its master recovers the finished tasks
// from the history its predecessor wrote (MRAppMaster.processRecovery);
// whatever ran has been killed.
func (s *Sim) restart(j, starts int32) {
	s.left++
	s.kindOf(j).restart(j)
	s.jobs[j].starts = starts
	at := s.times[j].Submit
	s.submit(j)
	s.times[j].Submit = at
}

// recoverJob puts a job of MapReduce back as its next master finds it.
func (s *Sim) recoverJob(j int32) {
	s.rec.Pending(simcore.JobID(j), -s.unlaunched(j))
	s.jobs[j] = s.jobs[j].fresh()
	m := &s.jobs[j]
	for r := s.plan.rowBase[j]; r < s.plan.rowBase[j+1]; r++ {
		s.rowLeft[r], s.rowDirty[r] = s.plan.rowInit[r], false
		if s.plan.local {
			s.rowNext[r] = s.plan.rowMapAt[r]
		}
	}
	for t := range s.work.Jobs[j].Maps {
		s.recoverMap(j, m, t)
	}
	for r := s.plan.redBase[j]; r < s.plan.redBase[j+1]; r++ {
		if s.cfg.Faults.NoRecovery {
			s.redDone[r] = false
		} else if s.redDone[r] {
			m.doneReds++
		}
	}
}

// unlaunched counts the tasks of a job whose master is lost that wait to run.
func (s *Sim) unlaunched(j int32) int32 {
	m := &s.jobs[j]
	if !m.registered {
		return s.work.Jobs[j].Maps + s.work.Jobs[j].Reduces - m.doneMaps - m.redo - m.doneReds
	}
	return m.waitMaps + m.pend.n + m.asked.n
}

// recoverMap keeps a finished map, or has it run again where its output was lost
// before. The next master hears of what went with this one with its first heartbeat.
func (s *Sim) recoverMap(j int32, m *master, t int32) {
	g := s.plan.mapBase[j] + t
	n := s.mapNode[g]
	if n < 0 || s.cfg.Faults.NoRecovery {
		s.mapDone[g], s.mapNode[g] = false, -1
		return
	}
	s.mapDone[g] = true
	m.doneMaps++
	s.rowLeft[s.plan.rowBase[j]]--
	if s.plan.local {
		for _, r := range s.plan.mapRows[s.plan.mapRowAt[g]:s.plan.mapRowAt[g+1]] {
			s.rowLeft[r]--
		}
	}
	if s.execOn {
		s.exec.MapDone(s.now, simcore.Task{Job: simcore.JobID(j), Kind: simcore.Map, Index: t}, simcore.NodeID(n))
	}
}
