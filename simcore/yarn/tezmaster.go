package yarn

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// tezMaster is the appMaster of Tez applications (DAGAppMaster, TaskSchedulerManager of Tez
// 0.10.4). The leaf of the AM's container holds its next call or step; the leaf of another container
// its start, the end of its task, or the end of the time for which it may be idle.
type tezMaster struct {
	programs[tezApp, *tezApp]
	plans []*tezPlan      // by job, nil = not of Tez; of all runs
	kept  []tezKept       // by job
	cal   *TezCalibration // of the run
	poll  quick           // TezCalibration.Poll
}

// tezKept is what a new AM finds of the one before it (RecoveryParser): DAGs and vertices that
// have ended are not run again.
type tezKept struct {
	over int32
	done []bool // by vertex
}

// resetTez prepares a run's Tez applications.
func (s *Sim) resetTez() {
	k := s.tez
	if k == nil {
		return
	}
	k.cal = cmp.Or(s.cal.Tez, standardTez())
	k.span.set(k.cal.TaskSpan)
	k.poll.set(k.cal.Poll)
	k.dropAll()
	k.kept = kernel.Zeroed(k.kept, len(k.plans))
}

// starting draws the wait and the work of an AM's start.
func (k *tezMaster) starting(j int32) (wait, work simcore.Time, threads float64) {
	return k.draw(j, k.cal.MasterStart, drawDriver), k.drawWork(j, k.cal.MasterWork, drawDriverWork),
		k.cal.MasterThreads
}

// registered handles the AM's registration: it makes its first call at once, with nothing to ask.
func (k *tezMaster) registered(j int32) {
	s, a := k.s, k.take(j)
	a.reset(k.plans[j], s.cfg.Defaults)
	a.recorded = cmp.Or(pick(s.recorded.Tez, j), noTezRecords)
	if kept := &k.kept[j]; kept.done != nil {
		a.over = kept.over
		for v, done := range kept.done {
			if done {
				a.vertices[v].done = a.plan.app.Vertices[v].Tasks
			}
		}
	}
	a.callAt, a.calling = firstOf(a.recorded.Calls, s.now, simcore.Never, s.now), true
	k.build(a)
	k.plan(j, a)
	k.arm(j, a)
}

// plan schedules the next DAG, or the end.
func (k *tezMaster) plan(j int32, a *tezApp) {
	now, app := k.s.now, a.plan.app
	if int(a.over) < len(app.DAGs) {
		d := &app.DAGs[a.over]
		at := now + d.Delay
		if d.At > 0 {
			at = max(at, k.s.work.Jobs[j].Submit+d.At)
		}
		a.step(at, stepDAG, a.over)
		return
	}
	end := now
	if app.Session {
		// The AM looks at its idle time when it may first be too long, then after every tenth of that.
		limit, from := a.set.SubmitTimeout, k.s.times[j].Registered+a.set.SubmitTimeout
		every := max(limit/10, 1)
		end = max(from, from+(now+limit-from+every-1)/every*every)
		end = min(end, now+min(app.Stop, simcore.Never-now))
	}
	a.step(end, stepFinish, 0)
}

// arm sets the AM's leaf to its next call or step.
func (k *tezMaster) arm(j int32, a *tezApp) {
	k.s.armMaster(j, a.next())
}

// beat handles the event of the AM's leaf.
func (k *tezMaster) beat(j int32) {
	a := k.apps[j]
	for !a.closed {
		if st, ok := a.due(k.s.now); ok {
			k.do(j, a, st)
		} else if a.calling && a.callAt <= k.s.now {
			k.call(j, a)
		} else {
			k.arm(j, a)
			return
		}
	}
}

// do carries out a step of the AM.
func (k *tezMaster) do(j int32, a *tezApp, st futureStep) {
	switch st.what {
	case stepDAG:
		k.startDAG(j, a, st.i)
	case stepVertex:
		a.vertices[st.i].known = true
		k.wantAll(j, a)
	case stepTask:
		v, first := slices.BinarySearch(a.plan.taskBase, st.i)
		if !first {
			v--
		}
		k.add(j, a, int32(v), st.i)
	case stepBuild:
		k.build(a)
	case stepFinish:
		k.finish(j, a, false)
	}
}

