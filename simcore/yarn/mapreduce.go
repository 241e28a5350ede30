package yarn

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// mapReduce is the appMaster of MapReduce jobs, after MRAppMaster of Hadoop 3.4.1. Its state
// is jobs[j]; what it does stands in master.go (its heartbeat), assign.go (containers to
// tasks), reduces.go (how many reduces), launch.go and task.go (a task's life), speculate.go
// (second attempts), misses.go and outputs.go (what is lost). appMaster has the contract of
// each method.
type mapReduce struct{ s *Sim }

// starting draws the wait and the work of a master's start.
func (k mapReduce) starting(j int32) (wait, work simcore.Time, threads float64) {
	s := k.s
	return s.latency(s.cal.AMStart, s.keys.master, uint64(j)), s.drawWorkTime(s.keys.work.At(1<<40|uint64(j)), 0, s.cal.AMWork), s.cal.AMThreads
}

// busy is false: what a master of MapReduce does, it does in heartbeats.
func (k mapReduce) busy(int32) bool { return false }

// submitted counts the tasks that are to run.
func (k mapReduce) submitted(j int32) {
	job, m := &k.s.work.Jobs[j], &k.s.jobs[j]
	k.s.rec.Pending(simcore.JobID(j), job.Maps+job.Reduces-m.doneMaps-m.doneReds)
}

// registered: a period later it asks for the first time.
func (k mapReduce) registered(j int32) {
	s := k.s
	s.startJob(j)
	m := &s.jobs[j]
	m.beat = s.masterBeatAfter(j, s.now+1, s.now+millis(s.cal.AMBeat))
	s.tree.Set(s.slotLeaf(m.slot), m.beat)
	if job := &s.work.Jobs[j]; job.Maps+job.Reduces == 0 {
		s.finishJob(j, false)
	}
}

// beat is a heartbeat, see master.go.
func (k mapReduce) beat(j int32) { k.s.masterBeat(j) }

// granted wakes the master: it will hear of the container.
func (k mapReduce) granted(j, sl, _ int32) {
	k.s.taskGranted(&k.s.slots.all[sl], &k.s.jobs[j])
}

// taskGranted is granted for a task's container.
func (s *Sim) taskGranted(c *slot, m *master) {
	m.granted++
	if s.policy.on && c.kind == mapContainer {
		s.grantedMap(c.job)
	}
	if m.asleep {
		s.wakeUp(c.job, m)
	}
}

// event is the next step of a task.
func (k mapReduce) event(sl int32) { k.s.taskEvent(sl, &k.s.slots.all[sl]) }

// taskEvent is event for a task's container.
func (s *Sim) taskEvent(sl int32, c *slot) {
	switch c.state {
	case starting:
		s.workOfLaunch(sl, c)
	case arming:
		s.startExec(sl, c)
	case running:
		s.mapFinished(sl, c)
	case fails:
		s.attemptFailed(sl, c)
	case shuffling:
		s.reduceRuns(sl, c)
	case reducing:
		s.reduceFinished(sl, c)
	}
}

// worked: the launch is over, the task begins.
func (k mapReduce) worked(sl int32) { k.s.run(sl) }

// ended: the container of a task is gone.
func (k mapReduce) ended(j, sl int32) {
	k.s.taskGone(&k.s.slots.all[sl], &k.s.jobs[j])
}

// taskGone is ended for a task's container.
func (s *Sim) taskGone(c *slot, m *master) {
	if c.kind == reduceContainer {
		m.heldReds--
	}
	if m.asleep {
		s.wakeEnded(c.job, m)
	}
}

// lost has the task run again, unless another attempt of it is at work; the master hears of
// it first.
func (k mapReduce) lost(j, sl int32) {
	s := k.s
	m, c := &s.jobs[j], &s.slots.all[sl]
	over := c.state == ending
	s.quit(sl, c)
	if c.launched && !over {
		c.outcome = kernel.Killed
		if s.twin(sl, c) < 0 {
			s.missed(c)
		}
	}
	m.ords[c.ord] = gone | int32(c.kind)
	if !c.launched {
		m.ords[c.ord] = gone | int32(masterContainer) // no task was in it
	}
	if c.kind == reduceContainer && c.launched {
		m.heldReds--
	}
	s.release(sl, c)
	s.wake(j, m)
}

