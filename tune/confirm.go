package tune

import (
	"slices"
)

// Confirmation: current and chosen configuration are measured on seeds, and where there are any
// on windows, that the search never used, in a fixed order: more of them where the decision is
// close. Where what was chosen is not recommended for what it breaks or risks, and runs are left,
// the next contender is confirmed on the same instances, on which no choice rests.

// minConfirm and maxConfirm bound the instances of a confirmation.
const (
	minConfirm = 16
	maxConfirm = 200
)

// minRecorded and maxRecorded bound the instances of the recorded history itself.
const (
	minRecorded = 4
	maxRecorded = 24
)

// firstConfirmed is on how many instances a configuration that loses work, has no result or breaks a limit
// shows it, before the rest is spent on it.
const firstConfirmed = 4

// attempt is a configuration that has been confirmed.
type attempt struct {
	best              *trial
	steps             []AblationStep
	confirm, recorded []instance
	broken            bool // it fails, loses work or breaks a limit
}

// confirmation measures what was chosen on seeds and workloads that the search never used.
type confirmation struct {
	*parts
	fresh []instance // nothing that is chosen rests on them
	again []instance // of the history itself
}

// allowed is how many runs a confirmation may take that is close, or that another has to follow.
func (c *confirmation) allowed() int { return c.plan.whole - c.led.spent }

// confirmBest confirms the best and decides by it. Where nothing that was confirmed is recommended, the
// first that breaks nothing is the best found.
func (c *confirmation) confirmBest() {
	if c.plan.confirmRuns() == 0 {
		return
	}
	var tried []*trial
	shown := attempt{broken: true}
	for {
		c.confirmOnce()
		d := c.risks.decided(c.found.best, c.found.confirm)
		tried = append(tried, c.found.best)
		f := &c.found
		now := attempt{f.best, f.steps, f.confirm, f.recorded, c.risks.against(f.best, f.confirm) != ""}
		if d.Recommended || shown.best == nil || shown.broken && !now.broken {
			shown = now
		}
		if d.Recommended || !c.another(d.Reason, tried) {
			break
		}
	}
	c.found.best, c.found.steps, c.found.confirm, c.found.recorded = shown.best, shown.steps, shown.confirm, shown.recorded
	c.eliminate()
	c.lookBeyond(c.found.confirm)
}

// confirmOnce measures the current and the best configuration on fresh instances.
func (c *confirmation) confirmOnce() {
	ts := []*trial{c.led.present, c.found.best}
	n := max(minConfirm, min(c.plan.plannedConfirm(), maxConfirm))
	c.fresh = c.upTo(n, c.fresh, c.led.held)
	ins := c.fresh
	c.led.measure("confirm", ts, ins[:firstConfirmed])
	first := c.led.usable(ins[:firstConfirmed])
	if t := c.found.best; t != c.led.present && (c.judge.stalled(t, first) || c.risks.surelyBroken(first)) {
		ins = ins[:firstConfirmed]
	}
	for {
		c.led.measure("confirm", ts, ins)
		c.led.mustRun(ins)
		c.found.confirm = c.led.usable(ins)
		more := min(len(ins)/2, maxConfirm-len(ins))
		left := c.allowed() - 2*c.plan.recordedInstances(len(ins)+more)
		if k := len(c.changes(c.found.best)); k > 1 {
			left -= k * minFigures
		}
		if len(ins) < n || more <= 0 || 2*more > left || !c.risks.close(c.risks.decided(c.found.best, c.found.confirm)) {
			break
		}
		c.fresh = c.upTo(len(ins)+more, c.fresh, c.led.held)
		ins = c.fresh
	}
	if on := c.plan.recordedInstances(len(ins)); on > 0 {
		c.again = c.upTo(on, c.again, c.p.Again)
		c.found.recorded = c.again
		c.led.measure("confirm", ts, c.found.recorded)
		c.found.recorded = c.led.usable(c.found.recorded)
	}
	c.figureAlone()
}

// upTo adds unused instances of windows until there are n.
func (c *confirmation) upTo(n int, ins []instance, windows []int) []instance {
	return append(ins, c.led.instances(max(0, n-len(ins)), windows)...)
}

// another makes the next contender the best where what was confirmed breaks or risks something and
// the runs that are left pay for the confirmation of one with figures; on a front, the next point.
func (c *confirmation) another(why Reason, tried []*trial) bool {
	switch why {
	case ReasonFails, ReasonLosesWork, ReasonBreaksLimit, ReasonWorseRisk, ReasonQueueRisk:
	default:
		return false
	}
	again := max(c.plan.recordedInstances(len(c.fresh)), len(c.again))
	left := c.allowed() - len(c.fresh) - missing(c.led.present, c.fresh) - 2*again + len(c.again)
	if left < 0 {
		return false
	}
	if c.found.front != nil {
		return c.nextOnFront(tried)
	}
	ins := c.found.chosenOn
	present := c.judge.score(c.led.present, ins)
	field := slices.DeleteFunc(distinct(append(c.led.all(), c.found.others...)), func(t *trial) bool {
		if t == c.led.present || t.failed || t.shortfall > 0 || slices.Contains(tried, t) || missing(t, ins) > 0 {
			return true
		}
		s, k := c.judge.score(t, ins), len(c.changes(t))
		return !s.feasible() || !s.Less(present) || !c.figured(k, left, tried)
	})
	if len(field) == 0 {
		return c.halfway(tried, left)
	}
	c.found.best, c.found.steps = c.risks.ranked(field, ins)[0], nil
	return true
}

// figured reports whether so many runs pay for the figures of so many changes, or there are no more changes
// than in what was tried last, which would have been recommended with as few figures.
func (c *confirmation) figured(changes, left int, tried []*trial) bool {
	return changes < 2 || changes*minFigures <= left || changes <= len(c.changes(tried[len(tried)-1]))
}

// halfway makes the settings in the middle between the current and the last ones that were tried the best: what
// lies on a limit as a rule keeps it there.
func (c *confirmation) halfway(tried []*trial, left int) bool {
	t := c.retreat(tried[len(tried)-1], 0.5)
	k := len(c.changes(t))
	if t == c.led.present || slices.Contains(tried, t) || t.shortfall > 0 || !c.figured(k, left, tried) {
		return false
	}
	c.found.best, c.found.steps = t, nil
	return true
}

// secondStep is, for each point of a front that was tried, how far from them the next is at least,
// in parts of the front's extent in the objective in which it is longer: a limit that one
// breaks its neighbours break too, as a rule.
const secondStep = 0.1

// nextOnFront makes that point the best which keeps the limits on the front's instances, those that
// keep them beyond doubt first, and lies nearest to the ideal point of those far enough from the
// points that were tried.
func (c *confirmation) nextOnFront(tried []*trial) bool {
	values := scaled(c.frontValues())
	var past [][]float64
	for i, t := range c.found.front {
		if slices.Contains(tried, t) {
			past = append(past, values[i])
		}
	}
	for _, sure := range []bool{true, false} {
		for _, i := range byIdeal(values) {
			t := c.found.front[i]
			if t != c.led.present && !c.judge.infeasible(t, c.found.frontOn) &&
				sure == (c.judge.cautious(t, c.found.frontOn).Violation == 0) &&
				nearest(values[i], past) >= secondStep*float64(len(past)) {
				c.found.best = t
				return true
			}
		}
	}
	return false
}
