package yarn

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn/spark"
)

// The calls of a Spark application's AM to the ResourceManager
// (ApplicationMaster.allocationThreadImpl, YarnAllocator.allocateResources).

// interval is the time from a call to the next one; it moves the doubling on.
func (k *sparkMaster) interval(a *sparkApp) simcore.Time {
	// While containers are outstanding the interval doubles from initial-allocation's up to
	// the heartbeat's.
	iv := a.set.Heartbeat
	if a.requests() > 0 || a.questions > 0 {
		iv = min(a.fast, a.set.Heartbeat)
		a.fast = 2 * iv
	} else {
		a.fast = a.set.FastBeat
	}
	return iv + millis(k.cal.CallSpan)
}

// needCall makes sure that the next call is made, after calls that would have
// changed nothing have been passed over.
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

// wakeCall wakes the thread: a call goes out after a moment.
func (k *sparkMaster) wakeCall(j int32, a *sparkApp, after simcore.Time) {
	k.needCall(a)
	a.fast = a.set.FastBeat
	at := k.s.now + after
	if r := a.recorded; r != nil {
		at = firstOf(r.Calls, k.s.now, k.s.now+wakeLate, at)
	}
	a.callAt = min(a.callAt, at)
	k.arm(j, a)
}

// How recorded calls take the place of computed ones: a call that was woken is
// the first recorded until wakeLate, a regular one the first from callEarly
// before its time to callLate after it. Under load calls come late.
const (
	wakeLate  = 250 * simcore.Millisecond
	callEarly = 60 * simcore.Millisecond
	callLate  = 700 * simcore.Millisecond
)

// firstOf is the first instant of an ascending list between two, or otherwise.
func firstOf(list []simcore.Time, from, to, otherwise simcore.Time) simcore.Time {
	if i, _ := slices.BinarySearch(list, from); i < len(list) && list[i] <= to {
		return list[i]
	}
	return otherwise
}

// call is one call of the AM.
func (k *sparkMaster) call(j int32, a *sparkApp) {
	s := k.s
	m := &s.jobs[j]
	a.calling = false
	s.asks = s.asks[:0]
	for p := range a.allocs {
		if a.asked[p] {
			k.ask(j, a, int32(p))
		}
	}
	for _, sl := range a.giving {
		m.release = append(m.release, s.slots.all[sl].ord)
	}
	a.granted, a.ended, a.questions = 0, 0, 0
	s.sched.Ask(m.app, s.asks, m.release, &s.resp)
	if s.resp.Refused != nil {
		s.fail(s.resp.Refused)
		return
	}
	changed := len(s.asks)+len(m.release) > 0 // the scheduler may find something to do now
	m.release = m.release[:0]
	k.released(j, a)
	k.hear(j, a)
	iv := k.interval(a)
	if a.calls++; a.calls == 1 { // the allocator's first; the thread's follows
		iv, a.fast = callBeforeContext, a.set.FastBeat
	}
	a.callAt = s.now + iv
	if r := a.recorded; r != nil {
		a.callAt = firstOf(r.Calls, max(a.callAt-callEarly, s.now+1), a.callAt+callLate, a.callAt)
	}
	// A next call that would carry and bring nothing is passed over; needCall makes up for it.
	if s.cfg.Eager || a.calls == 1 || a.missing() || len(a.giving) > 0 || a.granted+a.ended > 0 {
		a.calling = true
	}
	if changed {
		s.wakeNodes()
	}
}

// ask adds the changed rows of a resource profile, whose number is their
// priority (YarnAllocator.getContainerPriority).
func (k *sparkMaster) ask(j int32, a *sparkApp, p int32) {
	s, alloc := k.s, &a.allocs[p]
	alloc.Update()
	label := s.labelsOf(j).Executor
	for i := 0; ; i++ {
		row, ok := alloc.ChangedRow(i)
		if !ok {
			break
		}
		ask := Ask{Priority: p, Where: s.sparkPlace(row.At), Size: a.plan.sizes[p], Count: row.Count}
		if ask.Where == AnyPlace {
			ask.Label = label
		}
		s.asks = append(s.asks, ask)
	}
	alloc.Sent()
}

