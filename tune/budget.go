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
	before := o.Budget - int(math.Ceil(b.confirmPart()*float64(o.Budget)-1e-9))
	return max(o.Budget, before+b.verdictRuns())
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
	halvingShare  = 0.12
	ablationShare = 0.12
	confirmShare  = 0.10
	frontShare    = 0.20 // measuring the front, with several objectives
)

// setReserve reserves what the phases after the search need.
func (b *plan) setReserve() {
	b.reserve = b.halvingPart()
	switch {
	case b.multi():
		b.reserve = frontShare
	case b.o.ablates():
		b.reserve += b.ablationPart()
	}
	if b.o.confirms() {
		b.reserve += b.confirmPart()
	}
}

// multi reports whether there are several objectives: the front is measured and
// confirmed, nothing else.
func (b *plan) multi() bool { return len(b.p.Objectives) > 1 }

// halvingPart is the halving's part of the budget: at least the ten runs that
// three contenders need, within 30 %.
func (b *plan) halvingPart() float64 { return b.atLeast(halvingShare, leastHalving, 0.3) }

// ablationPart is the ablation's part of the budget: at least four runs for
// each of its first configurations, within a quarter.
func (b *plan) ablationPart() float64 {
	if !b.o.confirms() {
		return b.ablationWants()
	}
	return max(0, b.ablationWants()-max(0, b.confirmPart()-confirmMost))
}

// ablationWants is the ablation's part where the confirmation's is no more than
// confirmMost.
func (b *plan) ablationWants() float64 {
	units := len(b.p.Space.units())
	if b.p.Predict != nil && !b.p.Predict.Same { // workloads differ more than seeds do
		return b.atLeast(2*ablationShare, 4*units, 0.2)
	}
	return b.atLeast(ablationShare, 8*units, 0.25)
}

// confirmMost bounds the confirmation's part, but for studies that could not confirm two
// configurations with it.
const confirmMost = 0.3

// confirmPart is the confirmation's part: three configurations on the fewest instances, or two of
// a front and, with limits, what another of its points takes, within confirmMost; two in any
// case, in studies of tinyRuns and more.
func (b *plan) confirmPart() float64 {
	runs := 3 * b.leastConfirm()
	if b.multi() {
		runs = 2 * b.leastConfirm()
		if len(b.p.Constraints) > 0 {
			runs += b.leastConfirm() + secondRuns
		}
	}
	part := b.atLeast(confirmShare, runs, confirmMost)
	if b.budget >= tinyRuns {
		part = math.Max(part, float64(b.verdictRuns())/float64(b.budget))
	}
	return part
}

// leastConfirm is on how many instances a configuration is confirmed at least.
func (b *plan) leastConfirm() int {
	if len(b.p.Again) > 0 {
		return minConfirm + minRecorded
	}
	return minConfirm
}

func (b *plan) verdictRuns() int { return 2 * b.leastConfirm() }

// atLeast is a part of the budget that gives some runs, within limits.
func (b *plan) atLeast(part float64, runs int, most float64) float64 {
	return math.Max(part, math.Min(most, float64(runs)/float64(b.budget)))
}

// share is a part of the budget in runs.
func (b *plan) share(part float64) int { return int(part * float64(b.budget)) }

// affords reports whether n more runs stay within the search's part of the budget.
func (b *plan) affords(n int) bool {
	return float64(b.spent+n) <= float64(b.budget)*(1-b.reserve)
}

// beforeConfirm is the number of runs that are left but for the confirmation.
func (b *plan) beforeConfirm() int {
	left := b.budget - b.spent
	if b.o.confirms() {
		left -= int(math.Ceil(b.confirmPart()*float64(b.budget) - 1e-9))
	}
	return max(0, left)
}

// unspent is the number of runs that the halving may still take.
func (b *plan) unspent() int {
	later := 0.0
	if b.o.ablates() && !b.multi() {
		later += b.ablationPart()
	}
	if b.o.confirms() {
		later += b.confirmPart()
	}
	return int(float64(b.budget)*(1-later)+1e-9) - b.spent
}

// shrink scales the budget to what has been spent, so that the phases after an
// early end are no longer than those of a study of that length.
func (b *plan) shrink() {
	b.budget = min(b.budget, int(float64(b.spent)/(1-b.reserve)))
}

// ablationBudget returns the least multiple of a hundred runs above the budget with which the
// ablation of so many changes makes all of its steps on four instances, 0 if none is near.
func (b *plan) ablationBudget(changes int) int {
	more := *b
	for more.budget = (b.budget/100 + 1) * 100; more.budget <= 50*b.budget; more.budget += 100 {
		if more.share(more.ablationPart()) >= 4*ablationSteps(changes) {
			return more.budget
		}
	}
	return 0
}
