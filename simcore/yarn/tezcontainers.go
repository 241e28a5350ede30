package yarn

import (
	"math"
	"slices"

	"schedtune/simcore"
)

// The containers of a Tez application: allocation, reuse, idle time and release
// (DagAwareYarnTaskScheduler, YarnTaskSchedulerService).

// match gives an allocated container to a request of its own priority.
func (k *tezMaster) match(j, sl int32, level int) bool {
	a, c := k.apps[j], &k.s.slots.all[sl]
	if a.dag < 0 || a.closed {
		return false
	}
	v, row := a.plan.vertexOf(&a.plan.app.DAGs[a.dag], a.held[c.ord].priority)
	t := int32(-1)
	if v >= 0 {
		t = k.requestOf(a, c.ord, c.node, v, row, int8(level))
	}
	if t < 0 && level == 2 && (a.set.ReuseNew || a.set.Old) {
		v, t = k.find(a, c.ord, c.node, 2, c.size)
	}
	if t < 0 {
		return false
	}
	x := &a.held[c.ord]
	*x = tezContainer{slot: sl, node: c.node, priority: x.priority, task: -1}
	k.s.times[j].Executors++
	a.withdraw(v, t)
	k.assign(j, a, c.ord, v, t)
	return true
}

// requestOf returns the request of a vertex and row that a container on a node takes at a level, -1
// if there is none: one that names its place, or one without places.
func (k *tezMaster) requestOf(a *tezApp, ord, node, v, row int32, level int8) int32 {
	first := a.vertices[v].lists[row].first
	if t := k.recordedTask(a, ord, v, row); t >= 0 && first >= 0 {
		return t
	}
	if first < 0 || level == 2 || row == rowFailed || len(a.plan.rowsOf(first)) == 0 {
		return first
	}
	at := node
	if level == 1 {
		at = -2 - k.s.cluster.Nodes[node].Rack
	}
	r := a.plan.findRow(v, at)
	if r < 0 {
		return -1
	}
	list := a.plan.tasksOf(r)
	for i := a.rowNext[r]; int(i) < len(list); i++ {
		switch x := &a.tasks[list[i]]; {
		case x.state == tezRequested && !x.failed:
			return list[i]
		case x.state > tezRequested && i == a.rowNext[r]:
			a.rowNext[r]++
		}
	}
	return -1
}

// recordedTask returns the requested task of a vertex whose next attempt ran in a container, -1 if
// none is recorded.
func (k *tezMaster) recordedTask(a *tezApp, ord, v, row int32) int32 {
	if a.recorded == noTezRecords {
		return -1
	}
	best, nth := int32(-1), int32(math.MaxInt32)
	for t := a.vertices[v].lists[row].first; t >= 0; t = a.tasks[t].next {
		if r := a.recorded.attempt(t, a.tasks[t].tries); r != nil && r.Container == ord && r.Nth < nth {
			best, nth = t, r.Nth
		}
	}
	return best
}

// find returns the request that an idle container of a size takes at a level, by priority; -1 if
// there is none.
func (k *tezMaster) find(a *tezApp, ord, node int32, level int8, size Resource) (v, t int32) {
	for _, v := range a.inOrder() {
		x := &a.vertices[v]
		if x.lists[rowFailed].first < 0 && x.lists[rowFirst].first < 0 {
			continue
		}
		fits := a.plan.sizes[v].Memory <= size.Memory && a.plan.sizes[v].VCores <= size.VCores
		if fits && !a.blocked(v) {
			for _, row := range []int32{rowFailed, rowFirst} {
				if t := k.requestOf(a, ord, node, v, row, level); t >= 0 {
					return v, t
				}
			}
		}
		if a.set.Old { // it looks at the highest priority only
			break
		}
	}
	return -1, -1
}

