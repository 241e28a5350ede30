package predict

import "math"

// Lazy start of reduces (Yang et al., OMO, IEEE Access 2021, section IV-B/C, equations 2 and 3,
// algorithm 1).
//
// With x maps still pending, the last shuffle ends
//
//	beta(x) = T_s - (x A_o D / (F_o (A_o - r)) + T_m)                    (3)
//
// seconds after the last map, where T_s is the shuffle time of the last
// reduce, T_m a map's time, r the job's reduces, and D the number of running
// jobs that share the released containers. Equation 2 is D = 1, A_o = S. The
// reduces should start when the pending maps bring beta closest to zero.
//
// What differs: as printed, the paper starts the reduces when m' is the
// arg min of beta over x in [m', m]. beta falls with x, so that the condition
// holds only while no map has been launched, and then at once. The text asks
// for perfect alignment, which is the smallest |beta|, and only smaller x can
// still come. So a job is due when waiting for one more map would not bring
// |beta| closer to zero:
//
//	|beta(m')| <= |beta(x)| for all x in [0, m')
//
// With batch finish (BatchFollows) a job whose reduce stage begins may be served
// before all others from then on, so that its maps end sooner than at its share of
// the releases: where algorithm 2 would choose it, D is 1.

// MapStage is what lazy start and batch finish need to know about one job.
type MapStage struct {
	Running bool // takes part in the sharing: counted in D
	// ReducesStarted tells that the reduce stage has begun: lazy start looks
	// only at jobs without, batch finish only at jobs with it.
	ReducesStarted bool
	Pending        int // m'_i, maps not yet launched
	Reduces        int // r_i
	Held           int // containers the job occupies now
	// MapTime is T_m(i), the mean time of a map; ShuffleTime is T_s(i), the
	// estimated shuffle time of the last reduce (see ShuffleTime); in seconds.
	MapTime, ShuffleTime float64
}

// ShuffleTime returns OMO's T_s = d m / (B r): the time one of r reduces
// takes to fetch its part of the output of m maps of mapOutput bytes each over
// bandwidth bytes per second. It is 0 for a job without reduces and +Inf
// for a bandwidth of 0.
func ShuffleTime(mapOutput float64, maps, reduces int, bandwidth float64) float64 {
	if reduces <= 0 || mapOutput <= 0 || maps <= 0 {
		return 0
	}
	return mapOutput * float64(maps) / (bandwidth * float64(reduces))
}

// Gap returns how long after the job's last map its last shuffle would end, in seconds, if
// its reduces started with pending maps (x) left and jobs (D) sharing the releases,
//
//	beta = T_s - (x A_o D / (F_o (A_o - r)) + T_m)
//
// (OMO, equation 3). It is -Inf when starting the reduces would leave
// no container for the maps that still wait.
func (j MapStage) Gap(pending int, e ReleaseEstimate, jobs int) float64 {
	if pending <= 0 {
		return j.ShuffleTime - j.MapTime
	}
	rate := e.At(e.Available - float64(j.Reduces))
	return j.ShuffleTime - (float64(pending)*float64(jobs)/rate + j.MapTime)
}

// LazyStart decides whose reduces start (OMO, algorithm 1). The zero value starts them when
// waiting for one more map would not bring the gap closer to 0,
//
//	|beta(m')| <= |beta(x)| for all x in [0, m')
//
// with m' the job's pending maps; the paper prints m' = arg min of beta(x) over x in
// [m', m], which holds only before the first map is launched, as beta falls with x.
type LazyStart struct {
	// BatchFollows tells that batch finish serves jobs whose reduce stage has
	// begun: a job that it would choose gets all releases.
	BatchFollows bool
}

// Pick returns the index of the job whose first reduce should get the free
// container, or -1: among the running jobs whose reduce stage is due (Due) and has
// not begun, the one that holds the fewest containers; the first of equal ones. Jobs
// without reduces never qualify.
func (l LazyStart) Pick(jobs []MapStage, e ReleaseEstimate) int {
	d, best := active(jobs), -1
	for i, j := range jobs {
		if !j.Running || j.ReducesStarted || j.Reduces <= 0 || !l.Due(j, e, l.sharing(jobs, i, e, d)) {
			continue
		}
		if best < 0 || j.Held < jobs[best].Held {
			best = i
		}
	}
	return best
}

// sharing returns how many jobs share the releases with job i once its reduces have
// started: one, itself, if batch finish would then choose it.
func (l LazyStart) sharing(jobs []MapStage, i int, e ReleaseEstimate, d int) int {
	if !l.BatchFollows {
		return d
	}
	fair, batch := jobs[i].BatchTimes(e, d)
	if !(batch < fair) {
		return d
	}
	for k, j := range jobs {
		if k == i || !j.Running || !j.ReducesStarted || j.Pending <= 0 {
			continue
		}
		if f, b := j.BatchTimes(e, d); f-b >= fair-batch {
			return d // another job is served first
		}
	}
	return 1
}

// Due reports whether the reduce stage of j should start now, with jobs
// running jobs sharing the releases. |Gap| is convex in the number of pending
// maps, so one neighbour decides for all of them.
func (l LazyStart) Due(j MapStage, e ReleaseEstimate, jobs int) bool {
	if j.Pending <= 0 {
		return true
	}
	return math.Abs(j.Gap(j.Pending, e, jobs)) <= math.Abs(j.Gap(j.Pending-1, e, jobs)) &&
		!math.IsInf(j.Gap(j.Pending, e, jobs), 0)
}

// active returns D, the number of running jobs.
func active(jobs []MapStage) int {
	n := 0
	for _, j := range jobs {
		if j.Running {
			n++
		}
	}
	return n
}
