package tune

import (
	"math"
	"time"

	"schedtune/internal/stats"
)

// Progress is how far a study is.
type Progress struct {
	Phase       string        // present, design, search, race, halving, finals, ablation, check, confirm, lifted
	Runs        int           // finished runs
	Budget      int           // runs in all; 0 while only time bounds the study
	Trials      int           // distinct configurations
	Generation  int           // of the sampler
	Best        float64       // mean objective of the incumbent so far
	Present     float64       // mean objective of the current configuration so far
	Gain        float64       // relative improvement of Best over Present
	Elapsed     time.Duration // 0 without a clock
	Remaining   time.Duration // estimate; 0 without a clock
	Improvement bool          // the incumbent is not the current configuration
	Incumbent   Settings      // nil before there is one; not to be changed
	Tried       Settings      // of the run that ended last; likewise
}

// progress describes the study to a watcher.
func (c *course) progress(runs int) Progress {
	p := Progress{Phase: c.phase, Runs: runs, Trials: c.count, Generation: c.gen}
	if c.budget < unlimited {
		p.Budget = c.budget
	}
	if c.o.Clock != nil {
		p.Elapsed = c.o.Clock()
		switch {
		case c.o.TimeBudget > 0:
			p.Remaining = max(0, c.o.TimeBudget-p.Elapsed)
		case runs > 0 && c.budget > runs: // from the speed so far
			p.Remaining = time.Duration(float64(p.Elapsed) / float64(runs) * float64(c.budget-runs))
		}
	}
	if c.incumbent == nil || c.multi() { // a front has no best yet
		return p
	}
	p.Incumbent = c.incumbent.settings
	if ins := shared(c.incumbent, c.present); len(ins) > 0 {
		ob := c.p.Objectives[0]
		p.Present, _ = stats.Moments(c.raw(c.present, ob, ins))
		p.Best, _ = stats.Moments(c.raw(c.incumbent, ob, ins))
	}
	p.Gain = c.p.Objectives[0].minimised(p.Present-p.Best) / math.Max(math.Abs(p.Present), 1e-300)
	p.Improvement = c.incumbent != c.present
	return p
}
