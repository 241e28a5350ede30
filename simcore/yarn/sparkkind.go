package yarn

import (
	"fmt"

	"schedtune/simcore"
)

// The part of a Spark application's master that concerns its containers and its end.

// granted handles an allocated container. The AM learns of it with its next call.
func (k *sparkMaster) granted(_ int32, c *slot, priority int32) {
	c.try = uint16(priority)
	if a := k.apps[c.job]; a != nil && !a.closed {
		a.granted++
		k.needCall(a)
		k.arm(c.job, a)
	}
}

// closing draws the spans of the application's end.
func (k *sparkMaster) closing(j int32, phase closePhase) simcore.Time {
	switch phase {
	case closeCommit:
		return 0 // a step of the driver, see endJob
	case closeUnregister:
		return k.draw(j, k.cal.Stop, drawStop)
	}
	return k.draw(j, k.cal.Exit, drawDriverExit)
}

// stops makes the AM's calls behind the end of its application: the driver wants no executors any
// more, which wakes the AM (YarnSchedulerBackend.stop).
func (k *sparkMaster) stops(j int32, until simcore.Time) simcore.Time {
	a, now := k.apps[j], k.s.now
	if a == nil {
		return until
	}
	if a.calling && a.callAt <= now {
		k.call(j, a)
	}
	if !a.calling {
		return until
	}
	return min(until, max(a.callAt, now+1))
}

// forget accounts the remaining executors, and keeps the application's memory.
func (k *sparkMaster) forget(j int32) {
	if a := k.apps[j]; a != nil {
		for e := int32(1); int(e) < len(a.execs); e++ {
			a.execs[e].state = execGone
			k.account(j, a, e)
		}
		k.drop(j)
	}
}

// size returns the size of the resource profile.
func (k *sparkMaster) size(c *slot) Resource { return k.plans[c.job].sizes[c.try] }

// lingers returns when the process of an executor ends that its application's end kills.
func (k *sparkMaster) lingers(c *slot) simcore.Time {
	switch {
	case c.kind != executorContainer || c.task <= 0 || c.state == starting:
		return 0
	case c.state == ending:
		return c.at
	}
	return k.s.now + k.gone(c.job, c.task)
}

// gone returns the time from the order to end an executor to the end of its process.
func (k *sparkMaster) gone(j, e int32) simcore.Time {
	return k.spanOf(j, e, k.s.recordedSpark(j).Gone, k.cal.KillGone, 2)
}

// spanOf returns a latency of an executor: as recorded, or drawn.
func (k *sparkMaster) spanOf(j, e int32, recorded []simcore.Time, l Latency, draw uint64) simcore.Time {
	return or(entry(recorded, e-1), k.draw(j, l, drawExecs+uint64(e)<<4+draw))
}

// progress describes the job's progress by its jobs and executors.
func (k *sparkMaster) progress(j int32) string {
	a := k.apps[j]
	if a == nil {
		return "its driver has not registered"
	}
	wanted, running := int32(0), int32(0)
	for i := range a.allocs {
		wanted, running = wanted+a.allocs[i].Target(), running+a.allocs[i].Running()
	}
	return fmt.Sprintf("%d of %d Spark jobs done, %d executors wanted, %d running", int32(len(a.jobs))-a.jobsLeft,
		len(a.jobs), wanted, running)
}
