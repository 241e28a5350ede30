package tune

import (
	"slices"

	"schedtune/internal/stats"
)

// AblationStep is one change of the settings found by the search. Where changes
// work together, Loss depends on the place in the path and Alone does not: of
// two changes that only help jointly, the one reverted last has no loss of
// its own, and yet all is lost without it.
type AblationStep struct {
	Change string `json:"change"` // parameter or "shares of GROUP"
	// part of the gain that goes with it on the path; those of the kept changes add up to 1
	Loss *float64 `json:"loss"`
	// part of the gain lost when only this change is left out; nil if no run of that had a result
	Alone *float64 `json:"alone"`
	// Interval is that of Alone: of the ratio of means over the paired runs (delta
	// method, Student). Its N is the number of workloads behind all figures.
	Interval *Interval `json:"alone_interval"`
	Value    *float64  `json:"value"`  // mean objective when only this change is left out
	Limits   []string  `json:"limits"` // limits that leaving only this change out breaks
	// Serves is the protected metric that grows most when only this change is left out, if by more
	// than leastSlower, and Slower by how much, as a part.
	Serves string   `json:"serves"`
	Slower *float64 `json:"slower"`
	// leaving only this change out loses work, or ends in runs without a result
	Loses bool `json:"loses"`
	Kept  bool `json:"kept"` // part of the recommended settings
}

// forgetFigures leaves out the figures of changes that are gone; those of the others were measured beside
// these, which bring next to nothing.
func (a *elimination) forgetFigures() {
	a.steps = slices.DeleteFunc(a.steps, func(s AblationStep) bool {
		return !slices.ContainsFunc(a.kept, func(u unit) bool { return u.name == s.Change })
	})
}

// figure sets the steps: what each change brings that is left, least first. It returns the trials
// without them.
func (a *elimination) figure() []*trial {
	ts := mapped(a.kept, func(u unit) *trial { return a.reverted(u) })
	a.measured(append(slices.Clone(ts), a.now, a.led.present)...)
	by := order(a.judge.scores(ts, a.ins))
	ts = mapped(by, func(k int) *trial { return ts[k] })
	a.kept = mapped(by, func(k int) unit { return a.kept[k] })
	a.steps = nil
	for k, t := range ts {
		a.steps = append(a.steps, a.stepOf(a.kept[k], t, a.now, a.ins))
	}
	return ts
}

// stepOf describes a change by the trial without it.
func (c *parts) stepOf(u unit, without, with *trial, ins []instance) AblationStep {
	s, best := c.judge.score(without, ins), c.judge.score(with, ins)
	step := AblationStep{Change: u.name, Kept: true, Loses: s.Failed || s.Lost > best.Lost}
	gain := c.judge.cost(c.led.present, ins) - c.judge.cost(with, ins)
	kept := c.judge.excess(with, ins, 0)
	for k, e := range c.judge.excess(without, ins, 0) {
		if e > 0 && kept[k] <= 0 {
			step.Limits = append(step.Limits, c.p.Constraints[k].Text)
		}
	}
	if s.Failed || len(ins) < minFigures || gain == 0 {
		return step
	}
	v, _ := stats.Moments(c.judge.raw(without, c.p.Objectives[0], ins))
	lost := (c.judge.cost(without, ins) - c.judge.cost(with, ins)) / gain
	step.Alone, step.Value, step.Interval = &lost, &v, lostInterval(c.judge, without, with, ins)
	step.Serves, step.Slower = served(c.judge, without, with, ins)
	return step
}

// served returns the protected metric that is worst without a change, as a part of its mean with it.
func served(j *judge, without, with *trial, ins []instance) (metric string, slower *float64) {
	for _, l := range j.p.Constraints {
		x, y := j.pairs(with, without, l.Metric, ins)
		if l.Factor == 0 || len(x) < leastExpected {
			continue
		}
		if rise := l.worse(stats.Mean(y)/stats.Mean(x) - 1); rise > leastSlower && (slower == nil || rise > *slower) {
			metric, slower = l.Metric, &rise
		}
	}
	return metric, slower
}

// worse turns a rise of a limited metric into how much worse it is.
func (c Constraint) worse(rise float64) float64 {
	return Objective{Maximize: c.Op == ">="}.minimised(rise)
}

// lostInterval is the interval of the part of the gain that a trial lacks of
// another: mean(x)/mean(g) of the paired losses x and gains g, whose pseudo-values are
//
//	L + (x_i - L g_i) / mean(g),   L = mean(x)/mean(g)
//
// (delta method, as in meanGain).
func lostInterval(j *judge, without, with *trial, ins []instance) *Interval {
	ob := j.p.Objectives[0]
	best, present, then := j.raw(with, ob, ins), j.raw(j.led.present, ob, ins), j.raw(without, ob, ins)
	n := float64(len(ins))
	gain := stats.Mean(present) - stats.Mean(best)
	part := (stats.Mean(then) - stats.Mean(best)) / gain // either sign of the objective gives the same
	pseudo := make([]float64, len(ins))
	for i := range pseudo {
		pseudo[i] = part + (then[i]-best[i]-part*(present[i]-best[i]))/gain
	}
	if n < 2 || gain == 0 {
		return nil
	}
	iv := MeanInterval(pseudo, 0.90)
	return &iv
}

// walk sets the losses along the path from the settings that are left to the current ones. Where a run
// on the path has no result, there are no losses.
func (a *elimination) walk() {
	var path []*trial
	for k := range a.kept {
		path = append(path, a.reverted(a.kept[:k+1]...))
	}
	gain, last := a.judge.cost(a.led.present, a.ins)-a.judge.cost(a.now, a.ins), a.judge.cost(a.now, a.ins)
	if !a.room(len(path)-2) || !(gain > 0) { // the first and the last have their runs
		return
	}
	a.measured(path...)
	losses := make([]float64, len(path))
	for k, t := range path {
		if a.judge.score(t, a.ins).Failed {
			return
		}
		v := a.judge.cost(t, a.ins)
		losses[k], last = (v-last)/gain, v
	}
	for k := range losses {
		a.steps[k].Loss = &losses[k]
	}
}

// figureAlone gives the only change of the best its figure, which is the whole gain of the confirmation.
func (c *confirmation) figureAlone() {
	us := c.changes(c.found.best)
	measured := func(s AblationStep) bool { return s.Alone != nil }
	if len(us) != 1 || c.p.multi() || slices.ContainsFunc(c.found.steps, measured) ||
		c.judge.score(c.found.best, c.found.confirm).Failed {
		return
	}
	step, whole := c.stepOf(us[0], c.led.present, c.found.best, c.found.confirm), 1.0
	if step.Alone != nil {
		step.Loss = &whole
	}
	kept := func(s AblationStep) bool { return s.Kept }
	c.found.steps = append([]AblationStep{step}, slices.DeleteFunc(c.found.steps, kept)...)
}
