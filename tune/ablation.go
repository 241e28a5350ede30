package tune

import (
	"math"
	"slices"
)

// Ablation: the recommended settings keep only the changes that carry the gain,
// each no further from the current value than the gain needs. After C. Fawcett and
// H. Hoos, "Analysing differences between algorithm configurations through
// ablation", Journal of Heuristics 22 (2016), on paired instances and on the
// objective's own scale:
//
//  0. Settings that leave costly parameters alone take the place of those that do
//     not, where they bring as much (stages.go).
//  1. Every changed unit (a parameter, or the shares of one parent) is reverted
//     alone; the loss orders the units.
//  2. Units that can go alone are reverted together, in halves where all are
//     too many (A. Zeller and R. Hildebrandt, "Simplifying and isolating
//     failure-inducing input", IEEE TSE 28, 2002).
//  3. What is left is reverted one by one, least loss first, until nothing
//     more can go.
//  4. Values go back toward the current ones, and to numbers with few digits, as far as the slack
//     of the gain allows: a moderate change is easier to defend, and far values are often chance,
//     since where the objective is flat a search stops anywhere.
//  5. What is left and costs less than uselessPart of the gain goes, too.
//  6. Attribution: from the settings that remain, each change alone, and one
//     more at a time in the order of these losses. The losses of this path add
//     up to the whole gain.
//
// What steps 2 to 4 take may cost ablationSlack of the gain in all, no work, and
// half the distance to every limit. With too few runs to revert every unit
// alone only steps 2 and 3 are made, as far as the runs go; there are no losses
// then.

const (
	ablationSlack = 0.05 // part of the gain that is given up for fewer and more moderate changes
	uselessPart   = 0.01 // part of the gain below which a change is reverted even if the slack is spent
	shortTries    = 25   // sets of changes that a short ablation tries to revert
)

// AblationStep is one change of the settings found by the search. Where changes
// work together, Loss depends on the place in the path and Alone does not: of
// two changes that only help jointly, the one reverted last has no loss of
// its own, and yet all is lost without it.
type AblationStep struct {
	Change string `json:"change"` // parameter or "shares of GROUP"
	// part of the gain that goes with it on the path; those of the kept changes add up to 1
	Loss *float64 `json:"loss"`
	// part of the gain lost when only this change is left out; nil if no run of that had a result
	Alone *float64 `json:"alone"`
	// Interval is that of Alone: of the ratio of means over the paired runs (delta
	// method, Student).
	Interval *Interval `json:"alone_interval"`
	Value    *float64  `json:"value"`  // mean objective when only this change is left out
	Limits   []string  `json:"limits"` // limits that leaving only this change out breaks
	// leaving only this change out loses work, or ends in runs without a result
	Loses bool `json:"loses"`
	Kept  bool `json:"kept"` // part of the recommended settings
}

// ablation is one under way. Its best trial is the course's.
type ablation struct {
	*course
	ins  []instance
	gain float64 // of the full settings over the current ones, on the instances
	from float64 // objective of the full settings, lower is better
	most int     // runs of the study when it ends
	now  *trial  // shortest so far
	kept []unit  // its changes, least loss first

	failed bool // a configuration on the path has no result
}

// ablate replaces the recommended trial by one with fewer and more moderate changes.
func (c *course) ablate() {
	c.full = c.best
	us := c.changes(c.best)
	if c.best == c.present || !c.o.ablates() || len(us) == 0 {
		return
	}
	runs := min(c.share(c.ablationPart()), c.beforeConfirm())
	a := &ablation{course: c, most: c.spent + runs, now: c.best, kept: us}
	a.run(runs)
	attributed := slices.ContainsFunc(c.steps, func(s AblationStep) bool { return s.Loss != nil })
	if !attributed && !a.failed {
		c.reaching = c.ablationBudget(len(us))
	}
}

func (a *ablation) run(runs int) {
	steps := len(a.kept)
	if a.inRounds() && a.moderated != nil { // which takes its place as a rule
		steps = len(a.changes(a.moderated)) + 1
	}
	n := ablationInstances(runs, steps)
	whole := n > 0
	if !whole {
		if n = runs / (shortTries + 2); n == 0 {
			return
		}
	}
	a.ins = a.instances(n, a.search)
	a.measured(a.full, a.present)
	if a.ins = a.usable(a.ins); len(a.ins) == 0 {
		return
	}
	a.from = a.cost(a.full, a.ins)
	a.gain = a.cost(a.present, a.ins) - a.from
	switch {
	case !(a.gain > 0) || a.score(a.full, a.ins).Failed || a.score(a.present, a.ins).Failed:
		// The settings are recommended for something else than the objective: because
		// they keep limits, or lose no work.
		a.dropTogether(indices(len(a.kept)))
		if whole {
			a.best = a.now
			a.dropSingly()
		}
		return
	case !whole:
		a.dropTogether(indices(len(a.kept)))
	default:
		a.preferModerated()
		a.dropCheap()
		a.dropSingly()
		a.moderate()
		a.dropUseless()
		a.attribute()
	}
	a.best = a.now
}

// ablationSteps is the number of configurations that all steps for so many changes take.
func ablationSteps(changes int) int {
	return 2*changes + 2 + (3+len(moderateParts)+2)*min(changes, 6) // of which few remain
}

// ablationInstances is on how many instances the ablation of so many changes
// compares: so many that the runs suffice for every step, but four where they
// suffice for the steps before the moderation.
func ablationInstances(runs, changes int) int {
	return min(16, max(runs/ablationSteps(changes), min(4, runs/(2*changes+2))))
}

