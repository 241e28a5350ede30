package yarnfair

import (
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn"
)

// Which applications may run: limits of users and of every queue up to the root, as
// requests.Parallel applies them. What waits starts in the order of submission when an application
// ends or the limits change.

// Up returns the parent.
func (q *queue) Up() *queue { return q.parent }

// Down returns the children.
func (q *queue) Down() (children []*queue, leaf bool) { return q.children, q.leaf }

// MostApps returns maxRunningApps.
func (q *queue) MostApps() int { return q.conf.MaxApps }

// Of returns the leaf and the user.
func (a *app) Of() (leaf *queue, user string) { return a.queue, a.user }

// ID returns the id.
func (a *app) ID() yarn.AppID { return a.id }

// run counts an application as running.
func (s *Scheduler) run(a *app) {
	a.runnable = true
	a.queue.runnable = kernel.Insert(a.queue.runnable, a, byID)
	if a.unmanaged {
		s.serve(a)
	}
	s.await(a)
	s.undivided = true
	s.users.Count(a, 1)
}

// leave takes an application out of its queue and starts what may start now.
func (s *Scheduler) leave(a *app) {
	q := a.queue
	q.wanted = q.wanted.Sub(a.demand)
	s.unsummed = true
	if !a.runnable {
		s.users.Drop(a)
		return
	}
	q.goes(a)
	q.runnable = kernel.Remove(q.runnable, a)
	s.dismiss(a)
	s.undivided = true
	if a.amRunning {
		q.amUsed = q.amUsed.Sub(a.am)
	}
	s.users.Count(a, -1)
	s.users.Freed(a, s.alloc.UserApps, s.run)
}
