package yarn

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The life of a job of any kind: submission, application master, commit, and the
// master's exit. appMaster has the differences between kinds.

// arrival submits every job due now.
func (s *Sim) arrival() {
	s.useful, s.progress = s.now, s.now
	for int(s.next) < len(s.arrivals) && s.arrive[s.arrivals[s.next]] <= s.now {
		j := s.arrivals[s.next]
		s.next++
		if s.jobs[j].app >= 0 {
			continue // standing load, there from the beginning
		}
		if s.opt.Times == AttemptTimes || s.submitting(j) {
			s.submit(j)
		}
	}
	s.armArrival()
}

// submitting starts a planned submission: the client's latency and
// work. It reports whether the job arrives at once.
//
// If all nodes are one machine, the client works on it too; else it has a
// machine of its own. The wait comes first, as a shift of the arrival.
func (s *Sim) submitting(j int32) bool {
	if s.onTheWay[j] {
		if len(s.cpus) == 1 && s.cal.CPUScope == ScopeCluster && s.cal.SubmitWork > 0 {
			s.startWork(0, -1-j, s.drawWorkTime(s.key(drawWork).At(uint64(j)), 0, s.cal.SubmitWork), 1)
			return false
		}
		return true
	}
	s.onTheWay[j] = true
	wait := s.latency(s.cal.Submit, s.key(drawSubmit), uint64(j))
	if s.cal.CPUScope != ScopeCluster {
		wait += millis(s.cal.SubmitWork)
	}
	s.delay(j, s.now+wait)
	return false
}

// delay moves the arrival of the job that has just arrived to a later time.
func (s *Sim) delay(j int32, at simcore.Time) {
	s.next--
	i := int(s.next)
	s.arrive[j] = at
	for ; i+1 < len(s.arrivals) && s.arrive[s.arrivals[i+1]] < at; i++ {
		s.arrivals[i] = s.arrivals[i+1]
	}
	s.arrivals[i] = j
}

// submit submits the job to the ResourceManager, which may reject it.
func (s *Sim) submit(j int32) {
	job := &s.work.Jobs[j]
	s.times[j].Submit = s.now
	labels := s.labelsOf(j)
	number, stamp := s.numberOf(j)
	spec := AppSpec{Name: job.ID, User: s.work.Users[job.User], Queue: s.work.Queues[job.Queue],
		Priority: job.Priority, PrioritySet: job.PrioritySet, AM: s.plan.amAsk[j],
		Label: labels.App, AMLabel: labels.Master, Number: number, Stamp: stamp}
	if job.Spark != nil && !s.seating {
		spec.Executor = size(job.Spark.Executors[0].Container, Resource{})
	}
	app, err := s.sched.Submit(spec)
	if err != nil {
		s.times[j].Status = Rejected
		s.count(j, -1)
		s.rec.Refuse(simcore.JobID(j), s.now, limitOf(job.ID, err))
		s.jobOver(j)
		s.follow()
		return
	}
	for int(app) >= len(s.appJob) {
		s.appJob = append(s.appJob, -1)
	}
	s.appJob[app] = j
	m := &s.jobs[j]
	m.app = app
	m.ords = slices.Grow(m.ords, 1+int(job.Maps)+int(job.Reduces))
	s.kindOf(j).submitted(j)
	if job.Unmanaged && s.adopter != nil && !s.seating {
		s.startOutside(j)
	}
	s.wakeNodes()
}

// startOutside starts a master that runs outside the cluster: in a container of no size, on
// a node that only stands for its machine.
func (s *Sim) startOutside(j int32) {
	node := slices.IndexFunc(s.nodes, func(n nodeState) bool { return !n.lost })
	sl, err := s.adopt(j, simcore.NodeID(node), 0, masterContainer, Resource{}, s.now)
	if err != nil {
		s.fail(err)
		return
	}
	s.startMaster(sl)
}

