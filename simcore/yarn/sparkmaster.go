package yarn

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn/spark"
)

// sparkMaster is the appMaster of Spark applications in cluster mode: the AM's
// process is the driver. What it decides stands in simcore/yarn/spark; here is
// when. The leaf of the AM's container holds the earliest of its timers: the
// driver's program, the allocation manager's loop, the offer to all executors,
// and the AM's call. The leaf of an executor's container holds its start, then
// the earliest end of a task.
type sparkMaster struct {
	s     *Sim
	plans []*sparkPlan      // by job, nil = not of Spark; of all runs
	apps  []*sparkApp       // by job, nil = not under way
	spare []*sparkApp       // memory of those that are over
	cal   *SparkCalibration // of the run
	loop  simcore.Time      // SparkCalibration.Loop
	span  quick             // SparkCalibration.TaskSpan
	racks []int32           // by node

	// Scratch.
	hints  []spark.HostTasks
	nodes  []int32
	wrote  []int64 // by executor
	hostAt []int32
}

// Draws of an application, told apart by number within its stream (sparkMaster.key). The
// last four are where numbers of stages, executors, tasks and offers are added to.
const (
	drawContext    uint64 = 1<<32 + iota // registered to the user's code going on
	drawLoop                             // phase of the allocation manager's loop
	drawDriver                           // latency of the driver's start
	drawDriverWork                       // work of the driver's start
	drawStop                             // application end to unregistered
	drawDriverExit                       // unregistered to the container free
	drawJobs                             // gaps before stages, wakes of the AM's thread
	drawExecs      uint64 = 1 << 33
	drawTasks      uint64 = 1 << 34
	drawOffers     uint64 = 1 << 35
)

// resetSpark prepares a run's Spark applications.
func (s *Sim) resetSpark() error {
	k := s.spark
	if k == nil {
		return nil
	}
	if s.execOn {
		return fmt.Errorf("yarn: the resource model computes times of MapReduce jobs; the workload has Spark applications; allowed: %s, %s", simcore.Replay, simcore.Sampled)
	}
	if k.cal = s.cal.Spark; k.cal == nil {
		k.cal = standardSpark()
	}
	k.loop = millis(k.cal.Loop)
	k.span.set(k.cal.TaskSpan)
	for j, a := range k.apps {
		if a != nil {
			k.spare, k.apps[j] = append(k.spare, a), nil
		}
	}
	k.racks = kernel.Zeroed(k.racks, len(s.cluster.Nodes))
	for i := range s.cluster.Nodes {
		k.racks[i] = s.cluster.Nodes[i].Rack
	}
	return nil
}

// key tells an application's draws from those of tasks of MapReduce.
func (k *sparkMaster) key(j int32) uint64 { return 1<<62 | uint64(j) }

// draw draws a latency of an application.
func (k *sparkMaster) draw(j int32, l Latency, what uint64) simcore.Time {
	return k.s.latency(l, k.s.keys.launch.At(k.key(j)), what)
}

// starting draws the wait and the work of a driver's start.
func (k *sparkMaster) starting(j int32) (wait, work simcore.Time, threads float64) {
	key := k.s.keys.work.At(k.key(j))
	return k.draw(j, k.cal.DriverStart, drawDriver), k.s.drawWorkTime(key, drawDriverWork, k.cal.DriverWork), k.cal.DriverThreads
}

// submitted does nothing: tasks are counted as their stages are submitted.
func (k *sparkMaster) submitted(int32) {}

