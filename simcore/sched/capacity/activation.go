package capacity

import (
	"schedtune/simcore/internal/kernel"
	"schedtune/yarnconf"
)

// Activation: which applications of a leaf may start their application masters, by
// maximum-am-resource-percent of queue and user.

// amLimitNow recomputes the AM limit of a leaf in a partition
// (AbstractLeafQueue.calculateAndGetAMResourceLimitPerPartition). Only of nodes without
// label more than what is guaranteed counts: there it is the last limit handed down, so
// that a queue with headroom starts more.
func (s *Scheduler) amLimitNow(q *queue, p int32) res {
	var limit res
	if p == 0 {
		limit = q.shownLimit
	}
	at := q.at(p)
	at.amLimit = yarnconf.AMLimit(s.calc, at.eff.Min, limit, at.label.AMPercent, s.minAlloc)
	return at.amLimit
}

// userAMLimitNow computes the AM limit of one user of a weight in a partition
// (AbstractLeafQueue.getUserAMResourceLimitPerPartition).
func (s *Scheduler) userAMLimitNow(q *queue, weight float32, p int32) res {
	at := q.at(p)
	// Users with outstanding asks, and those with only waiting applications, share the limit.
	share := max(q.conf.UserLimit/100, 1/float32(max(q.users.activeUsers+q.users.waitingOnly, 1)))
	share = min(share*weight, 1)
	by := at.label.AMPercent * share * q.conf.UserLimitFactor
	if q.conf.UserLimitFactor == -1 && !s.rules.NoUnlimitedFactor {
		by = at.label.AMPercent
	}
	limit := s.calc.ScaleUp(at.eff.Min, float64(by), s.minAlloc)
	return s.calc.Min(q.lastCluster, limit, at.amLimit)
}

// activateWaiting lets waiting applications start their masters as far as the limits of
// queue and user allow (AbstractLeafQueue.activateApplications). It goes when an application
// enters or leaves the leaf and when limits change, not when other queues give room back.
// Kept from the original: an application that does not fit does not hold back those behind
// it; a queue without active applications or without masters starts one anyway; and the
// user's limit is computed for the first user met and then used for all.
func (s *Scheduler) activateWaiting(q *queue) {
	for p := range s.parts {
		if q.at(int32(p)).accessible {
			s.amLimitNow(q, int32(p))
		}
	}
	known := uint64(0) // partitions whose user limit is computed
	kept := q.waiting[:0]
	for i, a := range q.waiting {
		q.waiting[i] = nil
		at := q.at(a.amPart)
		am := a.at(a.amPart).am
		if !s.amFits(q, at, am.Add(at.amUsed), at.amLimit) {
			kept = append(kept, a)
			continue
		}
		u := s.getUser(q, a.slot)
		if known&(1<<a.amPart) == 0 {
			known |= 1 << a.amPart
			s.userAMLimits[a.amPart] = s.userAMLimitNow(q, u.weight, a.amPart)
		}
		if !s.amFits(q, at, am.Add(u.at(a.amPart).amUsed), s.userAMLimits[a.amPart]) {
			kept = append(kept, a)
			continue
		}
		s.activate(q, u, a)
	}
	q.waiting = kept
}

// amFits tests the use of application masters against an AM limit. The first application
// always starts.
func (s *Scheduler) amFits(q *queue, at *queuePart, used, limit res) bool {
	return s.calc.Fits(used, limit) || len(q.active) < 1 ||
		s.calc.Compare(q.lastCluster, at.amUsed, res{}) <= 0
}

// activate makes an application active: it takes its place in the leaf's order, and its
// master counts for queue and user.
func (s *Scheduler) activate(q *queue, u *user, a *app) {
	q.users.count(u, -1, 1)
	a.activated = true
	q.active, q.idle = kernel.Insert(q.active, a, q.compareApps), 0
	s.bookMaster(q, u, a.amPart, a.at(a.amPart).am)
	s.changed = true
}

// bookMaster counts a master in the leaf and for its user.
func (s *Scheduler) bookMaster(q *queue, u *user, p int32, r res) {
	at, up := q.at(p), u.at(p)
	at.amUsed = at.amUsed.Add(r)
	up.amUsed = up.amUsed.Add(r)
}

// enter puts an application that may run into its leaf, one that may not aside
// (AbstractLeafQueue.addApplicationAttempt).
func (s *Scheduler) enter(a *app) {
	q := a.queue
	u := s.getUser(q, a.slot)
	if !a.runnable {
		s.users.Hold(a)
		return
	}
	q.users.count(u, 1, 0)
	q.waiting = kernel.Insert(q.waiting, a, comparePending)
	if s.calc.Compare(q.lastCluster, q.lastCluster, res{}) > 0 {
		s.activateWaiting(q)
	}
}

// leave takes an application's attempt out of its leaf
// (AbstractLeafQueue.removeApplicationAttempt, UsersManager.User.finishApplication). Kept from
// the original: the user's count of waiting applications falls also for one that was never
// counted, and the user's object goes when the sum of both counts is zero.
func (s *Scheduler) leave(a *app) {
	q := a.queue
	u := s.getUser(q, a.slot)
	if !a.runnable {
		s.users.Drop(a)
	}
	if a.activated {
		q.active = kernel.Remove(q.active, a)
		q.idle = 0
		if a.reorder {
			a.reorder = false
			q.reorder = kernel.Remove(q.reorder, a)
		}
		s.bookMaster(q, u, a.amPart, a.at(a.amPart).am.Times(-1))
		q.users.count(u, 0, -1)
	} else {
		q.waiting = kernel.Remove(q.waiting, a)
		q.users.count(u, -1, 0)
	}
	if u.applications() == 0 {
		s.removeUser(q, a.slot)
	}
	s.activateWaiting(q)
}

// applicationGone counts an application out (finishApplication of the queues); a draining
// queue may stop (AbstractCSQueue.appFinished).
func (s *Scheduler) applicationGone(a *app) {
	q := a.queue
	if q.state == yarnconf.Draining && q.applications() == 0 {
		q.state = yarnconf.Stopped
	}
	for p := q.parent; p != nil; p = p.parent {
		p.apps--
		if p.state == yarnconf.Draining && p.apps == 0 {
			p.state = yarnconf.Stopped
		}
	}
}
