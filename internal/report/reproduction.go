package report

import (
	"fmt"
	"io"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
)

// reproductionVerdict is what the headline says of a simulator that does not
// reproduce the present, "" where it does or nothing is recorded.
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
	return "the simulator does NOT reproduce the present (" + why + "); "
}

// printReproduction comes before any gain.
func (sum *Summary) printReproduction(w io.Writer) {
	lines := sum.reproductionLines()
	if lines == nil {
		return
	}
	fmt.Fprintln(w, cli.Wrap(lines[0], 98))
	for _, l := range lines[1:] {
		fmt.Fprintln(w, l)
	}
	fmt.Fprintln(w)
}

// reproductionLines are the comparison; none for embedded jobs.
func (sum *Summary) reproductionLines() []string {
	if sum.Reproduction == nil || sum.Reproduction.Embedded {
		return nil
	}
	return sum.Reproduction.Lines()
}
