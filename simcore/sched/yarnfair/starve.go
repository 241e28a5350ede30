package yarnfair

import (
	"slices"

	"schedtune/fairconf"
	"schedtune/yarnconf"
)

// starvation is when a leaf was not starved.
type starvation struct {
	since int64 // last time a leaf had its minimum
	fine  int64 // last round in which it was found so
}

// unknown stands for a time before the next Update tells the clock.
const unknown = -1

// inherit takes what a queue does not say of preemption from its parent.
func inherit(q, up *fairconf.Queue) {
	if q.MinTimeout == -1 {
		q.MinTimeout = up.MinTimeout
	}
	if q.FairTimeout == -1 {
		q.FairTimeout = up.FairTimeout
	}
	if q.FairThreshold < 0 {
		q.FairThreshold = up.FairThreshold
	}
	q.Fixed = q.Fixed || up.Fixed
}

// appStarvation is what an application lacks.
type appStarvation struct {
	fair, min res
	since     int64 // last time it had its fair share
	fine      int64 // last round in which it was found so
	next      int64 // not looked at before
	spread    int64 // round in which min was last set
	listed    bool  // in queue.short
}

// SetClock tells the time in milliseconds between updates. Without it, what
// begins between two updates counts from the second.
func (s *Scheduler) SetClock(now int64) { s.now, s.told = now, true }

// began is the time something begins at.
func (s *Scheduler) began() int64 {
	if s.told || s.now == 0 {
		return s.now
	}
	return unknown
}

// date keeps the last time something was not starved. What was fine in the last
// round was so until now but for one interval: rounds that would have found
// nothing new are left out.
func (s *Scheduler) date(starved bool, since, fine *int64) {
	switch {
	case !starved:
		*since, *fine = s.now, s.round
	case !s.told && *fine == s.round-1:
		*since = max(*since, s.now-s.site.UpdateInterval)
	}
}

// dateNew gives what is new since the last round a beginning.
func (s *Scheduler) dateNew() {
	for ; s.dated < len(s.apps); s.dated++ {
		if a := s.apps[s.dated]; a.starve.since == unknown {
			a.starve.since = s.now
		}
	}
	for _, q := range s.leaves {
		if q.starve.since == unknown {
			q.starve.since = s.now
		}
	}
}

// findStarved looks, queue by queue, for applications that have had less than
// they are due for too long, and queues them for preemption.
func (s *Scheduler) findStarved() {
	if !s.site.Preemption || s.cluster.IsNone() {
		return
	}
	s.round++
	s.dateNew()
	used := max(float32(s.root.used.Memory)/float32(s.cluster.Memory),
		float32(s.root.used.VCores)/float32(s.cluster.VCores))
	if !(s.site.PreemptionUtilisation < used) {
		return
	}
	for _, q := range s.leaves {
		s.findIn(q)
	}
}

func (s *Scheduler) findIn(q *queue) {
	var fair res
	w := s.walk(q)
	for a := w.nextLacking(); a != nil; a = w.nextLacking() {
		s.lacksFairShare(a)
		if a.starve.fair.IsNone() {
			break
		}
		s.addStarved(a)
		fair = fair.Add(a.starve.fair)
	}
	s.spreadMinimum(q, s.lacksMinimum(q).SubFloor(fair))
}

// lacksFairShare sets what an application lacks of its part of the fair share,
// none until the queue's timeout has passed.
func (s *Scheduler) lacksFairShare(a *app) {
	st := &a.starve
	due := a.fair.Scale(float64(a.queue.conf.FairThreshold)).MinEach(a.demand)
	starved := s.below(a.queue, a.used, due)
	s.date(starved, &st.since, &st.fine)
	var lack res
	if starved && s.now-st.since >= a.queue.conf.FairTimeout {
		lack = due.SubFloor(a.used)
	}
	s.starving = s.starving || lack != st.fair
	st.fair = lack
}

// lacksMinimum is what a leaf lacks of its minimum.
func (s *Scheduler) lacksMinimum(q *queue) res {
	lack := q.conf.Min.MinEach(q.demand).SubFloor(q.used)
	s.date(!lack.IsNone(), &q.starve.since, &q.starve.fine)
	if s.now-q.starve.since < q.conf.MinTimeout {
		return res{}
	}
	return lack
}

// spreadMinimum hands what a leaf lacks to its applications in turn. The last
// one to get any is charged what it lacks beyond that, as in the original.
func (s *Scheduler) spreadMinimum(q *queue, left res) {
	calc := yarnconf.Calculator{Dominant: q.policy == drf}
	w := s.walk(q)
	for !left.IsNone() {
		a := w.nextLacking()
		if a == nil {
			break
		}
		lack := a.demand.Sub(a.used).SubFloor(a.starve.fair)
		if calc.Compare(s.cluster, lack, left) > 0 {
			lack, left = lack.SubFloor(left), res{}
		} else {
			left = left.SubFloor(lack)
		}
		s.setMinimum(a, lack)
		a.starve.spread = s.round
		s.addStarved(a)
	}
	// The turn did not come to the others: they lack none.
	for _, a := range q.short {
		if a.starve.spread != s.round && a.pendingDemand() && s.now >= a.starve.next && !a.ended {
			s.setMinimum(a, res{})
		}
	}
	q.short = slices.DeleteFunc(q.short, func(a *app) bool {
		a.starve.listed = !a.ended && !a.starve.min.IsNone()
		return !a.starve.listed
	})
}

// setMinimum sets what an application lacks of its leaf's minimum.
func (s *Scheduler) setMinimum(a *app, lack res) {
	s.starving = s.starving || lack != a.starve.min
	if a.starve.min = lack; !lack.IsNone() && !a.starve.listed {
		a.starve.listed = true
		a.queue.short = append(a.queue.short, a)
	}
}

func (a *app) lacks() res { return a.starve.fair.Add(a.starve.min) }

// hungrier is the original's comparison of starved applications. It is no order, so that the
// queue has to be the original's too.
func hungrier(a, b *app) int { return either(a.lacks().FitsIn(b.lacks())) }

// addStarved enters an application into the queue of those that wait for
// preemption, unless it is there.
func (s *Scheduler) addStarved(a *app) {
	if !a.hungry {
		a.hungry = true
		s.hungry.Add(a)
	}
}
