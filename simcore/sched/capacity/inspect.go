package capacity

import (
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Figures of applications, for tests, reports and comparisons with recordings. Reading one
// changes no decision.

// Ended reports whether an application is over, by End or by the loss of its
// application master.
func (s *Scheduler) Ended(id yarn.AppID) bool {
	a := s.lookUp(id)
	return a == nil || a.ended
}

// Config returns the configuration in force. It must not be changed.
func (s *Scheduler) Config() *yarnconf.Config { return s.conf }

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

// ReportOrder sorts ended containers in place as the original walks them in a
// hash table of their ids that has held at most most of them at a time: that is
// how the recorder's stand-in for a NodeManager reports them. Containers that
// are not live come last.
func (s *Scheduler) ReportOrder(done []yarn.Container, most int) {
	size := java.TableSize(most)
	at := func(d yarn.Container) int {
		if c := s.containerOf(d); c != nil {
			return int(java.Bucket(c.hash(), size))
		}
		return size
	}
	slices.SortStableFunc(done, func(a, b yarn.Container) int { return at(a) - at(b) })
}

// Endless reports whether the last beat was ended because the original would
// never have ended it: it tries a refused proposal again and again where
// maximum-container-assignments is -1.
func (s *Scheduler) Endless() bool { return s.refusals >= endlessAfter }
