package tune

import "slices"

// Settings that do well under the work of the history may stand still under more: masters
// that fill what a queue or a user may have leave nothing for tasks, and that takes enough
// applications at a time. The next period may have more work than any of the drawn
// workloads. So before the confirmation present and recommended settings run on heavier
// workloads (Problem.Heavier), of which only counts whether a run ends and loses no work
// that the present settings do there. What does not get through is no recommendation; the
// next contender takes its place. The confirmation's own runs have chosen nothing then. A
// search of 300 runs or more in rounds has every fourth round for what is best so far on
// another such workload, from which its model learns what stands still and nothing else.

const (
	heavierMost  = 8  // heavier workloads of a study
	heavierPart  = 50 // runs of the budget to each of them
	heavierTries = 4  // contenders that are measured on them
	heavierEvery = 4  // one of so many rounds of a search is on one
)

// heavierCount is on how many heavier workloads contenders are measured; 0 = there are none.
func (d *driver) heavierCount() int {
	switch {
	case len(d.p.Heavier) == 0 || len(d.p.Objectives) > 1 || d.o.Off&PartConfirm != 0:
		return 0
	case d.budget == 0:
		return heavierMost
	}
	return min(heavierMost, d.budget/heavierPart)
}

// underMoreWork measures the present configuration and others that are to be confirmed on heavier
// workloads, and where the recommended one does not get through looks for the first of the
// next that does, as long as after a try so many runs are left.
func (d *driver) underMoreWork(ts, next []*trial, left int) error {
	n := d.heavierCount()
	if n == 0 || d.best == d.present {
		return nil
	}
	d.heavier = d.instances(n, d.p.Heavier[len(d.p.Heavier)/2:])
	if err := d.measure("heavier", ts, d.heavier); err != nil {
		return err
	}
	tried := ts
	for i := 0; !d.getsThrough(d.best) && i < len(next) && len(tried) < len(ts)+heavierTries; i++ {
		t := next[i]
		if t == nil || t == d.present || t.failed || t.short > 0 || t == d.best {
			continue
		}
		if !slices.Contains(tried, t) {
			if d.budget > 0 && d.budget-d.spent-n < left {
				break
			}
			if err := d.measure("heavier", []*trial{t}, d.heavier); err != nil {
				return err
			}
			tried = append(tried, t)
		}
		if !d.getsThrough(t) {
			continue
		}
		if t == d.full {
			d.steps = keepAll(d.steps)
		} else {
			d.steps = nil
		}
		d.best, d.full = t, t
	}
	return nil
}

// moreWork measures the best so far on a heavier workload, one of the half that is not for
// underMoreWork: a round of a search in rounds.
func (d *driver) moreWork(m *fewModel) error {
	in := d.instances(1, d.p.Heavier)[0]
	in.window = d.p.Heavier[len(d.few.more)%(len(d.p.Heavier)/2)]
	d.few.more = append(d.few.more, in)
	best := without(m.ranked(), d.present)
	return d.measure("heavier", append([]*trial{d.present}, best[:min(d.roundSize(), len(best))]...), []instance{in})
}

// brokeOn reports whether a trial was measured on an instance and has no result there or lost
// work that the present configuration does.
func (d *driver) brokeOn(t *trial, in instance) bool {
	return t.ranOn(in) && (t.runs[in].Err != "" || d.newlyLost(t, in) > 0)
}

// underHeavier counts what heavier workloads say of a trial.
func (d *driver) underHeavier(t *trial) *Heavier {
	h := Heavier{}
	for _, in := range d.usable(d.heavier) {
		if !t.ranOn(in) {
			continue
		}
		h.Workloads++
		if d.brokeOn(t, in) {
			h.Failed++
		}
	}
	if h.Workloads == 0 {
		return nil
	}
	return &h
}

// getsThrough reports whether a trial has a result and loses no work on the heavier
// workloads, as far as it was measured there and the present configuration has a result.
func (d *driver) getsThrough(t *trial) bool {
	h := d.underHeavier(t)
	return h == nil || h.Failed == 0
}
