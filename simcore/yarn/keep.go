package yarn

import "schedtune/simcore"

// The timer of a scheduler's policies for dynamic queues (QueueKeeper). It runs from the start of
// the run at the scheduler's interval.

// keepQueues runs the policies once.
func (s *Sim) keepQueues() {
	s.armKeeper(s.now)
	s.keeper.KeepQueues(int64(s.now / simcore.Millisecond))
	s.wakeNodes()
}

// armKeeper sets the timer an interval after an instant.
func (s *Sim) armKeeper(from simcore.Time) {
	if s.keeper == nil {
		return
	}
	at := simcore.Never
	if every := s.keeper.KeepInterval(); every > 0 {
		at = from + simcore.Time(every)*simcore.Millisecond
	}
	s.tree.Set(keepLeaf, at)
}
