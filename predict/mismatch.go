package predict

import "math"

// Mismatch of map and reduce progress (Tan, Meng, Zhang, Coupling Task
// Progress for MapReduce Resource-Aware Scheduling, INFOCOM 2013, algorithm 1).
//
//	delta    = 1 - exp(-R / threshold)
//	unit     = delta M / R
//	mismatch = (finished maps / unit - (finished + running reduces + 1)) / R
//
// for a job of M maps and R reduces with reduces pending: all reduces may be
// running once a share delta of the maps has finished. With no map pending it
// is 4 + 1/(pending reduces), which is above all other values, as those stay
// below 1/delta and threshold 3 makes delta > 0.28. Without pending reduces it
// is 0; a job asks for a reduce when its mismatch is positive.

// Progress is a job's progress as Coupling's algorithm 1 reads it, in tasks.
type Progress struct {
	Maps, FinishedMaps, PendingMaps                          int // desired, completed, not launched
	Reduces, FinishedReduces, RunningReduces, PendingReduces int
}

// DefaultThreshold is the threshold, in reduces, that Coupling's paper suggests for line 3
// of algorithm 1.
const DefaultThreshold = 3

// Delta returns the share of maps after which all reduces of a job may have
// been launched (Coupling, algorithm 1, line 3): 1 - exp(-reduces / threshold). A threshold of 0 or less reads
// as DefaultThreshold.
func Delta(reduces int, threshold float64) float64 {
	if !(threshold > 0) {
		threshold = DefaultThreshold
	}
	return -math.Expm1(-float64(reduces) / threshold)
}

// Mismatch returns how far the job's reduces lag behind its maps (Coupling, algorithm 1):
//
//	(finished maps / unit - (finished + running reduces + 1)) / reduces
//	unit = Delta maps / reduces
//
// while both kinds are pending; 4 + 1/(pending reduces) with no map pending, as in a job
// without maps; 0 with no reduce pending. The job with the largest positive one asks for
// a reduce. A threshold of 0 or less reads as DefaultThreshold.
func (p Progress) Mismatch(threshold float64) float64 {
	if p.PendingReduces <= 0 || p.Reduces <= 0 {
		return 0
	}
	if p.PendingMaps <= 0 || p.Maps <= 0 {
		return 4 + 1/float64(p.PendingReduces)
	}
	r := float64(p.Reduces)
	unit := Delta(p.Reduces, threshold) * float64(p.Maps) / r
	mapProgress := float64(p.FinishedMaps) / unit
	redProgress := float64(p.FinishedReduces + p.RunningReduces + 1)
	return (mapProgress - redProgress) / r
}