// numberOf returns the recorded number of a job's application and the time in its id; 0
// if they are not recorded.
func (s *Sim) numberOf(j int32) (number, stamp int64) {
	if w := s.cfg.Warm; w != nil && int(j) < len(w.Numbers) {
		return w.Numbers[j], w.Stamp
	}
	if r := s.recorded; int(j) < len(r.Numbers) {
		return r.Numbers[j], r.Stamp
	}
	return 0, 0
}

// startMaster launches a master's container, as the ResourceManager does at once (AMLauncher).
func (s *Sim) startMaster(sl int32) {
	c := &s.slots.all[sl]
	m := &s.jobs[c.job]
	m.slot = sl
	s.times[c.job].AMAllocated = s.now
	if s.hangs(c) {
		c.state = dead
		return
	}
	c.state = masterWait
	wait := s.recordedStart(c.job)
	if wait >= 0 {
		c.state = masterWork // without work: it registers after the wait
	} else {
		wait, _, _ = s.kindOf(c.job).starting(c.job)
	}
	s.tree.Set(s.slotLeaf(sl), s.now+wait)
}

// register handles the master's registration.
func (s *Sim) register(c *slot) {
	s.times[c.job].Registered = s.now
	c.state, s.jobs[c.job].registered = masterRuns, true
	s.kindOf(c.job).registered(c.job)
}

// finishJob handles the end of a job's last task, or its failure. The master makes no further
// requests: its leaf holds commit, unregistering and exit.
func (s *Sim) finishJob(j int32, failed bool) {
	m := &s.jobs[j]
	if m.closed {
		return
	}
	m.closed, m.asleep = true, false
	s.times[j].Status = Succeeded
	if failed {
		s.times[j].Status = Failed
	}
	wait := s.work.Jobs[j].MasterTime + s.kindOf(j).closing(j, closeCommit)
	s.slots.all[m.slot].state = masterEnds
	s.tree.Set(s.slotLeaf(m.slot), s.now+wait)
}

// masterEnd moves a closed master from commit to unregistering, and from there to the end of
// its process.
func (s *Sim) masterEnd(sl int32, c *slot) {
	k := s.kindOf(c.job)
	leaf := s.slotLeaf(sl)
	switch {
	case c.state == masterEnds:
		s.times[c.job].Finish = s.now
		s.rec.JobEnded(simcore.JobID(c.job), s.now, s.times[c.job].Status == Failed)
		s.jobOver(c.job)
		c.state, c.at = masterStops, s.now+or(entry(s.recorded.Unregister, c.job), k.closing(c.job, closeUnregister))
		s.tree.Set(leaf, k.stops(c.job, c.at))
	case s.now < c.at:
		s.tree.Set(leaf, k.stops(c.job, c.at))
	default:
		s.report(sl, c, s.now+or(entry(s.recorded.AMExit, c.job), k.closing(c.job, closeExit)))
	}
}

// endApp ends an application whose master has ended, with all its containers. Processes that
// outlive it occupy their nodes until they end. The nodes of containers that the master was to
// release (backTo) have their space too.
func (s *Sim) endApp(j int32) {
	m := &s.jobs[j]
	m.slot = -1
	s.spare = append(s.spare[:0], m.backTo...)
	for sl, c := range s.live(&m.appState) {
		until := s.kindOf(j).lingers(c)
		s.quit(sl, c)
		if c.state != ending {
			c.outcome = kernel.Killed
		}
		m.ords[c.ord] = gone | int32(masterContainer)
		s.spare = append(s.spare, c.node)
		if until > s.now {
			s.releaseAtExit(sl, c, until)
		} else {
			s.release(sl, c)
		}
	}
	s.kindOf(j).forget(j)
	s.sched.End(m.app)
	m.app = -1
	m.ords = m.ords[:0]
	for _, n := range s.spare {
		s.freed(n)
	}
	s.times[j].Released = s.now
	s.count(j, -1)
	s.follow()
}
