package yarn

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// tezApp is the state of a Tez application from its AM's registration on. Slices by task, vertex and
// row are numbered as in tezPlan; containers by their ordinal.
type tezApp struct {
	program
	plan     *tezPlan
	set      simcore.TezSettings // of the plan, with the run's changes of defaults
	recorded *RecordedTez        // never nil

	held     []tezContainer // by ordinal
	idle     []int32        // ordinals of idle containers, in no order
	vertices []tezVertex
	tasks    []tezTask
	pending  []uint64 // vertices of the DAG with requests, as bits
	requests int32    // tasks without a container
	rowLeft  []int32  // by row: containers requested
	rowDirty []bool   // by row: changed since the last call
	rowNext  []int32  // by row of a place: index of the first task that may need a container
	dirty    []int32  // rows changed since the last call was built
	asks     []Ask    // of the last call that was built
	askAt    []int32  // and their places
	built    bool     // it is to be made

	dag       int32        // that runs, -1 = none
	over      int32        // DAGs that have ended
	left      int32        // vertices of the DAG that have not ended
	submitted simcore.Time // of the DAG
	kept      int32        // containers for the session's minimum
	preempted simcore.Time // last own preemption
	exit      simcore.Time // when the AM gives its containers up, behind its end
}

// tezContainer is a container of an application.
type tezContainer struct {
	slot, node int32
	priority   int32 // of the request that it was allocated for
	task       int32 // that it has, -1 = none
	vertex     int32 // of the task
	ran        int32 // tasks that ended in it
	level      int8  // of requests that it takes while idle: 0 host (or -1), 1 rack, 2 any place
	kept       bool  // for the session's minimum
	idle       bool
	pending    bool         // idle, and its timer is that of a wait between levels
	gone       bool         // ended or ending
	since      simcore.Time // idle
	expires    simcore.Time // end of its idle time; 0 = not drawn
	from       simcore.Time // launch of its task
	loc        simcore.Locality
	at         int32 // index in tezApp.idle
}

// tezTask is a task of an application.
type tezTask struct {
	state      tezState
	failed     bool // its request is that of a failed attempt
	fails      uint8
	tries      uint8
	prev, next int32 // in the list of requests, or of tasks that wait for their input
	ord        int32 // container of its last attempt
	since      simcore.Time
}

// tezState is the state of a task.
type tezState uint8

const (
	tezUnwanted  tezState = iota
	tezWanted             // will be requested, see RecordedTez.Wanted
	tezRequested          // in a list of requests
	tezAssigned           // in a container, which has not pulled it
	tezRuns
	tezLost // its container is lost, which the AM does not know
	tezDone
)

// tezVertex is the state of a vertex.
type tezVertex struct {
	known   bool // its number of tasks is
	ready   bool // and so are those of its sources: its tasks may be wanted
	wanted  int32
	done    int32
	running int32
	open    int32      // tasks of its shuffle and broadcast sources that have not ended
	lists   [2]tezList // of requests, by row
	waiting tezList    // tasks in containers that wait for their input
}

// tezList is a list of tasks.
type tezList struct{ first, last int32 }

var noTasks = tezList{-1, -1}

// push appends a task to a list.
func (a *tezApp) push(l *tezList, t int32) {
	a.tasks[t].prev, a.tasks[t].next = l.last, -1
	if l.last >= 0 {
		a.tasks[l.last].next = t
	} else {
		l.first = t
	}
	l.last = t
}

// unlink removes a task from its list.
func (a *tezApp) unlink(l *tezList, t int32) {
	x := &a.tasks[t]
	if x.prev >= 0 {
		a.tasks[x.prev].next = x.next
	} else {
		l.first = x.next
	}
	if x.next >= 0 {
		a.tasks[x.next].prev = x.prev
	} else {
		l.last = x.prev
	}
}

