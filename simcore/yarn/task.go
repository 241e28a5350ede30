package yarn

import (
	"math"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// arrival submits every job due now.
func (s *Sim) arrival() {
	for int(s.next) < len(s.arrivals) && s.arrive[s.arrivals[s.next]] <= s.now {
		j := s.arrivals[s.next]
		s.next++
		if s.opt.Times == AttemptTimes || s.submitting(j) {
			s.submit(j)
		}
	}
	s.armArrival()
}

// submitting puts a planned submission on its way: the client's latency and
// work. It reports whether the job is there at once.
//
// Where all nodes are one machine the client works on it too; else it has a
// machine of its own. The wait comes first, as a shift of the arrival.
func (s *Sim) submitting(j int32) bool {
	if s.onTheWay[j] {
		if len(s.cpus) == 1 && s.cal.CPUScope == ScopeCluster && s.cal.SubmitWork > 0 {
			s.startWork(0, -1-j, s.drawWorkTime(s.keys.work.At(uint64(j)), 0, s.cal.SubmitWork), 1)
			return false
		}
		return true
	}
	s.onTheWay[j] = true
	wait := s.latency(s.cal.Submit, s.keys.submit, uint64(j))
	if s.cal.CPUScope != ScopeCluster {
		wait += millis(s.cal.SubmitWork)
	}
	s.delay(j, s.now+wait)
	return false
}

// delay moves a job's arrival to a later time.
func (s *Sim) delay(j int32, at simcore.Time) {
	s.next--
	i := int(s.next)
	s.arrive[j] = at
	for ; i+1 < len(s.arrivals) && s.arrive[s.arrivals[i+1]] < at; i++ {
		s.arrivals[i] = s.arrivals[i+1]
	}
	s.arrivals[i] = j
}

// submit hands the job to the ResourceManager.
func (s *Sim) submit(j int32) {
	job := &s.work.Jobs[j]
	s.times[j].Submit = s.now
	app, err := s.sched.Submit(AppSpec{Name: job.ID, User: s.work.Users[job.User], Queue: s.work.Queues[job.Queue], Priority: job.Priority, AM: s.plan.amAsk[j]})
	if err != nil {
		s.times[j].Status = Rejected
		s.left--
		s.rec.JobEnded(simcore.JobID(j), s.now, true)
		return
	}
	for int(app) >= len(s.appJob) {
		s.appJob = append(s.appJob, -1)
	}
	s.appJob[app] = j
	s.jobs[j].app = app
	s.rec.Pending(simcore.JobID(j), job.Maps+job.Reduces)
	s.wakeNodes()
}

// latency draws a latency, or takes its median where launches do not vary.
func (s *Sim) latency(l Latency, k rng.Key, i uint64) simcore.Time {
	if !s.cfg.Jitter.Launch {
		return millis(l.At(0.5))
	}
	return l.draw(k, i)
}

// drawWorkTime draws a launch's work.
func (s *Sim) drawWorkTime(k rng.Key, i uint64, ms float64) simcore.Time {
	if s.cfg.Jitter.Launch && s.cal.WorkSpread > 0 {
		ms *= math.Exp(s.cal.WorkSpread * k.Norm(i))
	}
	return millis(ms)
}

func (s *Sim) cpuOf(node int32) int {
	if len(s.cpus) == 1 {
		return 0
	}
	return int(node)
}

func (s *Sim) startWork(cpu int, id int32, w simcore.Time, threads float64) {
	c := &s.cpus[cpu]
	c.add(s.now, id, w, threads)
	s.tree.Set(s.cpuLeaf(cpu), c.next())
}

// cpuEvent ends a launch's work.
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
		s.run(id)
	}
}

func (s *Sim) recorded(v func(*Recorded) []simcore.Time, i int32) (simcore.Time, bool) {
	if s.cfg.Recorded == nil || i < 0 {
		return 0, false
	}
	if l := v(s.cfg.Recorded); int(i) < len(l) && l[i] >= 0 {
		return l[i], true
	}
	return 0, false
}

// startMaster launches an AM container; the ResourceManager does so itself, at
// once.
func (s *Sim) startMaster(sl int32) {
	c := &s.slots.all[sl]
	m := &s.jobs[c.job]
	m.slot = sl
	s.times[c.job].AMAllocated = s.now
	c.state = masterWait
	wait, ok := s.recorded(func(r *Recorded) []simcore.Time { return r.AMStart }, c.job)
	if ok {
		c.state = masterWork // no work left: registers when the wait is over
	} else {
		wait = s.latency(s.cal.AMStart, s.keys.master, uint64(c.job))
	}
	s.tree.Set(s.slotLeaf(sl), s.now+wait)
}

