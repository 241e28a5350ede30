package tune

import "time"

// remaining estimates the time left from the speed so far.
func (d *driver) remaining(runs int, p Progress) time.Duration {
	switch {
	case d.o.TimeBudget > 0:
		return max(0, d.o.TimeBudget-p.Elapsed)
	case runs == 0 || d.budget <= runs:
		return 0
	}
	return time.Duration(float64(p.Elapsed) / float64(runs) * float64(d.budget-runs))
}
