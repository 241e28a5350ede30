package yarn

import "schedtune/simcore"

// The timer of a scheduler's policies for queues made on first use (QueueKeeper). It runs
// from the beginning of the run at the scheduler's interval.

// keepQueues is one run of those policies.
func (s *Sim) keepQueues() {
	s.tree.Set(keepLeaf, s.now+simcore.Time(s.keeper.KeepInterval())*simcore.Millisecond)
	s.keeper.KeepQueues(int64(s.now / simcore.Millisecond))
	s.wakeNodes()
}

// startKeeping sets the timer.
func (s *Sim) startKeeping() {
	s.keeper, _ = s.sched.(QueueKeeper)
	if s.keeper != nil && s.keeper.KeepInterval() > 0 {
		s.tree.Set(keepLeaf, s.cfg.begin()+simcore.Time(s.keeper.KeepInterval())*simcore.Millisecond)
	}
}
