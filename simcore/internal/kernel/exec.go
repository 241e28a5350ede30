package kernel

import (
	"cmp"
	"math"

	"schedtune/simcore"
)

// Exec runs task attempts on the shared resources of a cluster: disks, cores,
// both directions of each NIC and of each rack's uplink. It does not know
// slots, containers or schedulers; both runtimes use it. The caller numbers attempts
// densely (by slot) and may reuse a number after the attempt's end.
//
// A map reads its input, computes, and writes its output; a reduce copies,
// computes and writes. A transfer that crosses several resources is a flow in
// each of them and ends when the last of these flows ends: every resource
// serves exactly the bytes that cross it, and no flow depends on another
// resource's state. Where one resource is the bottleneck throughout, this is
// the max-min rate; where bottlenecks change during a transfer, it ends too early
// by at most the time that the slower resource was idle.
//
// The shuffle is one fluid flow per running reduce: it fetches, in rounds, its
// share of the available output of finished maps, from its own
// node without the network and from its rack without the uplink. The NICs of the
// sources are not charged, because sources are spread over the cluster, nor are
// their disks unless ResourceConfig.ShuffleReads is set.
type Exec struct {
	cfg      simcore.ResourceConfig
	dur      *Durations
	cluster  *simcore.Cluster
	work     *simcore.Workload
	tree     Tree // one leaf per node, for its resources, then one per link
	res      []shared
	resAt    []simcore.Time // next event by resource
	links    int32          // first of the resources that are uplinks
	serving  int32          // node whose leaf is written after its event
	attempts []execAttempt
	jobs     []execJob
	merged   mergedShare
	spare    [][]int64
	done     []int32 // attempts that ended without an event

	// Copied, if not nil, is called at the end of a reduce's copy phase.
	Copied func(id int32)
}

// Resources of a node; behind those of all nodes come those of the racks.
const (
	resDisk = iota
	resCPU
	resIn
	resOut
	perNode

	rackUp   = 0
	rackDown = 1
	perRack  = 2
)

// execPhase is the phase of an attempt.
type execPhase uint8

const (
	execOff execPhase = iota
	execRead
	execCompute
	execWrite
)

// execAttempt is a running attempt.
type execAttempt struct {
	task       simcore.Task
	node, src  simcore.NodeID
	flows      int16
	phase      execPhase
	asleep     bool
	next       int32   // list of reduces that wait for map output
	part       float64 // of the work that the attempt does before it fails; 1 = it succeeds
	cpu, write int64
	// copied of the reduce's share: in all, from its node, from its rack
	copied, local, rack int64
}

// Reset prepares a run. dur has the stragglers, and the processor work of jobs that have none per
// byte.
func (x *Exec) Reset(cfg simcore.ResourceConfig, dur *Durations, c *simcore.Cluster, w *simcore.Workload) {
	if cfg.Rounds <= 0 {
		cfg.Rounds = 20
	}
	x.cfg, x.dur, x.cluster, x.work, x.done = cfg, dur, c, w, x.done[:0]
	count := perNode*len(c.Nodes) + perRack*len(c.Racks)
	x.room(count)
	for n := range c.Nodes {
		x.resetNode(n)
	}
	for r := perNode * len(c.Nodes); r < count; r++ {
		x.res[r].reset(c.UplinkRate, 1)
	}
	x.links, x.serving = int32(perNode*len(c.Nodes)), simcore.None
	x.resAt = Zeroed(x.resAt, count)
	for i := range x.resAt {
		x.resAt[i] = simcore.Never
	}
	x.tree.Reset(len(c.Nodes) + perRack*len(c.Racks))
	x.attempts = x.attempts[:0]
	x.merged.share = 0
	for j := range x.jobs {
		x.JobDone(simcore.JobID(j))
	}
	x.jobs = Zeroed(x.jobs, len(w.Jobs))
	for j := range x.jobs {
		x.jobs[j].asleep = simcore.None
	}
}

