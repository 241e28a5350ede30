package tune

import "slices"

// parts are what the phases of a study share.
type parts struct {
	p     Problem
	o     Options
	led   *ledger   // what has been tried and measured
	judge *judge    // scores of it
	risks *risks    // what a confirmation will find, and the decision
	plan  *plan     // of the budget
	model *model    // of all runs of the search
	work  workloads // of all comparisons before the confirmation
	found findings
}

// findings are what a study has found so far.
type findings struct {
	status    Status
	best      *trial   // found
	others    []*trial // further contenders, best first
	shownGain float64  // Progress.Gain
	changedAt int      // runs spent when the best last changed
	steps     []AblationStep
	chosenOn  []instance   // of the choice among contenders
	lifted    *Lifted      // what breaks limits and is better; nil = none found
	confirm   []instance   // of the confirmation
	recorded  []instance   // of Problem.Again
	front     []*trial     // several objectives
	frontOn   []instance   // what the front was measured on
	history   []generation // for the front and the importance of parameters
	given     []*trial     // the current configuration and the caller's candidates
}

// generation holds points that were measured on a common instance.
type generation struct {
	points []Point
	scores []Score
	block  int      // number of the instance
	on     instance // what they were measured on
}

// maxHistory bounds the generations that the importance is estimated from.
const maxHistory = 1000

func newParts(p Problem, o Options) *parts {
	l := newLedger(p, o)
	c := &parts{p: p, o: o, led: l, judge: &judge{p: p, led: l}, plan: newPlan(p, o)}
	c.risks = &risks{p: p, o: o, led: l, judge: c.judge, found: &c.found}
	c.found.status = Running
	c.work.order(l)
	return c
}

// left is how many runs are left of those planned for.
func (c *parts) left() int { return c.plan.budget - c.led.spent }

// lead makes a trial the best found.
func (c *parts) lead(t *trial) {
	if t != c.found.best {
		c.found.best, c.found.changedAt = t, c.led.spent
	}
}

// changes lists the units in which a trial differs from the current configuration.
func (c *parts) changes(t *trial) []unit {
	return slices.DeleteFunc(c.p.Space.units(), func(u unit) bool { return !c.p.Space.changed(u, t.settings) })
}

// retreat is the trial of a point a part of the way from a trial to the current configuration.
func (c *parts) retreat(t *trial, part float64) *trial {
	p := c.led.pointOf(t)
	for k, now := range c.p.Space.Present() {
		if !c.p.Space.Unordered(k) {
			p[k] += part * (now - p[k])
		}
	}
	return c.led.pointTrial(p, "retreat")
}

// frontValues are the values of the front's points.
func (c *parts) frontValues() [][]float64 {
	return mapped(c.judge.scores(c.found.front, c.found.frontOn), func(s Score) []float64 { return s.Values })
}

// lastOf keeps the last n elements, moving them only now and then.
func lastOf[T any](list []T, n int) []T {
	if len(list) < 2*n {
		return list
	}
	return slices.Clone(list[len(list)-n:])
}

// without returns trials but for one.
func without(ts []*trial, one *trial) []*trial {
	return slices.DeleteFunc(slices.Clone(ts), func(t *trial) bool { return t == one })
}

// distinct returns each trial once, in their order.
func distinct(ts []*trial) []*trial {
	var out []*trial
	for _, t := range ts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
