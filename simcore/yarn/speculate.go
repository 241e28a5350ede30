package yarn

import (
	"math"

	"schedtune/simcore"
)

// Speculation after MapReduce's DefaultSpeculator: once a second, and 15 s
// after a second attempt was ordered, each job looks for the map and the reduce
// whose expected end lies furthest beyond that of a fresh attempt, which takes
// as long as the finished ones did on average. Where times are known beforehand
// progress is linear, so the expected end is the real one. Under the resource
// model it is what the progress so far lets expect, as LATE has it, and as in
// the original an attempt is left alone until it has run longer than the mean of
// the finished ones and one standard deviation.
const (
	scanEvery       = simcore.Second
	scanAfterLaunch = 15 * simcore.Second
)

// speculate is one look at a job's running tasks.
func (s *Sim) speculate(j int32, m *master) {
	m.scan = s.now + scanEvery
	job := &s.work.Jobs[j]
	if m.waitMaps == 0 && s.slowest(j, m, mapContainer, m.doneMaps, job.Maps) {
		m.scan = s.now + scanAfterLaunch
	}
	if m.pend.n+m.asked.n == 0 && s.slowest(j, m, reduceContainer, m.doneReds, job.Reduces) {
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
	took := &m.took[kind]
	if took.count == 0 {
		return false
	}
	mean := took.mean()
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
		if left, ok := s.timeLeft(sl, c, took); ok && left-mean > gain {
			best, gain = sl, left-mean
		}
	}
	if best < 0 || twice/2 >= max(10, all/100, live/10) {
		return false
	}
	s.order(j, m, &s.slots.all[best])
	return true
}

// timeLeft is what a running attempt still needs, as far as its master can tell; ok
// is false where it cannot, or not yet.
func (s *Sim) timeLeft(sl int32, c *slot, took *spans) (left simcore.Time, ok bool) {
	if c.state != running && c.state != reducing {
		return 0, false
	}
	if !s.execOn {
		end := s.tree.When(s.slotLeaf(sl))
		return end - s.now, end < simcore.Never
	}
	if c.kind == reduceContainer && s.jobs[c.job].doneMaps < s.work.Jobs[c.job].Maps {
		return 0, false // it waits for maps, as a second one would
	}
	p, ran := s.exec.Progress(sl, s.now), s.now-c.at
	if p <= 0 || float64(ran) < took.outlier() {
		return 0, false
	}
	return simcore.Time(float64(ran) * (1 - p) / p), true
}

// spans sums how long finished attempts took.
type spans struct {
	count   int32
	sum     simcore.Time
	squares float64
}

// add counts one.
func (t *spans) add(d simcore.Time) {
	t.count++
	t.sum += d
	t.squares += float64(d) * float64(d)
}

// mean is their mean; there must be one.
func (t *spans) mean() simcore.Time { return t.sum / simcore.Time(t.count) }

// outlier is the mean and one standard deviation.
func (t *spans) outlier() float64 {
	n := float64(t.count)
	mean := float64(t.sum) / n
	return mean + math.Sqrt(max(t.squares/n-mean*mean, 0))
}

// order asks for a second container for a task.
func (s *Sim) order(j int32, m *master, c *slot) {
	s.rec.Pending(simcore.JobID(j), 1)
	if c.kind == reduceContainer {
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
	if !s.runs(m, mapContainer, t) {
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
	s.jobs[c.job].took[c.kind].add(s.now - c.at)
	if c.kind == reduceContainer {
		s.redDone[s.plan.redBase[c.job]+c.task] = true
	}
	if o := s.twin(sl, c); o >= 0 {
		s.kill(o)
	}
}
