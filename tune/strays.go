package tune

import "math"

// A limit is on a mean, and what counts is the next period, one further workload. So in a
// study that predicts (Problem.Predict) a limit holds only if a further workload keeps it,
// too, but for strayRoom, with a probability of 90 %: of n workloads of the confirmation, so
// many may be further beyond as lie beyond that order statistic (predict.go).

const (
	strayRoom = 0.05 // of a limit: further beyond it a workload strays
	strayPart = 0.10 // of further workloads that may
)

// breaks reports whether a trial has no result, loses work, breaks a limit in the mean,
// strays from one on too many workloads or does not get through more work.
func (d *driver) breaks(t *trial, ins []instance) bool {
	return d.infeasible(t, ins) || d.strays(t, ins) || !d.getsThrough(t)
}

// foresees reports whether the study says what a further workload will show.
func (d *driver) foresees() bool { return d.p.Predict != nil && !d.p.Predict.Same }

// strays reports whether a trial strays from a limit on too many workloads.
func (d *driver) strays(t *trial, ins []instance) bool {
	if !d.foresees() || t == d.present {
		return false
	}
	for k := range d.p.Constraints {
		if n, most := d.strayed(t, k, ins); n > most {
			return true
		}
	}
	return false
}

// strayed counts the workloads on which a trial strays from a limit and the present
// configuration does not, and how many may.
func (d *driver) strayed(t *trial, limit int, ins []instance) (n, most int) {
	x, present := d.excesses(t, limit, ins), d.excesses(d.present, limit, ins)
	for i, e := range x {
		if e > strayRoom && !(i < len(present) && present[i] > strayRoom) {
			n++
		}
	}
	return n, int(math.Floor(strayPart * float64(len(x)+1)))
}
