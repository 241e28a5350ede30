package yarn

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// How DAGs and containers of a Tez application end, and what the loss of a node costs them.

// endVertex handles the end of a vertex.
func (k *tezMaster) endVertex(j int32, a *tezApp) {
	if a.left--; a.left == 0 {
		k.endDAG(j, a, false)
	}
}

// endDAG handles the end of the DAG that runs.
func (k *tezMaster) endDAG(j int32, a *tezApp, failed bool) {
	s, d := k.s, &a.plan.app.DAGs[a.dag]
	if failed {
		k.abort(j, a, d)
	}
	if s.times[j].LastMap = s.now; !d.Prewarm {
		s.rec.DAGs = append(s.rec.DAGs, simcore.DAGResult{Job: simcore.JobID(j), DAG: a.dag, Failed: failed,
			Submit: a.submitted, Finish: s.now})
	}
	a.dag = -1
	a.over++
	if failed && !a.plan.app.Session {
		k.finish(j, a, true)
		return
	}
	k.plan(j, a)
	k.arm(j, a)
}

// abort ends the tasks of a failed DAG and takes its requests back.
func (k *tezMaster) abort(j int32, a *tezApp, d *simcore.TezDAG) {
	for ord := range a.held {
		switch x := &a.held[ord]; {
		case x.slot < 0 || x.task < 0:
		case x.gone:
			x.task = -1
		default:
			k.leave(j, a, int32(ord), kernel.Killed)
			k.giveUp(j, a, int32(ord))
		}
	}
	for v := d.FirstVertex; v < d.FirstVertex+d.Vertices; v++ {
		for row := range a.vertices[v].lists {
			for l := &a.vertices[v].lists[row]; l.first >= 0; {
				k.s.rec.Pending(simcore.JobID(j), -1)
				a.withdraw(v, l.first)
			}
		}
	}
	a.todo, a.todoAt = a.todo[:0], simcore.Never
	k.needCall(j, a)
}

// nodeLost has the tasks run again whose output was on the node, if others of the DAG need it.
func (k *tezMaster) nodeLost(j, n int32) {
	a := k.apps[j]
	if a == nil || a.dag < 0 || a.closed {
		return
	}
	for _, v := range a.inOrder() {
		x, needed := &a.vertices[v], false
		for _, r := range a.plan.readers[v] {
			needed = needed || a.vertices[r].done < a.plan.app.Vertices[r].Tasks
		}
		for t := a.plan.taskBase[v]; needed && t < a.plan.taskBase[v+1]; t++ {
			task := &a.tasks[t]
			if task.state != tezDone || task.tries == 0 || a.held[task.ord].node != n {
				continue
			}
			if x.done == a.plan.app.Vertices[v].Tasks {
				a.left++
			}
			x.done--
			for _, r := range a.plan.readers[v] {
				for _, e := range a.plan.app.Vertices[r].Sources {
					if e.Vertex == v && e.Edge != simcore.TezOneToOne {
						a.vertices[r].open++
					}
				}
			}
			task.failed = true
			k.add(j, a, v, t)
		}
	}
}

// giveUp orders a container's process to end, which its node reports; the next call releases it, if
// that is earlier.
func (k *tezMaster) giveUp(j int32, a *tezApp, ord int32) {
	s, x := k.s, &a.held[ord]
	c := &s.slots.all[x.slot]
	if a.exit != simcore.Never || !a.closed {
		k.tell(j, SparkEvent{Kind: SparkKill, Executor: ord})
	}
	k.part(j, a, ord)
	s.quit(x.slot, c)
	if c.state == dead {
		return
	}
	s.report(x.slot, c, s.now+k.goneAfter(c))
	a.giving = append(a.giving, x.slot)
	k.needCall(j, a)
}

// part takes a container off the application's lists.
func (k *tezMaster) part(j int32, a *tezApp, ord int32) {
	x := &a.held[ord]
	a.unidle(ord)
	if x.gone = true; x.kept {
		x.kept = false
		a.kept--
	}
	k.s.times[j].ExecutorTime += k.s.now - k.s.slots.all[x.slot].granted
}

// ended handles the end of a container that the AM gave up.
func (k *tezMaster) ended(c *slot) {
	if a := k.apps[c.job]; a != nil {
		if x := a.container(c.ord); x != nil {
			a.ungive(x.slot)
		}
	}
}

// lost handles the loss of a container, preempted or with its node. The AM learns of it with its
// next call; the process occupies its node until then or longer.
func (k *tezMaster) lost(j, sl int32) {
	s := k.s
	c := &s.slots.all[sl]
	a, until := k.apps[j], simcore.Time(0)
	var x *tezContainer
	if a != nil {
		a.ungive(sl)
		x = a.container(c.ord)
	}
	switch {
	case c.state == ending:
		until = c.at
	case x != nil && c.state != starting:
		until = s.now + k.goneAfter(c)
	}
	if x != nil && !x.gone {
		if t := x.task; t >= 0 {
			k.leave(j, a, c.ord, kernel.Killed)
			a.tasks[t].state, x.task = tezLost, t
		}
		k.part(j, a, c.ord)
		a.ended++
		k.needCall(j, a)
	}
	s.freeAtExit(sl, c, until)
}
