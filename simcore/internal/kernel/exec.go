package kernel

import (
	"math"
	"schedtune/simcore"
)

// Exec runs task attempts on the shared resources of a cluster: disks, cores,
// both directions of each NIC and of each rack's uplink. It knows nothing of
// slots, containers or schedulers; both runtimes use it. Attempts have dense
// ids given by the caller (a slot), which may be used again after the end.
//
// A map reads its input, computes, and writes its output; a reduce copies,
// computes and writes. A transfer that crosses several resources is a flow in
// each of them and ends when the last of these flows ends: every resource
// serves exactly the bytes that cross it, and no flow depends on another
// resource's state. Where one resource is the bottleneck throughout, this is
// the max-min rate; where bottlenecks move during a transfer it is at most too
// fast by the time the slower resource stood idle.
//
// The shuffle is one fluid flow per running reduce: it fetches, in rounds, its
// share of whatever output the finished maps have made available, from the
// node itself without the network and from its rack without the uplink. The
// sources' NICs are taken as spread over the cluster and not charged, nor are
// their disks unless ResourceConfig.ShuffleReads asks for it.
type Exec struct {
	cfg      simcore.ResourceConfig
	dur      *Durations
	cluster  *simcore.Cluster
	work     *simcore.Workload
	tree     Tree // one leaf per node, for its resources, then one per link
	res      []shared
	resAt    []simcore.Time // next event by resource
	links    int32          // resources from here on are uplinks
	serving  int32          // node whose leaf is rewritten when its event has been handled
	attempts []execAttempt
	jobs     []execJob
	merged   mergedShare
	copiers  []int32 // reduces in their copy phase by node, where these slow computing
	spare    [][]int64
	done     []int32 // attempts that ended without an event

	// Copied is told when a reduce's copy ends; nil = nobody.
	Copied func(id int32)
}

// Resources of a node, and of a rack behind all nodes.
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

type execPhase uint8

const (
	execOff execPhase = iota
	execRead
	execCompute
	execWrite
)

type execAttempt struct {
	task       simcore.Task
	node, src  simcore.NodeID
	flows      int16
	phase      execPhase
	asleep     bool
	next       int32   // list of reduces that wait for map output
	part       float64 // of the work that is done before the attempt fails; 1 = it does not
	cpu, write int64
	// copied of the reduce's share: in all, from its node, from its rack
	copied, local, rack int64
}

// NewExec returns an empty Exec; Reset prepares it.
func NewExec() *Exec { return &Exec{} }

// Reset prepares a run. dur gives processor work where a job has none per
// byte, and the stragglers.
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
	x.copiers = Zeroed(x.copiers, len(c.Nodes))
	x.merged.share = 0
	for j := range x.jobs {
		x.JobDone(simcore.JobID(j))
	}
	x.jobs = Zeroed(x.jobs, len(w.Jobs))
	for j := range x.jobs {
		x.jobs[j].asleep = simcore.None
	}
}

// room makes place for the resources; each has memory for a few flows at hand,
// side by side with its node's others.
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

func (x *Exec) resetNode(n int) {
	node, r := &x.cluster.Nodes[n], x.res[perNode*n:]
	r[resDisk].reset(node.DiskRate, node.Disks)
	stream, streams := x.stream(node.NICRate)
	r[resIn].reset(stream, streams)
	r[resOut].reset(stream, streams)
	cores := node.Cores
	if cores == 0 { // not modelled: every task has a core to itself
		cores = math.MaxInt32
	}
	r[resCPU].reset(1e6*Factor(node.Speed), cores)
}

// stream returns what one transfer gets of a NIC and how many fill it.
func (x *Exec) stream(nic float64) (rate float64, streams int32) {
	if s := x.cfg.StreamRate; s > 0 && (s < nic || nic == 0) {
		return s, int32(min(math.Round(max(nic/s, 1)), 1e6))
	}
	return nic, 1
}

