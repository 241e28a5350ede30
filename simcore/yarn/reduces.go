package yarn

import "schedtune/simcore"

// How a MapReduce master decides on reduces; the formulas are in rampup.go. Slowstart decides
// when to request them, the ramp-up how many; if maps hang, it withdraws requests for reduces and
// kills running ones.

// unconditionalPreemption is the time that a map may hang before reduces make room for it at any
// headroom (mapreduce.job.reducer.unconditional-preempt.delay.sec).
const unconditionalPreemption = 300 * simcore.Second

// scheduleReduces requests reduces, or withdraws requests, by slowstart and the ramp-up formula
// (RMContainerAllocator.scheduleReduces).
func (s *Sim) scheduleReduces(j int32, m *master) {
	if m.pend.n == 0 {
		return
	}
	if !m.started {
		if s.cfg.Policies.Reduces == nil && m.doneMaps < s.slowstartMaps(j) {
			return
		}
		m.started = true
	}
	r := s.ramp(j, m)
	n := r.Change()
	if s.cfg.Policies.Reduces != nil && n > 0 {
		n = max(min(n, s.mayAsk(j, m)), 0)
	}
	s.rampUp(j, m, n)
}

// ramp returns the AM's figures for the formulas.
func (s *Sim) ramp(j int32, m *master) Ramp {
	return Ramp{
		Headroom: m.headroom, Map: s.plan.mapAsk[j], Reduce: s.plan.redAsk[j],
		TotalMaps: s.work.Jobs[j].Maps, DoneMaps: m.doneMaps, WaitMaps: m.waitMaps, RunMaps: m.runMaps,
		AskedReduces: m.asked.n, RunReduces: m.runReds, PendingReduces: m.pend.n,
		CPU: s.opt.ScheduleCPU,
	}
}

// slowstartMaps returns the number of finished maps from which reduces are requested.
func (s *Sim) slowstartMaps(j int32) int32 {
	job := &s.work.Jobs[j]
	share := s.cfg.Slowstart
	if share < 0 {
		if share = job.Slowstart; share < 0 {
			share = 0.05
		}
	}
	return simcore.SlowstartMaps(share, job.Maps)
}

// rampUp requests n more reduces; if negative, it withdraws requests.
func (s *Sim) rampUp(j int32, m *master, n int32) {
	pend, asked := s.ringAt(j, 0), s.ringAt(j, 1)
	for range n {
		m.asked.push(asked, m.pend.pop(pend))
	}
	for range -n {
		m.pend.push(pend, m.asked.pop(asked))
	}
	m.redDirty = m.redDirty || n != 0
}

// preemptReduces makes room for maps when none runs: it withdraws the requests for reduces and
// kills running ones (RMContainerAllocator.preemptReducesIfNeeded, clearAllPendingReduceRequests).
// It reports whether it applies, even if there is nothing to withdraw or kill.
func (s *Sim) preemptReduces(j int32, m *master) bool {
	if s.work.Jobs[j].Reduces == 0 || m.runMaps > 0 || m.waitMaps == 0 {
		return false
	}
	if s.now-m.hanging <= unconditionalPreemption {
		if r := s.ramp(j, m); !r.Starved() {
			return false
		}
	}
	if m.asked.n == 0 && m.heldReds == 0 {
		return true
	}
	r := s.ramp(j, m)
	s.rampUp(j, m, -m.asked.n)
	s.killReduces(j, m, r.Kills())
	return true
}

// stranded reports whether preemptReduces applies in every heartbeat from now on,
// at any headroom, until a container is allocated or ends, and has no effect: there
// is nothing to withdraw or kill. A job without reduces has nothing to decide.
func (s *Sim) stranded(m *master) bool {
	return m.waitMaps > 0 && m.runMaps == 0 && m.asked.n == 0 && m.heldReds == 0 &&
		s.now-m.hanging > unconditionalPreemption
}

// killReduces kills the n reduces with the least progress, in the order of launch, since all
// that still copy are equal. Those that are ending count, because the AM does not know of their
// end yet.
func (s *Sim) killReduces(j int32, m *master, n int64) {
	for sl, c := range s.live(&m.appState) {
		if c.kind != reduceContainer || c.state == granted {
			continue
		}
		if n--; n < 0 {
			return
		}
		if c.state != ending {
			s.kill(sl, c)
			s.rec.Pending(simcore.JobID(j), 1)
			m.pend.push(s.ringAt(j, 0), c.task)
		}
	}
}