// room allocates the resources, each with memory for a few flows next to that of its node's
// other resources.
func (x *Exec) room(count int) {
	if cap(x.res) < count {
		x.res = make([]shared, count)
		slab := make([]flow, flowsAtHand*count)
		for i := range x.res {
			x.res[i].flows = slab[flowsAtHand*i : flowsAtHand*i : flowsAtHand*(i+1)]
		}
	}
	x.res = x.res[:count]
}

const flowsAtHand = 4

// resetNode prepares the resources of a node. With 0 cores every task has a core of its own.
func (x *Exec) resetNode(n int) {
	node, r := &x.cluster.Nodes[n], x.res[perNode*n:]
	r[resDisk].reset(node.DiskRate, node.Disks)
	r[resIn].reset(node.NICRate, 1)
	r[resOut].reset(node.NICRate, 1)
	r[resCPU].reset(1e6*Factor(node.Speed), cmp.Or(node.Cores, math.MaxInt32))
}

// Start begins an attempt that does a part of its work, from 0 to 1, a third in each phase: one
// that fails holds its slot and loads disks, links and cores until then. src is the node that a
// map reads from; it is ignored for reduces.
func (x *Exec) Start(id int32, now simcore.Time, t simcore.Task, attempt int32, n, src simcore.NodeID, part float64) {
	for int(id) >= len(x.attempts) {
		x.attempts = append(x.attempts, execAttempt{})
	}
	a := &x.attempts[id]
	*a = execAttempt{task: t, node: n, src: src, phase: execRead, next: simcore.None, part: part}
	a.cpu, a.write = x.cpuWork(t, attempt), x.diskWork(t)
	if t.Kind == simcore.Reduce {
		x.fetch(now, id)
		return
	}
	x.read(now, id, a.share(mapInput(x.work, t), 0))
	x.settle(now, id)
}

// share returns the part of a phase's work that the attempt does; phases count from 0.
func (a *execAttempt) share(work int64, phase float64) int64 {
	if a.part >= 1 {
		return work
	}
	return int64(float64(work) * min(max(3*a.part-phase, 0), 1))
}

// fails reports whether the attempt ends after so many phases.
func (a *execAttempt) fails(after float64) bool { return a.part < 1 && 3*a.part <= after }

// read starts the transfer of a map's input.
func (x *Exec) read(now simcore.Time, id int32, bytes int64) {
	a := &x.attempts[id]
	x.flow(now, id, x.at(a.src, resDisk), bytes)
	if a.src == a.node {
		return
	}
	x.flow(now, id, x.at(a.src, resOut), bytes)
	x.flow(now, id, x.at(a.node, resIn), bytes)
	from, to := x.cluster.Nodes[a.src].Rack, x.cluster.Nodes[a.node].Rack
	if from != to {
		x.flow(now, id, x.uplink(from, rackUp), bytes)
		x.flow(now, id, x.uplink(to, rackDown), bytes)
	}
}

// at returns the index of a node's resource.
func (x *Exec) at(n simcore.NodeID, kind int32) int32 { return perNode*int32(n) + kind }

// uplink returns the index of a direction of a rack's uplink.
func (x *Exec) uplink(rack, way int32) int32 { return x.links + perRack*rack + way }

// flow starts the attempt's transfer through a resource, unless the resource is infinitely fast.
func (x *Exec) flow(now simcore.Time, id, res int32, size int64) {
	if int(res) >= len(x.res) {
		return // a cluster without named racks has no uplinks
	}
	r := &x.res[res]
	if size <= 0 || r.unit == 0 {
		return
	}
	r.add(now, id, size)
	x.attempts[id].flows++
	x.touch(res)
}

// settle moves the attempt to the next phase as long as its phase needs no time.
func (x *Exec) settle(now simcore.Time, id int32) {
	a := &x.attempts[id]
	for a.flows == 0 && a.phase != execOff {
		switch {
		case a.phase == execRead && !a.fails(1):
			a.phase = execCompute
			if x.Copied != nil && a.task.Kind == simcore.Reduce {
				x.Copied(id)
			}
			x.flow(now, id, x.at(a.node, resCPU), a.share(a.cpu, 1))
		case a.phase == execCompute && !a.fails(2):
			a.phase = execWrite
			x.flow(now, id, x.at(a.node, resDisk), a.share(a.write, 2))
		default:
			a.phase = execOff
			x.done = append(x.done, id)
		}
	}
}

