package capacity

import (
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Figures for tests, reports and comparisons with records. None of it changes anything.
// Queues are named by their number in Config.

// Figures are the running figures of a leaf queue.
type Figures struct {
	Used, Reserved, Pending, AMUsed yarn.Resource // Reserved is contained in Used
	Active, Waiting                 int           // applications
}

// Leaf returns the figures of queue i of Config.
func (s *Scheduler) Leaf(i int) Figures {
	q := s.queues[i]
	return Figures{
		Used: yarn.Resource(q.used), Reserved: yarn.Resource(q.reserved), Pending: yarn.Resource(q.pending),
		AMUsed: yarn.Resource(q.amUsed), Active: len(q.active), Waiting: len(q.waiting),
	}
}

// Ended reports whether an application is over, by End or by the loss of its
// application master.
func (s *Scheduler) Ended(id yarn.AppID) bool {
	a := s.lookUp(id)
	return a == nil || a.ended
}

// Effective returns what queue i of Config comes to now.
func (s *Scheduler) Effective(i int) yarnconf.Effective {
	s.settle()
	e := s.queues[i].eff
	if q := s.queues[i]; q.leaf {
		e.AMLimit = s.amLimitNow(q, 0)
	}
	return e
}

// Config returns the configuration in force. It must not be changed.
func (s *Scheduler) Config() *yarnconf.Config { return s.conf }

// State returns the present state of queue i of Config.
func (s *Scheduler) State(i int) yarnconf.State { return s.queues[i].state }

// QueueOf returns the path of an application's leaf.
func (s *Scheduler) QueueOf(id yarn.AppID) string {
	if a := s.lookUp(id); a != nil {
		return a.queue.path
	}
	return ""
}

// AppFigures are the running figures of an application.
type AppFigures struct {
	Used, Reserved, Pending yarn.Resource // Used without reservations
	Live, Reservations      int           // containers
	Active                  bool          // its master may start, or has
}

// App returns the figures of an application.
func (s *Scheduler) App(id yarn.AppID) AppFigures {
	a := s.lookUp(id)
	if a == nil {
		return AppFigures{}
	}
	return AppFigures{
		Used: yarn.Resource(a.used), Reserved: yarn.Resource(a.reserved), Pending: yarn.Resource(a.pending),
		Live: int(a.live), Reservations: len(a.reservations), Active: a.activated && !a.ended,
	}
}

// Missed returns how many scheduling opportunities a request key has let pass, 0 of one
// that there is not.
func (s *Scheduler) Missed(id yarn.AppID, priority int32, alloc int64) int {
	s.bookSkipped()
	if a := s.lookUp(id); a != nil {
		if i, found := a.findKey(priority, alloc); found {
			return a.keys[i].missed
		}
	}
	return 0
}

// UserLimit returns what a user may use in queue i of Config, a leaf.
func (s *Scheduler) UserLimit(i int, user string) yarn.Resource {
	s.settle()
	q := s.queues[i]
	return yarn.Resource(s.userLimit(q, q.users.slotOf(user), 0))
}

// AMLimits returns what the application masters of queue i of Config, a leaf,
// may use: all together, and those of one user.
func (s *Scheduler) AMLimits(i int, user string) (all, one yarn.Resource) {
	s.settle()
	q := s.queues[i]
	all = yarn.Resource(s.amLimitNow(q, 0))
	return all, yarn.Resource(s.userAMLimitNow(q, q.users.slots[q.users.slotOf(user)].u, 0))
}

// ActiveUsers returns how many users of queue i of Config, a leaf, have
// outstanding asks, and how many had only waiting applications when last
// counted.
func (s *Scheduler) ActiveUsers(i int) (asking, waitingOnly int) {
	t := &s.queues[i].users
	return t.activeUsers, t.waitingOnly
}

// Wanted returns what the active applications of queue i of Config, a leaf,
// still ask for as far as their users' limits allow.
func (s *Scheduler) Wanted(i int) yarn.Resource {
	s.settle()
	return yarn.Resource(s.pendingWithinLimits(s.queues[i], 0, false))
}

// ReportOrder sorts ended containers in place as the original walks them in a
// hash table of their ids that has held at most most of them at a time: that is
// how the recorder's stand-in for a NodeManager reports them. Containers that
// are not live come last.
func (s *Scheduler) ReportOrder(done []yarn.Container, most int) {
	size := tableSize(most)
	at := func(d yarn.Container) int {
		if a := s.lookUp(d.App); a != nil {
			if c := s.container(a, d.Ordinal); c != nil {
				return int(java.Bucket(c.hash(), size))
			}
		}
		return size
	}
	slices.SortStableFunc(done, func(a, b yarn.Container) int { return at(a) - at(b) })
}

// Endless reports whether the last beat was ended because the original would
// never have ended it: it tries a refused proposal again and again where
// maximum-container-assignments is -1.
func (s *Scheduler) Endless() bool { return s.refusals >= endlessAfter }
