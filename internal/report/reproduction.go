package report

import (
	"fmt"

	"schedtune/internal/accuracy"
)

// reproductionVerdict is what the verdict says of a simulation that does not agree with the
// record, "" where it does or nothing is recorded.
func reproductionVerdict(r *accuracy.Report) string {
	if r == nil || r.Nothing != "" || r.Reproduces {
		return ""
	}
	why := r.ApartText()
	switch {
	case len(r.Forbidden) > 0:
		why = "the history ran under another file"
	case r.Lost > 0:
		why = fmt.Sprintf("%d jobs that ended do not in the simulation", r.Lost)
	}
	return "baseline check failed (" + why + "); "
}

// reproductionLines are the comparison; none for embedded jobs.
func (sum *Summary) reproductionLines() []string {
	if sum.Reproduction == nil || sum.Reproduction.Embedded {
		return nil
	}
	return sum.Reproduction.Lines()
}
