package yarn

import (
	"fmt"

	"schedtune/simcore"
)

// failNodes draws each node's failure.
func (s *Sim) failNodes() {
	mttf := s.cfg.Faults.NodeMTTF
	if mttf <= 0 {
		return
	}
	for n := range s.nodes {
		s.nodes[n].fails = simcore.Time(float64(mttf) * s.keys.nodeFail.Exp(uint64(n)))
		s.schedule(int32(n))
	}
}

// attemptFailed ends an attempt without result; the task runs again with
// another attempt, or its job fails.
func (s *Sim) attemptFailed(sl int32, c *slot) {
	limit := s.cfg.Faults.MaxAttempts
	if limit <= 0 {
		limit = 4
	}
	s.exit(sl, c, simcore.Failed)
	s.rec.Pending(simcore.JobID(c.job), 1)
	if int32(c.try)+1 >= limit {
		s.finishJob(c.job, true)
		return
	}
	s.again(c)
	s.wake(c.job)
}

// again puts a task back: maps at the priority of failed ones, reduces in
// front of those not asked for yet.
func (s *Sim) again(c *slot) {
	m := &s.jobs[c.job]
	if c.kind == reduce {
		m.pend.pushFront(s.ringAt(c.job, 0), c.task)
		m.recalc = true
		return
	}
	m.failed = append(m.failed, c.task)
	m.waitMaps++
	m.errDirty = true
}

// loseNode expires a node: its containers are lost, and finished maps whose
// output lay there run again while reduces of their job still need them.
func (s *Sim) loseNode(n int32) {
	nd := &s.nodes[n]
	nd.lost, nd.fails = true, simcore.Never
	s.unidle(n)
	s.tree.Clear(s.nodeLeaf(n))
	s.lost = s.sched.LoseNode(nd.id, s.lost[:0])
	for _, l := range s.lost {
		s.loseContainer(s.appJob[l.App], l.Ordinal)
	}
	if s.alive--; s.alive == 0 {
		s.fail(fmt.Errorf("yarn: every node is lost at %v", s.now.Std()))
		return
	}
	s.wakeNodes()
}

func (s *Sim) loseContainer(j, ord int32) {
	m := &s.jobs[j]
	sl := m.ords[ord]
	if sl < 0 {
		return
	}
	c := &s.slots.all[sl]
	if c.kind == master0 { // one attempt per application: the job is lost with its AM
		s.loseJob(j, sl)
		return
	}
	finished := c.state == ending
	s.quit(sl, c)
	if c.launched && !finished {
		c.outcome = simcore.Killed
		s.rec.Pending(simcore.JobID(j), 1)
		s.again(c)
	}
	m.ords[ord] = gone | int32(c.kind)
	if !c.launched {
		m.ords[ord] = gone | int32(master0)
	}
	m.ended++
	s.release(sl)
	s.wake(j)
}

func (s *Sim) loseJob(j, sl int32) {
	if s.times[j].Finish == simcore.Never {
		s.times[j].Status, s.times[j].Finish = Failed, s.now
		s.rec.JobEnded(simcore.JobID(j), s.now, true)
	}
	s.jobs[j].closed, s.jobs[j].asleep = true, false
	s.endApp(j)
}
