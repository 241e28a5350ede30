package yarn

import "schedtune/simcore"

// A scheduler that counts demand at intervals is updated at the first instant
// of its grid after a change; other updates would have no effect.

// armUpdate schedules an update if one is due.
func (s *Sim) armUpdate() {
	if s.updater.Due() {
		s.armed = true
		s.tree.Set(updateLeaf, s.nextOnGrid(0, millis(float64(s.updater.Interval())), updateLeaf))
	}
}

// update runs the scheduler's update once.
func (s *Sim) update() {
	s.tree.Clear(updateLeaf)
	s.armed = false
	s.killed = s.updater.Update(int64(s.now/simcore.Millisecond), s.killed[:0])
	s.bookKilled()
	s.wakeNodes()
}

// widen has full nodes send a heartbeat again that a new ask could reserve.
func (s *Sim) widen() {
	for n := range s.nodes {
		s.freed(int32(n))
	}
}
