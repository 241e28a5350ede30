package capacity

import "slices"

// Limits on how many applications run at a time, by user and queue (max-parallel-apps;
// CSMaxRunningAppsEnforcer). One beyond them is admitted and held back.

// globalUser counts a user's applications over all queues.
type globalUser struct {
	runnable    int    // those that may run and are not over
	nonRunnable []*app // those held back, in order of submission
}

// global finds or makes the counts of a user.
func (s *Scheduler) global(user string) *globalUser {
	g := s.users[user]
	if g == nil {
		g = &globalUser{}
		s.users[user] = g
	}
	return g
}

// mayRun reports whether max-parallel-apps let an application run.
func (s *Scheduler) mayRun(a *app) bool { return s.parallelLimit(a).limit == Unlimited }

// parallelLimit applies max-parallel-apps of the user and of every queue upwards
// (CSMaxRunningAppsEnforcer.checkRunnabilityWithUpdate).
func (s *Scheduler) parallelLimit(a *app) stop {
	if s.global(a.user).runnable >= s.conf.UserParallel(a.user) {
		return stop{limit: ParallelUser, at: a.queue}
	}
	for q := a.queue; q != nil; q = q.parent {
		if q.runnable >= q.conf.MaxParallelApps {
			return stop{limit: ParallelQueue, at: q}
		}
	}
	return stop{at: a.queue}
}

// track counts an application for its user, and one that may run for the parents of its
// leaf, which enter counts it for (trackApp).
func (s *Scheduler) track(a *app) {
	g := s.global(a.user)
	if !a.runnable {
		g.nonRunnable = append(g.nonRunnable, a)
		return
	}
	g.runnable++
	for p := a.queue.parent; p != nil; p = p.parent {
		p.runnable++
	}
}

// untrack counts it out (untrackApp).
func (s *Scheduler) untrack(a *app) {
	g := s.global(a.user)
	if !a.runnable {
		g.nonRunnable, _ = removeApp(g.nonRunnable, a)
		return
	}
	g.runnable--
	for p := a.queue.parent; p != nil; p = p.parent {
		p.runnable--
	}
}

// runFreed lets applications run for which the end of a made room: those below the highest
// queue that was at its limit, and those of its user
// (CSMaxRunningAppsEnforcer.updateRunnabilityOnAppRemoval).
func (s *Scheduler) runFreed(a *app) {
	var highest *queue
	for q := a.queue; q != nil; q = q.parent {
		if q.runnable == q.conf.MaxParallelApps-1 { // it was full before a ended
			highest = q
		}
	}
	var lists [][]*app
	if highest != nil {
		lists = gatherNonRunnable(highest, lists)
	}
	if g := s.global(a.user); g.runnable == s.conf.UserParallel(a.user)-1 {
		lists = append(lists, g.nonRunnable)
	}
	s.runNow(lists, len(lists))
}

// gatherNonRunnable lists, leaf by leaf, the applications held back below queues that are not
// at their limits (gatherPossiblyRunnableAppLists).
func gatherNonRunnable(q *queue, lists [][]*app) [][]*app {
	if q.runnable >= q.conf.MaxParallelApps {
		return lists
	}
	if q.leaf {
		return append(lists, q.nonRunnable)
	}
	for _, c := range q.children {
		lists = gatherNonRunnable(c, lists)
	}
	return lists
}

// runNow lets at most most applications of the lists run, oldest first
// (CSMaxRunningAppsEnforcer.updateAppsRunnability).
func (s *Scheduler) runNow(lists [][]*app, most int) {
	var all, now []*app
	for _, l := range lists {
		all = append(all, l...)
	}
	slices.SortFunc(all, func(a, b *app) int { return int(a.id) - int(b.id) })
	for i, a := range all {
		if i > 0 && all[i-1] == a || !s.mayRun(a) { // it may be in two lists
			continue
		}
		a.runnable = true
		s.track(a)
		s.enter(a)
		now = append(now, a)
		if len(now) >= most {
			break
		}
	}
	for _, a := range now { // only now: the lists were walked over
		a.queue.nonRunnable, _ = removeApp(a.queue.nonRunnable, a)
		g := s.global(a.user)
		g.nonRunnable, _ = removeApp(g.nonRunnable, a)
	}
}
