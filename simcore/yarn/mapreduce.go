package yarn

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// mapReduce is the appMaster of MapReduce jobs, after MRAppMaster of Hadoop 3.4.1. Its state
// is jobs[j]; master.go has its heartbeat, assign.go gives containers to
// tasks, reduces.go decides how many reduces to request, launch.go and task.go run tasks, misses.go and outputs.go losses. appMaster has the contract of
// each method. Calls that each container causes use the methods directly where they can, since a
// call through the interface costs as much as these methods.
type mapReduce struct{ s *Sim }

// starting draws the wait and the work of a master's start.
func (k mapReduce) starting(j int32) (wait, work simcore.Time, threads float64) {
	s := k.s
	return s.latency(s.cal.AMStart, s.key(drawMaster), uint64(j)), s.drawWorkTime(s.key(drawWork).At(1<<40|uint64(j)), 0,
		s.cal.AMWork), s.cal.AMThreads
}

// busy returns false: a MapReduce master acts in heartbeats only.
func (k mapReduce) busy(int32) bool { return false }

// submitted counts the pending tasks.
func (k mapReduce) submitted(j int32) {
	job, m := &k.s.work.Jobs[j], &k.s.jobs[j]
	k.s.rec.Pending(simcore.JobID(j), job.Maps+job.Reduces-m.doneMaps-m.doneReds)
}

// registered sets the first heartbeat, in which the master sends its first requests.
func (k mapReduce) registered(j int32) {
	s := k.s
	s.startJob(j)
	m := &s.jobs[j]
	m.beat = s.masterBeatAfter(j, s.now+1, s.now+millis(s.cal.AMBeat))
	s.tree.Set(s.slotLeaf(m.slot), m.beat)
	if job := &s.work.Jobs[j]; job.Maps+job.Reduces == 0 {
		s.rec.Job(simcore.JobID(j)).Start = s.now
		s.finishJob(j, false)
	}
}

// beat makes a heartbeat, see master.go.
func (k mapReduce) beat(j int32) { k.s.masterBeat(j) }

// granted handles the allocation of a container to a task: the master wakes up.
func (k mapReduce) granted(_ int32, c *slot, _ int32) {
	s, m := k.s, &k.s.jobs[c.job]
	m.granted++
	if c.kind == mapContainer && s.cfg.Policies.Reduces != nil {
		s.policy.window.Granted[c.job]++
	}
	s.wake(c.job, m)
}

// event makes the next step of a task.
func (k mapReduce) event(sl int32, c *slot) {
	s := k.s
	switch c.state {
	case starting:
		s.workOfLaunch(sl, c)
	case arming:
		s.startExec(sl, c)
	case running:
		s.mapFinished(sl, c)
	case shuffling:
		s.reduceRuns(sl, c)
	case reducing:
		s.reduceFinished(sl, c)
	}
}

// worked starts a task after its launch.
func (k mapReduce) worked(sl int32, c *slot) { k.s.runAt(sl, c, k.s.now) }

// ended handles the end of a task's container.
func (k mapReduce) ended(c *slot) {
	m := &k.s.jobs[c.job]
	if c.kind == reduceContainer {
		m.heldReds--
	}
	if m.asleep {
		k.s.wakeEnded(c.job, m)
	}
}

// lost has the task run again. The master learns of the loss first.
func (k mapReduce) lost(j, sl int32) {
	s := k.s
	m, c := &s.jobs[j], &s.slots.all[sl]
	over := c.state == ending
	s.quit(sl, c)
	if c.launched && !over {
		c.outcome = kernel.Killed
		s.missed(c)
	}
	m.ords[c.ord] = gone | int32(c.kind)
	if !c.launched {
		m.ords[c.ord] = gone | int32(masterContainer) // it had no task
	}
	if c.kind == reduceContainer && c.launched {
		m.heldReds--
	}
	s.release(sl, c)
	s.wake(j, m)
}

// machineGone stops the reduces that were to copy from the machine.
func (k mapReduce) machineGone(j, n int32) { k.s.outputGone(j, n) }

// nodeLost has the maps run again whose output was on the node.
func (k mapReduce) nodeLost(j, n int32) { k.s.loseOutput(j, n) }

// quit removes a task from the shared resources, or from the list of waiting reduces.
func (k mapReduce) quit(sl int32, c *slot) {
	s := k.s
	switch c.state {
	case running, reducing:
		s.stopExec(sl)
	case waits:
		s.slots.unlink(&s.jobs[c.job].redWait, sl)
	}
}

// closing draws the phases of the job's end. WarmJob.Ends may give their sum instead.
func (k mapReduce) stops(_ int32, until simcore.Time) simcore.Time { return until }

// closing draws the spans of the job's end.
func (k mapReduce) closing(j int32, phase closePhase) simcore.Time {
	s := k.s
	if e := s.jobs[j].ends; e > 0 {
		if phase == closeExit {
			return e
		}
		return 0
	}
	key := s.key(drawCommit).At(uint64(j))
	switch phase {
	case closeCommit:
		return or(entry(s.recorded.Commit, j), s.latency(s.cal.Commit, key, 0))
	case closeUnregister:
		return s.latency(s.cal.Unregister, key, 1)
	}
	return s.latency(s.cal.Linger, key, 2) + s.latency(s.cal.NodeDone, key, 3)
}

// forget frees the state of the job in the shared resources.
func (k mapReduce) forget(j int32) {
	k.s.jobs[j].heldReds = 0
	if k.s.execOn {
		k.s.exec.JobDone(simcore.JobID(j))
	}
}

// restart recovers the tasks that have finished.
func (k mapReduce) restart(j int32) { k.s.recoverJob(j) }

// containerKind returns the kind for the request's priority.
func (k mapReduce) containerKind(e *Event) uint8 {
	switch e.Priority {
	case priorityReduce:
		return reduceContainer
	case priorityFailedMap:
		return failedMapContainer
	}
	return mapContainer
}

// size returns the size of the job's maps or reduces.
func (k mapReduce) size(c *slot) Resource {
	if c.kind == reduceContainer {
		return k.s.plan.redAsk[c.job]
	}
	return k.s.plan.mapAsk[c.job]
}

// lingers returns 0: a task's process ends with its container.
func (k mapReduce) lingers(*slot) simcore.Time { return 0 }

// orphaned is the time for which a task continues without its master: three failed calls
// (Task.TaskReporter), each of eleven connections a second apart
// (ipc.client.connect.max.retries), and 3 s between them.
const orphaned = 3 * (10 + 3) * simcore.Second

// goesOn returns when a task notices that its master has failed.
func (k mapReduce) goesOn(c *slot) (simcore.Time, bool) {
	if k.s.replay {
		at := k.s.recordedKill(c)
		return at, at >= 0
	}
	return k.s.now + orphaned, true
}

// mapsAndReduces returns true.
func (k mapReduce) mapsAndReduces() bool { return true }

// progress counts tasks, and names the headroom if it is below the size of a map.
func (k mapReduce) progress(j int32) string {
	m, job := &k.s.jobs[j], &k.s.work.Jobs[j]
	done := fmt.Sprintf("%d of %d maps and %d of %d reduces done", m.doneMaps, job.Maps, m.doneReds, job.Reduces)
	if ask := k.s.plan.mapAsk[j].Memory; m.registered && m.waitMaps > 0 && m.headroom.Memory < ask {
		done += fmt.Sprintf(", %d maps pending: headroom %d MiB, map size %d MiB", m.waitMaps, max(m.headroom.Memory, 0), ask)
	}
	return done
}
