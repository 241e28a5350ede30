package tune

import (
	"math"
	"slices"
)

// Ablation: the recommended settings keep only the changes that carry the gain,
// each no further from the present than the gain needs. After C. Fawcett and
// H. Hoos, "Analysing differences between algorithm configurations through
// ablation", Journal of Heuristics 22 (2016), on paired instances and on the
// objective's own scale:
//
//  0. Settings that leave costly parameters alone take the place of those that do
//     not, where they bring as much (stages.go).
//  1. Every changed unit (a parameter, or the shares of one parent) is taken
//     back alone; the loss orders the units.
//  2. Units that can go alone are taken back together, in halves where all are
//     too many (A. Zeller and R. Hildebrandt, "Simplifying and isolating
//     failure-inducing input", IEEE TSE 28, 2002).
//  3. What is left is taken back one by one, least loss first, until nothing
//     more can go.
//  4. Values move toward the present, and to simpler numbers (moderate.go).
//  5. What is left and costs less than uselessPart of the gain goes, too.
//  6. Attribution: from the settings that remain, each change alone, and one
//     more at a time in the order of these losses. The losses of this path add
//     up to the whole gain.
//
// What steps 2 to 4 take may cost ablationSlack of the gain in all, no work, and
// half the distance to every limit. With too few runs to take every unit back
// alone only steps 2 and 3 are made, as far as the runs go; there are no losses
// then.

// ablationSlack is the part of the gain that is given up for fewer and milder
// changes.
const ablationSlack = 0.05

// uselessPart is the part of the gain below which a change is taken back even if
// the slack is spent.
const uselessPart = 0.01

// AblationStep is one change of the settings found by the search. Where changes
// work together, Loss depends on the place in the path and Alone does not: of
// two changes that only help jointly, the one taken back last has no loss of
// its own, and yet all is lost without it.
type AblationStep struct {
	Change string   `json:"change"`          // parameter or "shares of GROUP"
	Loss   *float64 `json:"loss,omitempty"`  // part of the gain that goes with it on the path; those of the kept changes add up to 1
	Alone  *float64 `json:"alone,omitempty"` // part of the gain lost when only this change is left out; nil if no run of that had a result
	// Interval is that of Alone: of the ratio of means over the paired runs (delta
	// method, Student).
	Interval *Interval `json:"alone_interval,omitempty"`
	Value    *float64  `json:"value,omitempty"`  // mean objective when only this change is left out
	Limits   []string  `json:"limits,omitempty"` // limits that leaving only this change out breaks
	Loses    bool      `json:"loses,omitempty"`  // leaving only this change out loses work, or ends in runs without a result
	Kept     bool      `json:"kept"`             // part of the recommended settings
}

// ablation is one under way.
type ablation struct {
	d    *driver
	ins  []instance
	gain float64 // of the full settings over the present, on the instances
	full float64 // objective of the full settings, lower is better
	runs int     // left
	best *trial  // shortest so far
	kept []unit  // its changes, least loss first

	failed bool // a configuration on the path has no result
}

// ablate replaces the recommended trial by one with fewer and milder changes.
func (d *driver) ablate() error {
	d.full = d.best
	us := d.changes(d.best)
	if d.best == d.present || d.o.Off&PartAblation != 0 || len(us) == 0 {
		return nil
	}
	a := &ablation{d: d, runs: min(d.share(d.ablationPart()), d.beforeConfirm()), best: d.best, kept: us}
	steps := len(us)
	if d.inRounds() && d.mild != nil { // which takes its place as a rule
		steps = len(d.changes(d.mild)) + 1
	}
	n := ablationInstances(a.runs, steps)
	whole := n > 0
	defer func() {
		if !tellLosses(d.steps) && !a.failed {
			d.reaching = d.ablationBudget(len(us))
		}
	}()
	if !whole {
		if n = a.runs / (shortTries + 2); n == 0 {
			return nil
		}
	}
	a.ins = d.instances(n, d.search)
	if err := a.measure(d.best, d.present); err != nil {
		return err
	}
	if a.ins = d.usable(a.ins); len(a.ins) == 0 {
		return nil
	}
	a.full = d.cost(d.full, a.ins)
	a.gain = d.cost(d.present, a.ins) - a.full
	if !(a.gain > 0) || d.score(d.full, a.ins).Failed || d.score(d.present, a.ins).Failed {
		return a.bare(whole)
	}
	if !whole {
		if err := a.dropTogether(all(len(us))); err != nil {
			return err
		}
		d.best = a.best
		return nil
	}
	if err := a.preferMild(); err != nil {
		return err
	}
	for _, step := range []func() error{a.dropCheap, a.dropSingly, a.moderate, a.dropUseless, a.attribute} {
		if err := step(); err != nil {
			return err
		}
	}
	d.best = a.best
	return nil
}