// registered: the SparkContext is up and the AM has registered. The first call
// goes out before the user's code goes on.
func (k *sparkMaster) registered(j int32) {
	s, p := k.s, k.plans[j]
	var a *sparkApp
	if n := len(k.spare); n > 0 {
		a, k.spare = k.spare[n-1], k.spare[:n-1]
	} else {
		a = &sparkApp{}
	}
	k.apps[j] = a
	a.reset(p, k.s.cfg.Spark)
	a.tasks.Reset(a.set, p.app.Pools, p.slots, k.racks, uint64(s.keys.launch.At(k.key(j)).At(drawTasks)))
	for len(a.allocs) < len(p.slots) {
		a.allocs = append(a.allocs, spark.Allocator{})
	}
	a.allocs, a.asked = a.allocs[:len(p.slots)], kernel.Zeroed(a.asked, len(p.slots))
	for i := range a.allocs {
		a.allocs[i].Reset(0, p.slots[i], k.racks)
	}
	a.meet(0, k.racks)
	a.born = s.now - backendEarlier
	a.phase, a.period = s.now, k.loop
	a.recorded = s.recordedSpark(j)
	if a.recorded != nil {
		a.tasks.Follow(a.recorded.Runner)
	}
	if r := a.recorded; r != nil && r.LoopPeriod > 0 {
		a.phase, a.period = r.LoopPhase, r.LoopPeriod
	} else {
		a.phase += simcore.Time(s.keys.launch.At(k.key(j)).Float64(drawLoop) * float64(k.loop))
	}
	wait, ok := s.recorded(func(r *Recorded) []simcore.Time { return r.Context }, j)
	if !ok {
		wait = k.draw(j, k.cal.Context, drawContext)
	}
	a.callAt, a.calling = s.now+max(wait-callBeforeContext, 1), true
	if r := a.recorded; r != nil {
		a.callAt = firstOf(r.Calls, s.now, s.now+simcore.Second, a.callAt)
	}
	a.step(s.now+wait, stepContext, 0)
	k.arm(j, a)
}

// callBeforeContext is how long before the user's code goes on the AM makes its
// first call; the second follows after it.
const callBeforeContext = 12 * simcore.Millisecond

// meet makes a resource profile known to the AM, with the initial target.
func (a *sparkApp) meet(profile int32, racks []int32) {
	if !a.asked[profile] {
		a.asked[profile] = true
		a.allocs[profile].Reset(a.set.Start(), a.plan.slots[profile], racks)
	}
}

// requests is the number of containers asked for and not granted, as the AM knows.
func (a *sparkApp) requests() (n int32) {
	for i := range a.allocs {
		n += a.allocs[i].Pending()
	}
	return n
}

// missing reports whether the AM's next call would change its requests.
func (a *sparkApp) missing() bool {
	for i := range a.allocs {
		if a.asked[i] && a.allocs[i].Missing() {
			return true
		}
	}
	return false
}

// step puts something into the driver's agenda.
func (a *sparkApp) step(at simcore.Time, what stepKind, i int32) {
	a.todo = append(a.todo, sparkStep{at, what, i})
	a.todoAt = min(a.todoAt, at)
}

// nextStep takes the earliest step that is due; equal times in order of entry.
func (a *sparkApp) nextStep(now simcore.Time) (st sparkStep, ok bool) {
	best := -1
	for i := range a.todo {
		if a.todo[i].at <= now && (best < 0 || a.todo[i].at < a.todo[best].at) {
			best = i
		}
	}
	if best < 0 {
		return st, false
	}
	st = a.todo[best]
	a.todo = append(a.todo[:best], a.todo[best+1:]...)
	return st, true
}

// arm sets the AM's leaf to the earliest of its timers.
func (k *sparkMaster) arm(j int32, a *sparkApp) {
	s := k.s
	if a.closed {
		return
	}
	at := min(a.todoAt, a.loopAt, a.reviveAt)
	if a.calling {
		at = min(at, a.callAt)
	}
	m := &s.jobs[j]
	if m.slot < 0 || m.closed || s.slots.all[m.slot].state == dead {
		return
	}
	leaf := s.slotLeaf(m.slot)
	if at == simcore.Never {
		s.tree.Clear(leaf)
		return
	}
	s.tree.Set(leaf, max(at, s.now))
}

// beat is an event of the AM's leaf.
func (k *sparkMaster) beat(j int32) {
	s, a := k.s, k.apps[j]
	for !a.closed {
		switch now := s.now; {
		case a.todoAt <= now:
			k.steps(j, a)
		case a.loopAt <= now:
			k.turn(j, a)
		case a.reviveAt <= now:
			a.reviveAt = simcore.Never
			k.launch(j, a, a.tasks.OfferAll(now))
			k.revive(a)
		case a.calling && a.callAt <= now:
			k.call(j, a)
		default:
			k.watch(a)
			k.arm(j, a)
			return
		}
	}
}

