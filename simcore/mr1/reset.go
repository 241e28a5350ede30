package mr1

import (
	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// reset prepares every part of the Sim for a run, reusing its memory.
func (s *Sim) reset(cfg Config, c *simcore.Cluster, w *simcore.Workload, sched Scheduler) {
	s.cfg, s.cluster, s.work, s.err = cfg, c, w, nil
	s.now, s.beat, s.period, s.lastLaunch = 0, 0, cfg.Heartbeat, 0
	s.perPeriod = 1 / float64(s.period)
	s.arrived, s.readied, s.left = 0, 0, len(w.Jobs)
	s.active.reset(len(w.Jobs))
	s.waiting[simcore.Map].reset(len(w.Jobs))
	s.waiting[simcore.Reduce].reset(len(w.Jobs))
	s.totalPending, s.totalRunning = [2]int32{}, [2]int32{}
	s.latency, s.mishap = rng.NewKey(cfg.Seed, kernel.PurposeLatency), rng.NewKey(cfg.Seed, kernel.PurposeFailure)
	s.hooks(sched)
	s.restless = cfg.Speculation.On || cfg.EveryBeat
	s.resetNodes()
	s.resetJobs()
	s.dur.Reset(cfg.DurationConfig, c, w)
	s.rec.Reset(w, cfg.Shares)
	s.place.reset(s)
	s.resetExec()
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
	s.sleeper, _ = sched.(Sleeper)
	s.asleep = false
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
	s.nodes, s.slots = kernel.Zeroed(s.nodes, len(s.cluster.Nodes)), s.slots[:0]
	s.nodeOf, s.slotAt = s.nodeOf[:0], kernel.Zeroed(s.slotAt, len(s.nodes)+1)
	s.totalFree = [2]int32{}
	s.idle.reset(s.period, len(s.nodes), s.cfg.Seed)
	for r, n := range s.idle.node {
		node := &s.nodes[r]
		node.first, node.lastBeat, node.phase = int32(len(s.slots)), -1, s.idle.phase[r]
		node.id, node.rank = n, int32(r)
		for k, count := range s.cluster.Nodes[n].Slots {
			p := s.pool(simcore.Kind(k))
			node.free[p] += int32(count)
			s.totalFree[p] += int32(count)
			for range count {
				s.nodeOf = append(s.nodeOf, n)
				s.slots = append(s.slots, slotState{at: simcore.Never, job: simcore.None, pool: p})
			}
		}
		node.end = int32(len(s.slots))
		s.slotAt[r], s.slotAt[r+1] = node.first, node.end
	}
	s.totalSlots = s.totalFree
	s.more = kernel.Zeroed(s.more, len(s.slots))
	s.control.Reset(controlLeaves)
	s.tree.Reset(len(s.nodes))
	s.beating, s.lastEnded = nil, 0
	s.wide, s.expected = s.isWide(), [2]int32{simcore.None, simcore.None}
}

// distOf returns the distribution all task times of a job's kind are drawn
// from, None if it is not as simple as that.
func (s *Sim) distOf(j simcore.JobID, k simcore.Kind) int32 {
	job := &s.work.Jobs[j]
	if s.cfg.Model == simcore.Replay && job.FirstTask >= 0 && s.work.Tasks.Duration != nil {
		return simcore.None
	}
	return max([2]int32{job.MapDist, job.ReduceDist}[k], simcore.None)
}

// resetJobs decides what has to be known of single tasks: nothing where all
// pending tasks of a job are alike, so that a waiting task costs no memory.
func (s *Sim) resetJobs() {
	s.jobs = kernel.Zeroed(s.jobs, len(s.work.Jobs))
	total := int32(0)
	for j := range s.jobs {
		st := &s.jobs[j]
		st.parked, st.task, st.user = simcore.None, total, s.work.Jobs[j].User
		st.of[simcore.Map].tasks, st.of[simcore.Reduce].tasks = s.work.Jobs[j].Maps, s.work.Jobs[j].Reduces
		st.of[simcore.Map].dist, st.of[simcore.Reduce].dist = s.distOf(simcore.JobID(j), simcore.Map),
			s.distOf(simcore.JobID(j), simcore.Reduce)
		total += s.work.Jobs[j].Maps + s.work.Jobs[j].Reduces
	}
	c := &s.cfg
	s.detail = c.Replication > 0 || len(s.work.Tasks.HostAt) > 0 || c.Failures.Attempt > 0 ||
		c.Speculation.On || c.TrackOutput || c.Model == simcore.Resources || s.preempt != nil || s.placer != nil
	s.plain = !s.detail && c.LaunchJitter == 0
	s.task, s.failed, s.where = s.task[:0], s.failed[:0], s.where[:0]
	if s.detail {
		s.task, s.failed = kernel.Zeroed(s.task, int(total)), kernel.Zeroed(s.failed, int(total))
	}
	if c.TrackOutput || c.Model == simcore.Resources {
		s.where = kernel.Zeroed(s.where, int(total))
	}
}
