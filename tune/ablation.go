package tune

import "math"

// Ablation from the best settings back to the present ones, after C. Fawcett
// and H. Hoos, "Analysing differences between algorithm configurations through
// ablation", Journal of Heuristics 22 (2016), on paired instances:
//
//  1. every changed unit (a parameter, or the shares of one parent) is taken
//     back alone; the loss orders the units;
//  2. units that can go alone are taken back together, in halves where all are
//     too many (A. Zeller and R. Hildebrandt, "Simplifying and isolating
//     failure-inducing input", IEEE TSE 28, 2002, in one pass). What goes may
//     cost ablationSlack of the gain and half the distance to every limit; the
//     rest is recommended;
//  3. the rest is taken back one more at a time in the order of 1. The losses
//     of this path and of step 2 add up to the whole gain.
//
// With fewer runs than two for each unit only step 2 is made, on all units and
// for a number of tries; there are no losses then.
//
// Fawcett and Hoos re-order after each step; the order here is fixed after the
// first pass, which needs 2 U instead of U²/2 configurations for U units.

// ablationSlack is the part of the gain that is given up for a shorter diff.
const ablationSlack = 0.05

// AblationStep is one change on the path from the best settings to the present.
// Where changes work together, Loss depends on the place in the path and Alone
// does not: of two changes that only help jointly, the one taken back last has
// no loss of its own, and yet all is lost without it.
type AblationStep struct {
	Change string   `json:"change"`          // parameter or "shares of GROUP"
	Loss   float64  `json:"loss"`            // part of the gain that goes with it, of those not kept an equal part of what they cost together; the steps' sum is 1
	Alone  *float64 `json:"alone,omitempty"` // part of the gain lost when only this change is left out; nil if no run of that had a result
	Limit  bool     `json:"limit,omitempty"` // leaving only this change out breaks a limit
	Loses  bool     `json:"loses,omitempty"` // leaving only this change out loses work
	Kept   bool     `json:"kept"`            // part of the recommended settings
}

// ablate replaces the recommended trial by one with fewer changes.
func (d *driver) ablate() error {
	d.full = d.best
	us := d.changes(d.best)
	if d.best == d.present || d.o.Off&PartAblation != 0 || len(us) == 0 {
		return nil
	}
	runs := d.share(d.ablationPart())
	if runs < 2*len(us) {
		return d.shorten(us, runs)
	}
	ins := d.instances(min(16, runs/(2*len(us))), d.search)
	singles := make([]*trial, len(us))
	for k := range us {
		var err error
		if singles[k], err = d.without(us[k : k+1]); err != nil {
			return err
		}
	}
	if err := d.measure("ablation", append([]*trial{d.best, d.present}, singles...), ins); err != nil {
		return err
	}
	us, singles = d.byLoss(us, singles, ins)
	var few []int
	for k, t := range singles {
		if d.affordable(t, ins) {
			few = append(few, k)
		}
	}
	dropped, err := d.drop(us, few, ins, math.MaxInt)
	if err != nil {
		return err
	}
	return d.walk(us, singles, dropped, ins)
}

// shortenTries is how many sets of changes a short ablation tries to take back.
const shortenTries = 25

// shorten is the ablation for fewer runs than two for each change.
func (d *driver) shorten(us []unit, runs int) error {
	n := runs / (shortenTries + 2)
	if n == 0 {
		return nil
	}
	ins := d.instances(n, d.search)
	if err := d.measure("ablation", []*trial{d.best, d.present}, ins); err != nil {
		return err
	}
	all := make([]int, len(us))
	for k := range all {
		all[k] = k
	}
	_, err := d.drop(us, all, ins, shortenTries)
	return err
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

// without is the trial of the full settings without some of their changes.
func (d *driver) without(us []unit) (*trial, error) {
	return d.trial(d.p.Space.revert(d.full.settings, us), nil, "ablation")
}

// byLoss orders units, and the trials without each, by what taking them back
// alone costs, least first.
func (d *driver) byLoss(us []unit, singles []*trial, ins []instance) ([]unit, []*trial) {
	scores := make([]Score, len(us))
	for k, t := range singles {
		scores[k] = d.score(t, ins)
	}
	out, without := make([]unit, len(us)), make([]*trial, len(us))
	for r, k := range order(scores) {
		out[r], without[r] = us[k], singles[k]
	}
	return out, without
}

// drop finds, in a number of tries, units among few that need not be recommended.
func (d *driver) drop(us []unit, few []int, ins []instance, tries int) ([]bool, error) {
	dropped := make([]bool, len(us))
	var try func(ks []int) error
	try = func(ks []int) error {
		if len(ks) == 0 || tries == 0 {
			return nil
		}
		tries--
		back := pick(us, dropped)
		for _, k := range ks {
			back = append(back, us[k])
		}
		t, err := d.without(back)
		if err != nil {
			return err
		}
		if err := d.measure("ablation", []*trial{t}, ins); err != nil {
			return err
		}
		if d.affordable(t, ins) {
			d.best = t
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
	return dropped, try(few)
}

// pick lists the marked units.
func pick(us []unit, marked []bool) []unit {
	var out []unit
	for k, m := range marked {
		if m {
			out = append(out, us[k])
		}
	}
	return out
}

// affordable reports whether a trial has lost no more than the slack of the
// full settings' gain, and is not much nearer to a limit.
func (d *driver) affordable(t *trial, ins []instance) bool {
	full, present, s := d.score(d.full, ins), d.score(d.present, ins), d.score(t, ins)
	return !s.Failed && s.Lost <= full.Lost && d.keepsLimits(t, ins) &&
		s.Values[0]-full.Values[0] <= ablationSlack*(present.Values[0]-full.Values[0])
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

// walk takes back what is still recommended one by one, and sets the steps.
func (d *driver) walk(us []unit, singles []*trial, dropped []bool, ins []instance) error {
	back := pick(us, dropped)
	var path []*trial
	for k, u := range us {
		if dropped[k] {
			continue
		}
		back = append(back, u)
		t, err := d.without(back)
		if err != nil {
			return err
		}
		path = append(path, t)
	}
	if err := d.measure("ablation", path, ins); err != nil {
		return err
	}
	best, present := d.score(d.full, ins), d.score(d.present, ins)
	gain := present.Values[0] - best.Values[0]
	if present.Failed || best.Failed || gain <= 0 {
		return nil
	}
	last := d.score(d.best, ins).Values[0]
	together := (last - best.Values[0]) / gain / float64(max(1, len(us)-len(path)))
	for k, u := range us {
		step := AblationStep{Change: u.name, Loss: together, Kept: !dropped[k]}
		if step.Kept {
			v := d.score(path[0], ins).Values[0]
			step.Loss, last, path = (v-last)/gain, v, path[1:]
		}
		if alone := d.score(singles[k], ins); !alone.Failed {
			lost := (alone.Values[0] - best.Values[0]) / gain
			step.Alone, step.Limit, step.Loses = &lost, alone.Violation > best.Violation, alone.Lost > best.Lost
		}
		d.steps = append(d.steps, step)
	}
	return nil
}
