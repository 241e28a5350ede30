package tune

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/stats"
)

// Reduction: the smallest change that brings the gain. After C. Fawcett and H. Hoos, "Analysing
// differences between algorithm configurations through ablation", Journal of Heuristics 22
// (2016), on paired workloads:
//
//  1. Changes that the model of the search, or else the importance of the parameters, finds least of
//     are reverted, at least as many as the runs do not pay for measuring; every value goes to
//     the roundest one nearest to the current value that the model takes for as good. The first
//     of these configurations that keeps the gain on the workloads of the choice is taken.
//  2. Values go on toward the current ones, as far as the gain allows and runs are left.
//  3. Every change is reverted alone on minFigures workloads. It stays only if that costs more than
//     leastCost of the objective, more than leastSlower of a protected metric, or a limit
//     (needed). What can go alone goes together, in halves where all are too many
//     (A. Zeller and R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE
//     28, 2002).
//  4. What each change that is left brings: alone, and in the order of these losses.
//
// Where one change is left its figure is the whole gain, from the confirmation.

const (
	reductionSlack = 0.05 // part of the gain that is given up for fewer and rounder changes
	minFigures     = 16   // workloads behind a figure
	leastCost      = 0.01 // part of the objective that a change must bring to stay
	leastSlower    = 0.05 // or of a protected metric
	firstLook      = 4    // workloads on which a configuration is dropped if it is far too bad
)

// reduction is one under way.
type reduction struct {
	*course
	predict func(Settings) float64 // cost by the model of the search, 0 for the current one; nil without
	ins     []instance
	full    *trial             // what the gain is kept of
	now     *trial             // shortest so far
	kept    []unit             // its changes, least loss first
	worth   map[string]float64 // of changes, where it has been measured; nil before
	most    int                // runs of the study when it ends
	from    float64            // objective of full, lower is better
	gain    float64            // of full over the current one
}

// reduce replaces the best by one with fewer and rounder changes, and measures what they bring; on
// returns the first workloads of the comparison.
func (c *course) reduce(on func(n int) []instance, predict func(Settings) float64) {
	a := &reduction{course: c, predict: predict, now: c.best, kept: c.changes(c.best), ins: c.chosenOn}
	runs := min(c.reduceRuns(), c.budget-c.spent-c.confirmReserve())
	if c.best == c.present || !c.o.ablates() || len(a.kept) == 0 {
		return
	}
	a.most = c.spent + runs
	all := a.kept
	a.ins = c.chosenOn[:min(leastRisk, len(c.chosenOn))]
	a.begin(a.now)
	a.cut(a.figures(on))
	a.stepBack()
	if n := a.figures(on); len(a.kept) > max(1, n) {
		set, kept := a.fewer(a.now.settings, a.kept, max(1, n))
		a.now, a.kept = a.trial(set, nil, "ablation"), kept
	}
	if len(a.kept) > 1 && !c.figuresLate() {
		a.ins, c.figuresOn = on(minFigures), on(minFigures)
		a.begin(a.now)
		a.step()
		a.eliminate()
		c.reduced = a
	}
	c.best = a.now
	for _, u := range all {
		if !c.p.Space.changed(u, a.now.settings) {
			c.steps = append(c.steps, AblationStep{Change: u.name})
		}
	}
}

// begin measures a configuration whose gain is to be kept.
func (a *reduction) begin(full *trial) {
	a.measured(full, a.present)
	a.ins = a.usable(a.ins)
	a.full, a.from = full, a.cost(full, a.ins)
	a.gain = a.cost(a.present, a.ins) - a.from
}

// measured measures trials on the workloads of the reduction.
func (a *reduction) measured(ts ...*trial) { a.measure("ablation", ts, a.ins) }

// room reports whether there are runs for some more configurations.
func (a *reduction) room(configurations int) bool { return a.most-a.spent >= configurations*len(a.ins) }

