package kernel

import (
	"slices"

	"schedtune/simcore"
)

// The work of tasks in the resource model: bytes to read and write, processor time, progress.

// cpuWork returns the processor time of an attempt in µs of a reference core.
func (x *Exec) cpuWork(t simcore.Task, attempt int32) int64 {
	j := &x.work.Jobs[t.Job]
	perByte, bytes := j.MapCPU, mapInput(x.work, t)
	if t.Kind == simcore.Reduce {
		perByte, bytes = j.ReduceCPU, shuffleShare(j)
	}
	work := x.dur.base(t, attempt)
	if perByte > 0 {
		work = simcore.Seconds(perByte * float64(bytes))
	}
	return int64(float64(work) * x.dur.straggle(t, attempt))
}

// mapInput returns the input of a map in bytes.
func mapInput(w *simcore.Workload, t simcore.Task) int64 {
	j := &w.Jobs[t.Job]
	if j.FirstTask >= 0 && w.Tasks.Input != nil {
		return w.Tasks.Input[j.FirstTask+t.Index]
	}
	return j.InputBytes / int64(max(j.Maps, 1))
}

// shuffleShare returns the bytes of map output that one reduce of the job copies.
func shuffleShare(j *simcore.Job) int64 { return j.ShuffleBytes / int64(max(j.Reduces, 1)) }

// MapOutput returns the output of a map for the reduces, in bytes.
func MapOutput(w *simcore.Workload, j simcore.JobID, i int32) int64 {
	job := &w.Jobs[j]
	if job.FirstTask >= 0 && w.Tasks.Output != nil && job.Reduces > 0 {
		return w.Tasks.Output[job.FirstTask+i]
	}
	return job.ShuffleBytes / int64(max(job.Maps, 1))
}

// diskWork returns the work of an attempt on its node's disk after it has computed, in bytes
// read: for its output and for merging.
func (x *Exec) diskWork(t simcore.Task) int64 {
	bytes, j := x.writeBytes(t), &x.work.Jobs[t.Job]
	work := x.written(bytes)
	switch {
	case x.cfg.SpillBuffer <= 0:
	case t.Kind == simcore.Reduce:
		share := shuffleShare(j)
		work += share
		_, late := x.mergedRuns(share)
		work += late + x.written(late)
	case j.Reduces > 0 && bytes > x.cfg.SpillBuffer:
		work += bytes + x.written(bytes)
	}
	return work
}

// mergedOnTheWay returns the work of a disk, in bytes read, to merge the bytes of one round of
// copying in the background.
func (x *Exec) mergedOnTheWay(a *execAttempt, bytes int64) int64 {
	share := shuffleShare(&x.work.Jobs[a.task.Job])
	early, _ := x.mergedRuns(share)
	if early == 0 {
		return 0
	}
	merged := int64(float64(bytes) * float64(early) / float64(share))
	return merged + x.written(merged)
}

// mergedRuns returns how many bytes of its share a reduce merges on its disk in the background,
// while it copies, and after its copy phase, before the merge that feeds it (ReduceTask and
// Merger of Hadoop): whenever there are 2 f - 1 files, the f smallest are merged into one, where
// f is the MergeFactor; at the end files are merged until f remain, of which the first merge takes
// as few as make the later ones full.
func (x *Exec) mergedRuns(share int64) (early, late int64) {
	if x.merged.share != share {
		x.merged.share = share
		x.merged.early, x.merged.late = x.mergeRuns(share)
	}
	return x.merged.early, x.merged.late
}

// mergedShare caches the last result of mergedRuns: reduces of a job have equal shares.
type mergedShare struct {
	share, early, late int64
	files              []int64 // scratch: sizes on the disk, ascending
}

