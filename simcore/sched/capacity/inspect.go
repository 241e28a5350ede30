package capacity

import (
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

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
		e.AMLimit = s.amLimitNow(q)
	}
	return e
}

// Config returns the configuration in force. It must not be changed.
func (s *Scheduler) Config() *yarnconf.Config { return s.conf }

// State returns the present state of queue i of Config.
func (s *Scheduler) State(i int) yarnconf.State { return s.queues[i].state }
