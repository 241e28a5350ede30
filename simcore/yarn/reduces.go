package yarn

import "schedtune/simcore"

// How a master of MapReduce decides on reduces; the formulas are in rampup.go. Slowstart says
// from when on, the ramp-up how many; where maps hang, asks for reduces are withdrawn and
// running ones killed.

// unconditionalPreemption is how long a map may hang before reduces make room for it whatever
// the headroom (mapreduce.job.reducer.unconditional-preempt.delay.sec).
const unconditionalPreemption = 300 * simcore.Second

// scheduleReduces asks for reduces, or takes asks back, by slowstart and the ramp-up formula
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
	if n > 0 {
		s.rampUp(j, m, n)
	} else if n < 0 {
		s.rampDown(j, m, -n)
	}
}

// ramp is what the AM knows now.
func (s *Sim) ramp(j int32, m *master) Ramp {
	return Ramp{
		Headroom: m.headroom, Map: s.plan.mapAsk[j], Reduce: s.plan.redAsk[j],
		TotalMaps: s.work.Jobs[j].Maps, DoneMaps: m.doneMaps, WaitMaps: m.waitMaps, RunMaps: m.runMaps,
		AskedReduces: m.asked.n, RunReduces: m.runReds, PendingReduces: m.pend.n,
		RampupLimit: s.opt.RampupLimit, PreemptionLimit: s.opt.PreemptionLimit, CPU: s.opt.ScheduleCPU,
	}
}

// slowstartMaps is the number of finished maps from which reduces are asked.
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

// rampUp asks for n more reduces.
func (s *Sim) rampUp(j int32, m *master, n int32) {
	from, to := s.ringAt(j, 0), s.ringAt(j, 1)
	for range n {
		m.asked.push(to, m.pend.pop(from))
	}
	m.redDirty = m.redDirty || n > 0
}

// rampDown takes n asks for reduces back.
func (s *Sim) rampDown(j int32, m *master, n int32) {
	from, to := s.ringAt(j, 1), s.ringAt(j, 0)
	for range n {
		m.pend.push(to, m.asked.pop(from))
	}
	m.redDirty = m.redDirty || n > 0
}

// preemptReduces makes room for maps when none runs: it withdraws the asks of reduces and
// kills running ones (RMContainerAllocator.preemptReducesIfNeeded, clearAllPendingReduceRequests).
// It reports whether it acted.
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
		return true // nothing to withdraw, nothing to kill
	}
	r := s.ramp(j, m)
	s.rampDown(j, m, m.asked.n)
	s.killReduces(j, m, r.Kills())
	return true
}

// stranded reports whether preemptReduces acts in every heartbeat from this one on,
// whatever the headroom, until a container comes or ends, and comes to nothing: there
// is nothing to withdraw or to kill. A job without reduces has nothing to decide at all.
func (s *Sim) stranded(m *master) bool {
	return m.waitMaps > 0 && m.runMaps == 0 && m.asked.n == 0 && m.heldReds == 0 && s.now-m.hanging > unconditionalPreemption
}

// killReduces kills the n reduces with the least progress; those already dying
// count, as the AM counts them until it hears of their end. All reduces that
// still copy stand equal, so the youngest ordinal does not matter: the order
// of launch decides.
func (s *Sim) killReduces(j int32, m *master, n int64) {
	for ord := 1; ord < len(m.ords) && n > 0; ord++ {
		sl := m.ords[ord]
		if sl < 0 {
			continue
		}
		c := &s.slots.all[sl]
		if c.kind != reduceContainer || c.state == granted {
			continue
		}
		n--
		if c.state != ending {
			again := s.twin(sl, c) < 0
			s.kill(sl)
			if again {
				s.rec.Pending(simcore.JobID(j), 1)
				m.pend.push(s.ringAt(j, 0), c.task)
			}
		}
	}
}