// finish ends the application; the AM remains for a while.
func (k *tezMaster) finish(j int32, a *tezApp, failed bool) {
	a.closed, a.exit = true, k.s.now+a.set.ExitDelay
	k.s.finishJob(j, failed)
}

// interval returns the time between two calls, which nothing changes.
func (k *tezMaster) interval(a *tezApp) simcore.Time { return a.set.Heartbeat + millis(k.cal.CallSpan) }

// needCall schedules the next call, after calls without effect were skipped: the first of their
// grid to come.
func (k *tezMaster) needCall(j int32, a *tezApp) {
	m := &k.s.jobs[j]
	if a.calling || m.slot < 0 {
		return
	}
	a.calling = true
	a.callAt = k.s.nextOnGrid(a.callAt, k.interval(a), k.s.slotLeaf(m.slot))
	k.arm(j, a)
}

// build collects the requests that the next call carries (AMRMClientImpl.allocate). The call reaches
// the ResourceManager a moment later.
func (k *tezMaster) build(a *tezApp) {
	a.asks, a.askAt, a.built = a.asks[:0], a.askAt[:0], true
	for _, r := range a.dirty {
		v, first := slices.BinarySearch(a.plan.rowBase, r)
		if !first {
			v--
		}
		ask := Ask{Priority: a.plan.priority[v], Where: k.s.placeOf(a.plan.rowAt[r]), Size: a.plan.sizes[v],
			Count: a.rowLeft[r]}
		if r == a.plan.rowBase[v]+rowFailed {
			ask.Priority--
		}
		a.rowDirty[r] = false
		a.asks, a.askAt = append(a.asks, ask), append(a.askAt, a.plan.rowAt[r])
	}
	a.dirty = a.dirty[:0]
}

// call makes one call of the AM. It skips a next one that would neither carry nor bring anything.
func (k *tezMaster) call(j int32, a *tezApp) {
	s := k.s
	if !a.built {
		k.build(a)
	}
	a.calling, a.built = false, false
	s.asks = append(s.asks[:0], a.asks...)
	for i := range a.asks {
		k.tell(j, SparkEvent{Kind: SparkAsk, Executor: a.asks[i].Priority, Stage: a.askAt[i], Count: a.asks[i].Count,
			MiB: a.asks[i].Size.Memory})
	}
	changed, ok := s.call(j, &a.program, k)
	if !ok {
		return
	}
	k.preempt(j, a)
	k.heard(j, a) // the requests of other attempts come a moment behind the response
	a.callAt = firstOf(a.recorded.Calls, s.now+1, simcore.Never, s.now+k.interval(a))
	if at := firstOf(a.recorded.Built, s.now+1, a.callAt, -1); at >= 0 {
		a.step(at, stepBuild, 0)
	}
	a.calling = a.calling || s.cfg.Eager || s.replay || len(a.dirty)+len(a.giving) > 0 || a.granted+a.ended > 0 ||
		k.mayPreempt(a)
	if changed {
		s.wakeNodes()
	}
}

// released returns until when the process of a container occupies its node that was ordered to end.
func (k *tezMaster) released(j int32, c *slot) (until simcore.Time, used bool) {
	if k.apps[j].container(c.ord) == nil {
		return 0, false
	}
	return c.at, true
}

// fail ends an application of which a request was refused.
func (k *tezMaster) fail(j int32) { k.finish(j, k.apps[j], true) }

// heard handles the ends of containers that the AM did not order: the tasks in them run again.
func (k *tezMaster) heard(j int32, a *tezApp) {
	for _, ord := range k.s.resp.Completed {
		x := a.container(ord)
		if x == nil || x.task < 0 {
			continue
		}
		t := x.task
		x.task = -1
		if a.dag >= 0 && !a.closed && a.tasks[t].state == tezLost {
			a.tasks[t].failed = false
			k.add(j, a, x.vertex, t)
		}
	}
}

