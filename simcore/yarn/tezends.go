package yarn

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// How DAGs of a Tez application end, and what the loss of a node costs them.

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
