package testruns

import "fmt"

// The driver: its program, its tasks, and the allocation manager with the monitor
// of idle executors (ExecutorAllocationManager, ExecutorMonitor of Spark 3.5.5).

// sparkManager is the allocation manager as its listener bus lets it see.
type sparkManager struct {
	phase            int64 // tenths of the loop's period from the registration
	turns            int64
	first            bool // no stage yet
	target, step     int
	timer            int64 // -1 = off
	waiting, running int
	live             int // stages
	registered       int
	changes          []sparkTarget
}

type sparkTarget struct {
	at     int64
	source string
	target int
	reason string
}

// loopTenths is the period of the manager's loop in tenths of a millisecond: 100 ms
// and the work of a turn.
const loopTenths = 1012

func (a *sparkApp) register() {
	a.registered = a.m.now
	a.manager = sparkManager{first: true, step: 1, timer: 0, phase: a.draw(0, 9, 3)}
	a.master = sparkAM{want: a.instances, callAt: a.m.now + 1, fast: fastBeat}
	if a.dynamic {
		a.in(a.draw(70, 120, 4), a.goOn)
	}
}

// goOn: the user's code has its context.
func (a *sparkApp) goOn() {
	a.context = a.m.now
	a.in(a.draw(110, 160, 5), func() { a.startJob(0) })
}

// startJob submits the job of step k and its first stage.
func (a *sparkApp) startJob(k int) {
	a.jobs = append(a.jobs, &sparkJob{group: fmt.Sprintf("step%d-job0", a.place(k)), submit: a.m.now, end: -1})
	a.in(a.draw(3, 8, 6, uint64(k)), func() { a.startStage(k, 0) })
}

// place is the number of step k in scenario.json, where a pause is a step of its own.
func (a *sparkApp) place(k int) int {
	n := k
	for _, s := range a.steps[:k+1] {
		if s.wait > 0 {
			n++
		}
	}
	return n
}

func (a *sparkApp) startStage(k, i int) {
	id := len(a.stages)
	st := &sparkStage{job: k, plan: fmt.Sprintf("step%d-job0-stage%d", a.place(k), i), ms: a.steps[k].stages[i],
		parent: -1, submit: a.m.now, complete: -1}
	if i > 0 {
		st.parent = id - 1
	}
	a.stages = append(a.stages, st)
	a.jobs[k].stages = append(a.jobs[k].stages, id)
	a.bus(func() {
		g := &a.manager
		g.first, g.waiting, g.live = false, g.waiting+len(st.ms), g.live+1
		if g.timer < 0 {
			g.timer = a.m.now + backlog
		}
	})
	a.in(a.draw(8, 16, 7, uint64(id)), func() {
		st.offered = true
		for _, e := range a.execs {
			a.offer(e)
		}
	})
}

// bus tells the listeners.
func (a *sparkApp) bus(do func()) { a.in(busDelay, do) }

// offer gives an executor of one core its next task.
func (a *sparkApp) offer(e *sparkExec) {
	if e.ready < 0 || e.task != nil || e.killAsked >= 0 || a.finish >= 0 {
		return
	}
	for id, st := range a.stages {
		if !st.offered || st.next == len(st.ms) {
			continue
		}
		t := &sparkTask{stage: id, index: st.next, exec: e, launch: a.m.now, finish: -1}
		st.next++
		e.task, e.tasks = t, e.tasks+1
		if e.firstTask < 0 {
			e.firstTask = a.m.now
		}
		a.tasks = append(a.tasks, t)
		a.bus(func() {
			g := &a.manager
			g.waiting, g.running, e.idleAt = g.waiting-1, g.running+1, -1
			if g.waiting == 0 {
				g.timer, g.step = -1, 1
			}
		})
		more := a.draw(30, 70, 8, uint64(id), uint64(t.index))
		if e.tasks == 1 {
			more += 150
		}
		a.in(st.ms[t.index]+more, func() { a.taskEnds(t) })
		return
	}
}

