package yarn

import "schedtune/simcore"

// Speculation after MapReduce's DefaultSpeculator: once a second, and 15 s
// after a second attempt was ordered, each job looks for the map and the reduce
// whose expected end lies furthest beyond that of a fresh attempt, which takes
// as long as the finished ones did on average. Progress is linear here, so the
// expected end is the real one.
const (
	scanEvery       = simcore.Second
	scanAfterLaunch = 15 * simcore.Second
)

// speculate is one look at a job's running tasks.
func (s *Sim) speculate(j int32, m *master) {
	m.scan = s.now + scanEvery
	job := &s.work.Jobs[j]
	if m.waitMaps == 0 && s.slowest(j, m, map0, m.doneMaps, job.Maps) {
		m.scan = s.now + scanAfterLaunch
	}
	if m.pend.n+m.asked.n == 0 && s.slowest(j, m, reduce, m.doneReds, job.Reduces) {
		m.scan = s.now + scanAfterLaunch
	}
}

// slowest orders a second attempt for the kind's slowest task, if one gains by
// it. At least one task and 5 % of them must be done; at most max(10, 1 % of
// the tasks, 10 % of the running ones) may run twice.
func (s *Sim) slowest(j int32, m *master, kind uint8, done, all int32) bool {
	if done == 0 || 20*done < all {
		return false
	}
	mean := m.spent[kind] / simcore.Time(done)
	best, gain := int32(-1), simcore.Time(0)
	live, twice := int32(0), int32(0)
	for _, sl := range m.ords {
		if sl < 0 {
			continue
		}
		c := &s.slots.all[sl]
		if c.kind != kind || !c.launched || c.state == ending {
			continue
		}
		live++
		if s.twin(sl, c) >= 0 {
			twice++ // both of the pair are counted
			continue
		}
		end := s.tree.When(s.slotLeaf(sl))
		if c.state != running && c.state != reducing || end == simcore.Never {
			continue
		}
		if g := end - s.now - mean; g > gain {
			best, gain = sl, g
		}
	}
	if best < 0 || twice/2 >= max(10, all/100, live/10) {
		return false
	}
	s.order(j, m, &s.slots.all[best])
	return true
}

// order asks for a second container for a task.
func (s *Sim) order(j int32, m *master, c *slot) {
	s.rec.Pending(simcore.JobID(j), 1)
	if c.kind == reduce {
		m.pend.push(s.ringAt(j, 0), c.task)
		m.recalc = true
		return
	}
	m.copies = append(m.copies, c.task)
	s.mapWaits(m)
	s.bumpRow(m, s.plan.rowBase[j])
}

// runCopy gives a map's second attempt its container; a task that has ended
// meanwhile needs none.
func (s *Sim) runCopy(j int32, m *master, sl int32) {
	t := m.copies[0]
	m.copies = m.copies[:copy(m.copies, m.copies[1:])]
	m.waitMaps--
	any := s.plan.rowBase[j]
	s.rowLeft[any]--
	s.touchRow(m, any)
	if !s.runs(m, map0, t) {
		s.rec.Pending(simcore.JobID(j), -1)
		s.giveBack(m, sl)
		return
	}
	m.runMaps++
	s.launch(sl, t)
}

// runs reports whether an attempt of the task is at work.
func (s *Sim) runs(m *master, kind uint8, task int32) bool {
	for _, sl := range m.ords {
		if sl >= 0 {
			if c := &s.slots.all[sl]; c.kind == kind && c.launched && c.task == task && c.state != ending {
				return true
			}
		}
	}
	return false
}

// twin returns the other attempt of a slot's task, -1 if there is none.
func (s *Sim) twin(sl int32, c *slot) int32 {
	if !s.cfg.Speculate {
		return -1
	}
	for _, o := range s.jobs[c.job].ords {
		if o >= 0 && o != sl {
			if x := &s.slots.all[o]; x.kind == c.kind && x.launched && x.task == c.task && x.state != ending {
				return o
			}
		}
	}
	return -1
}

// won ends the other attempt of a task that has finished.
func (s *Sim) won(sl int32, c *slot) {
	if !s.cfg.Speculate {
		return
	}
	s.jobs[c.job].spent[c.kind] += s.now - c.at
	if c.kind == reduce {
		s.redDone[s.plan.redBase[c.job]+c.task] = true
	}
	if o := s.twin(sl, c); o >= 0 {
		s.kill(o)
	}
}