// register is the AM's registration: a period later it asks for the first
// time.
func (s *Sim) register(sl int32) {
	c := &s.slots.all[sl]
	m := &s.jobs[c.job]
	s.times[c.job].Registered = s.now
	c.state = masterRuns
	s.startJob(c.job)
	m.beat = s.masterBeatAfter(c.job, s.now+1, s.now+millis(s.cal.AMBeat))
	s.tree.Set(s.slotLeaf(sl), m.beat)
	if job := &s.work.Jobs[c.job]; job.Maps+job.Reduces == 0 {
		s.finishJob(c.job, false)
	}
}

// slotEvent is the event a container's leaf holds. Each case sets the leaf's
// next event or clears it.
func (s *Sim) slotEvent(sl int32) {
	c := &s.slots.all[sl]
	switch c.state {
	case masterWait:
		c.state = masterWork
		s.tree.Clear(s.slotLeaf(sl))
		s.startWork(s.cpuOf(c.node), sl, s.drawWorkTime(s.keys.work.At(1<<40|uint64(c.job)), 0, s.cal.AMWork), s.cal.AMThreads)
	case masterWork:
		s.register(sl)
	case masterRuns:
		s.masterBeat(c.job)
	case masterEnds, masterStops:
		s.masterEnd(sl, c)
	case starting:
		s.work0(sl, c)
	case running:
		s.mapDone0(sl, c)
	case fails:
		s.attemptFailed(sl, c)
	case shuffling:
		s.reduceRuns(sl, c)
	case reducing:
		s.reduceDone(sl, c)
	}
}

// taskNo is the task's number over all recorded tasks, -1 without records.
func (s *Sim) taskNo(c *slot) int32 {
	job := &s.work.Jobs[c.job]
	if job.FirstTask < 0 {
		return -1
	}
	if c.kind == reduce {
		return job.FirstTask + job.Maps + c.task
	}
	return job.FirstTask + c.task
}

