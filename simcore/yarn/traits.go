package yarn

// traits are what every task asks of a run's settings, decided once at its beginning.
type traits struct {
	tries    bool // a task may have more than one attempt
	restarts bool // an application may lose its master
	kills    bool // the scheduler may kill while it schedules
	plain    bool // heartbeats of nodes: none is recorded, guarded or told the time
	alone    bool // of what may wake nodes there are idle ones only
}

// traitsOf decides the traits of the run at hand.
func (s *Sim) traitsOf() traits {
	f, rounds := &s.cfg.Faults, s.cfg.PreemptEvery > 0
	return traits{
		tries:    f.Attempt > 0 || f.NodeMTTF > 0 || s.el != nil || s.cfg.Speculate || rounds,
		restarts: f.NodeMTTF > 0 || s.el != nil || rounds,
		kills:    s.killer != nil && rounds,
		plain:    !rounds && s.cfg.Policies.Guard == nil && s.cfg.Recorded == nil,
		alone:    s.sweeps && s.sorter == nil && s.upd == nil && s.rounds.sched == nil,
	}
}