func (a *sparkApp) taskEnds(t *sparkTask) {
	st, e := a.stages[t.stage], t.exec
	t.finish, e.lastTask, e.task = a.m.now, a.m.now, nil
	a.bus(func() {
		a.manager.running--
		e.idleAt = a.m.now
	})
	a.offer(e)
	if st.done++; st.done == len(st.ms) {
		a.in(1, func() { a.stageEnds(t.stage) })
	}
}

func (a *sparkApp) stageEnds(id int) {
	st := a.stages[id]
	st.complete = a.m.now
	a.bus(func() {
		if a.manager.live--; a.manager.live == 0 {
			a.manager.timer, a.manager.step = -1, 1
		}
	})
	k := st.job
	if n := len(a.jobs[k].stages); n < len(a.steps[k].stages) {
		a.in(a.draw(4, 9, 9, uint64(id)), func() { a.startStage(k, n) })
		return
	}
	a.in(3, func() {
		a.jobs[k].end = a.m.now
		if k+1 < len(a.steps) {
			a.in(a.steps[k+1].wait+a.draw(3, 6, 10, uint64(k)), func() { a.startJob(k + 1) })
		} else {
			a.in(a.draw(5, 9, 11), a.stop)
		}
	})
}

// stop ends the application: executors end by themselves, then the master.
func (a *sparkApp) stop() {
	a.finish = a.m.now
	for _, e := range a.execs {
		if c := e.c; c.freed < 0 { // also one being killed whose release has not gone out
			e.toldStop = a.m.now
			c.exited = a.m.now + a.draw(120, 200, 12, uint64(e.id))
			a.in(c.exited-a.m.now, func() { a.m.gone(a, c) })
		}
	}
	a.in(a.draw(64, 150, 13), func() {
		a.unregister = a.m.now
		am := a.containers[0]
		am.exited = a.m.now + a.draw(150, 200, 14)
		a.in(am.exited-a.m.now, func() { a.m.gone(a, am) })
	})
}

// turn is a turn of the manager's loop, if it is time for one.
func (a *sparkApp) turn() {
	g := &a.manager
	if at := a.registered + (g.phase*loopTenths/10+g.turns*loopTenths)/10; !a.dynamic || a.m.now < at {
		return
	}
	g.turns++
	if g.first {
		return
	}
	needed, old, reason := g.waiting+g.running, g.target, "not needed"
	switch {
	case needed < g.target:
		g.target, g.step = needed, 1
	case g.timer >= 0 && a.m.now >= g.timer:
		reason = "backlog"
		if g.target < a.most {
			g.target = min(max(g.target, g.registered)+g.step, needed, a.most)
		}
		switch delta := g.target - old; {
		case delta == g.step:
			g.step *= 2
			g.timer = a.m.now + backlog
		case delta > 0:
			g.step = 1
			g.timer = a.m.now + backlog
		default:
			g.step = 1
		}
	}
	if target := g.target; target != old {
		a.in(1, func() { a.hearTarget(target) })
		g.changes = append(g.changes, sparkTarget{a.m.now + 1, "allocator", target, ""}, sparkTarget{a.m.now + 2, "manager",
			target, reason})
	}
	a.expire()
}

// expire gives up executors that have idled out, as many as the target leaves.
func (a *sparkApp) expire() {
	left := a.manager.registered - a.manager.target
	for _, e := range a.execs {
		if e.removing {
			left--
		}
	}
	for _, e := range a.execs { // fewer than ten: by number is by text
		if left > 0 && e.known && !e.removing && e.task == nil && e.idleAt >= 0 && e.idleAt+a.idle <= a.m.now {
			left--
			e.removing = true
			e.killAsked = a.m.now + 1
			a.in(1, func() { a.hearKill(e) })
		}
	}
}

// removed: the driver knows that an executor is gone.
func (a *sparkApp) removed(e *sparkExec) {
	e.removed = a.m.now
	a.bus(func() {
		a.manager.registered--
		e.known, e.removing = false, false
	})
	a.wake(a.draw(2, 6, 22, uint64(e.id)))
}