// cut reverts changes until so many are left, and rounds values: by the model where its configuration
// keeps the gain on the workloads of the choice, else as these allow within half of the runs.
func (a *reduction) cut(most int) {
	most = max(1, most)
	if a.predict != nil {
		less, kept := a.fewer(a.full.settings, a.kept, most)
		var tried []*trial
		for _, set := range []Settings{a.rounded(less, kept, a.predict), a.rounded(less, kept, nil), less} {
			t := a.trial(set, nil, "ablation")
			if t == a.full || a.room(1) && a.keeps(t) {
				a.now, a.kept = t, kept
				return
			}
			if missing(t, a.ins) == 0 {
				tried = append(tried, t)
			}
		}
		// More than can be measured would be needed for all of the gain: most of it will do.
		if len(tried) > 0 && len(a.kept) > most {
			if t := a.ranked(tried, a.ins)[0]; a.from+a.gain-a.cost(t, a.ins) > a.gain/2 {
				a.now, a.kept = t, kept
				return
			}
		}
	}
	end := a.most
	a.most = a.spent + (a.most-a.spent)/2
	a.weigh()
	slices.SortStableFunc(a.kept, func(u, v unit) int { return cmp.Compare(a.worth[u.name], a.worth[v.name]) })
	a.dropTogether(indices(len(a.kept)))
	if t := a.trial(a.rounded(a.now.settings, a.kept, nil), nil, "ablation"); t != a.now && a.room(1) && a.keeps(t) {
		a.now = t
	}
	a.most = end
}

// stepBack takes settings a part of the way back to the current ones where more is hoped of them, as those so
// far break a limit on the workloads of the choice.
func (a *reduction) stepBack() {
	if !a.infeasible(a.now, a.ins) || !a.room(1) {
		return
	}
	t := a.retreat(a.now, retreatParts[1])
	if a.measured(t); t != a.present && t.shortfall == 0 && a.ranked([]*trial{a.now, t}, a.ins)[0] == t {
		a.now, a.kept = t, a.changes(t)
	}
}

// weigh sets what each change is worth: what its absence costs on the first few workloads, or, where the
// runs do not pay for that, its importance over the search.
func (a *reduction) weigh() {
	a.worth = map[string]float64{}
	first := a.ins[:min(firstLook, len(a.ins))]
	if a.most-a.spent < 2*len(a.kept)*len(first) {
		for _, i := range a.importance() {
			a.worth[i.Name] = i.Share
		}
		return
	}
	ts := mapped(a.kept, func(u unit) *trial { return a.reverted(u) })
	a.measure("ablation", ts, first)
	for place, k := range order(a.scores(ts, first)) {
		a.worth[a.kept[k].name] = float64(place)
	}
}

// fewer returns settings with at most so many changes, and fewer where the model finds the rest to bring
// nothing.
func (a *reduction) fewer(set Settings, kept []unit, most int) (Settings, []unit) {
	kept = slices.Clone(kept)
	for len(kept) > 1 {
		at, least := 0, math.Inf(1)
		for i, u := range kept {
			cost := a.worth[u.name]
			if a.predict != nil {
				cost = a.predict(a.p.Space.revert(set, []unit{u}))
			}
			if cost < least {
				at, least = i, cost
			}
		}
		if len(kept) <= most && (a.predict == nil || least > a.bearable(reduceSlack)) {
			break
		}
		set = a.p.Space.revert(set, kept[at:at+1])
		kept = slices.Delete(kept, at, at+1)
	}
	return set, kept
}

// bearable is the cost by the model that keeps all but a part of the gain of the full settings.
func (a *reduction) bearable(slack float64) float64 {
	return (1 - slack) * min(0, a.predict(a.full.settings))
}

// rounded returns settings with round values: of each change the one nearest to the current value
// that the model takes for as good, without a model the one nearest to the value found.
func (a *reduction) rounded(set Settings, kept []unit, predict func(Settings) float64) Settings {
	most := math.Inf(-1)
	if predict != nil {
		most = max(predict(set), a.bearable(reductionSlack))
	}
	for _, u := range kept {
		ladder := a.p.Space.ladder(set, u)
		at := len(ladder) - 1
		if predict != nil {
			if i := slices.IndexFunc(ladder, func(s Settings) bool { return predict(s) <= most }); i >= 0 {
				at = i
			}
		}
		if at >= 0 {
			set = ladder[at]
		}
	}
	return set
}

// step is step 2: on each change's ladder by bisection.
func (a *reduction) step() {
	for _, u := range a.kept {
		ladder := a.p.Space.ladder(a.now.settings, u)
		for lo, hi := 0, len(ladder); lo < hi && a.room(2+len(a.kept)); {
			mid := (lo + hi) / 2
			if t := a.trial(ladder[mid], nil, "ablation"); t != a.now && a.keeps(t) {
				a.now, hi = t, mid
			} else {
				lo = mid + 1
			}
		}
	}
}

