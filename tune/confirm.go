package tune

import (
	"math"
	"slices"
)

// Confirmation: current and chosen configuration are measured on seeds, and where there are any
// on windows, that the search never used, in a fixed order: more of them where the decision is
// close. Where what was chosen is not recommended for what it breaks or risks, and runs are left,
// the next contender is confirmed on further instances that nothing has seen.

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

// confirmBest confirms the best and decides by it. Where nothing that was confirmed is recommended, the
// first that breaks nothing is the best found.
func (c *course) confirmBest() {
	if !c.o.confirms() {
		return
	}
	var tried []*trial
	shown := attempt{broken: true}
	for {
		c.confirmOnce()
		d := c.decided(c.best, c.confirm)
		tried = append(tried, c.best)
		if now := (attempt{c.best, c.steps, c.confirm, c.recorded, c.against(c.best, c.confirm) != ""}); d.Recommended ||
			shown.best == nil || shown.broken && !now.broken {
			shown = now
		}
		if d.Recommended || !c.another(d.Reason, tried) {
			break
		}
	}
	c.best, c.steps, c.confirm, c.recorded = shown.best, shown.steps, shown.confirm, shown.recorded
	c.measureLate()
	c.lookBeyond(c.confirm)
	if a := c.reduced; a != nil && a.now == c.best && len(a.steps) > 0 && a.steps[0].Loss == nil {
		a.most = c.budget
		a.walk()
	}
}

// confirmOnce measures the current and the best configuration on fresh instances.
func (c *course) confirmOnce() {
	ts := []*trial{c.present, c.best}
	n := max(minConfirm, min(c.plannedConfirm(), maxConfirm))
	ins := c.instances(n, c.held)
	c.measure("confirm", ts, ins[:firstConfirmed])
	if first := c.usable(ins[:firstConfirmed]); c.best != c.present && (c.stalled(c.best, first) || c.surelyBroken(first)) {
		ins = ins[:firstConfirmed]
	}
	for {
		c.measure("confirm", ts, ins)
		c.mustRun(ins)
		c.confirm = c.usable(ins)
		more := min(len(ins)/2, maxConfirm-len(ins))
		left := c.budget - c.spent - 2*c.recordedInstances(len(ins)+more)
		if k := len(c.changes(c.best)); k > 1 && c.figuresLate() {
			left -= k * minFigures
		}
		if len(ins) < n || more <= 0 || 2*more > left || !c.close(c.decided(c.best, c.confirm)) {
			break
		}
		ins = append(ins, c.instances(more, c.held)...)
	}
	if on := c.recordedInstances(len(ins)); on > 0 {
		c.recorded = c.instances(on, c.p.Again)
		c.measure("confirm", ts, c.recorded)
		c.recorded = c.usable(c.recorded)
	}
	c.figureAlone()
}

// recordedInstances is on how many instances the history itself is run where a confirmation has
// so many; 0 where there is none.
func (b *plan) recordedInstances(confirmed int) int {
	if len(b.p.Again) == 0 {
		return 0
	}
	return min(maxRecorded, max(minRecorded, confirmed/4))
}

// close reports whether more instances could change a decision.
func (c *course) close(d Decision) bool {
	near := func(p *float64, most float64) bool {
		if p == nil {
			return false
		}
		return math.Abs(*p-most) <= 1.5*math.Sqrt(*p*(1-*p)/float64(d.Workloads))
	}
	switch d.Reason {
	case ReasonNothingFound, ReasonUnconfirmed, ReasonFails, ReasonLosesWork, ReasonUnknownError:
		return false
	case ReasonBreaksLimit:
		return !c.surelyBroken(c.confirm)
	case ReasonGainUnsure:
		return d.Mean.Mean > 0
	}
	return near(d.Worse, d.Risk.Worse) ||
		slices.ContainsFunc(d.Protected, func(p Protected) bool { return near(p.Worse, d.Risk.Queue) })
}

// surelyBroken reports whether the best breaks a limit on instances beyond doubt, which the current
// configuration keeps.
func (c *course) surelyBroken(ins []instance) bool {
	broken := c.brokenNow()
	for k := range c.p.Constraints {
		if iv := MeanInterval(c.excesses(c.best, k, ins), confidence); !broken[k] && iv.N > 1 && iv.Low > 0 {
			return true
		}
	}
	return false
}

// another makes the next contender the best where what was confirmed breaks or risks something and
// the runs that are left pay for the confirmation of one with figures; on a front, the next point.
func (c *course) another(why Reason, tried []*trial) bool {
	switch why {
	case ReasonFails, ReasonLosesWork, ReasonBreaksLimit, ReasonWorseRisk, ReasonQueueRisk:
	default:
		return false
	}
	left := c.budget - c.spent - c.verdictRuns()
	if left < 0 {
		return false
	}
	if c.front != nil {
		return c.nextOnFront(tried)
	}
	ins := c.figuresOn
	if ins == nil {
		ins = c.chosenOn
	}
	field := slices.Clone(c.others)
	for _, t := range c.byKey {
		if !slices.Contains(field, t) && missing(t, ins) == 0 {
			field = append(field, t)
		}
	}
	slices.SortFunc(field, func(a, b *trial) int { return a.id - b.id })
	present := c.score(c.present, ins)
	field = slices.DeleteFunc(field, func(t *trial) bool {
		k := len(c.changes(t))
		s := c.score(t, ins)
		return t == c.present || t.failed || t.shortfall > 0 || slices.Contains(tried, t) || missing(t, ins) > 0 ||
			!s.feasible() || !s.Less(present) ||
			k > 1 && k*minFigures+missing(t, c.figuresOn) > left
	})
	if len(field) == 0 {
		return c.halfway(tried, left)
	}
	c.best, c.steps = c.ranked(field, ins)[0], nil
	if k := len(c.changes(c.best)); k > 1 && !c.figuresLate() {
		a := &reduction{course: c, now: c.best, kept: c.changes(c.best), most: c.spent + left, ins: ins}
		a.figure()
		c.best = a.now
	}
	return true
}

// halfway makes the settings in the middle between the current and the last ones that were tried the best: what
// lies on a limit as a rule keeps it there.
func (c *course) halfway(tried []*trial, left int) bool {
	t := c.retreat(tried[len(tried)-1], 0.5)
	k := len(c.changes(t))
	if t == c.present || slices.Contains(tried, t) || t.shortfall > 0 || k > 1 && (k*minFigures > left || !c.figuresLate()) {
		return false
	}
	c.best, c.steps = t, nil
	return true
}

// secondStep is, for each point of a front that was tried, how far from them the next is at least,
// in parts of the front's extent in the objective in which it is longer: a limit that one
// breaks its neighbours break too, as a rule.
const secondStep = 0.1

// nextOnFront makes that point the best which keeps the limits on the front's instances, those that
// keep them beyond doubt first, and lies nearest to the ideal point of those far enough from the
// points that were tried.
func (c *course) nextOnFront(tried []*trial) bool {
	values := scaled(c.frontValues())
	var past [][]float64
	for i, t := range c.front {
		if slices.Contains(tried, t) {
			past = append(past, values[i])
		}
	}
	for _, sure := range []bool{true, false} {
		for _, i := range byIdeal(values) {
			t := c.front[i]
			if t != c.present && !c.infeasible(t, c.frontOn) && sure == (c.cautious(t, c.frontOn).Violation == 0) &&
				nearest(values[i], past) >= secondStep*float64(len(past)) {
				c.best = t
				return true
			}
		}
	}
	return false
}
