package yarn

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The life of a task in its container. A map runs and exits. A reduce waits until every map
// has finished once (waits), copies what is left (shuffling), then sorts and runs
// (reducing). Under the resource model both are in the hands of exec.go from their start.

// slotEvent is the event a container's leaf holds. Each case sets the leaf's
// next event or clears it.
func (s *Sim) slotEvent(sl int32) {
	c := &s.slots.all[sl]
	if c.kind <= reduceContainer {
		s.taskEvent(sl, c)
		return
	}
	switch c.state {
	case masterWait:
		c.state = masterWork
		s.tree.Clear(s.slotLeaf(sl))
		_, work, threads := s.kindOf(c.job).starting(c.job)
		s.startWork(s.cpuOf(c.node), sl, work, threads)
	case masterWork:
		s.register(sl)
	case masterRuns:
		s.kindOf(c.job).beat(c.job)
	case masterEnds, masterStops:
		s.masterEnd(sl, c)
	default:
		s.kindOf(c.job).event(sl)
	}
}

// taskNo is the task's number over all recorded tasks, -1 without records.
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

// run starts the attempt's own time now.
func (s *Sim) run(sl int32) { s.runAt(sl, &s.slots.all[sl], s.now) }

// task names a container's task.
func (s *Sim) task(c *slot) simcore.Task {
	return simcore.Task{Job: simcore.JobID(c.job), Kind: simcore.Kind(c.kind), Index: c.task}
}

// runAt starts the attempt's own time at an instant not before now.
func (s *Sim) runAt(sl int32, c *slot, at simcore.Time) {
	if s.execOn {
		if at > s.now {
			c.state = arming
			s.tree.Set(s.slotLeaf(sl), at)
		} else {
			s.startExec(sl, c)
		}
		return
	}
	m := &s.jobs[c.job]
	if c.kind == reduceContainer {
		c.at = at // it copies from here on
		if !s.ready(c) {
			c.state, c.next = waits, m.redWait
			m.redWait = sl
			s.tree.Clear(s.slotLeaf(sl))
			return
		}
		s.shuffle(sl, c)
		return
	}
	d := s.durs.Map(s.task(c), int32(c.try), simcore.NodeID(c.node), c.loc)
	if s.replay {
		d = s.recordedWork(c, d)
	}
	c.state, c.at = running, at
	if s.cfg.Faults.Attempt > 0 {
		d = s.maybeFail(c, d)
	}
	s.tree.Lower(s.slotLeaf(sl), at+d)
}

// maybeFail shortens an attempt that is going to fail.
func (s *Sim) maybeFail(c *slot, d simcore.Time) simcore.Time {
	if part, ok := s.failsAfter(c); ok {
		c.state = fails
		return simcore.Time(float64(d) * part)
	}
	return d
}

// failsAfter draws whether an attempt fails, and after which part of its time
// or work.
func (s *Sim) failsAfter(c *slot) (part float64, ok bool) {
	if s.cfg.Faults.Attempt <= 0 {
		return 1, false
	}
	k := s.keys.fail.At(s.attemptKey(c))
	if k.Float64(0) >= s.cfg.Faults.Attempt {
		return 1, false
	}
	return k.Float64(1), true
}

// shuffle sets when a reduce whose job's maps are all done has copied the rest. It learns of
// the last map when it next asks, which it does at a period from its start (ShufflePoll).
func (s *Sim) shuffle(sl int32, c *slot) {
	m := s.times[c.job].LastMap
	if s.work.Jobs[c.job].Maps == 0 {
		m = 0 // nothing to wait for
	}
	from, copying := max(c.at, m), s.durs.Shuffle(s.task(c), c.at, m)
	if a := s.attempt(c); a != nil {
		copying = or(a.Shuffle, copying)
	}
	end := from + copying
	if s.opt.Times == UserTimes && !s.replay {
		k := s.keys.shuffle.At(s.attemptKey(c))
		poll := max(millis(s.cal.ShufflePoll), 1)
		if c.at < m { // asked in vain before
			end = end - from + c.at + (m-c.at+poll-1)/poll*poll
		}
		end += s.latency(s.cal.ShuffleTail, k, 0)
	}
	c.state = shuffling
	s.tree.Set(s.slotLeaf(sl), max(end, s.now))
}