// pickIdle returns the idle container that a new request takes, -1 if there is none: one on a host
// that it names or, if that is open to it, in its rack or anywhere; any one if it names no place.
// Which of several that fit is by chance, as in the original. Only the old scheduler compares sizes:
// DagAwareYarnTaskScheduler.tryAssignTaskToIdleContainer gives a task to a container that is smaller
// than its request. It also only looks at hosts here (doAssignAll).
func (k *tezMaster) pickIdle(j int32, a *tezApp, v, t int32) int32 {
	if len(a.idle) == 0 || a.blocked(v) {
		return -1
	}
	if top, _ := a.first(); a.set.Old && top >= 0 && a.plan.priority[top] < a.plan.priority[v] {
		return -1
	}
	s, task, size := k.s, &a.tasks[t], a.plan.sizes[v]
	rows := a.plan.rowsOf(t)
	if task.failed {
		rows = nil
	}
	fits := func(ord int32) bool {
		x := &a.held[ord]
		has := s.slots.all[x.slot].size
		if a.set.Old && (size.Memory > has.Memory || size.VCores > has.VCores) {
			return false
		}
		return len(rows) == 0 || x.level == 2 && !a.set.Old || slices.ContainsFunc(rows, func(r int32) bool {
			at := a.plan.rowAt[r]
			return at == x.node || x.level == 1 && !a.set.Old && at == -2-s.cluster.Nodes[x.node].Rack
		})
	}
	if r := a.recorded.attempt(t, task.tries); r != nil {
		if x := a.container(r.Container); x != nil && x.idle && fits(r.Container) {
			return r.Container
		}
	}
	n := int32(len(a.idle))
	start := int32(uint64(s.key(drawLaunch).At(k.key(j)).At(drawOffers+uint64(task.tries)<<32+uint64(t))) % uint64(n))
	for i := range n {
		if ord := a.idle[(start+i)%n]; fits(ord) {
			return ord
		}
	}
	return -1
}

// assign gives a container a task: a new one starts its process, an idle one pulls it.
func (k *tezMaster) assign(j int32, a *tezApp, ord, v, t int32) {
	s, x, task := k.s, &a.held[ord], &a.tasks[t]
	a.unidle(ord)
	c := &s.slots.all[x.slot]
	x.task, x.vertex, x.from, x.loc = t, v, s.now, s.distance(a.plan.rowsOf(t), a.plan.rowAt, x.node)
	task.state, task.ord = tezAssigned, ord
	task.tries++
	a.vertices[v].running++
	if a.requests > 0 || len(a.dirty) > 0 {
		k.needCall(j, a) // it carries a changed request, or may preempt this task
	}
	if s.hangs(c) {
		c.state = dead
		s.tree.Clear(s.slotLeaf(x.slot))
		return
	}
	pull := simcore.Time(-1)
	if r := a.recorded.attempt(t, task.tries-1); r != nil {
		pull = r.Pull
	}
	switch {
	case pull >= 0:
	case x.ran > 0:
		pull = s.quickly(&k.poll, uint64(s.key(drawLaunch).At(k.key(j)).At(drawTasks+uint64(task.tries)<<40+uint64(t))))
	default:
		c.state = starting
		s.tree.Set(s.slotLeaf(x.slot), s.now+k.draw(j, k.cal.LaunchWait, drawExecs+uint64(ord)<<4))
		return
	}
	if s.cfg.SparkTrace == nil && a.hasInput(v, t) { // nobody sees the pull
		k.run(j, a, x.slot, c, s.now+pull)
		return
	}
	c.state = arming
	s.tree.Set(s.slotLeaf(x.slot), s.now+pull)
}

// event makes the next step of a container.
func (k *tezMaster) event(sl int32, c *slot) {
	s, a := k.s, k.apps[c.job]
	if a == nil {
		s.tree.Clear(s.slotLeaf(sl))
		return
	}
	switch c.state {
	case starting:
		s.startProcess(sl, c, k.drawWork(c.job, k.cal.Work, drawExecs+uint64(c.ord)), k.cal.Threads)
	case arming:
		k.run(c.job, a, sl, c, s.now)
	case running:
		k.taskEnded(c.job, a, c)
	case fails:
		k.taskFailed(c.job, a, c)
	case idles:
		k.idleEnded(c.job, a, c)
	}
}

// worked handles the end of the work of a container's start.
func (k *tezMaster) worked(sl int32, c *slot) {
	c.state = arming
	k.s.tree.Set(k.s.slotLeaf(sl), k.s.now+k.draw(c.job, k.cal.Start, drawExecs+uint64(c.ord)<<4+1))
}

// offer gives a container that has become idle the task that it takes.
func (k *tezMaster) offer(j int32, a *tezApp, ord int32) {
	x := &a.held[ord]
	if x.level, x.since, x.expires = 0, k.s.now, 0; a.set.Old {
		x.level = -1 // it looks at its host twice
	}
	if k.takeRequest(j, a, ord) {
		return
	}
	x.idle, x.at = true, int32(len(a.idle))
	a.idle = append(a.idle, ord)
	k.linger(j, a, x, &k.s.slots.all[x.slot])
}

// idleEnded handles the timer of an idle container: it looks at the requests of the next level.
func (k *tezMaster) idleEnded(j int32, a *tezApp, c *slot) {
	x := &a.held[c.ord]
	if x.level < a.top() && !a.set.Old {
		x.level++
	}
	switch {
	case k.takeRequest(j, a, c.ord):
	case a.closed && !a.set.Old:
		k.giveUp(j, a, c.ord)
	default:
		k.linger(j, a, x, c)
	}
}

