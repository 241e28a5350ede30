package yarn

import (
	"slices"

	"schedtune/simcore"
)

// Output of finished maps that is lost with a machine. Running reduces have
// copied it (ShuffleSchedulerImpl counts a map once, even if its output is lost
// later); those that start afterwards wait until the maps have run again.

// outputLoss is one such loss of a job.
type outputLoss struct {
	at   simcore.Time // when the machine failed
	node int32        // -1 = the ResourceManager knows
	left int32        // of these maps, those that have not finished again
}

// outputGone records the loss of a machine with output of a job's maps, and stops the
// reduces that have yet to copy it. A reduce that began after the last map copies from all maps
// at once.
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
	for sl, c := range s.live(&m.appState) {
		if c.state == shuffling {
			if c.at >= s.times[j].LastMap {
				c.at = s.now
			}
			if !m.holds(c) {
				s.waitForMaps(sl, c)
			}
		}
	}
}

// holds reports whether a reduce has all lost output, or it is available again.
func (m *master) holds(c *slot) bool {
	return !slices.ContainsFunc(m.losses, func(l outputLoss) bool { return l.left > 0 && c.at >= l.at })
}

// ready reports whether a reduce can copy the rest: every map has finished once,
// and no output that it needs is lost.
func (s *Sim) ready(c *slot) bool {
	m := &s.jobs[c.job]
	return m.doneMaps+m.redo >= s.work.Jobs[c.job].Maps && m.holds(c)
}

// loseOutput has maps run again whose output is lost, when the ResourceManager removes
// a node (JobImpl.actOnUnusableNode): the master learns of it with its next heartbeat.
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

// lostOutput less the number of the loss marks lost output in mapNode; -1 stands for none.
const lostOutput = -2

// lossOf returns the index of the loss of a node that the ResourceManager does not know yet, -1 if
// there is none.
func (m *master) lossOf(n int32) int {
	return slices.IndexFunc(m.losses, func(l outputLoss) bool { return l.node == n })
}

// outputBack records the node of a map's output.
func (s *Sim) outputBack(m *master, c *slot) {
	g := s.plan.mapBase[c.job] + c.task
	if at := s.mapNode[g]; at <= lostOutput {
		m.losses[lostOutput-at].left--
		m.redo--
	}
	s.mapNode[g] = c.node
}

// startShuffles lets the waiting reduces continue whose output is available.
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

// endMaps kills maps that run again once every reduce has finished
// (JobImpl.TaskCompletedTransition, on by default:
// mapreduce.job.finish-when-all-reducers-done).
func (s *Sim) endMaps(j int32, m *master) {
	if m.doneMaps == s.work.Jobs[j].Maps {
		return
	}
	s.rec.Pending(simcore.JobID(j), -m.waitMaps)
	for sl, c := range s.live(&m.appState) {
		if c.kind == mapContainer && c.launched && c.state != ending && c.state != dead {
			s.kill(sl, c)
		}
	}
}