// sparkPlace is a request's place as the scheduler knows it.
func (s *Sim) sparkPlace(at int32) Place {
	switch {
	case at == spark.AnyHost:
		return AnyPlace
	case at >= 0:
		return s.place[at]
	}
	return s.place[len(s.nodes)+int(-2-at)]
}

// released books the containers given back with this call: their space is free
// at once, and the process of an executor goes with its node's next heartbeat.
func (k *sparkMaster) released(j int32, a *sparkApp) {
	s := k.s
	m := &s.jobs[j]
	for _, sl := range a.giving {
		c := &s.slots.all[sl]
		ord := c.ord
		m.ords[ord] = gone | int32(executorContainer)
		if e := a.executor(ord); e > 0 {
			a.execs[e].state = execGone
			a.ended++
			k.account(j, a, e)
			until := s.now + k.gone(j, e)
			a.step(until, stepGone, e)
			s.quit(sl, c)
			s.releaseAtExit(sl, c, until)
			continue
		}
		s.times[j].Given++
		s.quit(sl, c)
		s.release(sl, c)
		s.freed(c.node)
	}
	a.giving = a.giving[:0]
}

// account adds an executor's time in its container, once. The container's slot
// may have been given back in this event, and not before.
func (k *sparkMaster) account(j int32, a *sparkApp, e int32) {
	if x := &a.execs[e]; !x.counted {
		x.counted = true
		k.s.times[j].ExecutorTime += k.s.now - k.s.slots.all[x.slot].granted
	}
}

// executor is the executor in a container, 0 = none.
func (a *sparkApp) executor(ord int32) int32 {
	if int(ord) < len(a.byOrd) {
		return a.byOrd[ord]
	}
	return 0
}

// hear takes what a call brought: grants, then ends.
func (k *sparkMaster) hear(j int32, a *sparkApp) {
	s := k.s
	m := &s.jobs[j]
	s.spare = s.spare[:0]
	for _, ord := range s.resp.Granted {
		if int(ord) < len(m.ords) && m.ords[ord] >= 0 {
			s.spare = append(s.spare, m.ords[ord])
		}
	}
	// By host, by rack, then any: each pass takes what matches the tasks' wishes at its level
	// (YarnAllocator.handleAllocatedContainers).
	for level := 0; level <= 2 && len(s.spare) > 0; level++ {
		rest := s.spare[:0]
		for _, sl := range s.spare {
			c := &s.slots.all[sl]
			alloc := &a.allocs[c.try]
			switch {
			case !alloc.Match(c.node, level):
				rest = append(rest, sl)
			case alloc.Launch():
				k.launchExecutor(j, a, sl)
			}
		}
		s.spare = rest
	}
	a.giving = append(a.giving, s.spare...) // matched no request
	for _, ord := range s.resp.Completed {
		if e := a.executor(ord); e > 0 {
			k.told(j, a, e)
		}
	}
}

// launchExecutor sends the start of a new executor to its node.
func (k *sparkMaster) launchExecutor(j int32, a *sparkApp, sl int32) {
	s := k.s
	c := &s.slots.all[sl]
	e := int32(len(a.execs)) // numbers are not used again
	a.execs = append(a.execs, sparkExec{slot: sl, node: c.node, profile: int32(c.try)})
	for range a.plan.stride {
		a.runs = append(a.runs, sparkRun{set: -1, end: simcore.Never})
	}
	for int32(len(a.byOrd)) <= c.ord {
		a.byOrd = append(a.byOrd, 0)
	}
	a.byOrd[c.ord] = e
	s.times[j].Executors++
	c.task, c.state = e, starting
	if s.hangs(c) {
		c.state = dead
		return
	}
	wait := k.spanOf(j, e, func(r *RecordedSpark) []simcore.Time { return r.Launch }, k.cal.LaunchWait, 0)
	s.tree.Set(s.slotLeaf(sl), s.now+wait)
}

// told is the AM's knowledge that an executor's container is over.
func (k *sparkMaster) told(j int32, a *sparkApp, e int32) {
	x := &a.execs[e]
	switch {
	case x.killed: // at the driver's wish: nothing is lost with it
		a.allocs[x.profile].Ended(x.node, true)
		return
	case x.state == execLaunching:
		a.allocs[x.profile].Failed()
	default:
		a.allocs[x.profile].Ended(x.node, false)
	}
	k.loseExecutor(j, a, e)
}