// top returns the last level of requests that an idle container takes.
func (a *tezApp) top() int8 {
	switch {
	case !a.set.RackFallback:
		return 0
	case !a.set.AnyFallback:
		return 1
	}
	return 2
}

// linger handles an idle container that no request fits: while any are pending it waits for its
// next level, and is given up behind the last one.
func (k *tezMaster) linger(j int32, a *tezApp, x *tezContainer, c *slot) {
	if x.pending = a.requests > 0; !x.pending {
		k.rest(j, a, x, c)
		return
	}
	if x.level >= a.top() || a.set.Old && x.expires > 0 && x.expires <= k.s.now {
		k.giveUp(j, a, c.ord)
		return
	}
	if a.set.Old {
		x.level++
	}
	k.idleUntil(x, c, k.s.now+a.set.LocalityDelay)
}

// idleUntil sets the timer of an idle container.
func (k *tezMaster) idleUntil(x *tezContainer, c *slot, at simcore.Time) {
	if c.state = idles; at == simcore.Never {
		c.state = waits // no event
		k.s.tree.Clear(k.s.slotLeaf(x.slot))
		return
	}
	k.s.tree.Set(k.s.slotLeaf(x.slot), at)
}

// rest handles a container that is idle without requests: it remains for the session's minimum, or
// until the time is over that is drawn when it first rests (getIdleExpirationTimestamp).
func (k *tezMaster) rest(j int32, a *tezApp, x *tezContainer, c *slot) {
	s, r := k.s, a.recorded.container(c.ord)
	switch ran := int(x.ran); {
	case len(r.Idle) > 0:
		if x.expires == 0 && ran <= len(r.Idle) && r.Idle[ran-1] != simcore.Never {
			x.expires = x.since + r.Idle[ran-1]
		}
		if x.expires == 0 || x.expires <= s.now && ran != len(r.Idle) { // it takes another task, or the AM ends first
			x.expires = simcore.Never
		}
	case x.expires > 0:
	case a.set.IdleMin == simcore.Never || a.set.IdleMin == 0 && !a.set.Old:
		x.expires = simcore.Never
	default:
		key := s.key(drawLaunch).At(k.key(j)).At(drawExecs + uint64(c.ord)<<4 + 3)
		x.expires = s.now + a.set.IdleMin + simcore.Time(key.Float64(uint64(x.ran))*float64(a.set.IdleMax-a.set.IdleMin))
	}
	if !x.kept && a.plan.app.Session && a.kept < a.set.Held && (len(r.Idle) == 0 || x.expires == simcore.Never) {
		x.kept = true
		a.kept++
	}
	switch {
	case x.kept:
		x.level = 0
		k.idleUntil(x, c, simcore.Never)
	case x.expires <= s.now:
		k.giveUp(j, a, c.ord)
	default:
		k.idleUntil(x, c, x.expires)
	}
	if a.set.Old {
		x.level = -1
	}
}

// activate has idle containers look at a request to come: of those kept for the session's minimum
// all (activateSessionContainers), with the old scheduler any, which looks once per locality delay.
func (k *tezMaster) activate(a *tezApp) {
	for _, ord := range a.idle {
		x := &a.held[ord]
		if x.pending || !x.kept && !a.set.Old {
			continue
		}
		after := a.set.LocalityDelay
		if a.set.Old && after > 0 {
			after -= (k.s.now - x.since) % after
		}
		if a.set.Old && x.kept { // its idle time begins anew (assignDelayedContainer)
			x.expires = 0
		}
		x.kept, x.pending = false, true
		k.idleUntil(x, &k.s.slots.all[x.slot], k.s.now+after)
	}
	a.kept = 0
}

// takeRequest gives a container the request that it takes at its level.
func (k *tezMaster) takeRequest(j int32, a *tezApp, ord int32) bool {
	x := &a.held[ord]
	if a.closed || a.requests == 0 {
		return false
	}
	v, t := k.find(a, ord, x.node, x.level, k.s.slots.all[x.slot].size)
	if t >= 0 {
		a.withdraw(v, t)
		k.assign(j, a, ord, v, t)
	}
	return t >= 0
}

// unidle removes a container from the idle ones.
func (a *tezApp) unidle(ord int32) {
	x := &a.held[ord]
	if !x.idle {
		return
	}
	last := a.idle[len(a.idle)-1]
	a.idle[x.at], a.held[last].at = last, x.at
	a.idle = a.idle[:len(a.idle)-1]
	x.idle = false
}
