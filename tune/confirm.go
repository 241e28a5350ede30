package tune

import (
	"math"
	"slices"
)

// Confirmation: present, recommended and un-ablated settings are measured on
// seeds, and where there are any on windows, that the search never used. The
// result is what this phase says: a recommendation that does not keep the limits
// is replaced by the safest contender of the halving, or after a search of a front by its
// next point that keeps them (frontSecond); one that loses work or has no result, without
// limits, by another contender (nextbest.go); one whose interval includes no gain, by the
// present configuration.

// minConfirm and maxConfirm bound the instances of a confirmation.
const (
	minConfirm = 16
	maxConfirm = 200
)

// minAgain and maxAgain bound the instances of the history itself.
const (
	minAgain = 6
	maxAgain = 24
)

// confirmBest makes the confirmation and decides by it.
func (d *driver) confirmBest() error {
	if d.o.Off&PartConfirm != 0 {
		return nil
	}
	if d.ofFewRuns() {
		return d.confirmFew()
	}
	left := d.budget - d.spent
	ts := d.toConfirm(left)
	left -= max(0, min(d.liftedRuns(), left-len(ts)*d.leastConfirm()))
	n := left / len(ts)
	if more := left - secondRuns; d.front != nil && d.guarded() && more >= (len(ts)+1)*d.leastConfirm() {
		n = more / (len(ts) + 1) // the rest is for frontSecond
	}
	if len(d.p.Again) > 0 {
		n = min(n*4/5, n-minAgain) // the rest is for the history itself
	}
	n = min(maxConfirm, max(minConfirm, n))
	ins := d.instances(n, d.held)
	ts, ins, err := d.confirmOn(ts, ins)
	if err != nil {
		return err
	}
	if err := d.presentRan(ins); err != nil {
		return err
	}
	if err := d.frontSecond(ins); err != nil {
		return err
	}
	if d.late {
		ts = []*trial{d.present, d.best}
	}
	if err := d.measureAgain(ts, againInstances(n)); err != nil {
		return err
	}
	ins = d.usable(ins)
	d.confirm = ins
	if d.full != d.best && slices.Contains(ts, d.full) && d.tooMuchLost(d.best, d.full, ins) {
		if !d.infeasible(d.best, ins) {
			d.named = d.best
		}
		d.best, d.steps = d.full, keepAll(d.steps)
	}
	// The present configuration as the safest takes no place: without a proof it is recommended
	// anyway, and what was found is told with the limits that it breaks.
	if d.infeasible(d.best, ins) && d.safe != nil && d.safe != d.present && slices.Contains(ts, d.safe) && !d.infeasible(d.safe, ins) {
		d.best, d.full, d.steps = d.safe, d.safe, nil
	}
	return d.lookBeyond(ins)
}

// measureAgain measures on so many instances of the history itself, where there is one.
func (d *driver) measureAgain(ts []*trial, n int) error {
	if len(d.p.Again) == 0 {
		return nil
	}
	again := d.instances(n, d.p.Again)
	if err := d.measure("confirm", ts, again); err != nil {
		return err
	}
	d.again = d.usable(again)
	return nil
}

// toConfirm lists what is confirmed with so many runs: present and recommended, and as
// far as there are runs the safest contender and what the ablation began at.
func (d *driver) toConfirm(runs int) []*trial {
	ts := []*trial{d.present}
	for i, t := range []*trial{d.best, d.safe, d.full} {
		if t != nil && !slices.Contains(ts, t) && (i == 0 || d.budget == 0 || runs >= (len(ts)+1)*d.leastConfirm()) {
			ts = append(ts, t)
		}
	}
	return ts
}

// beforeConfirm is the number of runs that are left but for the confirmation.
func (d *driver) beforeConfirm() int {
	if d.budget == 0 {
		return math.MaxInt
	}
	left := d.budget - d.spent
	if d.o.Off&PartConfirm == 0 {
		left -= int(math.Ceil(d.confirmPart()*float64(d.budget) - 1e-9))
	}
	return max(0, left)
}

// infeasible reports whether a trial has no result, loses work or breaks a limit.
func (d *driver) infeasible(t *trial, ins []instance) bool {
	s := d.score(t, ins)
	return s.Failed || s.Lost > 0 || s.Violation > 0
}

// tooMuchLost reports whether the ablated trial a has, beyond doubt, given up
// more than twice the slack of b's gain over the present, or violates more.
func (d *driver) tooMuchLost(a, b *trial, ins []instance) bool {
	sa, sb := d.score(a, ins), d.score(b, ins)
	if sa.Failed || sb.Failed || sa.Lost != sb.Lost || sa.Violation != sb.Violation {
		return sb.Less(sa)
	}
	x := d.differences(b, a, ins) // the loss, negative
	for i, g := range d.differences(d.present, b, ins) {
		x[i] += 2 * ablationSlack * g
	}
	return pairedP(x) < 0.05
}

func keepAll(steps []AblationStep) []AblationStep {
	out := append([]AblationStep(nil), steps...)
	for i := range out {
		out[i].Kept = true
	}
	return out
}
