package tune

import (
	"slices"
)

// elimination finds the smallest change that brings the gain, and what each of its changes brings. After C. Fawcett and
// H. Hoos, "Analysing differences between algorithm configurations through ablation", Journal of Heuristics 22
// (2016), on the first workloads of the confirmation, on which the current and the chosen configuration
// have their runs:
//
//  1. Every change is reverted alone. It stays only if that costs more than
//     leastCost of the objective, more than leastSlower of a protected metric, or a limit
//     (needed). What can go alone goes together, in halves where all are too many
//     (A. Zeller and R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE
//     28, 2002).
//  2. What each change that is left brings: alone, and in the order of these losses.
//
// Where one change is left its figure is the whole gain, from the confirmation.
type elimination struct {
	shortening
	steps []AblationStep
	all   []AblationStep // of every change that it begins with
}

const (
	minFigures  = 16   // workloads behind a figure
	leastCost   = 0.01 // part of the objective that a change must bring to stay
	leastSlower = 0.05 // or of a protected metric
)

// eliminate measures the changes of the best on the workloads of its confirmation. What is reverted then is
// measured there too, and decided by.
func (c *confirmation) eliminate() {
	us := c.changes(c.found.best)
	if len(us) < 2 || !c.o.ablates() || c.p.multi() || len(c.found.confirm) < minFigures {
		return
	}
	a := &elimination{shortening: shortening{parts: c.parts, ins: c.found.confirm[:minFigures], kept: us,
		most: c.plan.whole - (len(c.found.confirm) - minFigures) - len(c.found.recorded)}} // where another takes its place
	a.begin(c.found.best)
	a.run()
	full := c.found.best
	c.led.measure("confirm", []*trial{a.now}, slices.Concat(c.found.confirm, c.found.recorded))
	if c.risks.hope(a.now, c.found.confirm) < (1-2*reductionSlack)*c.risks.hope(full, c.found.confirm) {
		c.keepAll(a, us)
		return
	}
	steps := a.steps
	for _, s := range c.found.steps {
		if !s.Kept {
			steps = append(steps, s)
		}
	}
	for _, u := range us {
		if !c.p.Space.changed(u, a.now.settings) {
			steps = append(steps, AblationStep{Change: u.name})
		}
	}
	c.found.best, c.found.steps = a.now, steps
}

// keepAll leaves the changes as they were, since all workloads of the confirmation show that some are needed which the
// first of them do not. One that would have gone alone gets its figure from all.
func (c *confirmation) keepAll(a *elimination, us []unit) {
	gone := slices.DeleteFunc(slices.Clone(us), func(u unit) bool { return c.p.Space.changed(u, a.now.settings) })
	for i, s := range a.all {
		if len(gone) == 1 && s.Change == gone[0].name {
			a.all[i] = c.stepOf(gone[0], a.now, c.found.best, c.found.confirm)
		}
	}
	c.found.steps = slices.Concat(a.all, slices.DeleteFunc(c.found.steps, func(s AblationStep) bool { return s.Kept }))
}

// run takes steps 1 and 2. A change without which more is hoped goes, too.
func (a *elimination) run() {
	for a.room(len(a.kept)) {
		ts := a.figure()
		if a.all == nil {
			a.all = slices.Clone(a.steps)
		}
		before := a.now
		if i := a.harmful(ts); i >= 0 {
			a.now, a.kept = ts[i], slices.Delete(slices.Clone(a.kept), i, i+1)
			a.keep(a.now)
		} else {
			var idle []int
			for i, t := range ts {
				if !a.needed(t) {
					idle = append(idle, i)
				}
			}
			a.dropTogether(idle)
		}
		switch {
		case a.now == before:
			a.walk()
			return
		case len(a.kept) == 1:
			a.figure()
			return
		}
		a.forgetFigures()
	}
}

// harmful is the place of the change without which much more is hoped, -1 if there is none.
func (a *elimination) harmful(ts []*trial) int {
	best := a.risks.ranked(append(slices.Clone(ts), a.now), a.ins)[0]
	if best == a.led.present || a.risks.hope(best, a.ins) <= (1+2*reductionSlack)*a.risks.hope(a.now, a.ins) {
		return -1
	}
	return slices.Index(ts, best)
}

// needed reports whether leaving a change out, as a trial does, costs more of the objective or of
// a protected metric than it may, and more than one standard error; or work, or a limit.
func (a *elimination) needed(without *trial) bool {
	return a.loses(without, a.ins) || a.costs(without, a.ins, 1) ||
		a.gain > 0 && a.risks.hope(without, a.ins) < (1-reductionSlack)*a.risks.hope(a.now, a.ins)
}