// reset prepares an application in the memory of another.
func (a *tezApp) reset(p *tezPlan, moved simcore.DefaultMoves) {
	n := len(p.app.Vertices)
	a.plan, a.set, a.program = p, p.app.Settings, a.program.fresh()
	moved.Tez(&a.set)
	a.held, a.idle, a.dirty = a.held[:0], a.idle[:0], a.dirty[:0]
	a.vertices, a.tasks = kernel.Zeroed(a.vertices, n), kernel.Zeroed(a.tasks, int(p.taskBase[n]))
	for v := range a.vertices {
		a.vertices[v].lists, a.vertices[v].waiting = [2]tezList{noTasks, noTasks}, noTasks
	}
	a.rowLeft, a.rowDirty = kernel.Zeroed(a.rowLeft, len(p.rowAt)), kernel.Zeroed(a.rowDirty, len(p.rowAt))
	a.rowNext = kernel.Zeroed(a.rowNext, len(p.rowAt))
	a.dag, a.over, a.left, a.requests, a.kept = -1, 0, 0, 0, 0
	a.preempted, a.exit = -simcore.Hour, simcore.Never
}

// container returns the state of a container by ordinal, nil if it is not known.
func (a *tezApp) container(ord int32) *tezContainer {
	if int(ord) < len(a.held) && a.held[ord].slot >= 0 {
		return &a.held[ord]
	}
	return nil
}

// touch notes that a row has changed.
func (a *tezApp) touch(r, by int32) {
	a.rowLeft[r] += by
	if !a.rowDirty[r] {
		a.rowDirty[r] = true
		a.dirty = append(a.dirty, r)
	}
}

// count changes the rows of a task's request.
func (a *tezApp) count(v, t, by int32) {
	row := a.row(t)
	if row == rowFirst {
		for _, r := range a.plan.rowsOf(t) {
			a.touch(r, by)
		}
	}
	a.touch(a.plan.rowBase[v]+row, by)
	a.requests += by
}

// row returns the row of a task's request among those of its vertex for any place.
func (a *tezApp) row(t int32) int32 {
	if a.tasks[t].failed {
		return rowFailed
	}
	return rowFirst
}

// request adds a task's request.
func (a *tezApp) request(v, t int32, now simcore.Time) {
	a.tasks[t].state, a.tasks[t].since = tezRequested, now
	a.push(&a.vertices[v].lists[a.row(t)], t)
	a.count(v, t, 1)
	i := v - a.plan.app.DAGs[a.dag].FirstVertex
	a.pending[i/64] |= 1 << (i % 64)
	for _, r := range a.plan.rowsOf(t) { // of a task that runs again
		for k := a.rowNext[r]; k > 0 && a.plan.tasksOf(r)[k-1] >= t; k = a.rowNext[r] {
			a.rowNext[r]--
		}
	}
}

// withdraw removes a task's request.
func (a *tezApp) withdraw(v, t int32) {
	a.unlink(&a.vertices[v].lists[a.row(t)], t)
	a.count(v, t, -1)
	if x := &a.vertices[v]; x.lists[rowFirst].first < 0 && x.lists[rowFailed].first < 0 {
		i := v - a.plan.app.DAGs[a.dag].FirstVertex
		a.pending[i/64] &^= 1 << (i % 64)
	}
}

// blocked reports whether a vertex gets no idle container, because one that it depends on has
// requests (DagAwareYarnTaskScheduler.RequestPriorityStats).
func (a *tezApp) blocked(v int32) bool {
	if a.set.Old {
		return false
	}
	for k, bits := range a.plan.above[v] {
		if bits&a.pending[k] != 0 {
			return true
		}
	}
	return false
}

// below reports whether a vertex depends on another one.
func (a *tezApp) below(v, on int32) bool {
	i := on - a.plan.app.DAGs[a.dag].FirstVertex
	return a.plan.above[v][i/64]>>(i%64)&1 != 0
}

// inOrder returns the vertices of the DAG that runs by priority.
func (a *tezApp) inOrder() []int32 {
	if a.dag < 0 {
		return nil
	}
	d := &a.plan.app.DAGs[a.dag]
	return a.plan.order[d.FirstVertex : d.FirstVertex+d.Vertices]
}

// first returns the task that waits for a container with the highest priority, and its vertex; -1
// if none does.
func (a *tezApp) first() (v, t int32) {
	for _, v := range a.inOrder() {
		for _, row := range []int32{rowFailed, rowFirst} {
			if t := a.vertices[v].lists[row].first; t >= 0 {
				return v, t
			}
		}
	}
	return -1, -1
}
