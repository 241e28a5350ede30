package yarn

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// mapReduce is the appMaster of MapReduce jobs, after MRAppMaster of Hadoop
// 3.4.1. Its state is jobs[j]; what it does stands in master.go, assign.go,
// reduces.go, task.go, launch.go and speculate.go.
type mapReduce struct{ s *Sim }

func (k mapReduce) starting(j int32) (wait, work simcore.Time, threads float64) {
	s := k.s
	return s.latency(s.cal.AMStart, s.keys.master, uint64(j)), s.drawWorkTime(s.keys.work.At(1<<40|uint64(j)), 0, s.cal.AMWork), s.cal.AMThreads
}

func (k mapReduce) busy(int32) bool { return false }

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

func (k mapReduce) beat(j int32) { k.s.masterBeat(j) }

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

func (k mapReduce) worked(sl int32) { k.s.run(sl) }

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

func (k mapReduce) machineGone(j, n int32) { k.s.outputGone(j, n) }

func (k mapReduce) nodeLost(j, n int32) { k.s.loseOutput(j, n) }

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

func (k mapReduce) forget(j int32) {
	k.s.jobs[j].heldReds = 0
	if k.s.execOn {
		k.s.exec.JobDone(simcore.JobID(j))
	}
}

func (k mapReduce) restart(j int32) { k.s.recoverJob(j) }

func (k mapReduce) containerKind(e *Event) uint8 {
	switch e.Priority {
	case priorityReduce:
		return reduceContainer
	case priorityFailedMap:
		return failedMapContainer
	}
	return mapContainer
}

func (k mapReduce) size(c *slot) Resource {
	if c.kind == reduceContainer {
		return k.s.plan.redAsk[c.job]
	}
	return k.s.plan.mapAsk[c.job]
}

func (k mapReduce) lingers(int32) simcore.Time { return 0 }

// orphaned is how long a task goes on without its master: three calls in vain
// (Task.TaskReporter), each of eleven connections a second apart
// (ipc.client.connect.max.retries), and 3 s between them.
const orphaned = 3 * (10 + 3) * simcore.Second

func (k mapReduce) goesOn(c *slot) (simcore.Time, bool) {
	if k.s.cfg.Recorded != nil {
		return k.s.recordedKill(c)
	}
	return k.s.now + orphaned, true
}

func (k mapReduce) mapsAndReduces() bool { return true }

func (k mapReduce) progress(j int32) string {
	m, job := &k.s.jobs[j], &k.s.work.Jobs[j]
	done := fmt.Sprintf("%d of %d maps and %d of %d reduces done", m.doneMaps, job.Maps, m.doneReds, job.Reduces)
	if ask := k.s.plan.mapAsk[j].Memory; m.registered && m.waitMaps > 0 && m.headroom.Memory < ask {
		done += fmt.Sprintf(", %d maps wait: the limits of its queue and user leave it %d MiB, a map asks %d", m.waitMaps, max(m.headroom.Memory, 0), ask)
	}
	return done
}
