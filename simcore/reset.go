package simcore

import "schedtune/internal/rng"

// reset prepares every part of the Sim for a run, reusing its memory.
func (s *Sim) reset(cfg Config, c *Cluster, w *Workload, sched Scheduler) {
	s.cfg, s.cluster, s.work, s.err = cfg, c, w, nil
	s.now, s.beat, s.period, s.lastLaunch = 0, 0, cfg.Heartbeat, 0
	s.perPeriod = 1 / float64(s.period)
	s.arrived, s.readied, s.left, s.nodesDown = 0, 0, len(w.Jobs), 0
	s.active, s.waiting = emptyList, [2]jobList{emptyList, emptyList}
	s.totalPending, s.totalRunning = [2]int32{}, [2]int32{}
	s.latency, s.mishap = rng.NewKey(cfg.Seed, purposeLatency), rng.NewKey(cfg.Seed, purposeFailure)
	s.hooks(sched)
	s.restless = cfg.Speculation.On || cfg.EveryBeat
	s.resetNodes()
	s.resetJobs()
	s.dur.Reset(cfg.DurationConfig, c, w)
	s.rec.Reset(w, cfg.Shares)
	s.place.reset(s)
	s.spec.reset(&s.cfg, len(w.Jobs))
	s.resetExec()
	s.resetFailures()
	s.resetIdle()
	if s.left > 0 {
		s.control.Set(leafArrival, w.Jobs[0].Submit)
		s.control.Set(leafReady, w.Jobs[0].Submit+cfg.JobInit)
	}
	if s.ticker != nil {
		s.control.Set(leafTick, s.ticker.Period())
	}
}

// hooks finds what the scheduler can do beyond Pick.
func (s *Sim) hooks(sched Scheduler) {
	s.sched = sched
	s.observer, _ = sched.(Observer)
	s.beater, _ = sched.(Beater)
	s.gate, _ = sched.(Gate)
	s.ticker, _ = sched.(Ticker)
	s.preempt, _ = sched.(Preempter)
	s.placer, _ = sched.(Placer)
	s.admitter, _ = sched.(Admitter)
	s.watched = 0
	if s.observer != nil || s.cfg.Trace != nil {
		s.watched = ^uint32(0)
	}
	if c, ok := sched.(Chooser); ok && s.cfg.Trace == nil {
		s.watched = c.Wants()
	}
}

// resetNodes lays out nodes and slots in the order of heartbeat phases.
func (s *Sim) resetNodes() {
	s.nodes, s.slots = zeroed(s.nodes, len(s.cluster.Nodes)), s.slots[:0]
	s.nodeOf, s.slotAt = s.nodeOf[:0], zeroed(s.slotAt, len(s.nodes)+1)
	s.totalFree = [2]int32{}
	s.idle.reset(s.period, len(s.nodes), s.cfg.Seed)
	for r, n := range s.idle.node {
		node := &s.nodes[r]
		node.first, node.lastBeat, node.phase = int32(len(s.slots)), -1, s.idle.phase[r]
		node.id, node.rank = n, int32(r)
		for k, count := range s.cluster.Nodes[n].Slots {
			p := s.pool(Kind(k))
			node.free[p] += int32(count)
			s.totalFree[p] += int32(count)
			for range count {
				s.nodeOf = append(s.nodeOf, n)
				s.slots = append(s.slots, slotState{at: Never, job: None, pool: p})
			}
		}
		node.end = int32(len(s.slots))
		s.slotAt[r], s.slotAt[r+1] = node.first, node.end
	}
	s.totalSlots = s.totalFree
	s.more = zeroed(s.more, len(s.slots))
	s.control.Reset(controlLeaves)
	s.tree.Reset(len(s.nodes))
	s.beating, s.lastEnded = nil, 0
	s.wide, s.expected = s.isWide(), [2]int32{None, None}
}

// distOf returns the distribution all task times of a job's kind are drawn
// from, None if it is not as simple as that.
func (s *Sim) distOf(j JobID, k Kind) int32 {
	job := &s.work.Jobs[j]
	if s.cfg.Model == Replay && job.FirstTask >= 0 && s.work.Tasks.Duration != nil {
		return None
	}
	return max([2]int32{job.MapDist, job.ReduceDist}[k], None)
}

// resetJobs decides what has to be known of single tasks: nothing where all
// pending tasks of a job are alike, so that a waiting task costs no memory.
func (s *Sim) resetJobs() {
	s.jobs = zeroed(s.jobs, len(s.work.Jobs))
	total := int32(0)
	for j := range s.jobs {
		st := &s.jobs[j]
		st.active, st.waiting = link{None, None}, [2]link{{None, None}, {None, None}}
		st.parked, st.task, st.user = None, total, s.work.Jobs[j].User
		st.of[Map].tasks, st.of[Reduce].tasks = s.work.Jobs[j].Maps, s.work.Jobs[j].Reduces
		st.of[Map].dist, st.of[Reduce].dist = s.distOf(JobID(j), Map), s.distOf(JobID(j), Reduce)
		total += s.work.Jobs[j].Maps + s.work.Jobs[j].Reduces
	}
	c := &s.cfg
	s.detail = c.Replication > 0 || s.work.Tasks.HostAt != nil || c.Failures.Attempt > 0 || c.Failures.NodeMTBF > 0 ||
		c.Speculation.On || c.TrackOutput || c.Model == Resources || s.preempt != nil || s.placer != nil
	s.plain = !s.detail && c.LaunchJitter == 0
	s.task, s.failed, s.where = s.task[:0], s.failed[:0], s.where[:0]
	if s.detail {
		s.task, s.failed = zeroed(s.task, int(total)), zeroed(s.failed, int(total))
	}
	if c.TrackOutput || c.Failures.NodeMTBF > 0 || c.Model == Resources {
		s.where = zeroed(s.where, int(total))
	}
}
