package kernel

import (
	"math"
	"slices"

	"schedtune/simcore"
)

// The shuffle of the resource model. Map output becomes available as maps
// finish; a running reduce fetches its share of the available output in one round,
// then waits until enough further maps have finished. So a reduce causes about
// ResourceConfig.Rounds events, however many maps its job has.

// execJob is the state of a job's shuffle.
type execJob struct {
	done, wakeAt   int32
	asleep         int32 // first reduce that waits for map output
	out            int64
	byNode, byRack []int64 // bytes of map output by node and rack
}

// fetch starts a reduce's next round of copying, has it wait for more map output, or ends its
// copy phase.
func (x *Exec) fetch(now simcore.Time, id int32) {
	a := &x.attempts[id]
	j, job := &x.jobs[a.task.Job], &x.work.Jobs[a.task.Job]
	most := int64(math.MaxInt64)
	if a.fails(1) {
		most = a.share(job.ShuffleBytes/int64(job.Reduces), 0)
	}
	for a.flows == 0 {
		if have := min(j.out/int64(job.Reduces), most); have > a.copied {
			x.round(now, id, have)
			continue
		}
		if j.done >= job.Maps || a.copied >= most {
			x.settle(now, id)
			return
		}
		a.asleep, a.next, j.asleep = true, j.asleep, id
		return
	}
}

// round starts the transfers of a reduce up to so many bytes of its share.
func (x *Exec) round(now simcore.Time, id int32, have int64) {
	a := &x.attempts[id]
	j, reduces := &x.jobs[a.task.Job], int64(x.work.Jobs[a.task.Job].Reduces)
	rack := x.cluster.Nodes[a.node].Rack
	all, local, near := have-a.copied, j.byNode[a.node]/reduces-a.local, j.byRack[rack]/reduces-a.rack
	a.copied, a.local, a.rack = a.copied+all, a.local+local, a.rack+near
	x.flow(now, id, x.at(a.node, resDisk), x.written(all)+x.mergedOnTheWay(a, all))
	x.flow(now, id, x.at(a.node, resIn), all-local)
	x.flow(now, id, x.uplink(rack, rackDown), all-near)
	if x.cfg.ShuffleReads {
		x.readSources(now, id, all)
	}
}

// readSources charges the bytes of a round to the disks of the other nodes with map output, in
// proportion to that.
func (x *Exec) readSources(now simcore.Time, id int32, bytes int64) {
	a := &x.attempts[id]
	j := &x.jobs[a.task.Job]
	for n, held := range j.byNode {
		if held > 0 && simcore.NodeID(n) != a.node {
			x.flow(now, id, x.at(simcore.NodeID(n), resDisk), int64(float64(bytes)*(float64(held)/float64(j.out))))
		}
	}
}

// MapDone makes a finished map's output on node n available to the job's
// reduces.
func (x *Exec) MapDone(now simcore.Time, t simcore.Task, n simcore.NodeID) {
	j, job := &x.jobs[t.Job], &x.work.Jobs[t.Job]
	j.done++
	if job.Reduces == 0 {
		return
	}
	if j.byNode == nil {
		j.byNode, j.byRack = x.counters(len(x.cluster.Nodes)), x.counters(max(len(x.cluster.Racks), 1))
	}
	x.available(j, n, MapOutput(x.work, t.Job, t.Index))
	if j.done < j.wakeAt && j.done < job.Maps {
		return
	}
	j.wakeAt = j.done + max(job.Maps/x.cfg.Rounds, 1)
	id := j.asleep
	for j.asleep = simcore.None; id != simcore.None; {
		a := &x.attempts[id]
		next := a.next
		a.asleep, a.next = false, simcore.None
		x.fetch(now, id)
		id = next
	}
}

// available changes the bytes of a job's map output on node n.
func (x *Exec) available(j *execJob, n simcore.NodeID, bytes int64) {
	j.out += bytes
	j.byNode[n] += bytes
	j.byRack[x.cluster.Nodes[n].Rack] += bytes
}

// counters returns n zeros, in the memory of a job that has ended where that is large enough.
func (x *Exec) counters(n int) []int64 {
	i := slices.IndexFunc(x.spare, func(s []int64) bool { return cap(s) >= n })
	if i < 0 {
		return make([]int64, n)
	}
	s := x.spare[i]
	x.spare = slices.Delete(x.spare, i, i+1)
	return Zeroed(s, n)
}

// OutputLost removes the output of a map that finished on node n and has to run again. Reduces
// keep what they have copied.
func (x *Exec) OutputLost(t simcore.Task, n simcore.NodeID) {
	j := &x.jobs[t.Job]
	j.done--
	if j.byNode != nil {
		x.available(j, n, -MapOutput(x.work, t.Job, t.Index))
	}
}

// JobDone frees the state of a job.
func (x *Exec) JobDone(id simcore.JobID) {
	j := &x.jobs[id]
	if j.byNode != nil {
		x.spare = append(x.spare, j.byNode, j.byRack)
	}
	*j = execJob{asleep: simcore.None}
}

// wake removes a reduce from the list of those that wait for map output.
func (x *Exec) wake(id int32) {
	at := &x.jobs[x.attempts[id].task.Job].asleep
	for *at != id {
		at = &x.attempts[*at].next
	}
	*at = x.attempts[id].next
	x.attempts[id].asleep, x.attempts[id].next = false, simcore.None
}

// Asleep reports whether the attempt is a reduce that waits for map output.
func (x *Exec) Asleep(id int32) bool { return x.Running(id) && x.attempts[id].asleep }
