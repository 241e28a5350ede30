package yarn

import (
	"fmt"

	"schedtune/simcore"
)

// What the runtime asks of a Spark application's master about its containers and
// its end.

// runsOf is the slots of an executor.
func (a *sparkApp) runsOf(e int32) []sparkRun {
	return a.runs[e*a.plan.stride : (e+1)*a.plan.stride]
}

// granted: the AM hears of it with its next call, for which it need not be
// awake.
func (k *sparkMaster) granted(j, sl, priority int32) {
	a := k.apps[j]
	k.s.slots.all[sl].try = uint16(priority)
	if a == nil || a.closed {
		return
	}
	a.granted++
	k.needCall(a)
	k.arm(j, a)
}

// closing draws the spans of the application's end.
func (k *sparkMaster) closing(j int32, phase closePhase) simcore.Time {
	switch phase {
	case closeCommit:
		return k.draw(j, k.cal.StageGap, drawStop+drawJobs)
	case closeUnregister:
		return k.draw(j, k.cal.Stop, drawStop)
	}
	return k.draw(j, k.cal.Exit, drawDriverExit)
}

// forget books the executors that are still there, and keeps the application's memory.
func (k *sparkMaster) forget(j int32) {
	if a := k.apps[j]; a != nil {
		for e := int32(1); int(e) < len(a.execs); e++ {
			a.execs[e].state = execGone
			k.account(j, a, e)
		}
		k.spare, k.apps[j] = append(k.spare, a), nil
	}
}

// restart begins anew: a driver keeps nothing of the one before.
func (k *sparkMaster) restart(j int32) { k.s.jobs[j] = k.s.jobs[j].fresh() }

// busy reports whether something is on the driver's agenda.
func (k *sparkMaster) busy(j int32) bool {
	a := k.apps[j]
	return a != nil && a.todoAt != simcore.Never
}

// containerKind is an executor's, whatever was asked for.
func (k *sparkMaster) containerKind(*Event) uint8 { return executorContainer }

// size is that of the resource profile.
func (k *sparkMaster) size(c *slot) Resource { return k.plans[c.job].sizes[c.try] }

// lingers: an executor that is still there when its application ends is killed.
func (k *sparkMaster) lingers(sl int32) simcore.Time {
	c := &k.s.slots.all[sl]
	switch {
	case c.kind != executorContainer || c.task <= 0 || c.state == starting:
		return 0
	case c.state == ending:
		return c.at
	}
	return k.s.now + k.gone(c.job, c.task)
}

// gone is how long after the order to end an executor's process is gone.
func (k *sparkMaster) gone(j, e int32) simcore.Time {
	return k.spanOf(j, e, func(r *RecordedSpark) []simcore.Time { return r.Gone }, k.cal.KillGone, 2)
}

// spanOf is a span of an executor: as recorded, or a draw of its own.
func (k *sparkMaster) spanOf(j, e int32, list func(*RecordedSpark) []simcore.Time, l Latency, draw uint64) simcore.Time {
	if r := k.s.recordedSpark(j); r != nil {
		if v := list(r); int(e) <= len(v) && v[e-1] >= 0 {
			return v[e-1]
		}
	}
	return k.draw(j, l, drawExecs+uint64(e)<<4+draw)
}

// progress counts jobs and executors.
func (k *sparkMaster) progress(j int32) string {
	a := k.apps[j]
	if a == nil {
		return "its driver has not registered"
	}
	wanted, running := int32(0), int32(0)
	for i := range a.allocs {
		wanted, running = wanted+a.allocs[i].Target(), running+a.allocs[i].Running()
	}
	return fmt.Sprintf("%d of %d Spark jobs done, %d executors wanted, %d running", int32(len(a.jobs))-a.jobsLeft, len(a.jobs), wanted, running)
}

// machineGone does nothing: the driver learns of it with the executors' containers.
func (k *sparkMaster) machineGone(int32, int32) {}

// nodeLost likewise.
func (k *sparkMaster) nodeLost(int32, int32) {}

// goesOn: an executor stops when its driver is gone.
func (k *sparkMaster) goesOn(*slot) (simcore.Time, bool) { return 0, false }

// mapsAndReduces does not hold.
func (k *sparkMaster) mapsAndReduces() bool { return false }
