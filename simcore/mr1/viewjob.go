package mr1

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Priority returns the job's priority; higher goes first.
func (v *View) Priority(j simcore.JobID) int32 { return v.s.work.Jobs[j].Priority }

// Slowstart returns the job's own slowstart, the completed share of its maps
// before its reduces are asked; negative means that it follows the scheduler's.
func (v *View) Slowstart(j simcore.JobID) float64 { return v.s.work.Jobs[j].Slowstart }

// ShuffleBytes returns the bytes the job's maps hand to its reduces.
func (v *View) ShuffleBytes(j simcore.JobID) int64 { return v.s.work.Jobs[j].ShuffleBytes }

// JobTime estimates the time in seconds a node that does nothing else would
// need for the whole job with all its slots: what a predictor knows from
// earlier runs of the job. Maps and reduces follow each other; in the resource
// model each stage takes as long as its scarcest resource, processor or disk.
func (v *View) JobTime(j simcore.JobID, n simcore.NodeID) float64 {
	var t float64
	for k := range simcore.Kind(2) {
		slots := float64(v.Slots(n, k))
		if tasks := float64(v.s.taskCount(j, k)); tasks > 0 && slots > 0 {
			if v.s.cfg.Model == simcore.Resources {
				t += v.s.stageWork(j, k, n, slots)
			} else {
				t += tasks * v.s.meanTask(j, k) / slots / kernel.Factor(v.s.cluster.Nodes[n].Speed)
			}
		}
	}
	return t
}

// meanTask is the mean recorded or expected time of a task at reference speed.
func (s *Sim) meanTask(j simcore.JobID, k simcore.Kind) float64 {
	job, w := &s.work.Jobs[j], s.work
	dist, first, tasks := job.MapDist, job.FirstTask, s.taskCount(j, k)
	if k == simcore.Reduce {
		dist, first = job.ReduceDist, job.FirstTask+job.Maps
	}
	recorded := job.FirstTask >= 0 && w.Tasks.Duration != nil
	switch {
	case dist >= 0 && (s.cfg.Model == simcore.Sampled || !recorded):
		return w.Dists[dist].Mean()
	case recorded:
		var sum simcore.Time
		for _, d := range w.Tasks.Duration[first : first+tasks] {
			sum += d
		}
		return sum.Seconds() / float64(tasks)
	}
	return 0
}

// stageWork is the time a node needs for a job's maps or reduces: processor
// work on the cores its slots can use, or bytes read and written at its disks.
func (s *Sim) stageWork(j simcore.JobID, k simcore.Kind, n simcore.NodeID, slots float64) float64 {
	job, node := &s.work.Jobs[j], &s.cluster.Nodes[n]
	in, out, perByte := job.InputBytes, job.ShuffleBytes, job.MapCPU
	if k == simcore.Reduce {
		in, out, perByte = job.ShuffleBytes, job.OutputBytes, job.ReduceCPU
	} else if job.Reduces == 0 {
		out = job.OutputBytes
	}
	work := perByte * float64(in)
	if perByte == 0 {
		work = float64(s.taskCount(j, k)) * s.meanTask(j, k)
	}
	t := work / kernel.Factor(node.Speed) / min(slots, float64(max(node.Cores, 1)))
	if node.DiskRate > 0 {
		t = max(t, float64(in+out)/(node.DiskRate*float64(max(node.Disks, 1))))
	}
	return t
}

// StageSeconds returns the time of all of a job's tasks of a kind at reference speed, in
// seconds.
func (v *View) StageSeconds(j simcore.JobID, k simcore.Kind) float64 {
	return v.s.work.StageSeconds(&v.s.work.Jobs[j], k)
}
