package tune

import (
	"slices"

	"schedtune/internal/stats"
)

// Confirmation: current, recommended and un-ablated settings are measured on
// seeds, and where there are any on windows, that the search never used. The
// result is what this phase shows: a recommendation that does not keep the limits
// is replaced by the safest contender of the halving, or after a search of a front by its
// next point that keeps them (frontSecond); one that loses work or has no result, without
// limits, by another contender (substitute.go); one whose interval includes no gain, by the
// current configuration.
//
// That of a short study in rounds, most of which it takes, measures the recommended and the
// current configuration on as few workloads as a verdict needs, and other contenders
// of the finals only if the recommended one does not keep the limits there or loses work.

// minConfirm and maxConfirm bound the instances of a confirmation.
const (
	minConfirm = 16
	maxConfirm = 200
)

// minRecorded and maxRecorded bound the instances of the recorded history itself; a short study
// in rounds has shortRecorded.
const (
	minRecorded   = 6
	maxRecorded   = 24
	shortRecorded = 4
)

// confirmBest makes the confirmation and decides by it.
func (c *course) confirmBest() {
	switch {
	case !c.o.confirms():
		return
	case c.short() && c.inRounds():
		c.confirmShort()
		return
	}
	left := c.budget - c.spent
	ts := c.toConfirm(left)
	left -= max(0, min(c.liftedRuns(), left-len(ts)*c.leastConfirm()))
	n := left / len(ts)
	if more := left - secondRuns; c.front != nil && c.guarded() && more >= (len(ts)+1)*c.leastConfirm() {
		n = more / (len(ts) + 1) // the rest is for frontSecond
	}
	if len(c.p.Again) > 0 {
		n = min(n*4/5, n-minRecorded) // the rest is for the history itself
	}
	n = min(maxConfirm, max(minConfirm, n))
	ts, ins := c.confirmOn(ts, c.instances(n, c.held))
	c.mustRun(ins)
	c.frontSecond(ins)
	if c.late {
		ts = []*trial{c.present, c.best}
	}
	c.measureRecorded(ts, recordedInstances(n))
	c.confirm = c.usable(ins)
	if c.full != c.best && slices.Contains(ts, c.full) && c.tooMuchLost(c.best, c.full, c.confirm) {
		c.best, c.steps = c.full, keepAll(c.steps)
	}
	// The current configuration as the safest takes no place: without a proof it is recommended
	// anyway, and what was found is shown with the limits that it breaks.
	if c.safe != nil && c.safe != c.present && slices.Contains(ts, c.safe) && c.infeasible(c.best, c.confirm) &&
		!c.infeasible(c.safe, c.confirm) {
		c.replace(c.safe)
	}
	c.lookBeyond(c.confirm)
}

// replace recommends a trial that no ablation has been made of.
func (c *course) replace(t *trial) { c.best, c.full, c.steps = t, t, nil }

// toConfirm lists what is confirmed with so many runs: the current and the recommended
// configuration, and as far as there are runs the safest contender and what the ablation began with.
func (c *course) toConfirm(runs int) []*trial {
	ts := []*trial{c.present}
	for i, t := range []*trial{c.best, c.safe, c.full} {
		if t != nil && !slices.Contains(ts, t) && (i == 0 || runs >= (len(ts)+1)*c.leastConfirm()) {
			ts = append(ts, t)
		}
	}
	return ts
}

// measureRecorded measures on so many instances of the recorded history itself, where there is one.
func (c *course) measureRecorded(ts []*trial, n int) {
	if len(c.p.Again) > 0 {
		ins := c.instances(n, c.p.Again)
		c.measure("confirm", ts, ins)
		c.recorded = c.usable(ins)
	}
}

// recordedInstances is on how many instances the history itself is run where a confirmation
// has so many.
func recordedInstances(confirmed int) int {
	return min(maxRecorded, max(minRecorded, confirmed/4))
}

// tooMuchLost reports whether the ablated trial a has, beyond doubt, given up
// more than twice the slack of b's gain over the current configuration, or violates more.
func (c *course) tooMuchLost(a, b *trial, ins []instance) bool {
	sa, sb := c.score(a, ins), c.score(b, ins)
	if sa.Failed || sb.Failed || sa.Lost != sb.Lost || sa.Violation != sb.Violation {
		return sb.Less(sa)
	}
	x := c.differences(b, a, ins) // the loss, negative
	for i, g := range c.differences(c.present, b, ins) {
		x[i] += 2 * ablationSlack * g
	}
	return stats.BelowZero(x) < 0.05
}

// shortConfirmRuns is the number of runs of the confirmation of a short study in rounds.
func (c *course) shortConfirmRuns() int {
	n := 2 * minConfirm
	if len(c.p.Again) > 0 {
		n += 2 * shortRecorded
	}
	return n
}

// confirmShort makes the confirmation of a short study in rounds.
func (c *course) confirmShort() {
	ins := c.instances(minConfirm, c.held)
	field := []*trial{c.present, c.best}
	c.measure("confirm", field, ins[:fallBackStep])
	if c.stalled(c.best, ins[:fallBackStep]) {
		field = field[:1]
	}
	c.measure("confirm", field, ins)
	c.mustRun(ins)
	if len(field) == 1 || c.infeasible(c.best, ins) {
		c.fallBack(ins)
		c.measure("confirm", []*trial{c.best}, ins) // where none is better
	}
	c.measureRecorded([]*trial{c.present, c.best}, shortRecorded)
	c.confirm = c.usable(ins)
}
