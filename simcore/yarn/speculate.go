package yarn

import (
	"math"
	"slices"

	"schedtune/simcore"
)

// Speculation after MapReduce's DefaultSpeculator: once a second, and 15 s
// after it requested a second attempt, each job searches the map and the reduce
// whose expected end is furthest beyond that of a new attempt, which takes
// the mean time of the finished ones. If times are known beforehand,
// progress is linear, so the expected end is the real one. Under the resource
// model it is estimated from the progress so far, as in LATE, and as in
// the original an attempt is not considered until it has run longer than the mean of
// the finished ones and one standard deviation.
const (
	scanEvery       = simcore.Second
	scanAfterLaunch = 15 * simcore.Second
)

// speculate checks a job's running tasks.
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

// slowest requests a second attempt for the kind's slowest task, if it would end
// earlier. At least one task and 5 % of them must be done; at most max(10, 1 % of
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
	live, twice := int32(0), int32(0) // attempts; of them those of tasks with two
	for sl, c := range s.live(&m.appState) {
		if c.kind != kind || !c.launched || c.state == ending {
			continue
		}
		live++
		if s.duplicate(sl, c) >= 0 {
			twice++
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

// timeLeft returns the remaining time of a running attempt as its master estimates it; ok is false
// if it cannot. A reduce that waits for maps is not considered, since a second one would wait too.
func (s *Sim) timeLeft(sl int32, c *slot, took *spans) (left simcore.Time, ok bool) {
	if c.state != running && c.state != reducing {
		return 0, false
	}
	if !s.execOn {
		end := s.tree.When(s.slotLeaf(sl))
		return end - s.now, end < simcore.Never
	}
	if c.kind == reduceContainer && s.jobs[c.job].doneMaps < s.work.Jobs[c.job].Maps {
		return 0, false
	}
	p, ran := s.exec.Progress(sl, s.now), s.now-c.at
	if p <= 0 || float64(ran) < took.outlier() {
		return 0, false
	}
	return simcore.Time(float64(ran) * (1 - p) / p), true
}

// spans sums the times of finished attempts.
type spans struct {
	count   int32
	sum     simcore.Time
	squares float64
}

// add adds the time of one.
func (t *spans) add(d simcore.Time) {
	t.count++
	t.sum += d
	t.squares += float64(d) * float64(d)
}

// mean returns their mean; there must be at least one.
func (t *spans) mean() simcore.Time { return t.sum / simcore.Time(t.count) }

// outlier returns the mean plus one standard deviation, in µs.
func (t *spans) outlier() float64 {
	n := float64(t.count)
	mean := float64(t.sum) / n
	return mean + math.Sqrt(max(t.squares/n-mean*mean, 0))
}

// order requests a second container for a task.
func (s *Sim) order(j int32, m *master, c *slot) {
	s.rec.Pending(simcore.JobID(j), 1)
	if c.kind == reduceContainer {
		m.pend.push(s.ringAt(j, 0), c.task)
		m.recalc = true
		return
	}
	m.copies = append(m.copies, c.task)
	s.mapWaits(m)
	s.bumpRow(m, s.plan.rowBase[j], 1)
}

// runCopy gives a map's second attempt its container, unless the task has ended.
func (s *Sim) runCopy(j int32, m *master, sl int32) {
	t := m.copies[0]
	m.copies = slices.Delete(m.copies, 0, 1)
	m.waitMaps--
	s.bumpRow(m, s.plan.rowBase[j], -1)
	if s.running(m, mapContainer, t, -1) < 0 {
		s.rec.Pending(simcore.JobID(j), -1)
		s.giveBack(m, sl)
		return
	}
	m.runMaps++
	s.launch(sl, t)
}

// running returns the first running attempt of a task in another slot than the given one, -1 if
// there is none.
func (s *Sim) running(m *master, kind uint8, task, but int32) int32 {
	for sl, c := range s.live(&m.appState) {
		if sl != but && c.kind == kind && c.launched && c.task == task && c.state != ending {
			return sl
		}
	}
	return -1
}

// duplicate returns the other running attempt of a slot's task, -1 if there is none.
func (s *Sim) duplicate(sl int32, c *slot) int32 {
	if !s.cfg.Speculate {
		return -1
	}
	return s.running(&s.jobs[c.job], c.kind, c.task, sl)
}

// won ends the other attempt of a task that has finished.
func (s *Sim) won(sl int32, c *slot) {
	s.jobs[c.job].took[c.kind].add(s.now - c.at)
	if c.kind == reduceContainer {
		s.redDone[s.plan.redBase[c.job]+c.task] = true
	}
	if o := s.duplicate(sl, c); o >= 0 {
		s.kill(o, &s.slots.all[o])
	}
}