// machineGone stops reduces that were to copy what lay there.
func (k mapReduce) machineGone(j, n int32) { k.s.outputGone(j, n) }

// nodeLost has maps run again whose output lay there.
func (k mapReduce) nodeLost(j, n int32) { k.s.loseOutput(j, n) }

// quit takes a task off the shared resources, or off the list of waiting reduces.
func (k mapReduce) quit(sl int32) {
	s := k.s
	c := &s.slots.all[sl]
	switch c.state {
	case running, reducing, fails:
		s.stopExec(sl)
	case waits:
		at := &s.jobs[c.job].redWait
		for *at >= 0 && *at != sl {
			at = &s.slots.all[*at].next
		}
		if *at == sl {
			*at = c.next
		}
	}
}

// closing draws the spans of the job's end. Of a job that ran when the run began, their sum
// may be given instead (WarmJob.Ends).
func (k mapReduce) closing(j int32, phase closePhase) simcore.Time {
	s := k.s
	if e := s.jobs[j].ends; e > 0 {
		if phase == closeExit {
			return e
		}
		return 0
	}
	key := s.keys.commit.At(uint64(j))
	switch phase {
	case closeCommit:
		return s.latency(s.cal.Commit, key, 0)
	case closeUnregister:
		return s.latency(s.cal.Unregister, key, 1)
	}
	return s.latency(s.cal.Linger, key, 2) + s.latency(s.cal.NodeDone, key, 3)
}

// forget clears what the ResourceManager would have told of reduces.
func (k mapReduce) forget(j int32) {
	k.s.jobs[j].heldReds = 0
	if k.s.execOn {
		k.s.exec.JobDone(simcore.JobID(j))
	}
}

// restart recovers the tasks that have finished.
func (k mapReduce) restart(j int32) { k.s.recoverJob(j) }

// containerKind goes by the request's priority.
func (k mapReduce) containerKind(e *Event) uint8 {
	switch e.Priority {
	case priorityReduce:
		return reduceContainer
	case priorityFailedMap:
		return failedMapContainer
	}
	return mapContainer
}

// size is that of the job's maps or reduces.
func (k mapReduce) size(c *slot) Resource {
	if c.kind == reduceContainer {
		return k.s.plan.redAsk[c.job]
	}
	return k.s.plan.mapAsk[c.job]
}

// lingers is never: a task's process ends with its container.
func (k mapReduce) lingers(int32) simcore.Time { return 0 }

// orphaned is how long a task goes on without its master: three calls in vain
// (Task.TaskReporter), each of eleven connections a second apart
// (ipc.client.connect.max.retries), and 3 s between them.
const orphaned = 3 * (10 + 3) * simcore.Second

// goesOn: a task notices after a while that its master is gone.
func (k mapReduce) goesOn(c *slot) (simcore.Time, bool) {
	if k.s.replay {
		at := k.s.recordedKill(c)
		return at, at >= 0
	}
	return k.s.now + orphaned, true
}

// mapsAndReduces holds.
func (k mapReduce) mapsAndReduces() bool { return true }

// progress counts tasks, and says what keeps maps waiting where their queue's limits do.
func (k mapReduce) progress(j int32) string {
	m, job := &k.s.jobs[j], &k.s.work.Jobs[j]
	done := fmt.Sprintf("%d of %d maps and %d of %d reduces done", m.doneMaps, job.Maps, m.doneReds, job.Reduces)
	if ask := k.s.plan.mapAsk[j].Memory; m.registered && m.waitMaps > 0 && m.headroom.Memory < ask {
		done += fmt.Sprintf(", %d maps wait: the limits of its queue and user leave it %d MiB, a map asks %d", m.waitMaps, max(m.headroom.Memory, 0), ask)
	}
	return done
}
