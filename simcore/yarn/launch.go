package yarn

import (
	"math"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The launch of a container: a wait until the NodeManager has the request, the fetch of the
// job's files for its first container on a node, and work on the node's cores. Recorded attempt
// times (AttemptTimes) include the launch except for the first wait.

// latency draws a latency, or returns its median if launches do not vary.
func (s *Sim) latency(l Latency, k rng.Key, i uint64) simcore.Time {
	if !s.cfg.Jitter.Launch {
		return millis(l.At(0.5))
	}
	return l.draw(k, i)
}

// quick is a latency as 256 equal steps of its quantiles, for those that every task needs: a draw
// is a look-up by eight random bits.
type quick struct {
	steps  [256]simcore.Time
	median simcore.Time
}

// set computes the steps of a latency.
func (q *quick) set(l Latency) {
	for i := range q.steps {
		q.steps[i] = millis(l.At((float64(i) + 0.5) / 256))
	}
	q.median = millis(l.At(0.5))
}

// quickly draws with eight bits, or returns the median if launches do not vary.
func (s *Sim) quickly(q *quick, bits uint64) simcore.Time {
	if !s.cfg.Jitter.Launch {
		return q.median
	}
	return q.steps[bits&255]
}

// drawWorkTime draws a launch's work, in processor time, around ms milliseconds.
func (s *Sim) drawWorkTime(k rng.Key, i uint64, ms float64) simcore.Time {
	if s.cfg.Jitter.Launch && s.cal.WorkSpread > 0 {
		ms *= math.Exp(s.cal.WorkSpread * k.Norm(i))
	}
	return millis(ms * s.pace)
}

// drawPace draws the factor on all work of a run.
func (s *Sim) drawPace() float64 {
	if !s.cfg.Jitter.Launch || s.cal.MachineSpread <= 0 {
		return 1
	}
	return math.Exp(s.cal.MachineSpread * s.key(drawWork).Norm(1<<63))
}

// cpuOf returns the index of a node's set of shared cores.
func (s *Sim) cpuOf(node int32) int { return min(int(node), len(s.cpus)-1) }

// startWork starts work on shared cores, by a number of busy threads. id is the slot that it is
// for, or -1 less the job that is being submitted.
func (s *Sim) startWork(cpu int, id int32, w simcore.Time, threads float64) {
	c := &s.cpus[cpu]
	c.add(s.now, id, w, threads)
	s.tree.Set(s.cpuLeaf(cpu), c.next())
}

// cpuEvent ends the first work on shared cores.
func (s *Sim) cpuEvent(cpu int) {
	c := &s.cpus[cpu]
	id := c.pop(s.now)
	s.tree.Set(s.cpuLeaf(cpu), c.next())
	if id < 0 {
		s.submit(-1 - id)
		return
	}
	if c := &s.slots.all[id]; c.state == masterWork {
		s.register(c)
	} else {
		s.kindOf(c.job).worked(id, c)
	}
}

// launch starts an attempt of a task in its container.
func (s *Sim) launch(sl, task int32) {
	c := &s.slots.all[sl]
	c.task, c.launched = task, true
	if c.kind == reduceContainer {
		s.jobs[c.job].heldReds++
	}
	if c.kind == failedMapContainer {
		c.kind = mapContainer
	}
	c.try, c.loc = 0, simcore.NodeLocal
	if s.loses {
		c.try = s.nextTry(c)
	}
	if s.plan.local && c.kind != reduceContainer {
		c.loc = s.distance(s.plan.rowsOf(s.plan.mapBase[c.job]+task), s.plan.rowAt, c.node)
	}
	if s.hangs(c) {
		c.state = dead
		s.launchedAt(c, s.now)
		return
	}
	key := s.key(drawLaunch).At(s.attemptKey(c))
	c.state = starting
	if s.replay {
		if wait := s.recordedLaunch(c); wait >= 0 {
			c.state = launching
			c.at = s.now + wait
			s.launchedAt(c, s.now)
			s.runAt(sl, c, s.now+wait)
			return
		}
	}
	at := s.now + s.quickly(&s.start, uint64(key))
	s.launchedAt(c, at)
	if s.opt.Times == AttemptTimes {
		s.runAt(sl, c, at)
		return
	}
	if c.fetches = s.firstOn(c); c.fetches {
		at += s.latency(s.cal.Localise, key, 1)
	}
	s.tree.Set(s.slotLeaf(sl), at)
}

// launchedAt records the launch of a task, now or later.
func (s *Sim) launchedAt(c *slot, at simcore.Time) {
	s.rec.Launched(simcore.JobID(c.job), at)
	s.rec.Pending(simcore.JobID(c.job), -1)
	t := &s.times[c.job]
	if c.kind == reduceContainer {
		s.rec.ReduceLaunched(simcore.JobID(c.job), at)
		t.FirstReduce = min(t.FirstReduce, at)
	} else {
		t.FirstMap = min(t.FirstMap, at)
	}
}

// attemptKey returns the number of an attempt's draws.
func (s *Sim) attemptKey(c *slot) uint64 {
	return uint64(c.try)<<48 | uint64(c.kind)<<40 | uint64(uint32(s.number(c)))
}

// nextTry counts an attempt of a task and returns the number of earlier ones.
func (s *Sim) nextTry(c *slot) uint16 {
	tries := &s.tried[c.kind][s.number(c)]
	*tries++
	return *tries - 1
}

// number returns the task's number among all maps, or all reduces.
func (s *Sim) number(c *slot) int32 {
	if c.kind == reduceContainer {
		return s.plan.redBase[c.job] + c.task
	}
	return s.plan.mapBase[c.job] + c.task
}

// distance returns the distance of a node from a task's input, given by the task's rows and the places
// of rows.
func (s *Sim) distance(rows, rowAt []int32, node int32) simcore.Locality {
	rack, best := -2-s.cluster.Nodes[node].Rack, simcore.OffSwitch
	if len(rows) == 0 {
		best = simcore.NodeLocal
	}
	for _, r := range rows {
		switch rowAt[r] {
		case node:
			return simcore.NodeLocal
		case rack:
			best = simcore.RackLocal
		}
	}
	return best
}

// firstOn reports, once, that the container's node does not have the job's files.
func (s *Sim) firstOn(c *slot) bool {
	m := &s.jobs[c.job]
	if m.seen == nil || len(m.seen) != len(s.nodes) {
		m.seen = kernel.Zeroed(m.seen, len(s.nodes))
		m.seen[s.slots.all[m.slot].node] = true // the AM's own
	}
	first := !m.seen[c.node]
	m.seen[c.node] = true
	return first
}

// workOfLaunch starts the launch's work on the node's cores, with the processor time of
// user code if the workload has it (Job.MapCPU, Job.ReduceCPU).
func (s *Sim) workOfLaunch(sl int32, c *slot) {
	w, job := s.cal.MapWork, &s.work.Jobs[c.job]
	perTask, bytes := job.MapCPU, float64(job.InputBytes)/float64(max(job.Maps, 1))
	if c.kind == reduceContainer {
		w = s.cal.ReduceWork
		perTask, bytes = job.ReduceCPU, float64(job.ShuffleBytes)/float64(max(job.Reduces, 1))
	}
	w += 1000 * perTask * bytes
	if c.fetches {
		w += s.cal.LocaliseWork
	}
	c.state = launching
	s.tree.Clear(s.slotLeaf(sl))
	s.startWork(s.cpuOf(c.node), sl, s.drawWorkTime(s.key(drawWork).At(s.attemptKey(c)), 1, w), 1)
}
