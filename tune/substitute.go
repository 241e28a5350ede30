package tune

import "slices"

// Substitutes in the confirmation, where the recommended settings have no result in a run, lose
// work that the current configuration does, or break a limit. No gain makes up for that, and the
// search's few runs of them do not show what happens in one run of twenty.

// fallBackStep is on how many instances more a substitute is measured at a time.
const fallBackStep = 4

// confirmParts is in how many parts a confirmation is measured, so that runs are left for
// the next best: what breaks in the second half leaves too few as a rule.
const confirmParts = 2

// The first, without limits: what the ablation began with takes the place, where it loses
// nothing, or else the next best: of the contenders of the halving the one that stayed longest
// beside the best. It is named before the confirmation's first run, and its own runs there decide
// nothing but whether its gain is proven, as with the safest contender where there are limits.

// nextBest returns the contender of the halving that stayed longest beside those that are
// confirmed; nil if there is none, or if the confirmation has another way out.
func (c *course) nextBest(ts []*trial) *trial {
	if c.front != nil || c.safe != nil && c.safe != c.full {
		return nil
	}
	for _, t := range c.others {
		if t != c.present && !t.failed && t.shortfall == 0 && !slices.Contains(ts, t) {
			return t
		}
	}
	return nil
}

// confirmOn measures the current and the other configurations on instances, a part of them
// at a time where there is a next best: once all but the current one are broken, it is
// measured in their place. It returns those that have been measured on all, and on which
// instances: fewer where the budget does not pay for more after what the next best makes up for.
func (c *course) confirmOn(ts []*trial, ins []instance) ([]*trial, []instance) {
	next := c.nextBest(ts)
	if next == nil {
		c.measure("confirm", ts, ins)
		return ts, ins
	}
	part := (len(ins) + confirmParts - 1) / confirmParts
	for n := 0; n < len(ins); {
		n = min(n+part, len(ins))
		c.measure("confirm", ts, ins[:n])
		if next == nil || !c.allStalled(ts, ins[:n]) {
			continue
		}
		if on := c.payable(n, len(ins)); on >= min(minConfirm, len(ins)) {
			ins, ts = ins[:on], []*trial{c.present, next}
			c.replace(next)
			next, n = nil, 0 // it makes up for what the others had
		}
	}
	return ts, ins
}

// allStalled reports whether all trials but the current one have no result on one of the
// instances that count, or lose work there.
func (c *course) allStalled(ts []*trial, ins []instance) bool {
	ins = c.usable(ins)
	return len(ins) > 0 && !slices.ContainsFunc(ts, func(t *trial) bool { return t != c.present && !c.stalled(t, ins) })
}

// payable is on how many of so many instances the budget pays for another configuration
// from the first on, and beyond the first n, where it has been measured, for the current one.
func (c *course) payable(n, instances int) int {
	left := c.budget - c.spent - n
	if len(c.p.Again) > 0 {
		left -= 2 * recordedInstances(instances)
	}
	if left < 0 {
		return 0
	}
	return min(instances, n+left/2)
}

// passes measures a trial on the instances of the confirmation, fallBackStep more at a time, as
// long as it is sound on them and runs are left, and reports whether it is on all.
func (c *course) passes(t *trial, ins []instance, left *int, sound func(on []instance) bool) bool {
	for n := fallBackStep; ; n += fallBackStep {
		on := ins[:min(n, len(ins))]
		if *left -= missing(t, on); *left < 0 {
			return false
		}
		c.measure("confirm", []*trial{t}, on)
		if !sound(on) || len(on) == len(ins) {
			return sound(on)
		}
	}
}

// fallBack, in a short study in rounds, takes the first contender of the finals that keeps the
// limits on the instances of the confirmation and loses nothing, of those that have shown no
// loss before, as far as the budget goes. It was chosen there: nothing is proven of it.
func (c *course) fallBack(ins []instance) {
	left := c.budget - c.spent - missing(c.best, ins)
	if len(c.p.Again) > 0 {
		left -= 2 * shortRecorded
	}
	for _, t := range without(c.others, c.best) {
		if !c.passes(t, ins, &left, func(on []instance) bool { return !c.stalled(t, on) }) {
			continue
		}
		if s := c.score(t, ins); s.feasible() && s.Less(c.score(c.best, ins)) && s.Less(c.score(c.present, ins)) {
			c.replace(t)
			c.late = true
			return
		}
	}
}

// secondStep is, for each point tried, how far from them the next is at least, in parts of
// the front's extent in the objective in which it is longer.
const secondStep = 0.1

// secondRuns are the runs to be kept for frontSecond beside those of a whole point: for
// three that are left after the first step.
const secondRuns = 3 * fallBackStep

// frontSecond looks for another point of the front where the compromise does not keep the
// limits on the instances of the confirmation or loses work there. Points are tried that
// keep the limits beyond doubt on the front's instances before those that may not, and of
// either the nearest to the ideal point first. A limit that one breaks its neighbours break
// too, as a rule: a next one lies farther from all that were tried, by secondStep of the
// front's extent for each of them. A point is measured on fallBackStep instances more at a
// time and left as soon as its means break a limit; the first that keeps them on all takes
// the place. All within the runs that are left.
func (c *course) frontSecond(ins []instance) {
	if c.front == nil || !c.infeasible(c.best, c.usable(ins)) {
		return
	}
	left := c.budget - c.spent
	values := scaled(c.frontValues())
	tried := [][]float64{values[slices.Index(c.front, c.best)]}
	for _, sure := range []bool{true, false} {
		for _, i := range byIdeal(values) {
			t := c.front[i]
			if t == c.present || c.infeasible(t, c.frontOn) || sure != (c.cautious(t, c.frontOn).Violation == 0) ||
				nearest(values[i], tried) < secondStep*float64(len(tried)) {
				continue
			}
			tried = append(tried, values[i])
			if c.passes(t, ins, &left, func(on []instance) bool { return !c.infeasible(t, c.usable(on)) }) {
				c.replace(t)
				c.late = true
				return
			}
		}
	}
}
