package simcore

// What tasks of the resource model have to do: bytes to read and write,
// processor time, and how far they have come.

// cpuWork is the processor time in reference core µs.
func (x *Exec) cpuWork(t Task, attempt int32) int64 {
	j := &x.work.Jobs[t.Job]
	perByte, bytes := j.MapCPU, mapInput(x.work, t)
	if t.Kind == Reduce {
		perByte, bytes = j.ReduceCPU, j.ShuffleBytes/int64(max(j.Reduces, 1))
	}
	work := x.dur.base(t, attempt)
	if perByte > 0 {
		work = Seconds(perByte * float64(bytes))
	}
	return int64(float64(work) * x.dur.straggle(t, attempt))
}

func mapInput(w *Workload, t Task) int64 {
	j := &w.Jobs[t.Job]
	if j.FirstTask >= 0 && w.Tasks.Input != nil {
		return w.Tasks.Input[j.FirstTask+t.Index]
	}
	return j.InputBytes / int64(max(j.Maps, 1))
}

// diskWork is what an attempt leaves to its node's disk after computing, in
// bytes read: its output, and what merging asks for.
func (x *Exec) diskWork(t Task) int64 {
	bytes, j := x.writeBytes(t), &x.work.Jobs[t.Job]
	work := x.written(bytes)
	switch {
	case x.cfg.SpillBuffer <= 0:
	case t.Kind == Reduce:
		work += j.ShuffleBytes / int64(max(j.Reduces, 1))
	case j.Reduces > 0 && bytes > x.cfg.SpillBuffer:
		work += bytes + x.written(bytes)
	}
	return work
}

// written is what a disk does for bytes written, in bytes read.
func (x *Exec) written(bytes int64) int64 {
	if c := x.cfg.WriteCost; c > 0 && c != 1 {
		return int64(float64(bytes) * c)
	}
	return bytes
}

func (x *Exec) writeBytes(t Task) int64 {
	j := &x.work.Jobs[t.Job]
	switch {
	case t.Kind == Reduce:
		return j.OutputBytes / int64(max(j.Reduces, 1))
	case j.Reduces == 0:
		return j.OutputBytes / int64(max(j.Maps, 1))
	}
	return mapOutput(x.work, t.Job, t.Index)
}

// writesOutput tells job output from a map's intermediate data.
func (x *Exec) writesOutput(a *execAttempt) bool {
	return a.task.Kind == Reduce || x.work.Jobs[a.task.Job].Reduces == 0
}

// Progress returns the attempt's completed share, a third per phase; 1 once it
// has ended.
func (x *Exec) Progress(id int32, now Time) float64 {
	if !x.Running(id) {
		return 1
	}
	a := &x.attempts[id]
	switch {
	case a.phase == execCompute:
		return (2 - x.res[x.at(a.node, resCPU)].left(now, id)) / 3
	case a.phase == execWrite:
		return (3 - x.res[x.at(a.node, resDisk)].left(now, id)) / 3
	case a.task.Kind == Reduce:
		return x.copyShare(a) / 3
	}
	return (1 - x.res[x.at(a.src, resDisk)].left(now, id)) / 3
}

// Load adds what the Exec knows to a node's load.
func (x *Exec) Load(n NodeID, l NodeLoad) NodeLoad {
	node, r := &x.cluster.Nodes[n], x.res[perNode*int(n):]
	busy := len(r[resCPU].flows) + len(r[resDisk].flows)
	l.CPU = float64(busy) / float64(max(node.Cores, 1))
	l.Disk = float64(len(r[resDisk].flows)) / float64(max(node.Disks, 1))
	l.NetIn, l.NetOut = min(float64(len(r[resIn].flows)), 1), min(float64(len(r[resOut].flows)), 1)
	return l
}

// Traffic is the work that shared resources did for transfers and computations
// that ended.
type Traffic struct {
	Disk     int64 // bytes read and written on disks
	In, Out  int64 // bytes through NICs
	Up, Down int64 // bytes through the racks' uplinks
	CPU      Time  // of a reference core
}

// Served returns what the resources have served so far.
func (x *Exec) Served() Traffic {
	sums := [perNode]uint64{}
	nodes := perNode * len(x.cluster.Nodes)
	for i := range nodes {
		sums[i%perNode] += x.res[i].served
	}
	links := [perRack]uint64{}
	for i := nodes; i < len(x.res); i++ {
		links[(i-nodes)%perRack] += x.res[i].served
	}
	return Traffic{int64(sums[resDisk]), int64(sums[resIn]), int64(sums[resOut]), int64(links[rackUp]), int64(links[rackDown]), Time(sums[resCPU])}
}
