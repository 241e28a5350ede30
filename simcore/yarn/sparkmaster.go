package yarn

import (
	"cmp"
	"strings"

	"schedtune/internal/java"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn/spark"
)

// sparkMaster is the appMaster of Spark applications in cluster mode: the AM's
// process is the driver. Package simcore/yarn/spark decides; this type knows the
// time. The leaf of the AM's container holds the earliest of its timers: the
// driver's program, the allocation manager's loop, the offer to all executors,
// and the AM's call. The leaf of an executor's container holds its start, then
// the earliest end of a task.
type sparkMaster struct {
	programs[sparkApp, *sparkApp]
	plans []*sparkPlan      // by job, nil = not of Spark; of all runs
	cal   *SparkCalibration // of the run
	loop  simcore.Time      // SparkCalibration.Loop
	racks []int32           // by node
	hosts []uint32          // by node: hash of its host's name

	// Scratch.
	hints  []spark.HostTasks
	nodes  []int32
	wrote  []int64 // by executor
	hostAt []int32
}

// resetSpark prepares a run's Spark applications.
func (s *Sim) resetSpark() {
	k := s.spark
	if k == nil {
		return
	}
	k.cal = cmp.Or(s.cal.Spark, standardSpark())
	k.loop = millis(k.cal.Loop)
	k.span.set(k.cal.TaskSpan)
	k.dropAll()
	k.racks, k.hosts = k.racks[:0], k.hosts[:0]
	for i := range s.cluster.Nodes {
		host, _, _ := strings.Cut(s.cluster.Nodes[i].Name, ":")
		k.racks, k.hosts = append(k.racks, s.cluster.Nodes[i].Rack), append(k.hosts, java.HashString(host))
	}
}

// starting draws the wait and the work of a driver's start.
func (k *sparkMaster) starting(j int32) (wait, work simcore.Time, threads float64) {
	return k.draw(j, k.cal.DriverStart, drawDriver), k.drawWork(j, k.cal.DriverWork, drawDriverWork),
		k.cal.DriverThreads
}

// registered handles the AM's registration, with the SparkContext started. The AM makes its first
// call before the user's code continues.
func (k *sparkMaster) registered(j int32) {
	s, p := k.s, k.plans[j]
	a := k.take(j)
	a.reset(p, k.s.cfg.Defaults)
	a.tasks.Reset(&a.set, p.app.Pools, p.slots, k.racks, k.hosts, uint64(s.key(drawLaunch).At(k.key(j)).At(drawTasks)))
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
	if r := a.recorded; r.LoopPeriod > 0 {
		a.phase, a.period = r.LoopPhase, r.LoopPeriod
	} else {
		a.phase += simcore.Time(s.key(drawLaunch).At(k.key(j)).Float64(drawLoop) * float64(k.loop))
	}
	wait := or(entry(s.recorded.Context, j), k.draw(j, k.cal.Context, drawContext))
	a.callAt, a.calling = s.now+max(wait-callBeforeContext, 1), true
	a.callAt = a.recordedCall(s.now, a.callAt)
	a.step(s.now+wait, stepContext, 0)
	k.arm(j, a)
}

// callBeforeContext is the time from the AM's first call to the user's code continuing, after
// which the second call follows.
const callBeforeContext = 12 * simcore.Millisecond

// meet tells the AM about a resource profile, with the initial target.
func (a *sparkApp) meet(profile int32, racks []int32) {
	if !a.asked[profile] {
		a.asked[profile] = true
		a.allocs[profile].Reset(a.set.Start(), a.plan.slots[profile], racks)
	}
}

// requests returns the number of pending containers, as far as the AM knows.
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

// arm sets the AM's leaf to the earliest of its timers.
func (k *sparkMaster) arm(j int32, a *sparkApp) {
	if a.closed {
		return
	}
	k.s.armMaster(j, min(a.next(), a.loopAt, a.reviveAt))
}

// beat handles the event of the AM's leaf.
func (k *sparkMaster) beat(j int32) {
	s, a := k.s, k.apps[j]
	for !a.closed {
		st, ok := a.due(s.now)
		switch now := s.now; {
		case ok:
			k.do(j, a, st)
		case a.loopAt <= now:
			k.turn(j, a)
		case a.reviveAt <= now:
			a.reviveAt = simcore.Never
			k.launch(j, a, a.tasks.OfferAll(now))
			k.revive(a)
		case a.calling && a.callAt <= now:
			k.call(j, a)
		default:
			k.observe(a)
			k.arm(j, a)
			return
		}
	}
}

