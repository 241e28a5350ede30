package tune

import (
	"math"
	"time"

	"schedtune/internal/stats"
)

// Progress is how far a study is.
type Progress struct {
	Phase      string // present, design, search, race, halving, finals, ablation, check, confirm, lifted
	Runs       int    // finished runs
	Budget     int    // runs in all; 0 while only time bounds the study
	Trials     int    // distinct configurations
	Generation int    // of the sampler
	// Gain is the largest improvement so far of an incumbent over the current configuration on
	// the same workloads, at least leastCompared of them: it never gets smaller.
	Gain      float64
	Elapsed   time.Duration // 0 without a clock
	Remaining time.Duration // estimate; 0 without a clock
	Incumbent Settings      // nil before there is one; not to be changed
	Tried     Settings      // of the run that ended last; likewise
}

// progress describes the study to a watcher.
func (c account) progress(runs int) Progress {
	p := Progress{Phase: c.led.phase, Runs: runs, Trials: c.led.count, Generation: c.led.gen}
	if c.plan.budget < unlimited {
		p.Budget = c.plan.budget
	}
	if c.o.Clock != nil {
		p.Elapsed = c.o.Clock()
		switch {
		case c.o.TimeBudget > 0:
			p.Remaining = max(0, c.o.TimeBudget-p.Elapsed)
		case runs > 0 && c.plan.budget > runs: // from the speed so far
			p.Remaining = time.Duration(float64(p.Elapsed) / float64(runs) * float64(c.plan.budget-runs))
		}
	}
	if c.found.best == nil || c.p.multi() { // a front has no best yet
		return p
	}
	p.Incumbent = c.found.best.settings
	if ins := shared(c.found.best, c.led.present); len(ins) >= leastCompared {
		ob := c.p.Objectives[0]
		present, _ := stats.Moments(c.judge.raw(c.led.present, ob, ins))
		best, _ := stats.Moments(c.judge.raw(c.found.best, ob, ins))
		c.found.shownGain = max(c.found.shownGain, ob.minimised(present-best)/math.Max(math.Abs(present), 1e-300))
	}
	p.Gain = c.found.shownGain
	return p
}

// leastCompared is the number of common workloads below which a gain is mostly luck.
const leastCompared = 4
