package tune

import (
	"cmp"
	"math"
)

// MostRuns returns how many runs a study takes at most. That is its budget, but for one of
// fewer than 100 runs (tinyRuns), which may take more: the confirmation takes what a
// verdict needs (VerdictRuns), whatever is left. It is 0 for a budget in time alone.
func MostRuns(p Problem, o Options) int {
	p, o = p.withDefaults(), o.withDefaults()
	if o.Budget == 0 || o.Budget >= tinyRuns || !o.confirms() {
		return o.Budget
	}
	b := newPlan(newLedger(p, o))
	return max(o.Budget, o.Budget-b.confirmReserve()+b.verdictRuns())
}

// VerdictRuns returns how many runs a verdict needs: two configurations on the fewest instances.
func VerdictRuns(p Problem) int { return newPlan(newLedger(p, Options{})).verdictRuns() }

// plan divides the budget between the search and what comes after it.
type plan struct {
	*ledger
	budget  int     // runs in all; unlimited while only time bounds the study
	reserve float64 // part of the budget for what comes after the search
}

// unlimited is more runs than any study takes.
const unlimited = math.MaxInt

func newPlan(l *ledger) *plan { return &plan{ledger: l, budget: cmp.Or(l.o.Budget, unlimited)} }

// tinyRuns is the budget from which on a verdict fits into it. A smaller one leaves no search
// beside what a verdict needs, and the confirmation may take more than is left of it.
const tinyRuns = 100

// shortRuns is the budget from which on a study is not a short one, in which every run
// counts (bench/tried.md).
const shortRuns = 300

func (b *plan) short() bool { return b.budget < shortRuns }

// Parts of the budget for the phases after the search.
const (
	chooseShare  = 0.12
	confirmShare = 0.14
	frontShare   = 0.20 // measuring the front, with several objectives
)

// setReserve reserves what the phases after the search need.
func (b *plan) setReserve() {
	runs := b.chooseRuns() + b.reduceRuns() + b.confirmReserve()
	b.reserve = float64(runs) / float64(b.budget)
}

// multi reports whether there are several objectives: the front is measured and
// confirmed, nothing else.
func (b *plan) multi() bool { return len(b.p.Objectives) > 1 }

// runs is a part of the budget, and so many runs at least within another part.
func (b *plan) runs(part float64, least int, most float64) int {
	return int(max(part*float64(b.budget), min(float64(least), most*float64(b.budget))))
}

// chooseRuns are for the choice among contenders, four of them with the current configuration on
// leastRisk workloads at least.
func (b *plan) chooseRuns() int {
	if b.multi() {
		return b.runs(frontShare, 0, 0)
	}
	return b.runs(chooseShare, 4*leastRisk, 0.3)
}

// reduceFrom is the budget from which on changes are measured one by one. A smaller one pays for
// one change, whose figure is that of the whole, and a check of that.
const reduceFrom = 160

// reduceRuns are for fewer changes, rounder values and figures.
func (b *plan) reduceRuns() int {
	switch {
	case !b.o.ablates() || b.multi() || b.budget < tinyRuns:
		return 0
	case b.budget < reduceFrom:
		return 2 * leastRisk
	}
	return int(min(0.36*float64(b.budget), 29+0.215*float64(b.budget)))
}

// confirmReserve are kept for the confirmation. One of a front with limits may need another point.
func (b *plan) confirmReserve() int {
	switch least := b.verdictRuns(); {
	case !b.o.confirms():
		return 0
	case b.budget < tinyRuns:
		return b.runs(0, least, 0.3)
	case b.multi() && len(b.p.Constraints) > 0:
		return max(least, b.runs(confirmShare, 2*least, 0.35))
	default:
		return max(least, b.runs(confirmShare, 0, 0))
	}
}

// plannedConfirm is on how many instances a confirmation begins, which may go on where it is close.
func (b *plan) plannedConfirm() int { return (b.confirmReserve() - b.verdictRuns()) / 4 }

func (b *plan) verdictRuns() int { return 2 * (minConfirm + b.recordedInstances(minConfirm)) }

// affords reports whether n more runs stay within the search's part of the budget.
func (b *plan) affords(n int) bool {
	return float64(b.spent+n) <= float64(b.budget)*(1-b.reserve)
}

// shrink scales the budget to what has been spent, so that the phases after an
// early end are no longer than those of a study of that length.
func (b *plan) shrink() {
	b.budget = min(b.budget, int(float64(b.spent)/(1-b.reserve)))
}
