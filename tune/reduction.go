package tune

import (
	"cmp"
	"math"
	"slices"
)

// reduction reverts what brings nothing on a few workloads, and the changes that the model finds least of, at least
// as many as the runs do not pay for measuring; every value goes to the roundest one nearest to the current value
// that the model takes for as good. The first of these configurations that keeps the gain on the workloads of the
// choice is taken. What is left is measured beside the confirmation (elimination).
type reduction struct{ shortening }

// reduceSlack is the part of the gain that changes may cost by the model to be reverted.
const reduceSlack = 0.03

// reduce replaces the best by one with fewer and rounder changes.
func (a *reduction) reduce() {
	full := a.found.best
	a.kept = a.changes(full)
	if full == a.led.present || !a.o.ablates() || len(a.kept) == 0 {
		return
	}
	all := a.kept
	a.most = a.led.spent + min(a.plan.reduceRuns(), a.left()-a.plan.confirmRuns())
	most := minFigures
	if a.short() {
		most = leastRisk
	}
	a.ins = a.found.chosenOn[:min(most, len(a.found.chosenOn))]
	a.begin(full)
	if a.short() {
		a.glance()
	}
	a.cut(a.figures())
	a.stepBack()
	if n := a.figures(); len(a.kept) > n && a.room(1) {
		set, kept := a.fewer(a.now.settings, a.kept, n)
		if t := a.led.trial(set, nil, "ablation"); a.keeps(t) || a.keepsMost(t) {
			a.now, a.kept = t, kept
		}
	}
	a.step()
	a.found.best = a.now
	for _, u := range all {
		if !a.p.Space.changed(u, a.now.settings) {
			a.found.steps = append(a.found.steps, AblationStep{Change: u.name})
		}
	}
}

// figures is how many changes can be measured with the runs that are left, and those among more than
// three that remain once more; one needs none. The history is run with what remains, too.
func (a *reduction) figures() int {
	n := (a.most - a.led.spent - a.plan.recordedInstances(minConfirm)) / minFigures
	return max(1, min(n, (n+3)/2))
}

// cut reverts changes until so many are left, and rounds values, as far as the gain is kept on the workloads
// of the choice.
func (a *reduction) cut(most int) {
	less, kept := a.fewer(a.now.settings, a.kept, most)
	var tried []*trial
	for _, set := range []Settings{a.rounded(less, kept, true), a.rounded(less, kept, false), less} {
		t := a.led.trial(set, nil, "ablation")
		if t == a.now || a.room(1) && a.keeps(t) {
			a.now, a.kept = t, kept
			return
		}
		if missing(t, a.ins) == 0 {
			tried = append(tried, t)
		}
	}
	// More than can be measured would be needed for all of the gain: most of it will do.
	if len(tried) > 0 && len(a.kept) > most {
		if t := a.risks.ranked(tried, a.ins)[0]; a.keepsMost(t) {
			a.now, a.kept = t, kept
			return
		}
	}
	a.measureHalves()
}

// keepsMost reports whether a trial that has all of its runs keeps more than half of the gain.
func (a *reduction) keepsMost(t *trial) bool {
	return missing(t, a.ins) == 0 && !a.judge.score(t, a.ins).Failed && a.from+a.gain-a.judge.cost(t, a.ins) > a.gain/2
}

// step goes on toward the current values on each change's ladder by bisection, as far as half of the runs that are left
// allow, and what is not needed for figures.
func (a *reduction) step() {
	end := a.most
	left := a.most - a.led.spent
	if k := len(a.kept); k > 1 {
		left = max(0, min(left/2, left-k*minFigures-a.plan.recordedInstances(minConfirm)))
	}
	a.most = a.led.spent + left
	for _, u := range a.kept {
		ladder := a.p.Space.ladder(a.now.settings, u)
		for lo, hi := 0, len(ladder); lo < hi && a.room(1); {
			mid := (lo + hi) / 2
			if t := a.led.trial(ladder[mid], nil, "ablation"); t != a.now && a.keeps(t) {
				a.now, hi = t, mid
			} else {
				lo = mid + 1
			}
		}
	}
	a.most = end
}

// short reports whether the runs pay for comparisons on few workloads only.
func (a *reduction) short() bool { return a.plan.budget < easyBudget }

// glance puts the changes in the order of what each brings, by as many of the first workloads as a third of the
// runs pays for, or by the model where it pays for none; and reverts those together that bring nothing there.
func (a *reduction) glance() {
	first := a.ins[:min(firstLook, len(a.ins), (a.most-a.led.spent)/(3*len(a.kept)))]
	cost := map[string]float64{}
	idle := map[string]bool{}
	for _, u := range a.kept {
		t := a.reverted(u)
		if len(first) == 0 {
			cost[u.name] = a.predict(t.settings)
			continue
		}
		a.led.measure("ablation", []*trial{t}, first)
		cost[u.name], idle[u.name] = a.judge.cost(t, first), !a.loses(t, first) && !a.costs(t, first, 0)
	}
	slices.SortStableFunc(a.kept, func(u, v unit) int { return cmp.Compare(cost[u.name], cost[v.name]) })
	a.dropTogether(slices.DeleteFunc(indices(len(a.kept)), func(k int) bool { return !idle[a.kept[k].name] }))
}

// measureHalves reverts what runs show to bring nothing, what seemed to bring least first, within half of the runs.
func (a *reduction) measureHalves() {
	end := a.most
	a.most = a.led.spent + (a.most-a.led.spent)/2
	if !a.short() {
		a.glance()
	}
	a.dropTogether(indices(len(a.kept)))
	a.most = end
}

// retreatPart is how far settings step back that break a limit.
const retreatPart = 0.35

// stepBack moves settings that break a limit on the workloads of the choice towards the current ones, if that
// is expected to be better.
func (a *reduction) stepBack() {
	if !a.judge.infeasible(a.now, a.ins) || !a.room(1) {
		return
	}
	t := a.retreat(a.now, retreatPart)
	if a.measured(t); t != a.led.present && t.shortfall == 0 && a.risks.ranked([]*trial{a.now, t}, a.ins)[0] == t {
		a.now, a.kept = t, a.changes(t)
	}
}

// predict is the cost of settings by the model.
func (a *reduction) predict(set Settings) float64 {
	p, err := a.p.Space.Encode(set)
	must(err)
	return a.model.at(p)
}

// fewer returns settings with at most so many changes, and fewer where the model finds the rest to bring
// nothing.
func (a *reduction) fewer(set Settings, kept []unit, most int) (Settings, []unit) {
	kept = slices.Clone(kept)
	for len(kept) > 1 {
		at, least := 0, math.Inf(1)
		for i, u := range kept {
			if cost := a.predict(a.p.Space.revert(set, []unit{u})); cost < least {
				at, least = i, cost
			}
		}
		if len(kept) <= most && least > a.bearable(reduceSlack) {
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
// that the model takes for as good, or the one nearest to the value found.
func (a *reduction) rounded(set Settings, kept []unit, far bool) Settings {
	most := max(a.predict(set), a.bearable(reductionSlack))
	for _, u := range kept {
		ladder := a.p.Space.ladder(set, u)
		at := len(ladder) - 1
		if far {
			if i := slices.IndexFunc(ladder, func(s Settings) bool { return a.predict(s) <= most }); i >= 0 {
				at = i
			}
		}
		if at >= 0 {
			set = ladder[at]
		}
	}
	return set
}
