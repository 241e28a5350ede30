package tune

import "sort"

// Lifted is a configuration that breaks limits and serves the objective better:
// what keeping the limits costs, and which of them would be broken.
type Lifted struct {
	Settings Settings `json:"settings"` // of every parameter
	Changes  []Change `json:"changes"`  // those that differ from the present
	// Gain is its relative improvement of the first objective over the present,
	// and With that of the recommendation on the same instances; positive is
	// better.
	Gain Interval `json:"gain"`
	With Interval `json:"with"`
	// Broken are the limits that its means on these instances do not keep.
	Broken []ConstraintResult `json:"broken"`
}

// Numbers of the look beyond the limits: the contenders are those that looked best
// in the runs of the search, which one run of each decides; the figures are
// those of instances that the confirmation has measured for the others.
const (
	liftedContenders = 2
	liftedLeast      = 4
	liftedMost       = 8
	liftedPart       = 50 // instances as a part of the budget
)

// liftedInstances is on how many instances each is measured.
func (d *driver) liftedInstances() int {
	return max(liftedLeast, min(liftedMost, d.budget/liftedPart))
}

// liftedRuns are left for it by a confirmation that has more than it needs.
func (d *driver) liftedRuns() int {
	if len(d.p.Constraints) == 0 || len(d.p.Objectives) > 1 {
		return 0
	}
	return liftedContenders * d.liftedInstances()
}

// lookBeyond measures what breaks limits and looked best.
func (d *driver) lookBeyond(ins []instance) error {
	if len(d.p.Constraints) == 0 || len(d.p.Objectives) > 1 || len(ins) == 0 {
		return nil
	}
	ts := d.beyond(liftedContenders)
	if len(ts) == 0 {
		return nil
	}
	n := d.liftedInstances()
	if d.budget > 0 {
		n = min(n, (d.budget-d.spent)/len(ts))
	}
	if n < liftedLeast {
		return nil
	}
	ins = ins[:min(len(ins), n)]
	if err := d.measure("lifted", ts, ins); err != nil {
		return err
	}
	ins = d.usable(ins)
	best := -1
	var gains []Interval
	ob := d.p.Objectives[0]
	present := d.raw(d.present, ob, ins)
	for i, t := range ts {
		gains = append(gains, MeanInterval(meanGain(present, d.raw(t, ob, ins), ob.Maximize), d.o.Level))
		s := d.score(t, ins)
		if !s.Failed && s.Lost == 0 && (best < 0 || gains[i].Mean > gains[best].Mean) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	t := ts[best]
	l := &Lifted{Settings: t.settings, Changes: differing(d.present.settings, t.settings), Gain: gains[best],
		With: MeanInterval(meanGain(present, d.raw(d.best, ob, ins), ob.Maximize), d.o.Level)}
	for _, c := range d.constraintResults(t, ins) {
		if !c.Kept {
			l.Broken = append(l.Broken, c)
		}
	}
	d.lifted = l
	return nil
}

// beyond lists the n trials that break a limit, lose nothing and improved the
// objective most over the present on the instances that both have.
func (d *driver) beyond(n int) []*trial {
	gain := map[int]float64{}
	var ts []*trial
	for _, t := range d.byKey {
		if t == d.present || t == d.best || t.failed || t.short > 0 {
			continue
		}
		ins := d.shared(t, d.present)
		s := d.score(t, ins)
		if s.Failed || s.Lost > 0 || s.Violation == 0 {
			continue
		}
		x, _ := moments(d.differences(d.present, t, ins))
		if x > 0 {
			gain[t.id] = x
			ts = append(ts, t)
		}
	}
	sort.Slice(ts, func(a, b int) bool {
		if gain[ts[a].id] != gain[ts[b].id] {
			return gain[ts[a].id] > gain[ts[b].id]
		}
		return ts[a].id < ts[b].id
	})
	return ts[:min(n, len(ts))]
}
