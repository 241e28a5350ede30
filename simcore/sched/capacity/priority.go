package capacity

import (
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn"
	"slices"
)

// priorityOf is the priority that an application gets, after
// CapacityScheduler.checkAndGetApplicationPriority: what it asks for, else its queue's
// default-application-priority (0 where the queue is only now made), at most the
// cluster's. Defaults by user (acl_application_max_priority) are not read.
func (s *Scheduler) priorityOf(spec *yarn.AppSpec) int32 {
	priority := spec.Priority
	if q := s.byName[spec.Queue]; priority == 0 && !spec.PrioritySet && q != nil {
		priority = int32(q.conf.DefaultPriority)
	}
	return min(priority, int32(s.conf.MaxAppPriority))
}

// Priority is the priority of an application, 0 of one that is not there.
func (s *Scheduler) Priority(id yarn.AppID) int32 {
	if a := s.lookUp(id); a != nil {
		return a.priority
	}
	return 0
}

// SetPriority gives a running application another priority, at most that of the cluster
// (CapacityScheduler.updateApplicationPriority): it takes its new place among the
// applications of its leaf. An application that has ended, or waits for its master, keeps
// its own.
func (s *Scheduler) SetPriority(id yarn.AppID, priority int32) {
	a := s.lookUp(id)
	priority = min(priority, int32(s.conf.MaxAppPriority))
	if a == nil || a.priority == priority || a.queue == nil {
		return
	}
	s.bookSkipped()
	if !slices.Contains(a.queue.active, a) {
		return
	}
	active := kernel.Remove(a.queue.active, a)
	a.priority = priority
	a.queue.active, a.queue.idle = kernel.Insert(active, a, a.queue.compareApps), 0
	s.epoch++
}
