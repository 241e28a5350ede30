package yarnfair

import (
	"cmp"
	"schedtune/simcore/internal/kernel"
)

// Thousands of applications may wait for a master. None of them holds anything,
// so those whose masters are of one size have one rank and one need; the first
// to have been submitted stands for all of them.

// crowd is the applications of a leaf whose AMs of one size are pending, in the
// order of submission.
type crowd struct {
	size res
	apps []*app

	fair res // scratch of shareApps: of each
}

// awaits reports whether an application is to be offered nodes for its master:
// it may run, and its demand has been counted.
func (a *app) awaits() bool {
	return a.runnable && !a.ended && !a.amRunning && !a.unmanaged && a.asking > 0 && a.pendingDemand()
}

// await enters an application into the crowd of its size.
func (s *Scheduler) await(a *app) {
	if a.crowded || !a.awaits() {
		return
	}
	q := a.queue
	a.inCrowd = q.crowdFor(a.firstKey().Any.Size)
	c := &q.crowds[a.inCrowd]
	c.apps = kernel.Insert(c.apps, a, byID)
	a.crowded = true
	q.crowded++
}

// crowdFor finds the crowd of a size, or makes it of an empty one.
func (q *queue) crowdFor(size res) int {
	spare := -1
	for i := range q.crowds {
		c := &q.crowds[i]
		if c.size == size {
			return i
		}
		if len(c.apps) == 0 {
			spare = i
		}
	}
	if spare < 0 {
		spare = len(q.crowds)
		q.crowds = append(q.crowds, crowd{})
	}
	q.crowds[spare].size = size
	return spare
}

// goes takes an application out of its crowd.
func (q *queue) goes(a *app) {
	if !a.crowded {
		return
	}
	c := &q.crowds[a.inCrowd]
	c.apps = kernel.Remove(c.apps, a)
	a.crowded = false
	q.crowded--
}

// nextMaster is the application of a leaf, of those that wait for a master, that
// would be the first to take a node, and its rank; nil for none.
func (s *Scheduler) nextMaster(q *queue, n *node) (next *app, at rank) {
	for i := range q.crowds {
		c := &q.crowds[i]
		if len(c.apps) == 0 || !s.mayHold(q, c.size, n) || !s.roomForAM(q, c.size) {
			continue
		}
		a := s.firstOf(c, q, n)
		if a == nil {
			continue
		}
		r := s.rankOf(q.policy, res{}, res{}, a.demand, s.weightOf(a))
		if d := r.compare(&at); next == nil || d < 0 || d == 0 && a.id < next.id {
			next, at = a, r
		}
	}
	return next, at
}

// firstOf is the first of a crowd that would start on a node, or reserve it.
func (s *Scheduler) firstOf(c *crowd, q *queue, n *node) *app {
	if c.size.FitsIn(n.free) {
		return c.apps[0]
	}
	if !s.largeEnough(q, c.size) {
		return nil
	}
	for _, a := range c.apps {
		if s.mayReserve(a, n, c.size, offSwitch) {
			return a
		}
	}
	return nil
}

// walker goes through the runnable applications of a leaf whose demand is not
// met, in the order in which they are served.
type walker struct {
	s     *Scheduler
	q     *queue
	order []*app // what is left of those with masters
	next  []int  // of each crowd
}

// walk begins a walk. There is one at a time.
func (s *Scheduler) walk(q *queue) walker {
	s.walked = append(s.walked[:0], make([]int, len(q.crowds))...)
	return walker{s: s, q: q, order: s.sortApps(q), next: s.walked}
}

// nextLacking is the next one that preemption may look at.
func (w *walker) nextLacking() *app {
	for a := w.step(); a != nil; a = w.step() {
		if w.s.now >= a.starve.next {
			return a
		}
	}
	return nil
}

func (w *walker) step() *app {
	for len(w.order) > 0 && !w.order[0].pendingDemand() {
		w.order = w.order[1:]
	}
	var first *app
	crowd := -1
	if len(w.order) > 0 {
		first = w.order[0]
	}
	for i := range w.q.crowds {
		if apps := w.q.crowds[i].apps; w.next[i] < len(apps) {
			a := apps[w.next[i]]
			w.s.rankApp(w.q.policy, a)
			if first == nil || compareApps(a, first) < 0 {
				first, crowd = a, i
			}
		}
	}
	switch {
	case crowd >= 0:
		w.next[crowd]++
	case first != nil:
		w.order = w.order[1:]
	}
	return first
}

// byID is the order of submission.
func byID(a, b *app) int { return cmp.Compare(a.id, b.id) }
