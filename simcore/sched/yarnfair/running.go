package yarnfair

import (
	"cmp"
	"math"
	"slices"
)

// Which applications may run, after MaxRunningAppsEnforcer of Hadoop: limits of
// users and of every queue up to the root. What waits starts in the order of
// submission when an application ends or the limits change.

// userApps are a user's applications over all queues.
type userApps struct {
	running int
	waiting []*app // in the order of submission
}

func (s *Scheduler) user(name string) *userApps {
	u := s.users[name]
	if u == nil {
		u = &userApps{}
		s.users[name] = u
	}
	return u
}

func (s *Scheduler) mayRun(q *queue, user string) bool {
	if s.user(user).running >= s.alloc.UserApps(user) {
		return false
	}
	for ; q != nil; q = q.parent {
		if q.running >= q.maxApps {
			return false
		}
	}
	return true
}

// run counts an application as running.
func (s *Scheduler) run(a *app) {
	a.runnable = true
	a.queue.runnable = insertByID(a.queue.runnable, a)
	if a.unmanaged {
		s.serve(a)
	}
	s.await(a)
	s.undivided = true
	for q := a.queue; q != nil; q = q.parent {
		q.running++
	}
	s.user(a.user).running++
}

func (s *Scheduler) wait(a *app) {
	a.queue.waiting = append(a.queue.waiting, a)
	u := s.user(a.user)
	u.waiting = append(u.waiting, a)
}

// leave takes an application out of its queue and starts what may start now.
func (s *Scheduler) leave(a *app) {
	q, u := a.queue, s.user(a.user)
	q.wanted = q.wanted.Sub(a.demand)
	s.unsummed = true
	if !a.runnable {
		q.waiting = removeByID(q.waiting, a)
		u.waiting = removeByID(u.waiting, a)
		return
	}
	q.goes(a)
	q.runnable = removeByID(q.runnable, a)
	s.dismiss(a)
	s.undivided = true
	if a.amRunning {
		q.amUsed = q.amUsed.Sub(a.am)
	}
	for p := q; p != nil; p = p.parent {
		p.running--
	}
	u.running--
	s.startAfter(q, a.user)
}

// startAfter looks for applications that waited for one that has left: below
// the highest queue it leaves with exactly one place, and of its user. At most
// as many start as lists are looked through.
func (s *Scheduler) startAfter(q *queue, user string) {
	var highest *queue
	for p := q; p != nil; p = p.parent {
		if p.running == p.maxApps-1 {
			highest = p
		}
	}
	s.all = s.all[:0]
	lists := 0
	if highest != nil {
		lists = s.gatherWaiting(highest)
	}
	if u := s.user(user); u.running == s.alloc.UserApps(user)-1 {
		s.all = append(s.all, u.waiting...)
		lists++
	}
	s.startFrom(lists)
}

// runWaiting starts what new limits allow.
func (s *Scheduler) runWaiting() {
	s.all = s.all[:0]
	s.gatherWaiting(s.root)
	s.startFrom(math.MaxInt)
}

// gatherWaiting collects the waiting applications of all leaves that a queue
// with free places leads to, and returns how many leaves these are.
func (s *Scheduler) gatherWaiting(q *queue) (leaves int) {
	if q.running >= q.maxApps {
		return 0
	}
	if q.leaf {
		s.all = append(s.all, q.waiting...)
		return 1
	}
	for _, c := range q.children {
		leaves += s.gatherWaiting(c)
	}
	return leaves
}

// startFrom tries the applications that have been gathered in the order of
// submission and starts at most so many.
func (s *Scheduler) startFrom(most int) {
	slices.SortFunc(s.all, func(a, b *app) int { return cmp.Compare(a.id, b.id) })
	s.all = slices.Compact(s.all)
	for _, a := range s.all {
		if a.runnable || !s.mayRun(a.queue, a.user) {
			continue
		}
		a.queue.waiting = removeByID(a.queue.waiting, a)
		u := s.user(a.user)
		u.waiting = removeByID(u.waiting, a)
		s.run(a)
		if most--; most <= 0 {
			return
		}
	}
}