// Next returns the time of the next event; false if there is none.
func (x *Exec) Next() (simcore.Time, bool) {
	if len(x.done) > 0 {
		return 0, true
	}
	_, at, ok := x.tree.Next()
	return at, ok
}

// touch updates the next event of a resource.
func (x *Exec) touch(res int32) {
	at := x.res[res].next()
	x.resAt[res] = at
	if res >= x.links {
		x.tree.Set(int32(len(x.cluster.Nodes))+res-x.links, at)
	} else if n := res / perNode; n != x.serving {
		x.rekey(n)
	}
}

// rekey sets a node's leaf to the earliest event of its resources.
func (x *Exec) rekey(n int32) {
	at := x.resAt[perNode*n : perNode*n+perNode]
	x.tree.Set(n, min(at[resDisk], at[resCPU], at[resIn], at[resOut]))
}

// Advance serves the resources up to now, which must not be later than Next, and appends the
// attempts that have ended to dst.
func (x *Exec) Advance(now simcore.Time, dst []int32) []int32 {
	nodes := int32(len(x.cluster.Nodes))
	for {
		leaf, at, ok := x.tree.Next()
		if !ok || at > now {
			break
		}
		if leaf >= nodes {
			x.serve(now, x.links+leaf-nodes)
			continue
		}
		x.serving = leaf
		for res := perNode * leaf; res < perNode*leaf+perNode; res++ {
			if x.resAt[res] <= now {
				x.serve(now, res)
			}
		}
		x.serving = simcore.None
		x.rekey(leaf)
	}
	dst = append(dst, x.done...)
	x.done = x.done[:0]
	return dst
}

// serve ends the finished flows of a resource.
func (x *Exec) serve(now simcore.Time, res int32) {
	r := &x.res[res]
	r.advance(now)
	for id := r.ended(); id != simcore.None; id = r.ended() {
		x.flowEnded(now, id)
	}
	x.touch(res)
}

// flowEnded handles the end of one of an attempt's flows.
func (x *Exec) flowEnded(now simcore.Time, id int32) {
	a := &x.attempts[id]
	a.flows--
	if a.flows > 0 {
		return
	}
	if a.task.Kind == simcore.Reduce && a.phase == execRead {
		x.fetch(now, id)
	} else {
		x.settle(now, id)
	}
}

// Stop ends an attempt without a result.
func (x *Exec) Stop(id int32, now simcore.Time) {
	if !x.Running(id) {
		return
	}
	a := &x.attempts[id]
	if a.asleep {
		x.wake(id)
	}
	for k := range int32(perNode) {
		x.cut(now, id, x.at(a.node, k))
		if a.src != a.node {
			x.cut(now, id, x.at(a.src, k))
		}
	}
	if x.cfg.ShuffleReads && a.task.Kind == simcore.Reduce {
		for n := range x.cluster.Nodes {
			x.cut(now, id, x.at(simcore.NodeID(n), resDisk))
		}
	}
	for way := range int32(perRack) {
		x.cut(now, id, x.uplink(x.cluster.Nodes[a.node].Rack, way))
		if a.task.Kind == simcore.Map {
			x.cut(now, id, x.uplink(x.cluster.Nodes[a.src].Rack, way))
		}
	}
	a.flows, a.phase = 0, execOff
}

// cut removes the attempt's flow from a resource.
func (x *Exec) cut(now simcore.Time, id, res int32) {
	if int(res) < len(x.res) && x.res[res].remove(now, id) {
		x.touch(res)
	}
}

// Running reports whether the attempt has started and not ended.
func (x *Exec) Running(id int32) bool {
	return int(id) < len(x.attempts) && x.attempts[id].phase != execOff
}
