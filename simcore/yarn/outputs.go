package yarn

import "schedtune/simcore"

// Output of finished maps that goes with a machine. Reduces that were at work have
// copied it (ShuffleSchedulerImpl counts a map once, whatever becomes of its output
// later); those that begin afterwards wait until the maps have run again.

// outputLoss is one such loss of a job.
type outputLoss struct {
	at   simcore.Time // when the machine was gone
	node int32        // -1 = the ResourceManager knows
	left int32        // of these maps, those that have not finished again
}

// outputGone notes that a machine is gone with output of a job's maps, and stops the
// reduces that were still to copy it.
func (s *Sim) outputGone(j, n int32) {
	m, job := &s.jobs[j], &s.work.Jobs[j]
	if s.times[j].Status != Unfinished || m.doneReds == job.Reduces {
		return
	}
	lost := int32(0)
	for _, at := range s.mapNode[s.plan.mapBase[j]:s.plan.mapBase[j+1]] {
		if at == n {
			lost++
		}
	}
	if lost == 0 {
		return
	}
	m.losses = append(m.losses, outputLoss{s.now, n, lost})
	for _, sl := range m.ords {
		if sl < 0 {
			continue
		}
		if c := &s.slots.all[sl]; c.state == shuffling {
			if c.at >= s.times[j].LastMap { // it copies from all of them at once
				c.at = s.now
			}
			if !m.holds(c) {
				c.state, c.next = waits, m.redWait
				m.redWait = sl
				s.tree.Clear(s.slotLeaf(sl))
			}
		}
	}
}

// holds reports whether a reduce has all that has been lost, or it is there again.
func (m *master) holds(c *slot) bool {
	for i := range m.losses {
		if l := &m.losses[i]; l.left > 0 && c.at >= l.at {
			return false
		}
	}
	return true
}

// ready reports whether a reduce can copy what is left: every map has finished once,
// and no output that it lacks is gone.
func (s *Sim) ready(c *slot) bool {
	m := &s.jobs[c.job]
	return m.doneMaps+m.redo >= s.work.Jobs[c.job].Maps && m.holds(c)
}

// loseOutput has maps run again whose output is gone, when the ResourceManager takes
// a node off (JobImpl.actOnUnusableNode): the master is told with its next heartbeat.
func (s *Sim) loseOutput(j, n int32) {
	m, job := &s.jobs[j], &s.work.Jobs[j]
	if s.times[j].Status != Unfinished || m.doneReds == job.Reduces {
		return
	}
	e := m.lossOf(n)
	if e < 0 {
		s.outputGone(j, n)
		e = m.lossOf(n)
	}
	if e < 0 {
		return
	}
	m.losses[e].node = -1
	for t := range job.Maps {
		if g := s.plan.mapBase[j] + t; s.mapNode[g] == n {
			s.mapNode[g] = lostOutput - int32(e)
			m.doneMaps--
			m.redo++
			if s.execOn {
				s.exec.OutputLost(simcore.Task{Job: simcore.JobID(j), Kind: simcore.Map, Index: t}, simcore.NodeID(n))
			}
			m.misses = append(m.misses, miss{task: t, kind: failedMapContainer})
		}
	}
	s.wake(j, m)
}

// lostOutput less the number of the loss stands in mapNode for output that was lost;
// -1 stands for none.
const lostOutput = -2

// lossOf is the index of the loss of a node that the ResourceManager does not know yet, -1 =
// none.
func (m *master) lossOf(n int32) int {
	for e := range m.losses {
		if m.losses[e].node == n {
			return e
		}
	}
	return -1
}

// outputBack notes where a map's output lies now.
func (s *Sim) outputBack(m *master, c *slot) {
	g := s.plan.mapBase[c.job] + c.task
	if at := s.mapNode[g]; at <= lostOutput {
		m.losses[lostOutput-at].left--
		m.redo--
	}
	s.mapNode[g] = c.node
}

// startShuffles lets the reduces go on that waited for maps and have what they need.
func (s *Sim) startShuffles(m *master) {
	wait := m.redWait
	m.redWait = -1
	for sl := wait; sl >= 0; {
		c := &s.slots.all[sl]
		next := c.next
		if s.ready(c) {
			s.shuffle(sl, c)
		} else {
			c.next, m.redWait = m.redWait, sl
		}
		sl = next
	}
}

// endMaps kills maps that run again once every reduce has finished: nobody needs them
// (JobImpl.TaskCompletedTransition, on by default:
// mapreduce.job.finish-when-all-reducers-done).
func (s *Sim) endMaps(j int32, m *master) {
	if m.doneMaps == s.work.Jobs[j].Maps {
		return
	}
	s.rec.Pending(simcore.JobID(j), -m.waitMaps)
	for _, sl := range m.ords {
		if sl < 0 {
			continue
		}
		if c := &s.slots.all[sl]; c.kind == mapContainer && c.launched && c.state != ending && c.state != dead {
			s.kill(sl)
		}
	}
}
