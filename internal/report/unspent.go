package report

import (
	"fmt"

	"schedtune/internal/study"
	"schedtune/tune"
)

// keptLeast is the part of a budget below which unspent runs are not told: phases
// of a study rarely add up to the run.
const keptLeast = 0.05

// unspentNote says why a front with limits has runs left: they are kept for a second
// confirmation, which nothing needed where the confirmed point keeps the limits.
// Empty for all other studies.
func unspentNote(s *study.Study, r *tune.Result) string {
	budget := s.Request.Options.Budget
	left := budget - r.Runs
	if len(s.Problem.Objectives) < 2 || len(s.Problem.Constraints) == 0 || r.Confirmed == 0 ||
		float64(left) < keptLeast*float64(budget) {
		return ""
	}
	return fmt.Sprintf("%d of the %d runs were kept for another point of the front, had the one that was confirmed "+
		"broken a limit", left, budget)
}
