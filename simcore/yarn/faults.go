package yarn

import (
	"fmt"

	"schedtune/simcore"
)

// Nodes that are lost with their containers and masters, and containers that
// the scheduler kills.

// rerunMap requests a container for a map at the priority of failed ones
// (RMContainerAllocator, earlierFailedMaps).
func (s *Sim) rerunMap(m *master, task int32) {
	m.failed = append(m.failed, task)
	s.mapWaits(m)
	m.errDirty = true
}

// mapWaits counts one more pending map.
func (s *Sim) mapWaits(m *master) {
	if m.waitMaps == 0 {
		m.hanging = s.now
	}
	m.waitMaps++
}

// setClock passes the time to the scheduler if its preemption policy needs it.
func (s *Sim) setClock() {
	if s.preemptor != nil {
		s.preemptor.SetClock(int64(s.now / simcore.Millisecond))
	}
}

// takeKilled handles the containers that the scheduler killed for room while it scheduled nodes.
func (s *Sim) takeKilled() {
	s.killed = s.killer.Killed(s.killed[:0])
	s.bookKilled()
}

// bookKilled handles the containers that the scheduler has killed. Some may have ended with their
// master.
func (s *Sim) bookKilled() {
	for _, k := range s.killed {
		j := s.appJob[k.App]
		ords := s.jobs[j].ords
		if int(k.Ordinal) >= len(ords) || ords[k.Ordinal] < 0 {
			continue
		}
		n := s.slots.all[ords[k.Ordinal]].node
		s.loseContainer(j, k.Ordinal)
		s.freed(n)
		s.preempted++
	}
	if len(s.killed) > 0 {
		s.progress = s.now
	}
}

// loseNode removes a node: its containers are lost, and finished maps with
// output there run again if reduces of their job need them.
func (s *Sim) loseNode(n int32) {
	nd := &s.nodes[n]
	nd.lost = true
	s.unidle(n)
	s.tree.Clear(s.nodeLeaf(n))
	s.lost = s.sched.LoseNode(nd.id, s.lost[:0])
	if s.alive--; s.alive == 0 && !s.elastic.coming() {
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

// loseContainer handles the loss of a container; with that of a master its application ends.
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

// loseMaster ends an application with its AM. The job starts again, without limit:
// AMs lost with a node or preempted do not count towards
// yarn.resourcemanager.am.max-attempts (RMAppAttemptImpl of Hadoop 3.4.1). It
// fails if it was committing its output.
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
		s.jobOver(j)
	}
}

// restart submits a job again. Its new master recovers the finished tasks
// from the history of the previous one (MRAppMaster.processRecovery);
// running ones have been killed.
func (s *Sim) restart(j, starts int32) {
	s.count(j, 1)
	s.kindOf(j).restart(j)
	s.jobs[j].starts = starts
	at := s.times[j].Submit
	s.submit(j)
	s.times[j].Submit = at
}

// recoverJob prepares a MapReduce job for its next master.
func (s *Sim) recoverJob(j int32) {
	s.rec.Pending(simcore.JobID(j), -s.unlaunched(j))
	s.jobs[j] = s.jobs[j].fresh()
	m := &s.jobs[j]
	for r := s.plan.rowBase[j]; r < s.plan.rowBase[j+1]; r++ {
		s.rowLeft[r], s.rowDirty[r] = s.plan.rowInit[r], false
		if s.plan.local {
			s.rowNext[r] = s.plan.rowTaskAt[r]
		}
	}
	for t := range s.work.Jobs[j].Maps {
		s.recoverMap(j, m, t)
	}
	for r := s.plan.redBase[j]; r < s.plan.redBase[j+1]; r++ {
		if s.redDone[r] {
			m.doneReds++
		}
	}
}

// unlaunched counts the pending tasks of a job whose master is lost.
func (s *Sim) unlaunched(j int32) int32 {
	m := &s.jobs[j]
	if !m.registered {
		return s.work.Jobs[j].Maps + s.work.Jobs[j].Reduces - m.doneMaps - m.redo - m.doneReds
	}
	return m.waitMaps + m.pend.n + m.asked.n
}

// recoverMap keeps a finished map, or has it run again if its output was lost.
func (s *Sim) recoverMap(j int32, m *master, t int32) {
	g := s.plan.mapBase[j] + t
	n := s.mapNode[g]
	if n < 0 {
		s.mapDone[g], s.mapNode[g] = false, -1
		return
	}
	s.mapDone[g] = true
	m.doneMaps++
	s.rowLeft[s.plan.rowBase[j]]--
	for _, r := range s.plan.rowsOf(g) {
		s.rowLeft[r]--
	}
	if s.execOn {
		s.exec.MapDone(s.now, simcore.Task{Job: simcore.JobID(j), Kind: simcore.Map, Index: t}, simcore.NodeID(n))
	}
}
