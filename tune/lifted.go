package tune

import (
	"cmp"
	"slices"

	"schedtune/internal/stats"
)

// Lifted is a configuration that breaks limits and serves the objective better:
// what keeping the limits costs, and which of them would be broken.
type Lifted struct {
	Settings Settings `json:"settings"` // of every parameter
	Changes  []Change `json:"changes"`  // those that differ from the current configuration
	// Gain is its relative improvement of the first objective over the current
	// configuration, and With that of the recommendation on the same instances; positive is
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
func (c *confirmation) liftedInstances() int {
	return max(liftedLeast, min(liftedMost, c.plan.budget/liftedPart))
}

// lookBeyond measures what breaks limits and looked best.
func (c *confirmation) lookBeyond(ins []instance) {
	if len(c.p.Constraints) == 0 || c.p.multi() || len(ins) == 0 {
		return
	}
	ts := c.beyond(liftedContenders)
	if len(ts) == 0 {
		return
	}
	n := min(c.liftedInstances(), c.allowed()/len(ts))
	if n < liftedLeast {
		return
	}
	ins = ins[:min(len(ins), n)]
	c.led.measure("lifted", ts, ins)
	ins = c.led.usable(ins)
	for _, t := range ts {
		gain := c.meanGainOf(t, ins)
		if c.judge.stalled(t, ins) || c.found.lifted != nil && gain.Mean <= c.found.lifted.Gain.Mean {
			continue
		}
		c.found.lifted = &Lifted{Settings: t.settings, Changes: differing(c.led.present.settings, t.settings), Gain: gain,
			With: c.meanGainOf(c.found.best, ins), Broken: []ConstraintResult{}}
		for _, r := range (account{c.parts}).constraintResults(t, ins) {
			if !r.Kept {
				c.found.lifted.Broken = append(c.found.lifted.Broken, r)
			}
		}
	}
}

// meanGainOf is the interval of a trial's mean gain in the first objective.
func (c *confirmation) meanGainOf(t *trial, ins []instance) Interval {
	ob := c.p.Objectives[0]
	return MeanInterval(meanGain(c.judge.raw(c.led.present, ob, ins), c.judge.raw(t, ob, ins), ob.Maximize), confidence)
}

// beyond lists the n trials that break a limit, lose nothing and improved the
// objective most over the current configuration on the instances that both have.
func (c *confirmation) beyond(n int) []*trial {
	gain := map[*trial]float64{}
	var ts []*trial
	for _, t := range c.led.byKey {
		if t == c.led.present || t == c.found.best || t.failed || t.shortfall > 0 {
			continue
		}
		ins := shared(t, c.led.present)
		if s := c.judge.score(t, ins); s.Failed || s.Lost > 0 || s.Violation == 0 {
			continue
		}
		if x, _ := stats.Moments(c.judge.differences(c.led.present, t, ins)); x > 0 {
			gain[t] = x
			ts = append(ts, t)
		}
	}
	slices.SortFunc(ts, func(a, b *trial) int { return cmp.Or(cmp.Compare(gain[b], gain[a]), cmp.Compare(a.id, b.id)) })
	return ts[:min(n, len(ts))]
}
