package tune

import (
	"cmp"
	"math"
)

// VerdictRuns returns how many runs a verdict needs: two configurations on the fewest instances.
func VerdictRuns(p Problem) int { return newPlan(p, Options{}).verdictRuns() }

// Confirms reports whether the budget of a study pays for a confirmation, without which nothing is recommended.
func Confirms(p Problem, o Options) bool {
	return newPlan(p.withDefaults(), o.withDefaults()).confirmRuns() > 0
}

// plan divides the budget between the search and what comes after it. It divides what has been spent
// where a search ends early, so that the phases after it are those of a study of that length.
type plan struct {
	p      Problem
	o      Options
	whole  int // runs in all at most; unlimited while only time bounds the study
	budget int // that the phases are planned for; less than whole where the search has ended early
}

// unlimited is more runs than any study takes.
const unlimited = math.MaxInt

func newPlan(p Problem, o Options) *plan {
	return &plan{p, o, cmp.Or(o.Budget, unlimited), cmp.Or(o.Budget, unlimited)}
}

// Parts of the budget for the phases after the search.
const (
	chooseShare  = 0.12
	confirmShare = 0.14
	frontShare   = 0.20 // measuring the front, with several objectives
)

// leastSearch is how many runs a search and its choice take at least before any are kept for a confirmation:
// a study of fewer shows the best found, and recommends nothing.
const leastSearch = 40

// shortRuns is the budget from which on a front's points are measured again all together.
const shortRuns = 300

// chooseRuns are for the choice among contenders, four of them with the current configuration on
// leastRisk workloads at least; of a front for its points.
func (b *plan) chooseRuns() int {
	if len(b.p.Objectives) > 1 {
		return int(frontShare * float64(b.budget))
	}
	return int(max(chooseShare*float64(b.budget), min(4*leastRisk, 0.2*float64(b.budget))))
}

// reduceFrom is the budget from which on changes are measured one by one. A smaller one pays for
// one change, whose figure is that of the whole, and a check of that.
const reduceFrom = 160

// reduceRuns are for fewer changes, rounder values and figures.
func (b *plan) reduceRuns() int {
	switch {
	case !b.o.ablates() || len(b.p.Objectives) > 1 || b.budget < 2*leastSearch:
		return 0
	case b.budget < reduceFrom:
		return 2 * leastRisk
	}
	return int(min(0.36*float64(b.budget), 29+0.215*float64(b.budget)))
}

// confirmRuns are for the confirmation. One of a front with limits may need another point.
func (b *plan) confirmRuns() int {
	least := b.verdictRuns()
	if !b.o.confirms() || b.budget < least+leastSearch {
		return 0
	}
	more := int(confirmShare * float64(b.budget))
	if len(b.p.Objectives) > 1 && len(b.p.Constraints) > 0 {
		more = max(more, int(min(2*float64(least), 0.35*float64(b.budget))))
	}
	return max(least, more)
}

// plannedConfirm is on how many instances a confirmation begins, which may go on where it is close.
func (b *plan) plannedConfirm() int { return (b.confirmRuns() - b.verdictRuns()) / 4 }

func (b *plan) verdictRuns() int { return 2 * (minConfirm + b.recordedInstances(minConfirm)) }

// recordedInstances is on how many instances the history itself is run where a confirmation has
// so many; 0 where there is none.
func (b *plan) recordedInstances(confirmed int) int {
	if len(b.p.Again) == 0 {
		return 0
	}
	return min(maxRecorded, max(minRecorded, confirmed/4))
}

// searchRuns is the search's part of the budget.
func (b *plan) searchRuns() int {
	return b.budget - b.chooseRuns() - b.reduceRuns() - b.confirmRuns()
}

// easyBudget is the budget that an early end leaves at least, where there is as much: what comes after
// the search is measured as well as in a study of that length.
const easyBudget = 500

// shrink makes the budget the smallest, from easyBudget on, whose search has so many runs.
func (b *plan) shrink(spent int) {
	for b.budget = min(max(spent, easyBudget), b.whole); b.budget < b.whole && b.searchRuns() < spent; {
		b.budget++
	}
}
