package tune

import "slices"

// The confirmation without limits, where the recommended settings have no result in a run or
// lose work that the present configuration does not. No gain makes up for that, and the
// search's few runs of them do not show what happens in one run of twenty. Then what the
// ablation began at takes the place, where it gets through, or else the next best: of the
// contenders of the halving the one that stayed longest beside the best. It is named before
// the confirmation's first run, and its own runs there decide nothing but whether its gain is
// proven, as with the safest contender where there are limits (driver.safe).

// confirmParts is in how many parts a confirmation is measured, so that runs are left for
// the next best: what breaks in the second half leaves too few as a rule.
const confirmParts = 2

// nextBest is the contender of the halving that stayed longest beside those that are
// confirmed; nil if there is none, or if the confirmation has another way out.
func (d *driver) nextBest(ts []*trial) *trial {
	if d.front != nil || d.safe != nil && d.safe != d.full {
		return nil
	}
	for _, t := range d.ranked {
		if t != d.present && !t.failed && t.short == 0 && !slices.Contains(ts, t) {
			return t
		}
	}
	return nil
}

// confirmOn measures the present and the other configurations on instances, a part of them
// at a time where there is a next best: once all but the present one are broken, it is
// measured in their place. It returns those that have been measured on all, and on which
// instances: fewer where the budget does not pay for more after what the next best makes up for.
func (d *driver) confirmOn(ts []*trial, ins []instance) ([]*trial, []instance, error) {
	next := d.nextBest(ts)
	if next == nil {
		return ts, ins, d.measure("confirm", ts, ins)
	}
	part := (len(ins) + confirmParts - 1) / confirmParts
	for n := 0; n < len(ins); {
		n = min(n+part, len(ins))
		if err := d.measure("confirm", ts, ins[:n]); err != nil {
			return nil, nil, err
		}
		if next == nil || !d.allBroken(ts, ins[:n]) {
			continue
		}
		if on := d.affordable(n, len(ins)); on >= min(minConfirm, len(ins)) {
			ins, ts = ins[:on], []*trial{d.present, next}
			d.best, d.full, d.steps, next = next, next, nil, nil
			n = 0 // it makes up for what the others had
		}
	}
	return ts, ins, nil
}

// allBroken reports whether all trials but the present one have no result on one of the
// instances that count, or lose work there.
func (d *driver) allBroken(ts []*trial, ins []instance) bool {
	ins = d.usable(ins)
	return len(ins) > 0 && !slices.ContainsFunc(ts, func(t *trial) bool {
		s := d.score(t, ins)
		return t != d.present && !s.Failed && s.Lost == 0
	})
}

// affordable is on how many of so many instances the budget pays for another configuration
// from the first on, and beyond the first n, where it has been measured, for the present one.
func (d *driver) affordable(n, instances int) int {
	if d.budget == 0 {
		return instances
	}
	left := d.budget - d.spent - n
	if len(d.p.Again) > 0 {
		left -= 2 * againInstances(instances)
	}
	if left < 0 {
		return 0
	}
	return min(instances, n+left/2)
}

// againInstances is on how many instances the history itself is run where a confirmation
// has so many.
func againInstances(confirmed int) int { return min(maxAgain, max(minAgain, confirmed/4)) }
