package yarn

import (
	"math"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The launch of a container: a wait until the NodeManager has the request, the fetch of the
// job's files for its first container on a node, work on the node's cores, and where the
// input lies. Recorded attempt times (AttemptTimes) have the launch in them: only the first
// wait is left.

// latency draws a latency, or takes its median where launches do not vary.
func (s *Sim) latency(l Latency, k rng.Key, i uint64) simcore.Time {
	if !s.cfg.Jitter.Launch {
		return millis(l.At(0.5))
	}
	return l.draw(k, i)
}

// quick is a latency as 256 equal steps of its quantiles, for what every task needs: a draw
// is a look-up by eight random bits.
type quick struct {
	steps  [256]simcore.Time
	median simcore.Time
}

// set takes the quantiles of a latency.
func (q *quick) set(l Latency) {
	for i := range q.steps {
		q.steps[i] = millis(l.At((float64(i) + 0.5) / 256))
	}
	q.median = millis(l.At(0.5))
}

// quickly draws from eight bits, or takes the median where launches do not
// vary.
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

// drawPace is the factor on all work of a run.
func (s *Sim) drawPace() float64 {
	if !s.cfg.Jitter.Launch || s.cal.MachineSpread <= 0 {
		return 1
	}
	return math.Exp(s.cal.MachineSpread * s.keys.work.Norm(1<<63))
}

// cpuOf is the set of shared cores of a node.
func (s *Sim) cpuOf(node int32) int {
	if len(s.cpus) == 1 {
		return 0
	}
	return int(node)
}

// startWork puts work on shared cores, by a number of busy threads. id is the slot that it is
// for, or -1 less the job that is being submitted.
func (s *Sim) startWork(cpu int, id int32, w simcore.Time, threads float64) {
	c := &s.cpus[cpu]
	c.add(s.now, id, w, threads)
	s.tree.Set(s.cpuLeaf(cpu), c.next())
}

// cpuEvent ends the work that is done first on shared cores.
func (s *Sim) cpuEvent(cpu int) {
	c := &s.cpus[cpu]
	id := c.pop(s.now)
	s.tree.Set(s.cpuLeaf(cpu), c.next())
	if id < 0 {
		s.submit(-1 - id)
		return
	}
	if c := &s.slots.all[id]; c.state == masterWork {
		s.register(id)
	} else {
		s.kindOf(c.job).worked(id)
	}
}

// launch sends a task to its container's node, with a first attempt or another.
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
	if s.tries {
		c.try = s.nextTry(c)
	}
	if s.plan.local && c.kind != reduceContainer {
		c.loc = s.locality(c)
	}
	if s.hangs(c) {
		c.state = dead
		s.launchedAt(c, s.now)
		return
	}
	key := s.keys.launch.At(s.attemptKey(c))
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
	s.tree.Lower(s.slotLeaf(sl), at)
}

// launchedAt books the launch of a task at an instant not before now.
func (s *Sim) launchedAt(c *slot, at simcore.Time) {
	s.rec.Launched(simcore.JobID(c.job), at)
	s.rec.Pending(simcore.JobID(c.job), -1)
	t := &s.times[c.job]
	if c.kind == reduceContainer {
		t.FirstReduce = min(t.FirstReduce, at)
	} else {
		t.FirstMap = min(t.FirstMap, at)
	}
}

// attemptKey keys an attempt's draws.
func (s *Sim) attemptKey(c *slot) uint64 {
	return uint64(c.try)<<48 | uint64(c.kind)<<40 | uint64(uint32(s.number(c)))
}

// nextTry counts an attempt of a task and returns how many there were before it.
func (s *Sim) nextTry(c *slot) uint16 {
	tries := &s.mapTries
	if c.kind == reduceContainer {
		tries = &s.redTries
	}
	at := &(*tries)[s.number(c)]
	try := *at
	*at = try + 1
	return try
}

// number is the task's among all maps, or all reduces.
func (s *Sim) number(c *slot) int32 {
	if c.kind == reduceContainer {
		return s.plan.redBase[c.job] + c.task
	}
	return s.plan.mapBase[c.job] + c.task
}

// locality is how far a map's container is from its input.
func (s *Sim) locality(c *slot) simcore.Locality {
	g := s.plan.mapBase[c.job] + c.task
	rows := s.plan.mapRows[s.plan.mapRowAt[g]:s.plan.mapRowAt[g+1]]
	rack, best := -2-s.cluster.Nodes[c.node].Rack, simcore.OffSwitch
	if len(rows) == 0 {
		best = simcore.NodeLocal
	}
	for _, r := range rows {
		switch s.plan.rowAt[r] {
		case c.node:
			return simcore.NodeLocal
		case rack:
			best = simcore.RackLocal
		}
	}
	return best
}

// firstOn reports, once, that a job's files are not on the container's node
// yet.
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

// workOfLaunch starts the launch's work on the node's cores, with the processor time of the
// user's code where the workload has it (Job.MapCPU, Job.ReduceCPU).
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
	s.startWork(s.cpuOf(c.node), sl, s.drawWorkTime(s.keys.work.At(s.attemptKey(c)), 1, w), 1)
}
