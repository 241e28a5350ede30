package yarn

import (
	"math"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The DAGs of a Tez application: when tasks are wanted (VertexManager, ShuffleVertexManagerBase,
// InputReadyVertexManager), and their ends.

// startDAG handles the submission of a DAG to the AM.
func (k *tezMaster) startDAG(j int32, a *tezApp, i int32) {
	s, d := k.s, &a.plan.app.DAGs[i]
	a.dag, a.left = i, 0
	switch a.submitted = s.now; {
	case d.At > 0:
		a.submitted = s.work.Jobs[j].Submit + d.At
	case !a.plan.app.Session:
		a.submitted = s.times[j].Submit
	}
	a.pending = kernel.Zeroed(a.pending, int(d.Vertices+63)/64)
	gap := simcore.Time(0)
	if a.recorded == noTezRecords { // else it is part of TezVertex.Known
		gap = k.draw(j, k.cal.DAGStart, drawJobs+uint64(i))
	}
	for v := d.FirstVertex; v < d.FirstVertex+d.Vertices; v++ {
		x, vertex := &a.vertices[v], &a.plan.app.Vertices[v]
		if x.done == vertex.Tasks && vertex.Tasks > 0 { // recovered
			x.known, x.ready, x.wanted = true, true, vertex.Tasks
			for t := a.plan.taskBase[v]; t < a.plan.taskBase[v+1]; t++ {
				a.tasks[t].state = tezDone
			}
			continue
		}
		a.left++
		for _, e := range vertex.Sources {
			if from := &a.vertices[e.Vertex]; e.Edge != simcore.TezOneToOne {
				x.open += a.plan.app.Vertices[e.Vertex].Tasks - from.done
			}
		}
		a.step(s.now+gap+vertex.Known, stepVertex, v)
	}
	if a.left == 0 {
		k.endDAG(j, a, false)
	}
}

// wantAll checks all vertices, after the number of tasks of one is known.
func (k *tezMaster) wantAll(j int32, a *tezApp) {
	d := &a.plan.app.DAGs[a.dag]
	for v := d.FirstVertex; v < d.FirstVertex+d.Vertices && a.dag >= 0; v++ {
		x := &a.vertices[v]
		if x.ready || !x.known {
			continue
		}
		x.ready = true
		for _, e := range a.plan.app.Vertices[v].Sources {
			x.ready = x.ready && a.vertices[e.Vertex].ready
		}
		if x.ready && a.plan.app.Vertices[v].Tasks == 0 {
			k.endVertex(j, a)
		} else if x.ready {
			k.want(j, a, v)
		}
	}
}

// want adds the requests of a vertex's tasks that are wanted now and were not before.
func (k *tezMaster) want(j int32, a *tezApp, v int32) {
	x, n := &a.vertices[v], a.plan.app.Vertices[v].Tasks
	if !x.ready || x.wanted == n {
		return
	}
	base := a.plan.taskBase[v]
	if a.plan.kind[v] == tezInputReady {
		for i := int32(0); i < n && x.open == 0; i++ {
			if a.tasks[base+i].state == tezUnwanted && a.inputsDone(v, i) && !k.full(a, v) {
				k.wanted(j, a, v, base+i)
			}
		}
		return
	}
	most := n
	if a.plan.kind[v] == tezSlowStart {
		most = a.slowStart(v)
	}
	for x.wanted < most && !k.full(a, v) {
		i := x.wanted
		if order := pick(a.recorded.Order, v); int(i) < len(order) {
			i = order[i]
		}
		k.wanted(j, a, v, base+i)
	}
}

// full reports whether no further task of a vertex may be scheduled.
func (k *tezMaster) full(a *tezApp, v int32) bool {
	most := a.set.MaxConcurrent
	return most > 0 && a.vertices[v].wanted-a.vertices[v].done >= most
}

// slowStart returns how many tasks of a vertex with shuffle sources are wanted: a share that grows
// with the finished share of the source that is behind most, as computed in float
// (ShuffleVertexManagerBase.getNumOfTasksToScheduleAndLog).
func (a *tezApp) slowStart(v int32) int32 {
	x := &a.plan.app.Vertices[v]
	low, high := float32(a.set.MinSource), float32(a.set.MaxSource)
	if x.MinSource > 0 || x.MaxSource > 0 {
		low, high = float32(x.MinSource), float32(x.MaxSource)
	}
	least, all := float32(1), true
	for _, e := range x.Sources {
		if e.Edge != simcore.TezShuffle {
			continue
		}
		done, tasks := a.vertices[e.Vertex].done, a.plan.app.Vertices[e.Vertex].Tasks
		if all = all && done == tasks; tasks > 0 {
			least = min(least, float32(done)/float32(tasks))
		}
	}
	share := float32(1)
	switch width := high - low; {
	case all:
	case width > 0:
		share = min(max((least-low)/width, 0), 1)
	case least < low:
		share = 0
	}
	return int32(math.Ceil(float64(share * float32(x.Tasks))))
}

// inputsDone reports whether the tasks that a task reads one to one have ended.
func (a *tezApp) inputsDone(v, index int32) bool {
	for _, e := range a.plan.app.Vertices[v].Sources {
		if e.Edge == simcore.TezOneToOne && index < a.plan.app.Vertices[e.Vertex].Tasks &&
			a.tasks[a.plan.taskBase[e.Vertex]+index].state != tezDone {
			return false
		}
	}
	return true
}

// wanted adds a task that its vertex wants, in a replay when that was.
func (k *tezMaster) wanted(j int32, a *tezApp, v, t int32) {
	a.vertices[v].wanted++
	if after := entry(a.recorded.Wanted, t); after > 0 {
		a.tasks[t].state = tezWanted
		a.step(k.s.now+after, stepTask, t)
		k.arm(j, a)
		return
	}
	k.add(j, a, v, t)
}

// add gives a wanted task an idle container, or requests one.
func (k *tezMaster) add(j int32, a *tezApp, v, t int32) {
	k.s.rec.Pending(simcore.JobID(j), 1)
	if a.kept > 0 || a.set.Old && a.requests == 0 {
		k.activate(a)
	}
	if ord := k.pickIdle(j, a, v, t); ord >= 0 {
		if a.set.Old { // it adds the request first, and its removal is sent
			a.count(v, t, 1)
			a.count(v, t, -1)
		}
		k.assign(j, a, ord, v, t)
		return
	}
	a.request(v, t, k.s.now)
	k.needCall(j, a)
}

// run handles the pull of its task by a container, now or at a later instant at which its input is
// there: it waits for its input, or works.
func (k *tezMaster) run(j int32, a *tezApp, sl int32, c *slot, at simcore.Time) {
	s, x := k.s, &a.held[c.ord]
	t := x.task
	a.tasks[t].state = tezRuns
	s.rec.Launched(simcore.JobID(j), at)
	s.rec.Pending(simcore.JobID(j), -1)
	s.times[j].FirstMap = min(s.times[j].FirstMap, at)
	k.tell(j, SparkEvent{Kind: SparkTaskStart, Executor: c.ord, Stage: x.vertex, Task: t - a.plan.taskBase[x.vertex]})
	x.from = at
	if !a.hasInput(x.vertex, t) {
		c.state = waits
		s.tree.Clear(s.slotLeaf(sl))
		a.push(&a.vertices[x.vertex].waiting, t)
		return
	}
	k.work(j, a, t, at-s.now, 0)
}

// hasInput reports whether all that a task reads is there.
func (a *tezApp) hasInput(v, t int32) bool {
	return a.vertices[v].open == 0 && (a.plan.kind[v] == tezImmediate && len(a.plan.app.Vertices[v].Sources) == 0 ||
		a.inputsDone(v, t-a.plan.taskBase[v]))
}

// work sets the end of a task that begins after a time, and has read its input a wait later.
func (k *tezMaster) work(j int32, a *tezApp, t int32, after, wait simcore.Time) {
	s, task := k.s, &a.tasks[t]
	x := &a.held[task.ord]
	v, c := &a.plan.app.Vertices[x.vertex], &s.slots.all[x.slot]
	d := s.durs.Stage(simcore.JobID(j), v.FirstTask, v.Dist, t, t-a.plan.taskBase[x.vertex], int32(task.tries-1),
		simcore.NodeID(x.node), x.loc)
	c.state = running
	if r := a.recorded.attempt(t, task.tries-1); r != nil && r.Ran >= 0 {
		d = r.Ran
		if r.Failed {
			c.state = fails
		}
	} else if !s.replay {
		key := s.key(drawLaunch).At(k.key(j)).At(drawTasks + uint64(task.tries)<<32 + uint64(t))
		if s.opt.Times == UserTimes {
			d += wait
		}
		d += k.overhead(key, x.ran == 0, k.cal.FirstTask, k.cal.FirstWork)
	}
	s.tree.Set(s.slotLeaf(x.slot), s.now+after+d)
}

// taskEnded handles the end of a task that succeeded. Its container is offered other tasks before
// the tasks are wanted that its end brings.
func (k *tezMaster) taskEnded(j int32, a *tezApp, c *slot) {
	s, x := k.s, &a.held[c.ord]
	t, v := x.task, x.vertex
	k.leave(j, a, c.ord, kernel.Finished)
	s.useful = s.now
	a.tasks[t].state = tezDone
	a.vertices[v].done++
	x.ran++
	if a.set.Reuse {
		k.offer(j, a, c.ord)
	} else {
		k.giveUp(j, a, c.ord)
	}
	for _, r := range a.plan.readers[v] {
		k.sourceEnded(j, a, r, v, t)
	}
	if a.set.MaxConcurrent > 0 {
		k.want(j, a, v)
	}
	if a.vertices[v].done == a.plan.app.Vertices[v].Tasks {
		k.endVertex(j, a)
	}
}

// sourceEnded handles the end of a source's task for a vertex that reads it.
func (k *tezMaster) sourceEnded(j int32, a *tezApp, v, source, t int32) {
	x, index := &a.vertices[v], int32(-1)
	for _, e := range a.plan.app.Vertices[v].Sources {
		switch {
		case e.Vertex != source:
		case e.Edge == simcore.TezOneToOne:
			index = t - a.plan.taskBase[source]
		default:
			x.open--
		}
	}
	if x.open == 0 {
		for w := x.waiting.first; w >= 0; {
			next := a.tasks[w].next
			if i := w - a.plan.taskBase[v]; index < 0 && a.inputsDone(v, i) || i == index && a.inputsDone(v, i) {
				a.unlink(&x.waiting, w)
				k.work(j, a, w, 0, k.draw(j, k.cal.Read, drawOffers+uint64(w)))
			}
			w = next
		}
	}
	if index < 0 || x.open > 0 || a.set.MaxConcurrent > 0 {
		k.want(j, a, v)
	} else if w := a.plan.taskBase[v] + index; x.ready && index < a.plan.app.Vertices[v].Tasks &&
		a.tasks[w].state == tezUnwanted && a.plan.kind[v] == tezInputReady && a.inputsDone(v, index) {
		k.wanted(j, a, v, w)
	}
}

// leave ends the attempt in a container.
func (k *tezMaster) leave(j int32, a *tezApp, ord int32, o kernel.Outcome) {
	s, x := k.s, &a.held[ord]
	if c := &s.slots.all[x.slot]; c.state == waits {
		a.unlink(&a.vertices[x.vertex].waiting, x.task)
	}
	if a.tasks[x.task].state == tezRuns {
		s.rec.Ended(simcore.JobID(j), simcore.Map, o, max(s.now-x.from, 0), x.loc)
		k.tell(j, SparkEvent{Kind: SparkTaskEnd, Executor: ord, Stage: x.vertex, Task: x.task - a.plan.taskBase[x.vertex]})
	} else {
		s.rec.Pending(simcore.JobID(j), -1)
	}
	a.vertices[x.vertex].running--
	x.task = -1
}

// taskFailed handles the failure of an attempt: the task runs again with a higher priority and in
// any place, or its DAG fails.
func (k *tezMaster) taskFailed(j int32, a *tezApp, c *slot) {
	x := &a.held[c.ord]
	t, v := x.task, x.vertex
	k.leave(j, a, c.ord, kernel.Failed)
	k.giveUp(j, a, c.ord)
	if a.tasks[t].fails++; int32(a.tasks[t].fails) >= a.set.MaxFailures && a.set.MaxFailures > 0 {
		k.endDAG(j, a, true)
		return
	}
	a.tasks[t].failed = true
	k.add(j, a, v, t)
}

// stopTask kills the attempt in a container with it; the task runs again.
func (k *tezMaster) stopTask(j int32, a *tezApp, ord int32) {
	x := &a.held[ord]
	t, v := x.task, x.vertex
	k.leave(j, a, ord, kernel.Killed)
	k.giveUp(j, a, ord)
	a.tasks[t].failed = false
	k.add(j, a, v, t)
}
