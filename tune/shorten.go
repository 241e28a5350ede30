package tune

import (
	"math"

	"schedtune/internal/stats"
)

// shortening makes a configuration one of fewer and rounder changes that keeps its gain on paired
// workloads.
type shortening struct {
	*parts
	ins  []instance
	full *trial  // what the gain is kept of
	now  *trial  // shortest so far
	kept []unit  // its changes, least loss first
	most int     // runs of the study when it ends
	from float64 // objective of full, lower is better
	gain float64 // of full over the current one
}

const (
	reductionSlack = 0.05 // part of the gain that is given up for fewer and rounder changes
	firstLook      = 4    // workloads on which a configuration is dropped if it is far too bad
)

// begin measures a configuration whose gain is to be kept.
func (a *shortening) begin(full *trial) {
	a.measured(full, a.led.present)
	a.ins = a.led.usable(a.ins)
	a.now = full
	a.keep(full)
}

// keep sets the configuration whose gain is to be kept.
func (a *shortening) keep(full *trial) {
	a.full, a.from = full, a.judge.cost(full, a.ins)
	a.gain = a.judge.cost(a.led.present, a.ins) - a.from
}

// measured measures trials on the workloads of the comparison.
func (a *shortening) measured(ts ...*trial) { a.led.measure("ablation", ts, a.ins) }

// room reports whether there are runs for some more configurations.
func (a *shortening) room(configurations int) bool {
	return a.most-a.led.spent >= configurations*len(a.ins)
}

// reverted returns the trial of the settings so far with some of their changes reverted.
func (a *shortening) reverted(us ...unit) *trial {
	return a.led.trial(a.p.Space.revert(a.now.settings, us), nil, "ablation")
}

// keeps measures a configuration and reports whether it keeps the gain; on the first few workloads alone
// where these leave no doubt that it does not.
func (a *shortening) keeps(t *trial) bool {
	first := a.ins[:min(firstLook, len(a.ins))]
	a.led.measure("ablation", []*trial{t}, first)
	full := a.judge.cost(a.full, first)
	lost := a.judge.cost(t, first) - full
	if a.judge.score(t, first).Failed || lost > 4*reductionSlack*math.Abs(full) && lost > 0.5*a.gain {
		return false
	}
	a.measured(t)
	return a.affordable(t)
}

// affordable reports whether a trial has lost no more than the slack of the full settings' gain, no work,
// and no more than half the distance to any limit.
func (a *shortening) affordable(t *trial) bool {
	s, full := a.judge.score(t, a.ins), a.judge.score(a.full, a.ins)
	if s.Failed || s.Lost > full.Lost {
		return false
	}
	limits := a.judge.excess(a.full, a.ins, 0)
	for k, e := range a.judge.excess(t, a.ins, 0) {
		if e > max(limits[k], limits[k]/2) {
			return false
		}
	}
	return a.judge.cost(t, a.ins)-a.from <= reductionSlack*math.Max(a.gain, 0)
}

// loses reports whether a trial loses more work or breaks limits further than the settings so far.
func (a *shortening) loses(t *trial, ins []instance) bool {
	s, now := a.judge.score(t, ins), a.judge.score(a.now, ins)
	return s.Failed || s.Lost > now.Lost || s.Violation > now.Violation
}

// costs reports whether a trial costs more of the objective or of a protected metric than a change must bring to
// stay, and more than so many standard errors.
func (a *shortening) costs(t *trial, ins []instance, errors float64) bool {
	above := func(x, y []float64, most float64, worse func(float64) float64) bool {
		diff := make([]float64, len(x))
		for i := range x {
			diff[i] = worse(y[i] - x[i])
		}
		mean, sd := stats.Moments(diff)
		return mean > most*math.Abs(stats.Mean(x)) && (errors == 0 || mean > errors*sd/math.Sqrt(float64(len(x))))
	}
	for _, l := range a.p.Constraints {
		x, y := a.judge.pairs(a.now, t, l.Metric, ins)
		if l.Factor != 0 && len(x) > 0 && (errors == 0 || len(x) >= leastExpected) && above(x, y, leastSlower, l.worse) {
			return true
		}
	}
	ob := a.p.Objectives[0]
	return above(a.judge.raw(a.now, ob, ins), a.judge.raw(t, ob, ins), leastCost, ob.minimised)
}

// dropTogether reverts changes by their places in a.kept, all at once or, where that costs too much,
// by halves.
func (a *shortening) dropTogether(all []int) {
	units := a.kept
	gone := map[int]bool{}
	var try func(ks []int)
	try = func(ks []int) {
		if len(ks) == 0 || len(gone)+len(ks) == len(units) && len(ks) == 1 {
			return // one is left
		}
		t := a.reverted(mapped(ks, func(k int) unit { return units[k] })...)
		known := missing(t, a.ins) == 0
		switch {
		case (known || a.room(1)) && t != a.led.present && a.keeps(t):
			a.now = t
			for _, k := range ks {
				gone[k] = true
			}
		case len(ks) > 1:
			try(ks[:len(ks)/2])
			try(ks[len(ks)/2:])
		}
	}
	try(all)
	a.kept = nil
	for k, u := range units {
		if !gone[k] {
			a.kept = append(a.kept, u)
		}
	}
}