// preferModerated takes the best settings of the search's first stage, which leave the
// costly parameters alone, or in rounds those without what the model attributes no effect to,
// where they bring as much.
func (a *ablation) preferModerated() {
	t := a.moderated
	if t == nil || t == a.present || t == a.now || !a.inRounds() && !a.p.Space.touches(a.now.settings) {
		return
	}
	if a.measured(t); a.affordable(t) {
		a.now, a.kept = t, a.changes(t)
	}
}

// measured measures trials on the instances of the ablation.
func (a *ablation) measured(ts ...*trial) { a.measure("ablation", ts, a.ins) }

// room reports whether there are runs for some more configurations.
func (a *ablation) room(configurations int) bool { return a.most-a.spent >= configurations*len(a.ins) }

// rest is what the steps after the moderation need for the changes that are
// left: all of them alone twice, and the path.
func (a *ablation) rest() int { return 3 * len(a.kept) }

// reverted returns the trial of the settings so far with some of their changes reverted.
func (a *ablation) reverted(us ...unit) *trial {
	return a.trial(a.p.Space.revert(a.now.settings, us), nil, "ablation")
}

// singles measures the settings so far without each of their changes.
func (a *ablation) singles() []*trial {
	ts := mapped(a.kept, func(u unit) *trial { return a.reverted(u) })
	a.measured(ts...)
	return ts
}

// dropCheap reverts every change alone, orders them by what that costs, and
// reverts together those that can go alone.
func (a *ablation) dropCheap() {
	ts := a.singles()
	var kept []unit
	var cheap []int
	for r, k := range order(a.scores(ts, a.ins)) {
		kept = append(kept, a.kept[k])
		if a.affordable(ts[k]) {
			cheap = append(cheap, r)
		}
	}
	a.kept = kept
	a.dropTogether(cheap)
}

// dropTogether reverts units of a.kept, all at once or, where that costs too
// much, by halves.
func (a *ablation) dropTogether(all []int) {
	units := a.kept
	dropped := map[int]bool{}
	var try func(ks []int)
	try = func(ks []int) {
		if len(ks) == 0 || !a.room(1) {
			return
		}
		switch {
		case a.take(mapped(ks, func(k int) unit { return units[k] })...):
			for _, k := range ks {
				dropped[k] = true
			}
		case len(ks) > 1:
			try(ks[:len(ks)/2])
			try(ks[len(ks)/2:])
		}
	}
	try(all)
	a.kept = nil
	for k, u := range units {
		if !dropped[k] {
			a.kept = append(a.kept, u)
		}
	}
}

// take reverts changes if that is affordable.
func (a *ablation) take(back ...unit) bool {
	t := a.reverted(back...)
	if t == a.now {
		return true
	}
	if a.measured(t); !a.affordable(t) {
		return false
	}
	a.now = t
	return true
}

// dropSingly reverts one change after another, until a whole pass reverts none
// or the runs that the attribution does not need are spent.
func (a *ablation) dropSingly() {
	for gone := true; gone; {
		gone = false
		for k := 0; k < len(a.kept) && a.room(1+a.rest()); {
			if a.take(a.kept[k]) {
				a.kept = slices.Delete(slices.Clone(a.kept), k, k+1)
				gone = true
			} else {
				k++
			}
		}
	}
	a.best = a.now
}

// moderate is step 4 of the ablation.
func (a *ablation) moderate() {
	for _, u := range a.kept {
		a.takeFirst(u, a.p.Space.moderated(a.now.settings, u))
		a.takeFirst(u, a.p.Space.simplified(a.now.settings, u))
	}
}

// takeFirst takes the first of several settings that is affordable, if any.
func (a *ablation) takeFirst(u unit, candidates []Settings) {
	for _, set := range candidates {
		if !a.room(1+a.rest()) || !a.p.Space.changed(u, set) {
			return
		}
		if set.Equal(a.now.settings) {
			continue
		}
		t := a.trial(set, nil, "ablation")
		if a.measured(t); a.affordable(t) {
			a.now = t
			return
		}
	}
}

// dropUseless reverts the changes that bring next to nothing, one at a time.
func (a *ablation) dropUseless() {
	for len(a.kept) > 1 && a.room(2*len(a.kept)) {
		ts := a.singles()
		least, at := uselessPart*a.gain, -1
		for k, t := range ts {
			if more := a.cost(t, a.ins) - a.cost(a.now, a.ins); a.sound(t) && more <= least {
				least, at = more, k
			}
		}
		if at < 0 {
			return
		}
		a.now, a.kept = ts[at], slices.Delete(slices.Clone(a.kept), at, at+1)
	}
}

// affordable reports whether a sound trial has lost no more than the slack of
// the full settings' gain.
func (a *ablation) affordable(t *trial) bool {
	return a.sound(t) && a.cost(t, a.ins)-a.from <= ablationSlack*math.Max(a.gain, 0)
}

// sound reports whether a trial loses no more work than the full settings and is
// not much nearer to a limit: it keeps half of their distance to every limit, or
// does not go further beyond it.
func (a *ablation) sound(t *trial) bool {
	s, full := a.score(t, a.ins), a.score(a.full, a.ins)
	if s.Failed || s.Lost > full.Lost {
		return false
	}
	limits := a.excess(a.full, a.ins, 0)
	for k, e := range a.excess(t, a.ins, 0) {
		if e > max(limits[k], limits[k]/2) {
			return false
		}
	}
	return true
}
