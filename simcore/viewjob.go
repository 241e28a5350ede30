package simcore

// Priority returns the job's priority; higher goes first.
func (v *View) Priority(j JobID) int32 { return v.s.work.Jobs[j].Priority }

// Slowstart returns the job's own slowstart, the completed share of its maps
// before its reduces are asked; negative means that it follows the scheduler's.
func (v *View) Slowstart(j JobID) float64 { return v.s.work.Jobs[j].Slowstart }

// ShuffleBytes returns the bytes the job's maps hand to its reduces.
func (v *View) ShuffleBytes(j JobID) int64 { return v.s.work.Jobs[j].ShuffleBytes }

// Expected estimates the mean time in seconds that a task of the job's kind
// takes on a node that runs nothing else: what a task duration predictor knows
// from earlier runs of the job. It is 0 for a kind without tasks.
func (v *View) Expected(j JobID, k Kind, n NodeID) float64 {
	job, node := &v.s.work.Jobs[j], &v.s.cluster.Nodes[n]
	tasks := v.s.taskCount(j, k)
	if tasks == 0 {
		return 0
	}
	speed := node.Speed
	if speed <= 0 {
		speed = 1
	}
	if v.s.cfg.Model == Resources {
		return expectedWork(job, node, k, speed)
	}
	dist, first := job.MapDist, job.FirstTask
	if k == Reduce {
		dist, first = job.ReduceDist, job.FirstTask+job.Maps
	}
	recorded := job.FirstTask >= 0 && v.s.work.Tasks.Duration != nil
	switch {
	case dist >= 0 && (v.s.cfg.Model == Sampled || !recorded):
		return v.s.work.Dists[dist].Mean() / speed
	case recorded:
		var sum Time
		for _, d := range v.s.work.Tasks.Duration[first : first+tasks] {
			sum += d
		}
		return sum.Seconds() / float64(tasks) / speed
	}
	return 0
}

// expectedWork is the time of a task alone on the node: processor time and
// bytes read and written at the disk's and, for a reduce's copy, the NIC's rate.
func expectedWork(job *Job, node *Node, k Kind, speed float64) float64 {
	in, out, cpu, tasks := job.InputBytes, job.ShuffleBytes, job.MapCPU, job.Maps
	if k == Reduce {
		in, out, cpu, tasks = job.ShuffleBytes, job.OutputBytes, job.ReduceCPU, job.Reduces
	} else if job.Reduces == 0 {
		out = job.OutputBytes
	}
	t := cpu * float64(in) / speed
	if node.DiskRate > 0 {
		t += float64(in+out) / node.DiskRate
	}
	if k == Reduce && node.NICRate > 0 {
		t += float64(in) / node.NICRate
	}
	return t / float64(tasks)
}
