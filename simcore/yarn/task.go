package yarn

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The life of a task in its container. A map runs and exits. A reduce waits until every map
// has finished once (waits), copies the rest (shuffling), then sorts and runs
// (reducing). Under the resource model exec.go runs both.

// slotEvent handles the event of a container's leaf. Each case sets the leaf's
// next event or clears it.
func (s *Sim) slotEvent(sl int32) {
	c := &s.slots.all[sl]
	if c.kind <= reduceContainer {
		mapReduce{s}.event(sl, c)
		return
	}
	switch c.state {
	case masterWait:
		c.state = masterWork
		s.tree.Clear(s.slotLeaf(sl))
		_, work, threads := s.kindOf(c.job).starting(c.job)
		s.startWork(s.cpuOf(c.node), sl, work, threads)
	case masterWork:
		s.register(c)
	case masterRuns:
		s.kindOf(c.job).beat(c.job)
	case masterEnds, masterStops:
		s.masterEnd(sl, c)
	default:
		s.kindOf(c.job).event(sl, c)
	}
}

// taskNo returns the task's number over all recorded tasks, -1 without records.
func (s *Sim) taskNo(c *slot) int32 {
	job := &s.work.Jobs[c.job]
	if job.FirstTask < 0 {
		return -1
	}
	if c.kind == reduceContainer {
		return job.FirstTask + job.Maps + c.task
	}
	return job.FirstTask + c.task
}

// task returns a container's task.
func (s *Sim) task(c *slot) simcore.Task {
	return simcore.Task{Job: simcore.JobID(c.job), Kind: simcore.Kind(c.kind), Index: c.task}
}

// runAt starts the attempt's own time, now or later. A reduce copies from then on.
func (s *Sim) runAt(sl int32, c *slot, at simcore.Time) {
	switch {
	case s.execOn && at > s.now:
		c.state = arming
		s.tree.Set(s.slotLeaf(sl), at)
		return
	case s.execOn:
		s.startExec(sl, c)
		return
	case c.kind == reduceContainer:
		c.at = at
		s.occupy(sl, c, 1)
		if s.ready(c) {
			s.shuffle(sl, c)
		} else {
			s.waitForMaps(sl, c)
		}
		return
	}
	d := s.durs.Map(s.task(c), int32(c.try), simcore.NodeID(c.node), c.loc)
	d = s.crowded(c.node, d)
	if s.replay {
		d = s.recordedWork(c, d)
	}
	c.state, c.at = running, at
	s.tree.Set(s.slotLeaf(sl), at+d)
	s.occupy(sl, c, 1)
}

// waitForMaps adds a reduce to those that wait for maps.
func (s *Sim) waitForMaps(sl int32, c *slot) {
	m := &s.jobs[c.job]
	c.state, c.next = waits, m.redWait
	m.redWait = sl
	s.tree.Clear(s.slotLeaf(sl))
}

// shuffle sets the end of the shuffle of a reduce whose job's maps are all done. The reduce learns
// of the last map with its next request, at a period from its start (ShufflePoll).
func (s *Sim) shuffle(sl int32, c *slot) {
	m := s.times[c.job].LastMap
	if s.work.Jobs[c.job].Maps == 0 {
		m = 0
	}
	from, copying := max(c.at, m), s.durs.Shuffle(s.task(c), c.at, m)
	if a := s.attempt(c); a != nil {
		copying = or(a.Shuffle, copying)
	}
	end := from + copying
	if s.opt.Times == UserTimes && !s.replay {
		k := s.key(drawShuffle).At(s.attemptKey(c))
		poll := max(millis(s.cal.ShufflePoll), 1)
		if c.at < m { // with earlier requests
			end = end - from + c.at + (m-c.at+poll-1)/poll*poll
		}
		end += s.latency(s.cal.ShuffleTail, k, 0)
	}
	c.state = shuffling
	s.tree.Set(s.slotLeaf(sl), max(end, s.now))
}

