package yarn

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn/spark"
)

// Executors of a Spark application: start and tasks.

// event handles the event of an executor's leaf.
func (k *sparkMaster) event(sl int32, c *slot) {
	s, a := k.s, k.apps[c.job]
	switch {
	case a == nil:
		s.tree.Clear(s.slotLeaf(sl))
	case c.state == starting:
		k.started(a, sl, c)
	case c.state == arming:
		c.state = waits
		s.tree.Clear(s.slotLeaf(sl))
		k.register(c.job, a, c.task)
	case c.state == running:
		k.endTasks(c.job, a, c.task)
	}
}

// started handles the start of an executor by the NodeManager: its process works, then waits.
func (k *sparkMaster) started(a *sparkApp, sl int32, c *slot) {
	s := k.s
	e := c.task
	a.allocs[c.try].Launched(c.node)
	a.execs[e].state = execStarting
	if wait := entry(a.recorded.Start, e-1); wait >= 0 {
		c.state = arming
		s.tree.Set(s.slotLeaf(sl), s.now+wait)
		return
	}
	s.startProcess(sl, c, k.drawWork(c.job, k.cal.ExecWork, drawExecs+uint64(e)), k.cal.ExecThreads)
}

// worked handles the end of the work of an executor's start.
func (k *sparkMaster) worked(sl int32, c *slot) {
	c.state = arming
	k.s.tree.Set(k.s.slotLeaf(sl), k.s.now+k.draw(c.job, k.cal.ExecStart, drawExecs+uint64(c.task)<<4+1))
}

// register handles an executor's registration with the driver, which offers it tasks a moment
// later. If enough have registered, the user's code continues at the driver's next check.
func (k *sparkMaster) register(j int32, a *sparkApp, e int32) {
	s := k.s
	if a.closed || a.execs[e].killed {
		return
	}
	a.execs[e].state = execLive
	k.tell(j, SparkEvent{Kind: SparkRegistered, Executor: e})
	a.monitor.Add(s.now, e, a.execs[e].profile)
	a.registered++
	if a.waiting && !a.ready && k.enough(a) {
		from := s.times[j].Registered
		a.step(max(from+(s.now-from+readyPoll-1)/readyPoll*readyPoll, a.recorded.Ready), stepReady, 0)
	}
	a.step(s.now+max(k.spanOf(j, e, a.recorded.Accept, k.cal.ExecReady, 4), a.plan.app.Ready), stepAccept, e)
	k.observe(a)
	k.arm(j, a)
}

// accept lets an executor accept tasks.
func (k *sparkMaster) accept(j int32, a *sparkApp, e int32) {
	if x := &a.execs[e]; (x.state == execLive || x.outlives) && !x.killed {
		a.tasks.AddExecutor(e, x.node, x.profile)
		k.launch(j, a, a.tasks.Offer(k.s.now, e))
		k.revive(a)
	}
}

// revive sets the next offer to all executors if slots are free because
// tasks wait for a nearer one. Offers come every second since the start of the driver's
// scheduler.
func (k *sparkMaster) revive(a *sparkApp) {
	if !a.tasks.Stuck() || a.reviveAt != simcore.Never {
		return
	}
	from := a.born
	if r := a.recorded.Revive; r > 0 {
		from = r % simcore.Second
	}
	a.reviveAt = from + (k.s.now-from)/simcore.Second*simcore.Second + simcore.Second
}

// launch starts tasks on their executors.
func (k *sparkMaster) launch(j int32, a *sparkApp, list []spark.Launch) {
	for i := range list {
		k.startTask(j, a, &list[i])
	}
}

// localityOf maps Spark's locality levels to those of the metrics, node-local unless given.
var localityOf = [...]simcore.Locality{spark.RackLocal: simcore.RackLocal, spark.AnyLevel: simcore.OffSwitch}