// Start begins an attempt now. src is the node a map reads from; it is ignored
// for reduces.
func (x *Exec) Start(id int32, now simcore.Time, t simcore.Task, attempt int32, n, src simcore.NodeID) {
	x.StartPart(id, now, t, attempt, n, src, 1)
}

// StartPart begins an attempt that ends when it has done a part of its work,
// from 0 to 1, a third for each phase: a failing one holds its slot and loads
// disks, links and cores that long.
func (x *Exec) StartPart(id int32, now simcore.Time, t simcore.Task, attempt int32, n, src simcore.NodeID, part float64) {
	for int(id) >= len(x.attempts) {
		x.attempts = append(x.attempts, execAttempt{})
	}
	a := &x.attempts[id]
	*a = execAttempt{task: t, node: n, src: src, phase: execRead, next: simcore.None, part: part}
	a.cpu, a.write = x.cpuWork(t, attempt), x.diskWork(t)
	if t.Kind == simcore.Reduce {
		x.copying(now, n, 1)
		x.fetch(now, id)
		return
	}
	x.read(now, id, a.share(mapInput(x.work, t), 0))
	x.settle(now, id)
}

// share is what the attempt does of the work of a phase, counted from 0.
func (a *execAttempt) share(work int64, phase float64) int64 {
	if a.part >= 1 {
		return work
	}
	return int64(float64(work) * min(max(3*a.part-phase, 0), 1))
}

// fails reports whether the attempt goes no further than so many phases.
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

func (x *Exec) at(n simcore.NodeID, kind int32) int32 { return perNode*int32(n) + kind }

func (x *Exec) uplink(rack, way int32) int32 {
	return perNode*int32(len(x.cluster.Nodes)) + perRack*rack + way
}

// flow puts a part of the attempt's transfer on a resource; infinitely fast
// ones are left out.
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

// settle goes on to the next phase while the present one needs no time.
func (x *Exec) settle(now simcore.Time, id int32) {
	a := &x.attempts[id]
	for a.flows == 0 && a.phase != execOff {
		if a.phase == execRead && a.task.Kind == simcore.Reduce {
			x.copying(now, a.node, -1)
		}
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
			if x.writesOutput(a) && x.cfg.OutputReplicas > 1 {
				x.flow(now, id, x.at(a.node, resOut), a.share(x.writeBytes(a.task), 2)*int64(x.cfg.OutputReplicas-1))
			}
		default:
			a.phase = execOff
			x.done = append(x.done, id)
		}
	}
}

// Next returns when Advance has something to do.
func (x *Exec) Next() (simcore.Time, bool) {
	if len(x.done) > 0 {
		return 0, true
	}
	_, at, ok := x.tree.Next()
	return at, ok
}

// touch notes a resource's next event.
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

// Advance serves the resources up to now, which must not lie beyond Next, and
// appends the attempts that have ended.
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

// serve ends the flows of a resource that are through.
func (x *Exec) serve(now simcore.Time, res int32) {
	r := &x.res[res]
	r.advance(now)
	for id := r.ended(); id != simcore.None; id = r.ended() {
		x.flowEnded(now, id)
	}
	x.touch(res)
}

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

// Stop ends an attempt without result.
func (x *Exec) Stop(id int32, now simcore.Time) {
	if !x.Running(id) {
		return
	}
	a := &x.attempts[id]
	if a.asleep {
		x.wake(id)
	}
	if a.phase == execRead && a.task.Kind == simcore.Reduce {
		x.copying(now, a.node, -1)
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

func (x *Exec) cut(now simcore.Time, id, res int32) {
	if int(res) < len(x.res) && x.res[res].remove(now, id) {
		x.touch(res)
	}
}

// Running reports whether the attempt has been started and has not ended.
func (x *Exec) Running(id int32) bool {
	return int(id) < len(x.attempts) && x.attempts[id].phase != execOff
}