// reduceRuns moves a reduce from its shuffle to user code.
func (s *Sim) reduceRuns(sl int32, c *slot) {
	if s.policy.on {
		s.copied(c)
	}
	d := s.crowded(c.node, s.durs.Reduce(s.task(c), int32(c.try), simcore.NodeID(c.node)))
	d = s.recordedWork(c, d)
	if s.opt.Times == UserTimes && !s.replay {
		d += s.latency(s.cal.ReduceEnd, s.key(drawShuffle).At(s.attemptKey(c)), 1)
	}
	c.state = reducing
	s.tree.Set(s.slotLeaf(sl), s.now+d)
}

// exit schedules the report of an attempt that ends now, when its process has ended and its node
// has noticed.
func (s *Sim) exit(sl int32, c *slot, o kernel.Outcome) {
	c.outcome = o
	s.occupy(sl, c, 0)
	if s.replay {
		if wait := s.recordedExit(c); wait >= 0 {
			s.report(sl, c, s.now+wait)
			return
		}
	}
	wait := s.taskExit.median + s.nodeDone.median
	if s.cfg.Jitter.Launch {
		k := uint64(s.key(drawExit).At(s.attemptKey(c)))
		wait = s.taskExit.steps[k&255] + s.nodeDone.steps[k>>8&255]
	}
	s.report(sl, c, s.now+wait)
}

// mapFinished handles the end of a map's attempt. After the last one the waiting reduces continue,
// and a job without reduces ends. Maps that run again for lost output (master.redo) have finished
// once: shuffles need not wait for them, see ready.
func (s *Sim) mapFinished(sl int32, c *slot) {
	m, job := &s.jobs[c.job], &s.work.Jobs[c.job]
	m.doneMaps++
	s.useful = s.now
	m.mapTime, m.timedMaps = m.mapTime+s.now-c.granted, m.timedMaps+1
	if s.loses {
		s.outputBack(m, c)
	}
	if s.execOn {
		s.exec.MapDone(s.now, s.task(c), simcore.NodeID(c.node))
		s.armExec()
	}
	s.exit(sl, c, kernel.Finished)
	if m.doneMaps+m.redo == job.Maps {
		s.times[c.job].LastMap = s.now
		s.startShuffles(m)
	}
	if m.doneMaps == job.Maps {
		s.rec.MapsDone(simcore.JobID(c.job), s.now)
		if m.doneReds == job.Reduces {
			s.finishJob(c.job, false)
			return
		}
	}
	if m.asleep {
		s.wakeEnded(c.job, m)
	}
}

// reduceFinished handles the end of a reduce's attempt. After the last one maps that still run are
// killed, and the job ends.
func (s *Sim) reduceFinished(sl int32, c *slot) {
	m := &s.jobs[c.job]
	m.doneReds++
	s.useful = s.now
	if s.loses {
		s.redDone[s.plan.redBase[c.job]+c.task] = true
	}
	s.exit(sl, c, kernel.Finished)
	if m.doneReds == s.work.Jobs[c.job].Reduces {
		s.endMaps(c.job, m)
		s.finishJob(c.job, false)
		return
	}
	if m.asleep {
		s.wakeEnded(c.job, m)
	}
}

// kill has a master kill a running attempt.
func (s *Sim) kill(sl int32, c *slot) {
	s.quit(sl, c)
	c.outcome = kernel.Killed
	s.report(sl, c, or(s.recordedKill(c), s.now+s.latency(s.cal.KillDelay, s.key(drawExit).At(s.attemptKey(c)), 2)))
}

// quit removes a container from shared cores, its node's list of
// reports, or a list of its master's kind, and clears its leaf.
func (s *Sim) quit(sl int32, c *slot) {
	s.occupy(sl, c, 0)
	switch c.state {
	case launching, masterWork:
		cpu := s.cpuOf(c.node)
		s.cpus[cpu].drop(s.now, sl)
		s.tree.Set(s.cpuLeaf(cpu), s.cpus[cpu].next())
	case ending:
		s.slots.unlink(&s.nodes[c.node].done, sl)
	default:
		s.kindOf(c.job).quit(sl, c)
	}
	s.tree.Clear(s.slotLeaf(sl))
}
