package tune

import (
	"math"
	"time"
)

// remaining estimates the time left from the speed so far.
func (d *driver) remaining(runs int, p Progress) time.Duration {
	switch {
	case d.o.TimeBudget > 0:
		return max(0, d.o.TimeBudget-p.Elapsed)
	case runs == 0 || d.budget <= runs:
		return 0
	}
	return time.Duration(float64(p.Elapsed) / float64(runs) * float64(d.budget-runs))
}

// progress describes the study to a watcher.
func (d *driver) progress(runs int) Progress {
	p := Progress{Phase: d.phase, Runs: runs, Budget: d.budget, Trials: d.count, Generation: d.gen}
	if d.o.Clock != nil {
		p.Elapsed = d.o.Clock()
		p.Remaining = d.remaining(runs, p)
	}
	if d.present == nil || d.incumbent == nil || len(d.p.Objectives) > 1 { // a front has no best yet
		return p
	}
	p.Incumbent = d.incumbent.settings
	p.Present, p.Best = d.standing()
	p.Gain = (p.Present - p.Best) / math.Max(math.Abs(p.Present), 1e-300)
	if d.p.Objectives[0].Maximize {
		p.Gain = -p.Gain
	}
	p.Improvement = d.incumbent != d.present
	return p
}

// standing is the mean objective of present and incumbent on the instances of
// both; it is kept until one of them has new runs.
func (d *driver) standing() (present, best float64) {
	n := len(d.incumbent.runs) + len(d.present.runs)
	if d.last.t == d.incumbent && d.last.n == n {
		return d.last.present, d.last.best
	}
	if ins := d.shared(d.incumbent, d.present); len(ins) > 0 {
		present, _ = moments(d.raw(d.present, d.p.Objectives[0], ins))
		best, _ = moments(d.raw(d.incumbent, d.p.Objectives[0], ins))
	}
	d.last = standing{d.incumbent, n, present, best}
	return present, best
}

// standing is what progress reports between new runs of the incumbent.
type standing struct {
	t             *trial
	n             int
	present, best float64
}
