package capacity

import "schedtune/simcore/yarn"

// SetPriority gives a running application another priority, at most that of the
// cluster, as CapacityScheduler.updateApplicationPriority does: it takes its new place
// among the applications of its queue. An application that has ended, or waits for its
// master, keeps its own.
func (s *Scheduler) SetPriority(id yarn.AppID, priority int32) {
	if int(id) >= len(s.apps) || s.apps[id] == nil {
		return
	}
	a := s.apps[id]
	priority = min(priority, int32(s.conf.MaxAppPriority))
	if a.priority == priority || a.queue == nil {
		return
	}
	active, was := removeApp(a.queue.active, a)
	if !was {
		return
	}
	a.priority = priority
	a.queue.active, a.queue.idle = insertApp(active, a, a.queue.appBefore), 0
	s.clock++
}
