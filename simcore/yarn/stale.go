package yarn

// A master that sleeps leaves out heartbeats that would change nothing for it.
// In a scheduler that counts while it answers they may change something for
// others.

// Reckoner is a Scheduler that brings figures up to date when an application
// master asks, even if for nothing.
type Reckoner interface {
	// Stale reports whether such an Ask would change a figure that decides on
	// others. It comes to hold only where an application is submitted or ends.
	Stale(AppID) bool
}

// stale reports whether a master must not sleep for the scheduler's sake.
func (s *Sim) stale(m *master) bool { return s.reckoner != nil && s.reckoner.Stale(m.app) }

// wakeStale wakes the masters whose heartbeats the scheduler's figures wait for.
func (s *Sim) wakeStale() {
	if s.reckoner == nil {
		return
	}
	up := s.up[:0]
	for _, j := range s.up {
		m := &s.jobs[j]
		if m.app < 0 || !m.registered {
			continue
		}
		up = append(up, j)
		if m.asleep && s.stale(m) {
			s.wakeUp(j, m)
		}
	}
	s.up = up
}