// steps carries out what is due on the driver's agenda.
func (k *sparkMaster) steps(j int32, a *sparkApp) {
	for !a.closed {
		st, ok := a.nextStep(k.s.now)
		if !ok {
			break
		}
		k.do(j, a, st)
	}
	a.todoAt = simcore.Never
	for i := range a.todo {
		a.todoAt = min(a.todoAt, a.todo[i].at)
	}
}

// watch sets the loop's next turn that would change anything, if dynamic
// allocation is on.
func (k *sparkMaster) watch(a *sparkApp) {
	if !a.set.Dynamic || a.closed {
		return
	}
	due := min(a.manager.Due(a.monitor.Registered()), a.monitor.Due(a.manager.Targets()))
	if a.manager.Waiting() {
		due = a.monitor.Soonest() // an executor that idles out ends the initial target
	}
	if due == simcore.Never {
		a.loopAt = simcore.Never
		return
	}
	due = max(due, k.s.now+1)
	a.loopAt = a.phase + (max(due-a.phase, 0)+a.period-1)/a.period*a.period
	if r := a.recorded; r != nil {
		// The loop's period is its work too, so it drifts: a turn known to have
		// come within a period is the one.
		a.loopAt = firstOf(r.Turns, due, due+a.period+turnLate, a.loopAt)
	}
}

// turnLate is how much later than its period a turn may come under load.
const turnLate = 30 * simcore.Millisecond

// turn is one turn of the allocation manager's loop.
func (k *sparkMaster) turn(j int32, a *sparkApp) {
	now := k.s.now
	a.loopAt = simcore.Never
	out := a.monitor.TimedOut(now)
	if a.manager.Turn(now, a.monitor.Registered(), out) {
		k.request(j, a)
	}
	if out {
		killed := false
		for _, e := range a.monitor.Expire(now, a.manager.Targets()) {
			if a.tasks.Busy(e) || a.execs[e].state == execGone { // gone: its container is over, its loss not yet told
				continue
			}
			a.monitor.Kill(e)
			a.tasks.RemoveExecutor(e)
			x := &a.execs[e]
			x.killed = true
			a.allocs[x.profile].Kill()
			a.giving = append(a.giving, x.slot)
			killed = true
		}
		if killed {
			k.request(j, a)
		}
	}
	k.watch(a)
}

// request is the driver's message to the AM: targets and hints of all profiles.
// A change of a target wakes the AM's thread.
func (k *sparkMaster) request(j int32, a *sparkApp) {
	changed := false
	for p := range int32(len(a.allocs)) {
		if !a.manager.Known(p) {
			continue
		}
		a.meet(p, k.racks)
		var tasks int32
		tasks, k.hints = a.tasks.Wishes(p, k.hints[:0])
		if a.allocs[p].Request(a.manager.Target(p), tasks, k.hints) {
			changed = true
		}
	}
	if changed {
		k.wakeCall(j, a, k.draw(j, k.cal.Wake, drawJobs+uint64(k.s.now)))
	} else if len(a.giving) > 0 || a.missing() {
		k.needCall(a)
		k.arm(j, a)
	}
}

// stop ends the application after its last job.
func (k *sparkMaster) stop(j int32, a *sparkApp, failed bool) {
	s := k.s
	a.closed = true
	s.times[j].LastMap = s.now
	s.finishJob(j, failed)
	end := s.tree.When(s.slotLeaf(s.jobs[j].slot))
	for e := 1; e < len(a.execs); e++ {
		x := &a.execs[e]
		if x.state != execLive { // one being killed still listens: its release never went out
			continue
		}
		c := &s.slots.all[x.slot]
		for r := range a.runsOf(int32(e)) {
			if run := &a.runsOf(int32(e))[r]; run.set >= 0 {
				s.rec.Ended(simcore.JobID(j), simcore.Map, kernel.Killed, s.now-run.from, run.loc)
				run.set = -1
			}
		}
		x.state = execGone
		s.report(x.slot, c, end+k.spanOf(j, int32(e), func(r *RecordedSpark) []simcore.Time { return r.Stop }, k.cal.ExecStop, 3))
	}
}