// mergeRuns computes mergedRuns.
func (x *Exec) mergeRuns(share int64) (early, late int64) {
	f := int(x.cfg.MergeFactor)
	if f < 2 || x.cfg.SpillBuffer <= 0 || share <= x.cfg.SpillBuffer*int64(f) {
		return 0, 0
	}
	files := x.merged.files[:0]
	defer func() { x.merged.files = files }()
	merge := func(n int) (sum int64) {
		for _, size := range files[:n] {
			sum += size
		}
		files = append(files[:0], files[n:]...)
		at, _ := slices.BinarySearch(files, sum)
		files = slices.Insert(files, at, sum)
		return sum
	}
	run := max(x.cfg.SpillBuffer, share/maxRuns)
	for left := share; left > 0; left -= run {
		files = slices.Insert(files, 0, min(run, left))
		if len(files) >= 2*f-1 {
			early += merge(f)
		}
	}
	for n := (len(files)-1)%(f-1) + 1; len(files) > f; n = f {
		if n == 1 {
			n = f
		}
		late += merge(n)
	}
	return early, late
}

// maxRuns bounds the number of runs that are merged one by one.
const maxRuns = 1 << 12

// written returns the work of a disk for bytes written, in bytes read.
func (x *Exec) written(bytes int64) int64 {
	if c := x.cfg.WriteCost; c > 0 && c != 1 {
		return int64(float64(bytes) * c)
	}
	return bytes
}

// writeBytes returns the output of a task in bytes.
func (x *Exec) writeBytes(t simcore.Task) int64 {
	j := &x.work.Jobs[t.Job]
	switch {
	case t.Kind == simcore.Reduce:
		return j.OutputBytes / int64(max(j.Reduces, 1))
	case j.Reduces == 0:
		return j.OutputBytes / int64(max(j.Maps, 1))
	}
	return MapOutput(x.work, t.Job, t.Index)
}

// Progress returns the completed share of an attempt, a third per phase; 1 after its end.
func (x *Exec) Progress(id int32, now simcore.Time) float64 {
	if !x.Running(id) {
		return 1
	}
	a := &x.attempts[id]
	switch {
	case a.phase == execCompute:
		return (2 - x.res[x.at(a.node, resCPU)].left(now, id)) / 3
	case a.phase == execWrite:
		return (3 - x.res[x.at(a.node, resDisk)].left(now, id)) / 3
	case a.task.Kind == simcore.Reduce:
		if maps := x.work.Jobs[a.task.Job].Maps; maps > 0 {
			return float64(x.jobs[a.task.Job].done) / float64(maps) / 3
		}
		return 1.0 / 3
	}
	return (1 - x.res[x.at(a.src, resDisk)].left(now, id)) / 3
}

// Load adds the use of cores, disks and NICs to a node's load.
func (x *Exec) Load(n simcore.NodeID, l simcore.NodeLoad) simcore.NodeLoad {
	node, r := &x.cluster.Nodes[n], x.res[perNode*int(n):]
	busy := len(r[resCPU].flows) + len(r[resDisk].flows)
	l.CPU = float64(busy) / float64(max(node.Cores, 1))
	l.Disk = float64(len(r[resDisk].flows)) / float64(max(node.Disks, 1))
	l.NetIn, l.NetOut = min(float64(len(r[resIn].flows)), 1), min(float64(len(r[resOut].flows)), 1)
	return l
}

// Served returns the work of the resources so far.
func (x *Exec) Served() simcore.Traffic {
	sums := [perNode]uint64{}
	for i := range x.links {
		sums[i%perNode] += x.res[i].served
	}
	links := [perRack]uint64{}
	for i := range x.res[x.links:] {
		links[i%perRack] += x.res[int(x.links)+i].served
	}
	return simcore.Traffic{Disk: int64(sums[resDisk]), In: int64(sums[resIn]), Out: int64(sums[resOut]),
		Up: int64(links[rackUp]), Down: int64(links[rackDown]), CPU: simcore.Time(sums[resCPU])}
}

// ContextEvery is the number of events between two checks of a run's context.
const ContextEvery = 1 << 12