// keeps measures a configuration and reports whether it keeps the gain; on the first few workloads alone
// where these leave no doubt that it does not.
func (a *reduction) keeps(t *trial) bool {
	first := a.ins[:min(firstLook, len(a.ins))]
	a.measure("ablation", []*trial{t}, first)
	most := (1 + 4*reductionSlack) * a.cost(a.full, first)
	if s := a.score(t, first); s.Failed || a.cost(t, first) > most && a.cost(t, first)-a.cost(a.full, first) > 0.5*a.gain {
		return false
	}
	a.measured(t)
	return a.affordable(t)
}

// eliminate is steps 3 and 4. A change without which more is hoped goes, too.
func (a *reduction) eliminate() {
	for a.room(len(a.kept)) {
		ts := a.figure()
		before := a.now
		if i := a.harmful(ts); i >= 0 {
			a.now, a.kept = ts[i], slices.Delete(slices.Clone(a.kept), i, i+1)
			a.full, a.from = a.now, a.cost(a.now, a.ins)
			a.gain = a.cost(a.present, a.ins) - a.from
		} else {
			var idle []int
			for i, t := range ts {
				if !a.needed(t) {
					idle = append(idle, i)
				}
			}
			a.dropTogether(idle)
		}
		switch {
		case a.now == before:
			a.walk()
			return
		case len(a.kept) == 1:
			a.figure()
			return
		}
		a.forgetFigures()
	}
}

// harmful is the place of the change without which much more is hoped, -1 if there is none.
func (a *reduction) harmful(ts []*trial) int {
	best := a.ranked(append(slices.Clone(ts), a.now), a.ins)[0]
	if best == a.present || a.hope(best, a.ins) <= (1+2*reductionSlack)*a.hope(a.now, a.ins) {
		return -1
	}
	return slices.Index(ts, best)
}

// needed reports whether leaving a change out, as a trial does, costs more of the objective or of
// a protected metric than it may, and more than one standard error; or work, or a limit.
func (a *reduction) needed(without *trial) bool {
	s, now := a.score(without, a.ins), a.score(a.now, a.ins)
	if s.Failed || s.Lost > now.Lost || s.Violation > now.Violation ||
		a.hope(without, a.ins) < (1-reductionSlack)*a.hope(a.now, a.ins) && a.gain > 0 {
		return true
	}
	costs := func(x, y []float64, most float64, worse func(float64) float64) bool {
		diff := make([]float64, len(x))
		for i := range x {
			diff[i] = worse(y[i] - x[i])
		}
		mean, sd := stats.Moments(diff)
		return len(x) > 1 && mean > most*math.Abs(stats.Mean(x)) && mean > sd/math.Sqrt(float64(len(x)))
	}
	for _, l := range a.p.Constraints {
		x, y := a.pairs(a.now, without, l.Metric, a.ins)
		if l.Factor != 0 && len(x) >= leastExpected && costs(x, y, leastSlower, l.worse) {
			return true
		}
	}
	ob := a.p.Objectives[0]
	return costs(a.raw(a.now, ob, a.ins), a.raw(without, ob, a.ins), leastCost, ob.minimised)
}

// dropTogether reverts changes by their places in a.kept, all at once or, where that costs too much,
// by halves.
func (a *reduction) dropTogether(all []int) {
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
		case !known && !a.room(1):
		case t != a.present && a.keeps(t):
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

// reverted returns the trial of the settings so far with some of their changes reverted.
func (a *reduction) reverted(us ...unit) *trial {
	return a.trial(a.p.Space.revert(a.now.settings, us), nil, "ablation")
}

// affordable reports whether a trial has lost no more than the slack of the full settings' gain, no work,
// and no more than half the distance to any limit.
func (a *reduction) affordable(t *trial) bool {
	s, full := a.score(t, a.ins), a.score(a.full, a.ins)
	if s.Failed || s.Lost > full.Lost {
		return false
	}
	limits := a.excess(a.full, a.ins, 0)
	for k, e := range a.excess(t, a.ins, 0) {
		if e > max(limits[k], limits[k]/2) {
			return false
		}
	}
	return a.cost(t, a.ins)-a.from <= reductionSlack*math.Max(a.gain, 0)
}