// tellLosses reports whether steps tell what changes carry along the path.
func tellLosses(steps []AblationStep) bool {
	return slices.ContainsFunc(steps, func(s AblationStep) bool { return s.Loss != nil })
}

// ablationBudget is the least multiple of a hundred runs above the budget with which the
// ablation of so many changes makes all of its steps on four instances, 0 if none is near.
func (d *driver) ablationBudget(changes int) int {
	own := d.budget
	if own == 0 {
		return 0
	}
	defer func() { d.budget = own }()
	for d.budget = (own/100 + 1) * 100; d.budget <= 50*own; d.budget += 100 {
		if int(d.ablationPart()*float64(d.budget)) >= 4*ablationSteps(changes) {
			return d.budget
		}
	}
	return 0
}

// ablationSteps is the number of configurations that all steps for so many changes take.
func ablationSteps(changes int) int {
	return 2*changes + 2 + (3+len(wayBack)+2)*min(changes, 6) // of which few remain
}

// ablationInstances is on how many instances the ablation of so many changes
// compares: so many that the runs suffice for every step, but four where they
// suffice for the steps before the moderation.
func ablationInstances(runs, changes int) int {
	return min(16, max(runs/ablationSteps(changes), min(4, runs/(2*changes+2))))
}

// preferMild takes the best settings of the search's first stage, which leave the
// costly parameters alone, or in rounds those without what the model sees nothing in, where
// they bring as much.
func (a *ablation) preferMild() error {
	mild := a.d.mild
	if mild == nil || mild == a.d.present || mild == a.best || !a.d.inRounds() && !a.d.p.Space.touches(a.best.settings) {
		return nil
	}
	if err := a.measure(mild); err != nil || !a.affordable(mild) {
		return err
	}
	a.best, a.kept = mild, a.d.changes(mild)
	return nil
}

// shortTries is how many sets of changes a short ablation tries to take back.
const shortTries = 25

// bare is the ablation of settings that are recommended for something else than
// the objective: because they keep limits, or lose no work.
func (a *ablation) bare(whole bool) error {
	if err := a.dropTogether(all(len(a.kept))); err != nil || !whole {
		return err
	}
	a.d.best = a.best
	return a.dropSingly()
}

func all(n int) []int {
	out := make([]int, n)
	for k := range out {
		out[k] = k
	}
	return out
}

// changes lists the units in which a trial differs from the present.
func (d *driver) changes(t *trial) []unit {
	var out []unit
	for _, u := range d.p.Space.units() {
		if d.p.Space.changed(u, t.settings) {
			out = append(out, u)
		}
	}
	return out
}

// cost is a trial's mean objective in the metric's own unit, negative where
// more is better: lower is better always.
func (d *driver) cost(t *trial, ins []instance) float64 {
	v, _ := moments(d.raw(t, d.p.Objectives[0], ins))
	if d.p.Objectives[0].Maximize {
		return -v
	}
	return v
}

func (a *ablation) measure(ts ...*trial) error {
	before := a.d.spent
	err := a.d.measure("ablation", ts, a.ins)
	a.runs -= a.d.spent - before
	return err
}

// room reports whether there are runs for some more configurations.
func (a *ablation) room(configurations int) bool { return a.runs >= configurations*len(a.ins) }

// rest is what the steps after the moderation need for the changes that are
// left: all of them alone twice, and the path.
func (a *ablation) rest() int { return 3 * len(a.kept) }

// without is the trial of the settings so far with some of their changes taken
// back.
func (a *ablation) without(us ...unit) (*trial, error) {
	return a.d.trial(a.d.p.Space.revert(a.best.settings, us), nil, "ablation")
}