// startTask starts a task in the first free slot of its executor; the scheduler offers no more
// tasks than there are slots. Attempts are numbered by the attempt of the stage and the second copy.
func (k *sparkMaster) startTask(j int32, a *sparkApp, l *spark.Launch) {
	s := k.s
	i := a.sets[l.Set]
	st := &a.plan.app.Stages[i]
	x := &a.execs[l.Executor]
	runs := a.runsOf(l.Executor)
	r := &runs[slices.IndexFunc(runs, func(r sparkRun) bool { return r.set < 0 })]
	g := a.plan.taskBase[i] + l.Task
	loc := localityOf[l.Level]
	try := 16 * (a.stages[i].tries - 1)
	if l.Copy {
		try += 8
	}
	d := s.durs.Stage(simcore.JobID(j), st.FirstTask, st.Dist, g, l.Task, try, simcore.NodeID(x.node), loc)
	d = s.crowded(x.node, d)
	held := d
	rec := a.recordedTask(i, l)
	if rec != nil {
		d, held = rec.Ran, rec.Held
	} else {
		d += k.overhead(j, a, x, st, g, l.Task)
		held = d
	}
	lost := a.readsLost(st)
	if lost && (rec == nil || !rec.Failed) {
		d, held = failedFetch, failedFetch
	}
	a.launched++
	*r = sparkRun{id: a.launched - 1, set: l.Set, stage: i, task: l.Task, from: s.now, end: s.now + held,
		noted: s.now + d, loc: loc, copied: l.Copy, lost: lost}
	k.tellTask(j, a, SparkTaskStart, l.Executor, r)
	a.manager.Start(l.Set, l.Task, l.Copy)
	a.monitor.Start(l.Executor)
	s.rec.Launched(simcore.JobID(j), s.now)
	s.rec.Pending(simcore.JobID(j), -1)
	s.times[j].FirstMap = min(s.times[j].FirstMap, s.now)
	k.armExecutor(a, l.Executor)
}

// lostBlock returns the index of the cached block that a task reads, if it is lost; else -1.
func (a *sparkApp) lostBlock(st *simcore.SparkStage, task int32) int32 {
	if st.Reads >= 0 {
		if b := a.plan.blockBase[st.Reads] + task; b < a.plan.blockBase[st.Reads+1] && a.block[b] == 0 {
			return b
		}
	}
	return -1
}

// overhead returns the time of a task in addition to its own: to recompute a lost block of cached
// data; to load classes, for the tasks that an executor runs before the first of them has ended
// there; and for the driver's part if task times are those of user code alone. A recorded run
// includes all of it except the first.
func (k *sparkMaster) overhead(j int32, a *sparkApp, x *sparkExec, st *simcore.SparkStage, g, task int32) (
	d simcore.Time) {
	s := k.s
	if a.lostBlock(st, task) >= 0 {
		d += k.recompute(j, a, st.Reads, task, x)
	}
	if s.replay {
		return d
	}
	key := s.key(drawLaunch).At(k.key(j)).At(drawTasks + uint64(g))
	return d + k.programs.overhead(key, !x.used, k.cal.FirstTask, k.cal.FirstWork)
}

// recompute returns the time of the task that made a block.
func (k *sparkMaster) recompute(j int32, a *sparkApp, set, task int32, x *sparkExec) simcore.Time {
	for i := range a.plan.app.Stages {
		if st := &a.plan.app.Stages[i]; st.Caches == set && task < st.Tasks {
			return k.s.durs.Stage(simcore.JobID(j), st.FirstTask, st.Dist, a.plan.taskBase[i]+task, task, 0, simcore.NodeID(x.node),
				simcore.NodeLocal)
		}
	}
	return 0
}

// armExecutor sets an executor's leaf to the earliest end of its tasks; of one whose container is
// lost, that is a step of the driver.
func (k *sparkMaster) armExecutor(a *sparkApp, e int32) {
	s, x := k.s, &a.execs[e]
	at := simcore.Never
	k.crowd(x, a.runsOf(e))
	for _, r := range a.runsOf(e) {
		at = min(at, r.end)
	}
	if x.state == execGone {
		if x.outlives && at != simcore.Never {
			a.step(at, stepRun, e)
		}
		return
	}
	c := &s.slots.all[x.slot]
	switch {
	case c.state == dead || at == simcore.Never && c.state != running:
		return
	case at == simcore.Never:
		c.state = waits
	default:
		c.state = running
	}
	s.tree.Set(s.slotLeaf(x.slot), at)
}

