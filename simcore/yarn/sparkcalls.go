package yarn

import "schedtune/simcore"

// The calls of a Spark application's AM to the ResourceManager
// (ApplicationMaster.allocationThreadImpl, YarnAllocator.allocateResources).

// interval returns the time from a call to the next one. While containers are pending, it
// doubles with each call, from that of initial-allocation up to that of the heartbeat.
func (k *sparkMaster) interval(a *sparkApp) simcore.Time {
	iv := a.set.Heartbeat
	if a.requests() > 0 || a.questions > 0 {
		iv = min(a.fast, a.set.Heartbeat)
		a.fast = 2 * iv
	} else {
		a.fast = a.set.FastBeat
	}
	return iv + millis(k.cal.CallSpan)
}

// needCall schedules the next call, after calls without effect were skipped.
func (k *sparkMaster) needCall(a *sparkApp) {
	if a.calling {
		return
	}
	a.calling = true
	for now := k.s.now; a.callAt <= now; {
		iv := k.interval(a)
		if a.fast == a.set.FastBeat || a.fast >= 2*a.set.Heartbeat { // from here on they are equally spaced
			a.callAt += (now-a.callAt)/iv*iv + iv
			break
		}
		a.callAt += iv
	}
}

// wakeCall wakes the AM's thread, which makes a call after the drawn latency.
func (k *sparkMaster) wakeCall(j int32, a *sparkApp) {
	k.wakeAM(j, a)
	k.arm(j, a)
}

// wakeAM is wakeCall without setting the AM's leaf.
func (k *sparkMaster) wakeAM(j int32, a *sparkApp) {
	k.needCall(a)
	a.fast = a.set.FastBeat
	now := k.s.now
	if n := len(a.recorded.Calls); n == 0 || a.recorded.Calls[n-1] < now {
		a.callAt = min(a.callAt, now+k.draw(j, k.cal.Wake, drawJobs+uint64(now)))
	}
}

// recordedCall returns the first recorded call from an instant on, or the given time behind the
// last one: a replay makes all recorded calls, whatever woke the AM.
func (a *sparkApp) recordedCall(from, otherwise simcore.Time) simcore.Time {
	return firstOf(a.recorded.Calls, from, simcore.Never, otherwise)
}

// call makes one call of the AM. It skips a next call that would neither carry nor bring
// anything; needCall makes up for that.
func (k *sparkMaster) call(j int32, a *sparkApp) {
	s := k.s
	a.calling = false
	s.asks = s.asks[:0]
	for p := range a.allocs {
		if a.asked[p] {
			k.ask(j, a, int32(p))
		}
	}
	for _, sl := range a.giving {
		k.tell(j, SparkEvent{Kind: SparkRelease, Executor: pick(a.byOrd, s.slots.all[sl].ord)})
	}
	a.questions = 0
	changed, ok := s.call(j, &a.program, k)
	if !ok {
		return
	}
	for _, ord := range s.resp.Completed {
		if e := pick(a.byOrd, ord); e > 0 {
			k.completed(j, a, e)
		}
	}
	iv := k.interval(a)
	if a.calls == 1 { // that of the allocator; that of the thread follows
		iv, a.fast = callBeforeContext, a.set.FastBeat
	}
	a.callAt = a.recordedCall(s.now+1, s.now+iv)
	a.calling = a.calling || s.cfg.Eager || s.replay || a.calls == 1 || a.missing() || len(a.giving) > 0 ||
		a.granted+a.ended > 0
	if changed {
		s.wakeNodes()
	}
}

// ask adds the changed rows of a resource profile, whose number is their
// priority (YarnAllocator.getContainerPriority).
func (k *sparkMaster) ask(j int32, a *sparkApp, p int32) {
	s, alloc := k.s, &a.allocs[p]
	alloc.Update()
	for i := 0; ; i++ {
		row, ok := alloc.ChangedRow(i)
		if !ok {
			break
		}
		ask := Ask{Priority: p, Where: s.placeOf(row.At), Size: a.plan.sizes[p], Count: row.Count}
		if ask.Where == AnyPlace {
			ask.Label = s.labelsOf(j).Executor
		}
		if s.asks = append(s.asks, ask); ask.Where == AnyPlace {
			k.tell(j, SparkEvent{Kind: SparkAsk, Count: ask.Count})
		}
	}
	alloc.Sent()
}

// released handles the release of a container: its space is free at once, and the process of an
// executor ends with its node's next heartbeat.
func (k *sparkMaster) released(j int32, c *slot) (until simcore.Time, used bool) {
	s, a := k.s, k.apps[j]
	e := pick(a.byOrd, c.ord)
	if e <= 0 {
		return 0, false
	}
	a.execs[e].state, a.execs[e].released = execGone, true
	a.ended++
	k.account(j, a, e)
	until = s.now + k.gone(j, e)
	a.step(s.now+or(entry(a.recorded.Removed, e-1), until-s.now), stepGone, e)
	return until, true
}

// account adds an executor's time in its container, once. The container's slot
// may have been released in this event, but not before.
func (k *sparkMaster) account(j int32, a *sparkApp, e int32) {
	if x := &a.execs[e]; !x.counted {
		x.counted = true
		k.s.times[j].ExecutorTime += k.s.now - k.s.slots.all[x.slot].granted
	}
}

// match launches an executor in a container if there is a request.
func (k *sparkMaster) match(j, sl int32, level int) bool {
	a, c := k.apps[j], &k.s.slots.all[sl]
	alloc := &a.allocs[c.try]
	if !alloc.Match(c.node, level) {
		return false
	}
	if alloc.Launch() {
		k.launchExecutor(j, a, sl)
	}
	return true
}

// launchExecutor sends the start of a new executor to its node.
func (k *sparkMaster) launchExecutor(j int32, a *sparkApp, sl int32) {
	s := k.s
	c := &s.slots.all[sl]
	e := int32(len(a.execs)) // numbers are not reused
	a.addExecutor(sparkExec{slot: sl, node: c.node, profile: int32(c.try)})
	for int32(len(a.byOrd)) <= c.ord {
		a.byOrd = append(a.byOrd, 0)
	}
	a.byOrd[c.ord] = e
	s.times[j].Executors++
	k.tell(j, SparkEvent{Kind: SparkAcquired, Executor: e})
	c.task, c.state = e, starting
	if s.hangs(c) {
		c.state = dead
		return
	}
	s.tree.Set(s.slotLeaf(sl), s.now+k.spanOf(j, e, a.recorded.Launch, k.cal.LaunchWait, 0))
}

// completed handles the message to the AM that an executor's container has completed. With one
// that the driver killed nothing is lost.
func (k *sparkMaster) completed(j int32, a *sparkApp, e int32) {
	x := &a.execs[e]
	switch {
	case x.killed && x.released:
		a.allocs[x.profile].Ended(x.node, true)
		return
	case x.state == execLaunching:
		a.allocs[x.profile].Failed()
	default:
		a.allocs[x.profile].Ended(x.node, x.killed)
	}
	now := k.s.now
	a.step(now+or(entry(a.recorded.Removed, e-1), k.draw(j, k.cal.Wake, drawJobs+uint64(now))), stepRemove, e)
}
