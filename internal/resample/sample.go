package resample

import (
	"math/bits"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// Sample draws a workload as Workload does, for a part of the cluster: of the jobs of
// every queue, user and size it takes the same part (0 < part <= 1), by systematic
// sampling: in the order in which a stratum's jobs come, every 1/part-th is taken, the
// first at random (W. Cochran, "Sampling Techniques", 3rd ed. 1977, chapters 5 and 8).
// A job that is taken keeps its tasks. Sizes are classes of tasks by powers of four.
func Sample(w *simcore.Workload, s Spread, part float64, key rng.Key) *simcore.Workload {
	if len(w.Jobs) == 0 {
		return w
	}
	d := &drawing{from: w, spread: s, key: key}
	if part < 1 {
		d.part, d.seen = part, map[stratum]float64{}
	}
	d.period()
	d.jobs()
	if len(d.picks) == 0 { // a period without a job tells nothing
		d.part = 0
		d.jobs()
	}
	if len(d.picks) == 0 {
		return w
	}
	return d.build()
}

// stratum is what jobs of one kind share.
type stratum struct {
	queue, user int32
	size        int8
}

// stratumOf is a job's.
func stratumOf(j *simcore.Job) stratum {
	n := uint64(j.Maps) + uint64(j.Reduces)
	if j.Spark != nil {
		for i := range j.Spark.Stages {
			n += uint64(j.Spark.Stages[i].Tasks)
		}
	}
	return stratum{j.Queue, j.User, int8(bits.Len64(n) / 2)}
}

// sampled is how many of some copies of a job are taken.
func (d *drawing) sampled(j *simcore.Job, copies int) int {
	if d.part == 0 {
		return copies
	}
	at := stratumOf(j)
	sum, ok := d.seen[at]
	if !ok {
		sum = d.key.At(drawSample).At(uint64(at.queue)).At(uint64(at.user)).Float64(uint64(at.size))
	}
	sum += d.part * float64(copies)
	n := int(sum)
	d.seen[at] = sum - float64(n)
	return n
}
