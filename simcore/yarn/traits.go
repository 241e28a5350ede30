package yarn

// traits are questions about a run's settings that every task or heartbeat asks, answered
// once at the beginning. Where an answer is no, the code that asks leaves out what could
// not come about: attempts are not counted, nodes of maps not remembered, and so on.
// TestTraits has what each setting takes away.
type traits struct {
	tries    bool // a task may have more than one attempt
	restarts bool // an application may lose its master
	kills    bool // the scheduler may kill while it schedules
	plain    bool // a node's heartbeat is the scheduler's alone: none is recorded, guarded or told the time
	idleOnly bool // a change of the scheduler's state concerns idle nodes only: no timer, no rounds
}

// traitsOf decides the traits of the run at hand.
func (s *Sim) traitsOf() traits {
	f, rounds := &s.cfg.Faults, s.cfg.PreemptEvery > 0
	return traits{
		tries:    f.Attempt > 0 || f.NodeMTTF > 0 || s.elastic != nil || s.cfg.Speculate || rounds,
		restarts: f.NodeMTTF > 0 || s.elastic != nil || rounds,
		kills:    s.killer != nil && rounds,
		plain:    !rounds && s.cfg.Policies.Guard == nil && s.cfg.Recorded == nil,
		idleOnly: s.choosesIdle && s.sorter == nil && s.updater == nil && s.rounds.sched == nil,
	}
}