// granted handles an allocated container. The AM learns of it with its next call.
func (k *tezMaster) granted(sl int32, c *slot, priority int32) {
	a := k.apps[c.job]
	if a == nil || a.closed {
		return
	}
	for int32(len(a.held)) <= c.ord {
		a.held = append(a.held, tezContainer{slot: -1, task: -1})
	}
	a.held[c.ord].priority = priority
	a.granted++
	k.needCall(c.job, a)
}

// closing draws the spans of the application's end.
func (k *tezMaster) closing(j int32, phase closePhase) simcore.Time {
	switch phase {
	case closeCommit:
		return max(entry(k.s.recorded.Commit, j), 0)
	case closeUnregister:
		return k.plans[j].app.Settings.ExitDelay + k.draw(j, k.cal.Stop, drawStop)
	}
	return k.draw(j, k.cal.Exit, drawDriverExit)
}

// stops makes the calls behind the end of the application. Idle containers keep their timers; the
// rest is given up when the AM's services stop.
func (k *tezMaster) stops(j int32, until simcore.Time) simcore.Time {
	a, now := k.apps[j], k.s.now
	if a == nil {
		return until
	}
	if a.exit <= now {
		a.exit = simcore.Never
		for ord := range a.held {
			if x := &a.held[ord]; x.slot >= 0 && !x.gone {
				k.giveUp(j, a, int32(ord))
			}
		}
	}
	if !a.calling {
		a.callAt = k.s.nextOnGrid(a.callAt, k.interval(a), k.s.slotLeaf(k.s.jobs[j].slot))
	}
	for a.callAt <= now {
		k.call(j, a)
	}
	a.calling = true
	return min(until, a.callAt, a.exit)
}

// forget keeps what a next AM would find, and the application's memory.
func (k *tezMaster) forget(j int32) {
	a := k.apps[j]
	if a == nil {
		return
	}
	if !a.closed {
		kept := &k.kept[j]
		kept.over, kept.done = a.over, make([]bool, len(a.vertices))
		for v := range a.vertices {
			kept.done[v] = a.vertices[v].done == a.plan.app.Vertices[v].Tasks
		}
	}
	for ord := range a.held {
		x := &a.held[ord]
		if x.slot < 0 || x.gone {
			continue
		}
		k.s.times[j].ExecutorTime += k.s.now - k.s.slots.all[x.slot].granted
		switch {
		case x.task < 0:
		case a.tasks[x.task].state == tezRuns:
			k.s.rec.Ended(simcore.JobID(j), simcore.Map, kernel.Killed, max(k.s.now-x.from, 0), x.loc)
		default:
			k.s.rec.Pending(simcore.JobID(j), -1)
		}
	}
	k.s.rec.Pending(simcore.JobID(j), -a.requests)
	k.drop(j)
}

// lingers returns when the process of a container ends that its application's end kills.
func (k *tezMaster) lingers(c *slot) simcore.Time {
	switch {
	case c.kind != executorContainer || c.state == granted || c.state == starting:
		return 0
	case c.state == ending:
		return c.at
	}
	return k.s.now + k.goneAfter(c)
}

// goneAfter returns the time from the order to end a container to the end of its process.
func (k *tezMaster) goneAfter(c *slot) simcore.Time {
	own := simcore.Time(-1)
	if a := k.apps[c.job]; a != nil {
		own = a.recorded.container(c.ord).Gone
	}
	return or(own, k.draw(c.job, k.cal.Gone, drawExecs+uint64(c.ord)<<4+2))
}

// progress describes the DAG that runs.
func (k *tezMaster) progress(j int32) string {
	a := k.apps[j]
	switch {
	case a == nil:
		return "its AM has not registered"
	case a.dag < 0:
		return fmt.Sprintf("%d of %d DAGs ended", a.over, len(a.plan.app.DAGs))
	}
	d, done := &a.plan.app.DAGs[a.dag], int32(0)
	for v := d.FirstVertex; v < d.FirstVertex+d.Vertices; v++ {
		done += a.vertices[v].done
	}
	end := a.plan.taskBase[d.FirstVertex+d.Vertices]
	return fmt.Sprintf("DAG %d of %d: %d of %d tasks done, %d requested", a.dag+1, len(a.plan.app.DAGs), done,
		end-a.plan.taskBase[d.FirstVertex], a.requests)
}