// launch sends a task to its container's node.
func (s *Sim) launch(sl, task int32) {
	c := &s.slots.all[sl]
	c.task, c.launched = task, true
	if c.kind == failedMap {
		c.kind = map0
	}
	c.try = s.nextTry(c)
	c.loc = s.locality(c)
	key := s.keys.launch.At(s.attemptKey(c))
	c.state = starting
	wait, ok := s.recorded(func(r *Recorded) []simcore.Time { return r.Launch }, s.taskNo(c))
	if ok && c.try == 0 {
		c.state = launching
		c.at = s.now + wait
		s.launchedAt(c, s.now)
		s.runAt(sl, c, s.now+wait)
		return
	}
	at := s.now + s.latency(s.cal.StartRequest, key, 0)
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

func (s *Sim) launchedAt(c *slot, at simcore.Time) {
	s.rec.Launched(simcore.JobID(c.job), at)
	s.rec.Pending(simcore.JobID(c.job), -1)
	t := &s.times[c.job]
	if c.kind == reduce {
		t.FirstReduce = min(t.FirstReduce, at)
	} else {
		t.FirstMap = min(t.FirstMap, at)
	}
}

// attemptKey keys an attempt's draws.
func (s *Sim) attemptKey(c *slot) uint64 {
	g := s.plan.mapBase[c.job] + c.task
	if c.kind == reduce {
		g = s.plan.redBase[c.job] + c.task
	}
	return uint64(c.try)<<48 | uint64(c.kind)<<40 | uint64(uint32(g))
}

func (s *Sim) nextTry(c *slot) uint8 {
	if !s.countsTries() {
		return 0
	}
	tries := s.tries(c)
	try := *tries
	*tries = try + 1
	return try
}

func (s *Sim) tries(c *slot) *uint8 {
	if c.kind == reduce {
		return &s.redTries[s.plan.redBase[c.job]+c.task]
	}
	return &s.mapTries[s.plan.mapBase[c.job]+c.task]
}

func (s *Sim) locality(c *slot) simcore.Locality {
	if c.kind == reduce || !s.plan.local {
		return simcore.NodeLocal
	}
	g := s.plan.mapBase[c.job] + c.task
	rows := s.plan.mapRows[s.plan.mapRowAt[g]:s.plan.mapRowAt[g+1]]
	best := simcore.OffSwitch
	if len(rows) == 0 {
		best = simcore.NodeLocal
	}
	for _, r := range rows {
		switch s.plan.rowAt[r] {
		case c.node:
			return simcore.NodeLocal
		case -2 - s.cluster.Nodes[c.node].Rack:
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
		m.seen = grow(m.seen, len(s.nodes))
		m.seen[s.slots.all[m.slot].node] = true // the AM's own
	}
	first := !m.seen[c.node]
	m.seen[c.node] = true
	return first
}

// work0 starts the launch's work on the node's cores, with the processor time
// of the user's code where the workload has it (Job.MapCPU, Job.ReduceCPU).
func (s *Sim) work0(sl int32, c *slot) {
	w, job := s.cal.MapWork, &s.work.Jobs[c.job]
	perTask, bytes := job.MapCPU, float64(job.InputBytes)/float64(max(job.Maps, 1))
	if c.kind == reduce {
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

func (s *Sim) run(sl int32) { s.runAt(sl, &s.slots.all[sl], s.now) }

func (s *Sim) task(c *slot) simcore.Task {
	return simcore.Task{Job: simcore.JobID(c.job), Kind: simcore.Kind(c.kind), Index: c.task}
}

// runAt starts the attempt's own time at an instant not before now.
func (s *Sim) runAt(sl int32, c *slot, at simcore.Time) {
	m := &s.jobs[c.job]
	if c.kind == reduce {
		c.at = at
		if m.doneMaps < s.work.Jobs[c.job].Maps {
			c.state, c.next = waits, m.redWait
			m.redWait = sl
			s.tree.Clear(s.slotLeaf(sl))
			return
		}
		s.shuffle(sl, c)
		return
	}
	d := s.durs.Map(s.task(c), int32(c.try), simcore.NodeID(c.node), c.loc)
	c.state, c.at = running, at
	s.tree.Set(s.slotLeaf(sl), at+s.maybeFail(c, d))
}

// maybeFail shortens an attempt that is going to fail.
func (s *Sim) maybeFail(c *slot, d simcore.Time) simcore.Time {
	p := s.cfg.Faults.Attempt
	if p <= 0 {
		return d
	}
	k := s.keys.fail.At(s.attemptKey(c))
	if k.Float64(0) >= p {
		return d
	}
	c.state = fails
	return simcore.Time(float64(d) * k.Float64(1))
}

// shuffle sets when a reduce whose job's maps are all done has copied the
// rest: it learns of the last map when it next asks.
func (s *Sim) shuffle(sl int32, c *slot) {
	m := s.times[c.job].LastMap
	if s.work.Jobs[c.job].Maps == 0 {
		m = 0
	}
	from := max(c.at, m)
	end := from + s.durs.Shuffle(s.task(c), c.at, m)
	if s.opt.Times == UserTimes && s.cfg.Recorded == nil {
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

func (s *Sim) reduceRuns(sl int32, c *slot) {
	d := s.durs.Reduce(s.task(c), int32(c.try), simcore.NodeID(c.node))
	if s.opt.Times == UserTimes && s.cfg.Recorded == nil {
		d += s.latency(s.cal.ReduceEnd, s.keys.shuffle.At(s.attemptKey(c)), 1)
	}
	c.state = reducing
	s.tree.Set(s.slotLeaf(sl), s.now+s.maybeFail(c, d))
}

// exit reports the container of an attempt that ended now.
func (s *Sim) exit(sl int32, c *slot, o simcore.Outcome) {
	c.outcome = o
	wait, ok := s.recorded(func(r *Recorded) []simcore.Time { return r.Exit }, s.taskNo(c))
	if !ok || c.try > 0 {
		k := s.keys.exit.At(s.attemptKey(c))
		wait = s.latency(s.cal.TaskExit, k, 0) + s.latency(s.cal.NodeDone, k, 1)
	}
	s.report(sl, s.now+wait)
}

func (s *Sim) mapDone0(sl int32, c *slot) {
	m, job := &s.jobs[c.job], &s.work.Jobs[c.job]
	m.doneMaps++
	if s.cfg.Faults.NodeMTTF > 0 {
		s.mapNode[s.plan.mapBase[c.job]+c.task] = c.node
	}
	s.won(sl, c)
	s.exit(sl, c, simcore.Finished)
	if m.doneMaps == job.Maps {
		s.times[c.job].LastMap = s.now
		s.rec.MapsDone(simcore.JobID(c.job), s.now)
		s.startShuffles(m)
		if m.doneReds == job.Reduces {
			s.finishJob(c.job, false)
			return
		}
	}
	s.wake(c.job)
}

// startShuffles lets the reduces that waited for the last map go on.
func (s *Sim) startShuffles(m *master) {
	for sl := m.redWait; sl >= 0; {
		c := &s.slots.all[sl]
		next := c.next
		s.shuffle(sl, c)
		sl = next
	}
	m.redWait = -1
}

func (s *Sim) reduceDone(sl int32, c *slot) {
	m := &s.jobs[c.job]
	m.doneReds++
	s.won(sl, c)
	s.exit(sl, c, simcore.Finished)
	if m.doneReds == s.work.Jobs[c.job].Reduces && m.doneMaps == s.work.Jobs[c.job].Maps {
		s.finishJob(c.job, false)
		return
	}
	s.wake(c.job)
}

// kill orders the end of a running attempt.
func (s *Sim) kill(sl int32) {
	c := &s.slots.all[sl]
	s.quit(sl, c)
	c.outcome = simcore.Killed
	s.report(sl, s.now+s.latency(s.cal.KillDelay, s.keys.exit.At(s.attemptKey(c)), 2))
}

// quit takes a container out of whatever it waits in.
func (s *Sim) quit(sl int32, c *slot) {
	switch c.state {
	case launching, masterWork:
		cpu := s.cpuOf(c.node)
		s.cpus[cpu].drop(s.now, sl)
		s.tree.Set(s.cpuLeaf(cpu), s.cpus[cpu].next())
	case waits:
		at := &s.jobs[c.job].redWait
		for *at >= 0 && *at != sl {
			at = &s.slots.all[*at].next
		}
		if *at == sl {
			*at = c.next
		}
	case ending:
		nd := &s.nodes[c.node]
		at := &nd.done
		for *at >= 0 && *at != sl {
			at = &s.slots.all[*at].next
		}
		if *at == sl {
			*at = c.next
		}
	}
	s.tree.Clear(s.slotLeaf(sl))
}

// finishJob is the end of a job's last task, or its failure.
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
	wait, ok := s.recorded(func(r *Recorded) []simcore.Time { return r.Commit }, j)
	if !ok {
		wait = s.latency(s.cal.Commit, s.keys.commit.At(uint64(j)), 0)
	}
	s.slots.all[m.slot].state = masterEnds
	s.tree.Set(s.slotLeaf(m.slot), s.now+wait)
}

// masterEnd takes a closed AM from commit to unregistering, and from there to
// the end of its process.
func (s *Sim) masterEnd(sl int32, c *slot) {
	k := s.keys.commit.At(uint64(c.job))
	if c.state == masterEnds {
		s.times[c.job].Finish = s.now
		s.rec.JobEnded(simcore.JobID(c.job), s.now, s.times[c.job].Status == Failed)
		wait, ok := s.recorded(func(r *Recorded) []simcore.Time { return r.Unregister }, c.job)
		if !ok {
			wait = s.latency(s.cal.Unregister, k, 1)
		}
		c.state = masterStops
		s.tree.Set(s.slotLeaf(sl), s.now+wait)
		return
	}
	wait, ok := s.recorded(func(r *Recorded) []simcore.Time { return r.AMExit }, c.job)
	if !ok {
		wait = s.latency(s.cal.Linger, k, 2) + s.latency(s.cal.NodeDone, k, 3)
	}
	s.report(sl, s.now+wait)
}

// endApp ends an application whose AM is gone, with all it still holds.
func (s *Sim) endApp(j int32) {
	m := &s.jobs[j]
	m.slot = -1
	s.spare = s.spare[:0]
	for ord, sl := range m.ords {
		if sl < 0 {
			continue
		}
		c := &s.slots.all[sl]
		s.quit(sl, c)
		c.outcome = simcore.Killed
		m.ords[ord] = gone | int32(master0)
		s.spare = append(s.spare, c.node)
		s.release(sl)
	}
	s.sched.End(m.app)
	for _, n := range s.spare {
		s.freed(n)
	}
	s.times[j].Released = s.now
	s.left--
}
