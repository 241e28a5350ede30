package capacity

import "schedtune/simcore/yarn"

// Limits on how many applications run at a time, by user and queue (max-parallel-apps), as
// requests.Parallel applies them.

// Up returns the parent.
func (q *queue) Up() *queue { return q.parent }

// Down returns the children.
func (q *queue) Down() (children []*queue, leaf bool) { return q.children, q.leaf }

// MostApps returns max-parallel-apps.
func (q *queue) MostApps() int { return q.conf.MaxParallelApps }

// Of returns the leaf and the user.
func (a *app) Of() (leaf *queue, user string) { return a.queue, a.user }

// ID returns the id.
func (a *app) ID() yarn.AppID { return a.id }

// runNow lets an application run that was held back.
func (s *Scheduler) runNow(a *app) {
	a.runnable = true
	s.users.Count(a, 1)
	s.enter(a)
}