// reduceRuns takes a reduce from its shuffle to its user's code.
func (s *Sim) reduceRuns(sl int32, c *slot) {
	if s.policy.on {
		s.copied(c)
	}
	d := s.durs.Reduce(s.task(c), int32(c.try), simcore.NodeID(c.node))
	d = s.recordedWork(c, d)
	if s.opt.Times == UserTimes && !s.replay {
		d += s.latency(s.cal.ReduceEnd, s.keys.shuffle.At(s.attemptKey(c)), 1)
	}
	c.state = reducing
	s.tree.Set(s.slotLeaf(sl), s.now+s.maybeFail(c, d))
}

// exit has the container of an attempt that ended now reported when its process is gone and
// its node has noticed.
func (s *Sim) exit(sl int32, c *slot, o kernel.Outcome) {
	c.outcome = o
	if s.replay {
		if wait := s.recordedExit(c); wait >= 0 {
			s.report(sl, c, s.now+wait)
			return
		}
	}
	wait := s.taskExit.median + s.nodeDone.median
	if s.cfg.Jitter.Launch {
		k := uint64(s.keys.exit.At(s.attemptKey(c)))
		wait = s.taskExit.steps[k&255] + s.nodeDone.steps[k>>8&255]
	}
	s.report(sl, c, s.now+wait)
}

// mapFinished is the end of a map's attempt. The last one lets the reduces go on that wait
// for it, and ends a job without reduces.
func (s *Sim) mapFinished(sl int32, c *slot) {
	m, job := &s.jobs[c.job], &s.work.Jobs[c.job]
	m.doneMaps++
	s.useful = s.now
	// The mean feeds the policies and the ramp-up of reduces.
	m.mapTime, m.timedMaps = m.mapTime+s.now-c.granted, m.timedMaps+1
	if s.restarts {
		s.outputBack(m, c)
	}
	if s.execOn {
		s.exec.MapDone(s.now, s.task(c), simcore.NodeID(c.node))
		s.armExec()
	}
	if s.cfg.Speculate {
		s.won(sl, c)
	}
	s.exit(sl, c, kernel.Finished)
	// Maps that run again for lost output (redo) have finished once: shuffles need not wait
	// for all of them, see ready.
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

// reduceFinished is the end of a reduce's attempt. The last one ends the job.
func (s *Sim) reduceFinished(sl int32, c *slot) {
	m := &s.jobs[c.job]
	m.doneReds++
	s.useful = s.now
	if s.restarts {
		s.redDone[s.plan.redBase[c.job]+c.task] = true
	}
	if s.cfg.Speculate {
		s.won(sl, c)
	}
	s.exit(sl, c, kernel.Finished)
	if m.doneReds == s.work.Jobs[c.job].Reduces { // maps that still run serve nobody
		s.endMaps(c.job, m)
		s.finishJob(c.job, false)
		return
	}
	if m.asleep {
		s.wakeEnded(c.job, m)
	}
}

// kill orders the end of a running attempt, by its master.
func (s *Sim) kill(sl int32) {
	c := &s.slots.all[sl]
	s.quit(sl, c)
	c.outcome = kernel.Killed
	s.report(sl, c, or(s.recordedKill(c), s.now+s.latency(s.cal.KillDelay, s.keys.exit.At(s.attemptKey(c)), 2)))
}

// quit takes a container out of whatever it waits in: shared cores, its node's list of
// reports, or a list of its master's kind. Its leaf is clear then.
func (s *Sim) quit(sl int32, c *slot) {
	switch c.state {
	case launching, masterWork:
		cpu := s.cpuOf(c.node)
		s.cpus[cpu].drop(s.now, sl)
		s.tree.Set(s.cpuLeaf(cpu), s.cpus[cpu].next())
	case ending:
		nd := &s.nodes[c.node]
		at := &nd.done
		for *at >= 0 && *at != sl {
			at = &s.slots.all[*at].next
		}
		if *at == sl {
			*at = c.next
		}
	default:
		s.kindOf(c.job).quit(sl)
	}
	s.tree.Clear(s.slotLeaf(sl))
}
