package tune

import (
	"math/bits"
	"slices"
)

// single is the finisher of one objective: choice among contenders, reduction, confirmation with
// elimination. The choice is sequential halving after Z. Karnin, T. Koren and O. Somekh, "Almost Optimal Exploration in
// Multi-Armed Bandits" (ICML 2013), on paired instances: the contenders share the workloads, each
// round spends the same number of runs, and the worse half leaves. The means a round compares
// include the rounds before. Gains count for the chance that the decision takes them.
type single struct{ *parts }

// finish implements finisher. Where none of the contenders is better than the current configuration, as where the
// model's best stalls on some workload, the next ones meet, as long as runs are left for a reduction.
func (c *single) finish() {
	field := c.contenders(nil)
	c.choose(field, c.choiceRuns())
	again := c.plan.chooseRuns()
	for tried := field; c.found.best == c.led.present && len(field) > 0 &&
		c.left()-c.plan.confirmRuns() >= again+2*leastRisk; tried = append(tried, field...) {
		field = c.contenders(tried)
		c.choose(field, again)
	}
	r := &reduction{shortening: shortening{parts: c.parts}}
	r.reduce()
	(&confirmation{parts: c.parts}).confirmBest()
}

// choiceRuns are for the first choice: what the search leaves of its part, too, unless it ended early.
func (c *single) choiceRuns() int {
	runs := c.left() - c.plan.reduceRuns() - c.plan.confirmRuns()
	if c.found.status == NoProgress || c.found.status == AnswerKnown {
		runs = min(runs, c.plan.chooseRuns())
	}
	return runs
}

// maxContenders bounds the field; there are fewer if they could not have twice leastRisk runs each.
const maxContenders = 12

// mostChoice is the largest number of workloads that contenders meet on.
const mostChoice = 24

// stepBackPart is how far a contender steps back from the best where there are limits.
const stepBackPart = 0.15

// contenders are the model's best of those that have not been tried.
func (c *single) contenders(tried []*trial) []*trial {
	others := slices.DeleteFunc(without(c.model.ranked(), c.led.present), func(t *trial) bool {
		return t.shortfall > 0 || slices.Contains(tried, t) || c.judge.stalled(t, c.work.of(t))
	})
	if tried == nil && len(c.p.Constraints) > 0 && len(others) > 0 { // the best lie on a limit as a rule: steps back keep it
		others = distinct(slices.Insert(others, 1, c.retreat(others[0], stepBackPart), c.retreat(others[0], retreatPart)))
		others = without(others, c.led.present)
	}
	return others[:min(len(others), maxContenders, max(3, c.plan.chooseRuns()/(2*leastRisk)))]
}

// choose makes the best of the contenders the best found, and the current configuration where
// none is better, by so many runs.
func (c *single) choose(field []*trial, runs int) {
	n := 0
	c.found.others, c.found.best = nil, c.led.present
	for len(field) > 0 {
		before, all := c.led.spent, append([]*trial{c.led.present}, field...)
		m := c.payable(all, n, runs/max(1, bits.Len(uint(len(field)-1))))
		if m == 0 {
			break
		}
		n = m
		c.found.chosenOn = c.work.first(n)
		c.led.measure("halving", all, c.found.chosenOn)
		runs -= c.led.spent - before
		field = c.risks.ranked(field, c.found.chosenOn)
		if len(field) < 3 {
			break
		}
		half := (len(field) + 1) / 2
		c.found.others, field = append(slices.Clone(field[half:]), c.found.others...), field[:half]
	}
	if len(field) == 0 {
		return
	}
	best, on := c.risks.nearest(field, c.found.chosenOn), c.found.chosenOn
	c.found.others = append(without(field, best), c.found.others...)
	for _, t := range append([]*trial{best}, c.found.others...) { // one that fails late leaves its place to the next
		if need := missing(t, on); need > 0 && need > c.left()-c.plan.confirmRuns() {
			return
		}
		c.led.measure("halving", []*trial{t}, on)
		if c.gains(t, on) {
			c.found.best, c.found.others = t, without(c.found.others, t)
			return
		}
	}
}

// gains reports whether a trial is better than the current configuration, or more is hoped of it, which a limit
// that is broken narrowly allows.
func (c *single) gains(t *trial, on []instance) bool {
	return len(on) >= leastRisk && c.risks.hope(t, on) > 0 || c.judge.score(t, on).Less(c.judge.score(c.led.present, on))
}

// payable is on how many instances so many runs let trials be measured, if that is on more than n; one
// at least where they have not met.
func (c *single) payable(ts []*trial, n, runs int) int {
	m := n
	for m < mostChoice {
		need := 0
		for _, t := range ts {
			need += missing(t, c.work.first(m+1))
		}
		if need > runs && (m > 0 || c.left() < need) {
			break
		}
		m++
	}
	return m
}