// singles measures the settings so far without each of their changes.
func (a *ablation) singles() ([]*trial, error) {
	ts := make([]*trial, len(a.kept))
	for k, u := range a.kept {
		var err error
		if ts[k], err = a.without(u); err != nil {
			return nil, err
		}
	}
	return ts, a.measure(ts...)
}

// dropCheap takes every change back alone, orders them by what that costs, and
// takes back together those that can go alone.
func (a *ablation) dropCheap() error {
	ts, err := a.singles()
	if err != nil {
		return err
	}
	scores := make([]Score, len(ts))
	for k, t := range ts {
		scores[k] = a.d.score(t, a.ins)
	}
	var kept []unit
	var few []int
	for r, k := range order(scores) {
		kept = append(kept, a.kept[k])
		if a.affordable(ts[k]) {
			few = append(few, r)
		}
	}
	a.kept = kept
	return a.dropTogether(few)
}

// dropTogether takes back units of a.kept, all at once or, where that costs too
// much, by halves.
func (a *ablation) dropTogether(few []int) error {
	dropped := make([]bool, len(a.kept))
	var try func(ks []int) error
	try = func(ks []int) error {
		if len(ks) == 0 || !a.room(1) {
			return nil
		}
		var back []unit
		for _, k := range ks {
			back = append(back, a.kept[k])
		}
		went, err := a.take(back)
		if err != nil {
			return err
		}
		if went {
			for _, k := range ks {
				dropped[k] = true
			}
			return nil
		}
		if len(ks) == 1 {
			return nil
		}
		if err := try(ks[:len(ks)/2]); err != nil {
			return err
		}
		return try(ks[len(ks)/2:])
	}
	err := try(few)
	var kept []unit
	for k, u := range a.kept {
		if !dropped[k] {
			kept = append(kept, u)
		}
	}
	a.kept = kept
	return err
}

// take takes changes back if that is affordable.
func (a *ablation) take(back []unit) (bool, error) {
	t, err := a.without(back...)
	if err != nil || t == a.best {
		return err == nil, err
	}
	if err := a.measure(t); err != nil || !a.affordable(t) {
		return false, err
	}
	a.best = t
	return true, nil
}

// dropSingly takes back one change after another, until a whole pass takes none
// or the runs that the attribution does not need are spent.
func (a *ablation) dropSingly() error {
	for gone := true; gone; {
		gone = false
		for k := 0; k < len(a.kept) && a.room(1+a.rest()); k++ {
			went, err := a.take(a.kept[k : k+1])
			if err != nil {
				return err
			}
			if went {
				a.kept = append(append([]unit(nil), a.kept[:k]...), a.kept[k+1:]...)
				gone = true
				k--
			}
		}
	}
	a.d.best = a.best
	return nil
}

// dropUseless takes back the changes that bring next to nothing, one at a time.
func (a *ablation) dropUseless() error {
	for len(a.kept) > 1 && a.room(2*len(a.kept)) {
		ts, err := a.singles()
		if err != nil {
			return err
		}
		least, at := uselessPart*a.gain, -1
		for k, t := range ts {
			if more := a.d.cost(t, a.ins) - a.d.cost(a.best, a.ins); a.sound(t) && more <= least {
				least, at = more, k
			}
		}
		if at < 0 {
			return nil
		}
		a.best = ts[at]
		a.kept = append(append([]unit(nil), a.kept[:at]...), a.kept[at+1:]...)
	}
	return nil
}

// affordable reports whether a sound trial has lost no more than the slack of
// the full settings' gain.
func (a *ablation) affordable(t *trial) bool {
	return a.sound(t) && a.d.cost(t, a.ins)-a.full <= ablationSlack*math.Max(a.gain, 0)
}

// sound reports whether a trial loses no more work than the full settings and is
// not much nearer to a limit.
func (a *ablation) sound(t *trial) bool {
	s := a.d.score(t, a.ins)
	return !s.Failed && s.Lost <= a.d.score(a.d.full, a.ins).Lost && a.d.keepsLimits(t, a.ins)
}

// keepsLimits reports whether a trial keeps half of the full settings' distance
// to every limit, or does not go further beyond it.
func (d *driver) keepsLimits(t *trial, ins []instance) bool {
	full := d.excess(d.full, ins, 0)
	for k, e := range d.excess(t, ins, 0) {
		if e > max(full[k], full[k]/2) {
			return false
		}
	}
	return true
}
