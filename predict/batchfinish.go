package predict

import "math"

// Batch finish of maps (Yang et al., OMO, IEEE Access 2021, section IV-D, equations 4 and 5,
// algorithm 2).
//
// Of K running jobs, job i gets a container every K/F_o seconds under fair
// sharing and ends its maps after
//
//	t_fair = K m' / F_o + T_m                                            (4)
//
// while the others get s = F_o (K-1)/K t_fair containers. Were its m' pending
// maps served first, its r reduces would end sooner and be released with the
// rest, at F_e = F_o (A_o + r) / A_o, and the others would have their s
// containers after
//
//	t_batch = s / F_e = s A_o / (F_o (A_o + r))                          (5)
//
// The job with the largest t_fair - t_batch > 0 is finished in a batch.
// What differs: a job without pending maps is no candidate (there is nothing
// to launch), which algorithm 2 leaves to the caller.

// BatchTimes returns, for one of jobs running jobs (K), when its maps end under fair sharing
// and when the other jobs would have as many containers as by then if its maps were
// served first, in seconds (OMO, equations 4 and 5):
//
//	t_fair  = K m' / F_o + T_m
//	t_batch = F_o (K-1)/K t_fair A_o / (F_o (A_o + r))
//
// Both are +Inf where no container is released.
func (j MapStage) BatchTimes(e ReleaseEstimate, jobs int) (fair, batch float64) {
	if !(e.Frequency > 0) || jobs <= 0 {
		return math.Inf(1), math.Inf(1)
	}
	k := float64(jobs)
	fair = k*float64(j.Pending)/e.Frequency + j.MapTime
	s := e.Frequency * (k - 1) / k * fair
	batch = s / e.Frequency
	if e.Available > 0 {
		batch = s * e.Available / (e.Frequency * (e.Available + float64(j.Reduces)))
	}
	return fair, batch
}

// BatchFinish returns the index of the running job whose pending maps should
// be served first, or -1: of those whose reduces have started the one with the largest
// t_fair - t_batch above 0, the first of equal ones (OMO, algorithm 2).
func BatchFinish(jobs []MapStage, e ReleaseEstimate) int {
	k, best, gain := active(jobs), -1, 0.0
	for i, j := range jobs {
		if !j.Running || !j.ReducesStarted || j.Pending <= 0 {
			continue
		}
		fair, batch := j.BatchTimes(e, k)
		if batch < fair && fair-batch > gain {
			best, gain = i, fair-batch
		}
	}
	return best
}
