package tune

import (
	"cmp"
	"math"
	"slices"
)

// reduction reverts what brings nothing on a few workloads, and the changes that bring least there, at least
// as many as the runs do not pay for measuring; every value goes to the roundest one nearest to the current value
// that the model takes for as good. The first of these configurations that keeps the gain on the workloads of the
// choice is taken. What is left is measured beside the confirmation (elimination).
type reduction struct {
	shortening
	looked map[string]float64 // the cost of a change's reversal on the first workloads, where it was measured
}

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
	a.ins = a.found.chosenOn[:min(leastRisk, len(a.found.chosenOn))]
	a.begin(full)
	if a.doubtful(full) { // another may have to be confirmed
		a.most = max(a.led.spent, a.most-minConfirm)
	}
	a.glance(leastLook)
	ordered := slices.Clone(a.kept)
	a.cut(a.figures())
	a.grow(ordered)
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

// figures is how many changes can be measured with the runs that a confirmation leaves, and those among more than
// three that remain once more; one needs none. The history is run with what remains, too.
func (a *reduction) figures() int {
	on := max(minConfirm, a.plan.plannedConfirm())
	n := (a.left() - 2*on - 3*a.plan.recordedInstances(on)) / minFigures
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
	if a.looked == nil {
		a.glance(1)
	}
	a.measureHalves()
}

// grow puts changes back one at a time where those that are left have lost much of the gain, what seemed to bring
// most first, as long as each can have a figure.
func (a *reduction) grow(all []unit) {
	for _, u := range slices.Backward(all) {
		lost := a.judge.cost(a.now, a.ins) - a.from
		if lost <= 2*reductionSlack*a.gain || len(a.kept) >= a.figures() || !a.room(1) {
			return
		}
		if a.p.Space.changed(u, a.now.settings) {
			continue
		}
		t := a.led.trial(a.p.Space.settled(a.p.Space.replaced(a.now.settings, u, func(i int) string {
			return a.full.settings[i].Value
		})), nil, "ablation")
		a.measured(t)
		if !a.loses(t, a.ins) && a.judge.cost(a.now, a.ins)-a.judge.cost(t, a.ins) > reductionSlack*a.gain {
			a.now, a.kept = t, append(a.kept, u)
		}
	}
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

// leastLook is on how many workloads changes are looked at before the model reduces them, at least: fewer tell little of
// what a change brings, and cost a figure.
const leastLook = 3

// glance puts the changes in the order of what each brings, by as many of the first workloads as a third of the
// runs pays for, or by the model where that is fewer than the least; and reverts those together that bring nothing there.
func (a *reduction) glance(least int) {
	first := a.ins[:min(firstLook, len(a.ins), (a.most-a.led.spent)/(3*len(a.kept)))]
	if len(first) < least {
		first = nil
	}
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
	if len(first) > 0 {
		a.looked = cost
	}
	slices.SortStableFunc(a.kept, func(u, v unit) int { return cmp.Compare(cost[u.name], cost[v.name]) })
	a.dropTogether(slices.DeleteFunc(indices(len(a.kept)), func(k int) bool { return !idle[a.kept[k].name] }))
}

// measureHalves reverts what runs show to bring nothing, what seemed to bring least first, within half of the runs.
func (a *reduction) measureHalves() {
	end := a.most
	a.most = a.led.spent + (a.most-a.led.spent)/2
	a.dropTogether(indices(len(a.kept)))
	a.most = end
}

// retreatPart is how far settings step back that break a limit.
const retreatPart = 0.35

// likely is the chance from which on a confirmation is expected to go well.
const likely = 0.75

// doubtful reports whether a confirmation may refuse a trial for a limit or a risk.
func (a *reduction) doubtful(t *trial) bool {
	return a.judge.infeasible(t, a.ins) || len(a.ins) > 1 && a.risks.chance(t, a.ins) < likely
}

// stepBack moves settings that may break a limit towards the current ones, if that is expected to be better.
func (a *reduction) stepBack() {
	if !a.doubtful(a.now) || !a.room(1) {
		return
	}
	now := a.now
	for _, part := range []float64{stepBackPart, retreatPart} {
		t := a.retreat(now, part)
		if t == a.led.present || t.shortfall > 0 || !a.room(1) {
			break
		}
		a.measured(t)
		if a.risks.ranked([]*trial{a.now, t}, a.ins)[0] == t {
			a.now, a.kept = t, a.changes(t)
		}
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
			cost, ok := a.looked[u.name]
			if !ok {
				cost = a.predict(a.p.Space.revert(set, []unit{u}))
			}
			if cost < least {
				at, least = i, cost
			}
		}
		least = a.predict(a.p.Space.revert(set, kept[at:at+1])) // which goes was measured alone; together the model knows
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
