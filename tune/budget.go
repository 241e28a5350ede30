package tune

import "math"

// MostRuns is how many runs a study takes at most. That is its budget, but for one of
// fewer than 100 runs (tinyRuns), which may take more: the confirmation takes what a
// verdict needs (VerdictRuns), whatever is left. It is 0 for a budget in time alone.
func MostRuns(p Problem, o Options) int {
	p, o = p.withDefaults(), o.withDefaults()
	if o.Budget == 0 || o.Budget >= tinyRuns || o.Off&PartConfirm != 0 {
		return o.Budget
	}
	d := &driver{p: p, o: o, budget: o.Budget}
	before := o.Budget - int(math.Ceil(d.confirmPart()*float64(o.Budget)-1e-9))
	return max(o.Budget, before+d.verdictRuns())
}

// VerdictRuns is how many runs a verdict needs: two configurations on the fewest instances.
func VerdictRuns(p Problem) int { return (&driver{p: p.withDefaults()}).verdictRuns() }

func (d *driver) verdictRuns() int { return 2 * d.leastConfirm() }
