package yarn

import (
	"fmt"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// What AMs of Spark and Tez applications have in common. Their containers live for several tasks,
// their programs have steps in the future, and the leaf of the AM's container holds the earliest of
// their timers.

// progState is the state of a running application of a kind.
type progState[A any] interface {
	*A
	base() *program
}

// programs is the part of such a kind of master that does not depend on the kind; A is the state of
// a running application.
type programs[A any, P progState[A]] struct {
	s     *Sim
	apps  []*A  // by job, nil = not running
	spare []*A  // memory of those that have ended
	span  quick // time of every task besides user code
}

// newPrograms returns the part without a running application.
func newPrograms[A any, P progState[A]](s *Sim) programs[A, P] {
	return programs[A, P]{s: s, apps: make([]*A, len(s.work.Jobs))}
}

// planPrograms prepares the workload's Spark and Tez applications.
func (s *Sim) planPrograms() (err error) {
	n := len(s.work.Jobs)
	for j := range s.work.Jobs {
		job, think := &s.work.Jobs[j], simcore.Time(0)
		switch {
		case job.Spark != nil:
			if s.spark == nil {
				s.spark = &sparkMaster{plans: make([]*sparkPlan, n), programs: newPrograms[sparkApp, *sparkApp](s)}
			}
			s.spark.plans[j], err = planSpark(s.work, job)
			for i := range job.Spark.Jobs {
				think += job.Spark.Jobs[i].Delay
			}
		case job.Tez != nil:
			if s.tez == nil {
				s.tez = &tezMaster{plans: make([]*tezPlan, n), programs: newPrograms[tezApp, *tezApp](s)}
			}
			s.tez.plans[j], err = planTez(s.cluster, s.work, job)
			for i := range job.Tez.DAGs {
				think += job.Tez.DAGs[i].Delay + job.Tez.DAGs[i].At
			}
		}
		if err != nil {
			return err
		}
		s.patience = max(s.patience, uselessSpan+think)
	}
	return nil
}

// resetPrograms prepares a run's Spark and Tez applications.
func (s *Sim) resetPrograms() error {
	if s.execOn && (s.spark != nil || s.tez != nil) {
		return fmt.Errorf("yarn: duration model %s: must be %s or %s for Spark and Tez applications", simcore.Resources,
			simcore.Replay, simcore.Sampled)
	}
	s.resetSpark()
	s.resetTez()
	return nil
}

// take returns the state for an application that begins, in the memory of another.
func (k *programs[A, P]) take(j int32) *A {
	a := new(A)
	if n := len(k.spare); n > 0 {
		a, k.spare = k.spare[n-1], k.spare[:n-1]
	}
	k.apps[j] = a
	return a
}

// drop keeps the memory of an application that has ended.
func (k *programs[A, P]) drop(j int32) {
	if a := k.apps[j]; a != nil {
		k.spare, k.apps[j] = append(k.spare, a), nil
	}
}

// dropAll prepares a run.
func (k *programs[A, P]) dropAll() {
	for j := range k.apps {
		k.drop(int32(j))
	}
}

// key returns the number of an application's stream of draws, apart from those of MapReduce tasks.
func (k *programs[A, P]) key(j int32) uint64 { return 1<<62 | uint64(j) }

// draw draws a latency of an application.
func (k *programs[A, P]) draw(j int32, l Latency, what uint64) simcore.Time {
	return k.s.latency(l, k.s.key(drawLaunch).At(k.key(j)), what)
}

// drawWork draws work on shared cores around ms milliseconds.
func (k *programs[A, P]) drawWork(j int32, ms float64, what uint64) simcore.Time {
	return k.s.drawWorkTime(k.s.key(drawWork).At(k.key(j)), what, ms)
}

// busy reports whether an application has future steps.
func (k *programs[A, P]) busy(j int32) bool {
	a := k.apps[j]
	return a != nil && P(a).base().todoAt != simcore.Never
}

// overhead returns the time of a task besides user code, if task times are those of user code alone,
// and that of loading classes if it is its container's first.
func (k *programs[A, P]) overhead(key rng.Key, first bool, wait Latency, work float64) (d simcore.Time) {
	if k.s.opt.Times == UserTimes {
		d = k.s.quickly(&k.span, uint64(key))
	}
	if first {
		d += simcore.Time(float64(k.s.latency(wait, key, 1)+millis(work)) * k.s.pace)
	}
	return d
}

// submitted does nothing: tasks count from when they are wanted.
func (k *programs[A, P]) submitted(int32) {}

// restart starts from nothing: the AM keeps no state of the previous one.
func (k *programs[A, P]) restart(j int32) { k.s.jobs[j] = k.s.jobs[j].fresh() }

// size returns the size of a container as allocated.
func (k *programs[A, P]) size(c *slot) Resource { return c.size }

// containerKind returns the kind of containers for several tasks.
func (k *programs[A, P]) containerKind(*Event) uint8 { return executorContainer }

// machineGone does nothing: the AM learns of it with its containers.
func (k *programs[A, P]) machineGone(int32, int32) {}

// nodeLost does nothing, for the same reason.
func (k *programs[A, P]) nodeLost(int32, int32) {}

// goesOn returns false: a container stops with its AM.
func (k *programs[A, P]) goesOn(*slot) (simcore.Time, bool) { return 0, false }

// mapsAndReduces returns false.
func (k *programs[A, P]) mapsAndReduces() bool { return false }

// quit does nothing: containers are in no list of the runtime.
func (k *programs[A, P]) quit(int32, *slot) {}

// Draws of an application, by number within its stream (programs.key). Numbers of stages or
// vertices, containers, tasks and offers are added to the last four.
const (
	drawContext    uint64 = 1<<32 + iota // registered to the user's code continuing
	drawLoop                             // phase of the allocation manager's loop
	drawDriver                           // latency of the AM's start
	drawDriverWork                       // work of the AM's start
	drawStop                             // application end to unregistered
	drawDriverExit                       // unregistered to the container free
	drawJobs                             // gaps before stages, wakes of the AM's thread
	drawExecs      uint64 = 1 << 33
	drawTasks      uint64 = 1 << 34
	drawOffers     uint64 = 1 << 35
)

// program is the part of an application's state that does not depend on its kind.
type program struct {
	todo   []futureStep // future steps
	giving []int32      // slots to release with the next call

	todoAt  simcore.Time // earliest of the steps
	callAt  simcore.Time // next call of the AM
	calling bool         // the call at callAt has an effect
	granted int32        // containers allocated since the last call
	ended   int32        // containers completed since the last call
	calls   int32        // calls made
	closed  bool
}

// base returns the part of an application's state that does not depend on its kind.
func (a *program) base() *program { return a }

// next returns the earliest of the steps and the call.
func (a *program) next() simcore.Time {
	if a.calling {
		return min(a.todoAt, a.callAt)
	}
	return a.todoAt
}

// fresh returns an empty program that keeps the memory of this one.
func (a *program) fresh() program {
	return program{todo: a.todo[:0], giving: a.giving[:0], todoAt: simcore.Never, callAt: simcore.Never}
}

// futureStep is a future step of an application.
type futureStep struct {
	at   simcore.Time
	what stepKind
	i    int32 // job, stage, task set or executor; DAG or vertex
}

// stepKind is a kind of step.
type stepKind uint8

const (
	stepContext stepKind = iota // the SparkContext has started
	stepReady                   // the wait for the first executors ends
	stepJob                     // a job is submitted
	stepStage                   // a stage is submitted
	stepOffer                   // a task set is offered
	stepAccept                  // an executor accepts tasks
	stepGive                    // the AM hears that an executor is given up
	stepGone                    // the process of a killed executor has ended
	stepRun                     // a task ends on an executor whose container is lost
	stepNote                    // the driver notes ends of tasks
	stepCheck                   // slow tasks are searched
	stepFinish                  // the application ends
	stepLost                    // the driver sees the connection to an executor close
	stepRemove                  // it learns the reason
	stepDAG                     // a DAG is submitted
	stepVertex                  // a vertex's number of tasks is known
	stepTask                    // a task is wanted
	stepBuild                   // the next call of an AM is put together
)

// step adds a future step, behind those of the same time.
func (a *program) step(at simcore.Time, what stepKind, i int32) {
	a.todo = append(a.todo, futureStep{at, what, i})
	a.todoAt = min(a.todoAt, at)
}

// due removes and returns the next step that is due, by time; at equal times executors accept tasks
// first, else in order of entry.
func (a *program) due(now simcore.Time) (st futureStep, ok bool) {
	if a.todoAt > now {
		return st, false
	}
	best := 0
	for i := range a.todo {
		if a.todo[i].at < a.todo[best].at ||
			a.todo[i].at == a.todo[best].at && a.todo[i].what == stepAccept && a.todo[best].what != stepAccept {
			best = i
		}
	}
	st = a.todo[best]
	a.todo, a.todoAt = slices.Delete(a.todo, best, best+1), simcore.Never
	for i := range a.todo {
		a.todoAt = min(a.todoAt, a.todo[i].at)
	}
	return st, true
}

// ungive removes a container from the list of those that the next call releases, and reports
// whether it was there.
func (a *program) ungive(sl int32) bool {
	i := slices.Index(a.giving, sl)
	if i >= 0 {
		a.giving = slices.Delete(a.giving, i, i+1)
	}
	return i >= 0
}

// armMaster sets the leaf of a running AM to its next timer.
func (s *Sim) armMaster(j int32, at simcore.Time) {
	if m := &s.jobs[j]; m.slot >= 0 && !m.closed && s.slots.all[m.slot].state != dead {
		s.tree.Set(s.slotLeaf(m.slot), max(at, s.now))
	}
}

// caller is the part of a kind of master that its AM's calls need.
type caller interface {
	// match assigns an allocated container to a request of a level: 0 host, 1 rack, 2 any place.
	match(j, sl int32, level int) bool
	// released returns until when the process of a container that a call releases occupies its node,
	// and whether tasks were to run in it.
	released(j int32, c *slot) (until simcore.Time, used bool)
	// fail ends an application of which a request was refused.
	fail(j int32)
}

// call makes a call of the AM, with s.asks and the containers to release, and reports whether it
// carried anything; ok is false if a request was refused. Containers of the response are matched with
// requests by host, by rack, then at any place; those without a match are released with the next call.
func (s *Sim) call(j int32, a *program, k caller) (changed, ok bool) {
	m := &s.jobs[j]
	for _, sl := range a.giving {
		m.release = append(m.release, s.slots.all[sl].ord)
	}
	a.granted, a.ended = 0, 0
	a.calls++
	s.sched.Ask(m.app, s.asks, m.release, &s.resp)
	changed = len(s.asks)+len(m.release) > 0
	m.release = m.release[:0]
	if s.resp.Refused != nil && !a.closed {
		s.refused(j)
		k.fail(j)
		return changed, false
	}
	for _, sl := range a.giving {
		c := &s.slots.all[sl]
		until, used := k.released(j, c)
		if !used {
			s.times[j].Given++
		}
		s.freeAtExit(sl, c, until)
	}
	a.giving = a.giving[:0]
	s.spare = s.spare[:0]
	for _, ord := range s.resp.Granted {
		if int(ord) < len(m.ords) && m.ords[ord] >= 0 {
			s.spare = append(s.spare, m.ords[ord])
		}
	}
	for level := 0; level <= 2 && len(s.spare) > 0; level++ {
		s.spare = slices.DeleteFunc(s.spare, func(sl int32) bool { return k.match(j, sl, level) })
	}
	a.giving = append(a.giving, s.spare...)
	return changed, true
}

// freeAtExit books a container that its AM no longer has. Its process occupies its node until an instant.
func (s *Sim) freeAtExit(sl int32, c *slot, until simcore.Time) {
	s.jobs[c.job].ords[c.ord] = gone | int32(executorContainer)
	s.quit(sl, c)
	s.releaseAtExit(sl, c, until)
}

// startProcess lets the process of a container work on its node's cores, then wait.
func (s *Sim) startProcess(sl int32, c *slot, work simcore.Time, threads float64) {
	c.state = launching
	s.tree.Clear(s.slotLeaf(sl))
	s.startWork(s.cpuOf(c.node), sl, work, threads)
}
