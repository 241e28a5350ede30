package tune

// Ablation from the best settings back to the present ones, after C. Fawcett
// and H. Hoos, "Analysing differences between algorithm configurations through
// ablation", Journal of Heuristics 22 (2016), in two passes on paired
// instances:
//
//  1. every changed unit (a parameter, or the shares of one parent) is taken
//     back alone; the loss orders the units;
//  2. units are taken back one more at a time in that order; the losses of
//     this path add up to the whole gain.
//
// The recommended settings are the furthest point of the path that has lost at
// most ablationSlack of the gain, and if that costs no more, without the changes
// beyond it that carried less than ablationDust each. Fawcett and Hoos re-order after each step;
// the order here is fixed after the first pass, which needs 2 U instead of
// U²/2 configurations.

// Parts of the gain: what is given up for a shorter diff, and what a change has
// to carry to be worth a line.
const (
	ablationSlack = 0.05
	ablationDust  = 0.01
)

// AblationStep is one change on the path from the best settings to the present.
type AblationStep struct {
	Change string  `json:"change"` // parameter or "shares of GROUP"
	Loss   float64 `json:"loss"`   // part of the gain that goes with it; the steps' sum is 1
	Kept   bool    `json:"kept"`   // part of the recommended settings
}

// ablate replaces the recommended trial by one with fewer changes.
func (d *driver) ablate() error {
	d.full = d.best
	us := d.changes(d.best)
	if d.best == d.present || d.o.Off&PartAblation != 0 || len(us) == 0 {
		return nil
	}
	n := d.share(d.ablationPart()) / (2 * len(us))
	ins := d.instances(min(16, max(1, n)), d.search)
	singles, err := d.reverted(us, func(k int) []unit { return us[k : k+1] })
	if err != nil {
		return err
	}
	if err := d.measure("ablation", append([]*trial{d.best, d.present}, singles...), ins); err != nil {
		return err
	}
	us = d.byLoss(us, singles, ins)
	path, err := d.reverted(us, func(k int) []unit { return us[:k+1] })
	if err != nil {
		return err
	}
	if err := d.measure("ablation", path, ins); err != nil {
		return err
	}
	return d.prune(us, d.walk(us, path, ins), ins)
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

// reverted makes, for each k, the best settings without the units of k.
func (d *driver) reverted(us []unit, without func(k int) []unit) ([]*trial, error) {
	out := make([]*trial, len(us))
	for k := range us {
		t, err := d.trial(d.p.Space.revert(d.best.settings, without(k)), nil, "ablation")
		if err != nil {
			return nil, err
		}
		out[k] = t
	}
	return out, nil
}

// byLoss orders units by what taking them back alone costs, least first.
func (d *driver) byLoss(us []unit, singles []*trial, ins []instance) []unit {
	scores := make([]Score, len(us))
	for k, t := range singles {
		scores[k] = d.score(t, ins)
	}
	out := make([]unit, len(us))
	for r, k := range order(scores) {
		out[r] = us[k]
	}
	return out
}

// walk goes along the path, sets the recommended trial and the steps, and
// returns how many units the recommended trial takes back.
func (d *driver) walk(us []unit, path []*trial, ins []instance) int {
	best, present := d.score(d.best, ins), d.score(d.present, ins)
	gain := present.Values[0] - best.Values[0]
	if present.Failed || best.Failed || gain <= 0 {
		return 0
	}
	stop := 0
	for k, t := range path {
		if d.affordable(t, ins) {
			stop = k + 1
		}
	}
	last := best.Values[0]
	for k, t := range path {
		v := d.score(t, ins).Values[0]
		d.steps = append(d.steps, AblationStep{us[k].name, (v - last) / gain, k >= stop})
		last = v
	}
	if stop > 0 {
		d.best = path[stop-1]
	}
	return stop
}

// affordable reports whether a trial has lost no more than the slack of the
// full settings' gain.
func (d *driver) affordable(t *trial, ins []instance) bool {
	full, present, s := d.score(d.full, ins), d.score(d.present, ins), d.score(t, ins)
	return !s.Failed && s.Violation <= full.Violation &&
		s.Values[0]-full.Values[0] <= ablationSlack*(present.Values[0]-full.Values[0])
}

// prune tries to take back, besides the first stop units, all that carried
// next to nothing on the path.
func (d *driver) prune(us []unit, stop int, ins []instance) error {
	drop := append([]unit(nil), us[:stop]...)
	var small []int
	for k := stop; k < len(d.steps); k++ {
		if d.steps[k].Loss < ablationDust {
			small = append(small, k)
			drop = append(drop, us[k])
		}
	}
	if len(small) == 0 {
		return nil
	}
	t, err := d.trial(d.p.Space.revert(d.full.settings, drop), nil, "ablation")
	if err != nil {
		return err
	}
	if err := d.measure("ablation", []*trial{t}, ins); err != nil || !d.affordable(t, ins) {
		return err
	}
	d.best = t
	for _, k := range small {
		d.steps[k].Kept = false
	}
	return nil
}