// endTasks ends the tasks of an executor that are due, and starts new ones. A slot is offered
// again before the next end of the same instant. The AM's leaf changes only with its timers.
func (k *sparkMaster) endTasks(j int32, a *sparkApp, e int32) {
	s := k.s
	runs := a.runsOf(e)
	for i := range runs {
		if runs[i].end > s.now {
			continue
		}
		r := runs[i]
		runs[i] = freeRun
		a.execs[e].used = true
		a.tasks.Free(e)
		if r.noted > s.now {
			a.unnoted = append(a.unnoted, notedRun{r, e})
			a.step(r.noted, stepNote, 0)
		} else if k.endTask(j, a, e, &r); a.closed {
			return
		}
		k.launch(j, a, a.tasks.Offer(s.now, e))
	}
	if a.set.Speculation {
		k.speculate(j, a)
	}
	k.armExecutor(a, e)
	k.revive(a)
	before := min(a.loopAt, a.todoAt, a.reviveAt)
	k.observe(a)
	if min(a.loopAt, a.todoAt, a.reviveAt) != before || before != simcore.Never {
		k.arm(j, a)
	}
}

// note has the driver note the ends of tasks that are due.
func (k *sparkMaster) note(j int32, a *sparkApp) {
	for i := 0; i < len(a.unnoted) && !a.closed; {
		r := a.unnoted[i]
		if r.noted > k.s.now {
			i++
			continue
		}
		a.unnoted = slices.Delete(a.unnoted, i, i+1)
		k.endTask(j, a, r.executor, &r.sparkRun)
	}
}

// endTask handles the end of an attempt. Dynamic allocation keeps an executor with cached blocks
// longer. Another attempt of the task's stage may have been faster; or the attempt belongs to an
// earlier attempt of the stage, of which the current one then need not run the task.
func (k *sparkMaster) endTask(j int32, a *sparkApp, e int32, r *sparkRun) {
	s := k.s
	k.tellTask(j, a, SparkTaskEnd, e, r)
	if r.lost {
		k.failFetch(j, a, e, r)
		return
	}
	st := &a.plan.app.Stages[r.stage]
	g := a.plan.taskBase[r.stage] + r.task
	s.useful = s.now
	a.tasks.End(r.set, r.task, false)
	a.manager.Finish(s.now, r.set, r.task, r.copied, spark.Success)
	shuffle := int32(-1)
	if st.ShuffleWrite {
		shuffle = r.stage
	}
	if st.Caches >= 0 {
		a.monitor.Cache(e, st.Caches, st.OnDisk)
		a.block[a.plan.blockBase[st.Caches]+r.task] = e
	}
	if b := a.lostBlock(st, r.task); b >= 0 {
		a.block[b] = e
		a.monitor.Cache(e, st.Reads, false)
	}
	a.monitor.Finish(s.now, e, shuffle)
	s.rec.Ended(simcore.JobID(j), simcore.Map, kernel.Finished, s.now-r.from, r.loc)
	if a.done[g] {
		return
	}
	a.done[g] = true
	if a.set.Speculation {
		k.finishedOnce(j, a, r)
	}
	if st.ShuffleWrite {
		a.output[g], a.wrote[g] = e, r.id
	}
	run := &a.stages[r.stage]
	if run.set != r.set && run.set >= 0 {
		a.tasks.Skip(run.set, r.task)
	}
	if run.left--; run.left == 0 && run.state == stageRuns {
		k.endStage(j, a, r.stage)
	}
}

// ended handles the end of an executor's container.
func (k *sparkMaster) ended(c *slot) {
	if a := k.apps[c.job]; a != nil && c.task > 0 {
		k.account(c.job, a, c.task)
		a.ungive(a.execs[c.task].slot)
	}
}
