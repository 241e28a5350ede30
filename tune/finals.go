package tune

import (
	"math"
	"slices"

	"schedtune/internal/stats"
)

// Short studies that are searched in rounds (rounds.go). After the rounds come:
//
//  1. Finals of the best few on the same workloads.
//  2. Changes to which the model attributes no effect are reverted together, where the finals'
//     workloads agree.
//  3. The confirmation, on workloads that nothing has seen.

const (
	finalists     = 3   // configurations of the finals
	leastFinals   = 6   // workloads of the finals at least
	finalsPerRuns = 20  // runs of the budget to each of them
	recheckOn     = 4   // of these that show whether changes are needed
	spareFrom     = 140 // the budget from which on runs are kept for another contender in the confirmation
)

// runShort is the whole study.
func (r *rounds) runShort() {
	r.searchWhile(func() bool { return r.spent+r.roundNeeds() <= r.budget })
	r.finals()
	r.chosen = true
	r.revert()
	r.others = slices.DeleteFunc(r.others, func(t *trial) bool { return r.stalled(t, r.common.of(t)) })
	r.confirmBest()
}

// roundNeeds is the number of runs of one more round and of all that follows, at most.
func (r *rounds) roundNeeds() int {
	on := r.finalsOn()
	runs := leastRound + 1 + finalists*on + max(0, on-len(r.common.drawn)-1)
	if r.o.confirms() {
		runs += r.shortConfirmRuns()
		if r.budget >= spareFrom {
			runs += fallBackStep + minConfirm
		}
	}
	if r.o.ablates() {
		runs += recheckOn
	}
	return runs
}

// finalsOn is the number of workloads of the finals.
func (r *rounds) finalsOn() int { return max(leastFinals, r.budget/finalsPerRuns) }

// finals lets the best meet on the same workloads; where none is better than the current
// configuration there, that stays.
func (r *rounds) finals() {
	top := without(r.model.ranked(), r.present)
	top = top[:min(finalists, len(top))]
	ins := r.common.first(r.finalsOn())
	r.measure("finals", append([]*trial{r.present}, top...), ins)
	r.learn(r.key.At(math.MaxUint32))
	ranked := r.model.ranked()
	r.others = without(ranked, r.present)
	field := slices.DeleteFunc(ranked, func(t *trial) bool {
		return t != r.present && (!slices.Contains(top, t) || r.stalled(t, r.common.of(t)))
	})
	r.best = r.nearest(field, r.model.estimates(), ins)
	r.incumbent = r.best
}

// nearest returns, of the ranked before the current configuration, the nearest to it of those
// whose cost is within one standard error of the best (L. Breiman, J. Friedman, R. Olshen and
// C. Stone, "Classification and Regression Trees", 1984, section 3.4.3): what goes less far
// is less likely to break on what few runs do not show.
func (r *rounds) nearest(ranked []*trial, costs map[*trial]float64, ins []instance) *trial {
	out, least := ranked[0], r.distance(ranked[0])
	for _, t := range ranked[1:] {
		if t == r.present {
			break
		}
		_, sd := stats.Moments(r.differences(t, ranked[0], ins))
		if far := r.distance(t); far < least && costs[t]-costs[ranked[0]] <= sd/math.Sqrt(float64(len(ins))) {
			out, least = t, far
		}
	}
	return out
}

// distance is a trial's from the current configuration, in the unit cube.
func (r *rounds) distance(t *trial) float64 {
	sum := 0.0
	at := r.pointOf(t)
	for k, from := range r.p.Space.Present() {
		sum += (at[k] - from) * (at[k] - from)
	}
	return math.Sqrt(sum)
}

// revert reverts together the changes to which the model attributes no effect, unless the best
// keeps less of its gain without them, on some of the finals' workloads, than an ablation may cost.
func (r *rounds) revert() {
	r.full = r.best
	n := len(r.changes(r.best))
	if r.best == r.present || !r.o.ablates() || n == 0 {
		return
	}
	r.reaching = r.ablationBudget(n)
	less, gone, kept := r.reduced(r.best)
	if less == nil || less == r.present || less.shortfall > 0 {
		return
	}
	for i, u := range append(gone, kept...) {
		r.steps = append(r.steps, AblationStep{Change: u.name, Kept: i >= len(gone)})
	}
	r.best = less
	ins := r.common.first(recheckOn)
	r.measure("check", []*trial{less}, ins)
	if a, b := r.score(less, ins), r.score(r.full, ins); !a.Failed && a.Lost <= b.Lost && a.Violation <= b.Violation {
		full := r.cost(r.full, r.usable(ins))
		if r.cost(less, r.usable(ins))-full <= ablationSlack*(r.cost(r.present, r.usable(ins))-full) {
			return
		}
	}
	r.best, r.steps = r.full, keepAll(r.steps)
}
