package simcore

// StageSeconds returns the time of all tasks of a kind of one of the workload's jobs at
// reference speed, in seconds: recorded one by one, else the mean of their distribution, else
// work per byte.
func (w *Workload) StageSeconds(j *Job, k Kind) float64 {
	n, dist, first := j.Maps, j.MapDist, j.FirstTask
	cpu, bytes := j.MapCPU, float64(j.InputBytes)
	if k == Reduce {
		n, dist, first = j.Reduces, j.ReduceDist, j.FirstTask+j.Maps
		cpu, bytes = j.ReduceCPU, float64(j.ShuffleBytes)
	}
	switch {
	case j.FirstTask >= 0 && w.Tasks.Duration != nil && int(first+n) <= len(w.Tasks.Duration):
		sum := Time(0)
		for _, d := range w.Tasks.Duration[first : first+n] {
			sum += d
		}
		return float64(sum) / float64(Second)
	case dist >= 0 && int(dist) < len(w.Dists):
		return float64(n) * w.Dists[dist].Mean()
	}
	return cpu * bytes
}
