package predict

import "math"

// Job-time estimates from task-time estimates, in the manner of Chronos
// (Agarwal, Stoica, 2010; used by Rasooli, Down, COSHH, section 2.2): a
// predictor looks up the mean time of a map and of a reduce for the job's
// class, input size and cluster utilisation; the job's time follows from how
// many of them run at once. The lookup table is in package cluster.

// JobTime describes a job for the estimate; times in seconds.
type JobTime struct {
	Maps, Reduces               int
	MapTime, ReduceTime         float64 // mean time of one task; a reduce's after its shuffle
	ShuffleTime                 float64 // copy time that does not overlap the maps
	Overhead                    float64 // fixed: job setup, first launch, clean-up
	MapSlots, ReduceSlots       int     // how many run at once
	MapTimeSpread, ReduceSpread float64 // standard deviation of a task's time; 0 = all equal
}

// Estimate returns the job's expected time: overhead, the waves of maps, the
// shuffle tail, the waves of reduces. A spread lengthens the last wave by the
// expected lead of its slowest task over the mean, taken for normal times
// (Blom's approximation of the largest of n). It is +Inf where tasks have no
// slots.
func (j JobTime) Estimate() float64 {
	return j.Overhead +
		stage(j.Maps, j.MapSlots, j.MapTime, j.MapTimeSpread) +
		j.shuffle() +
		stage(j.Reduces, j.ReduceSlots, j.ReduceTime, j.ReduceSpread)
}

func (j JobTime) shuffle() float64 {
	if j.Reduces <= 0 {
		return 0
	}
	return j.ShuffleTime
}

func stage(tasks, slots int, mean, spread float64) float64 {
	w := Waves(tasks, slots)
	if w < 0 {
		return math.Inf(1)
	}
	if w == 0 {
		return 0
	}
	last := tasks - (w-1)*slots
	return float64(w)*mean + spread*maxNormal(last)
}

// maxNormal approximates the expected largest of n standard normal values:
// the quantile of (n - 0.375) / (n + 0.25); 0 for n = 1.
func maxNormal(n int) float64 {
	if n <= 1 {
		return 0
	}
	p := (float64(n) - 0.375) / (float64(n) + 0.25)
	return math.Sqrt2 * math.Erfinv(2*p-1)
}