// observe sets the loop's next turn that has an effect, if dynamic allocation is on. Where the
// records have turns that changed targets or gave up executors, the next of them is the one,
// however late: it is noted after the turn's time was read, so it may be a little before the
// instant from which it was due.
func (k *sparkMaster) observe(a *sparkApp) {
	if !a.set.Dynamic || a.closed {
		return
	}
	change, step := a.manager.Due(a.monitor.Registered())
	change = min(change, a.monitor.Due(a.manager.Targets()))
	if a.manager.Waiting() {
		change = a.monitor.Soonest() // an executor that times out ends the initial target
	}
	a.dueAt, a.loopAt = change, a.turnFrom(step, k.s.now+1)
	if change != simcore.Never {
		from := max(change, k.s.now+1)
		a.loopAt = min(a.loopAt, firstOf(a.recorded.Turns, max(change-a.period/2, k.s.now+1), simcore.Never,
			a.turnFrom(from, 0)))
	}
}

// turnFrom returns the loop's first turn of its grid from the later of two instants on.
func (a *sparkApp) turnFrom(at, earliest simcore.Time) simcore.Time {
	if at == simcore.Never {
		return at
	}
	return a.phase + (max(at-a.phase, earliest-a.phase, 0)+a.period-1)/a.period*a.period
}

// turn makes one turn of the allocation manager's loop. It keeps executors that run a task.
func (k *sparkMaster) turn(j int32, a *sparkApp) {
	now := k.s.now
	if a.dueAt < now+a.period/2 { // a recorded turn, see observe
		now = max(now, a.dueAt)
	}
	a.loopAt = simcore.Never
	out := a.monitor.TimedOut(now)
	if a.manager.Turn(now, a.monitor.Registered(), out) {
		k.request(j, a)
	}
	if out {
		before := len(a.giving)
		for _, e := range a.monitor.Expire(now, a.manager.Targets()) {
			x := &a.execs[e]
			if a.tasks.Busy(e) || x.missed {
				continue
			}
			a.monitor.Kill(e)
			a.tasks.RemoveExecutor(e)
			x.killed = true
			k.tell(j, SparkEvent{Kind: SparkKill, Executor: e})
			if x.state == execGone { // its container has completed, and the AM does not know yet
				a.allocs[x.profile].Kill()
			} else if wait := entry(a.recorded.Heard, e-1); wait > 0 {
				a.step(k.s.now+wait, stepGive, e)
			} else {
				a.give(e)
			}
		}
		if len(a.giving) > before {
			k.request(j, a)
		}
	}
	k.observe(a)
}

// give has the AM release an executor with its next call.
func (a *sparkApp) give(e int32) {
	x := &a.execs[e]
	a.allocs[x.profile].Kill()
	a.giving = append(a.giving, x.slot)
}

// request sends the driver's message to the AM: targets and hints of all profiles.
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
			k.tell(j, SparkEvent{Kind: SparkTarget, Count: a.manager.Target(p)})
		}
	}
	if changed {
		k.wakeCall(j, a)
	} else if len(a.giving) > 0 || a.missing() {
		k.needCall(a)
		k.arm(j, a)
	}
}

// fail ends an application of which a request was refused.
func (k *sparkMaster) fail(j int32) { k.stop(j, k.apps[j], true) }

// stop ends the application, a moment after its last job. Registered executors stop with it, and
// the AM takes its requests back.
func (k *sparkMaster) stop(j int32, a *sparkApp, failed bool) {
	s := k.s
	a.closed = true
	s.finishJob(j, failed)
	for p := range a.allocs {
		a.allocs[p].Request(0, 0, nil)
	}
	k.wakeAM(j, a)
	for e := range int32(len(a.execs)) {
		x := &a.execs[e]
		if x.state != execLive {
			continue
		}
		runs := a.runsOf(e)
		for r := range runs {
			if run := &runs[r]; run.set >= 0 {
				s.rec.Ended(simcore.JobID(j), simcore.Map, kernel.Killed, s.now-run.from, run.loc)
				run.set = -1
			}
		}
		x.state = execGone
		s.report(x.slot, &s.slots.all[x.slot], s.now+k.spanOf(j, e, a.recorded.Stop, k.cal.ExecStop, 3))
	}
}
