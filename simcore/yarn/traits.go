package yarn

// traits hold answers to questions about a run's settings that every task or heartbeat asks,
// computed once at the beginning. If the answer is no, the code omits what cannot
// happen: attempts are not counted, nodes of maps not recorded, and so on.
// TestTraits lists the effect of each setting.
type traits struct {
	replay   bool // it has records
	loses    bool // containers may be lost: a task may have several attempts, an application several masters
	kills    bool // the scheduler may kill containers while it schedules
	idleOnly bool // a change of the scheduler's state concerns idle nodes only: no timer, no rounds
}

// traitsOf returns the traits of the current run.
func (s *Sim) traitsOf() traits {
	rounds := s.cfg.PreemptEvery > 0
	loses := rounds || !s.elastic.still
	return traits{
		replay:   s.cfg.Recorded != nil,
		loses:    loses,
		kills:    s.killer != nil && rounds,
		idleOnly: s.choosesIdle && s.sorter == nil && s.updater == nil && s.rounds.sched == nil,
	}
}
