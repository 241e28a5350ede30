package forecast

import (
	"fmt"
	"io"
	"math"

	"schedtune/internal/stats"
)

// Write writes a judgement and its cases as Markdown.
func Write(w io.Writer, j Judgement, outs []Outcome, command string) {
	p := func(format string, a ...any) { fmt.Fprintf(w, format+"\n", a...) }
	p("`%s`\n", command)
	p("%d cases drawn, %d with something to promise, %d files recommended.\n", j.Drawn, j.Found, j.Recommended)
	p("| promise | holds what came | bias | mean distance | mean width | interval score |")
	p("|---|---|---|---|---|---|")
	for _, row := range []struct {
		name string
		s    Scores
	}{{"expected on a workload like this (90 %)", j.Expected}, {"one further run of the same trace (90 %)", j.Again}, {"constant, fitted to all other cases (90 %)", j.Constant}} {
		s := row.s
		p("| %s | %.0f %% | %s | %.1f | %.1f | %.0f |", row.name, 100*s.Coverage, stats.Signed(s.Bias, 1), s.Distance, s.Width, s.Interval)
	}
	p("\nPoints are hundredths of the present value. Of the recommended files %.0f %% make the next period more than 2 %% worse, %.0f %% a queue with five jobs or more by more than 10 %%, %.0f %% lose jobs; they bring %.1f %% in the mean.\n",
		100*j.Worse, 100*j.WorseQueue, 100*j.Losing, j.MeanCame)
	if q := j.Queues; q.Cases > 0 {
		p("Of %d queues with a limit on their mean completion and five jobs or more in the next period the 90 %% interval of the change holds what came in %.0f %% (%.0f %% came out worse than all of it), with a bias of %s, a mean distance of %.1f, a mean width of %.1f and an interval score of %.0f points; that of a constant promise is %.0f.\n",
			q.Cases, 100*q.Coverage, 100*j.QueuesAbove, stats.Signed(q.Bias, 1), q.Distance, q.Width, q.Interval, j.QueuesConstant.Interval)
	}
	p("| case | recommended | expected | 90 %% interval | this trace again | came | worst queue |")
	p("|---|---|---|---|---|---|---|")
	for _, o := range outs {
		if !o.Found {
			p("| %s | nothing better found | | | | | |", o.Case)
			continue
		}
		yes := "no"
		if o.Recommended {
			yes = "yes"
		}
		p("| %s | %s | %s | %s to %s | %s | %s | %s |", o.Case, yes, points(o.Expected.Point), points(o.Expected.Low), points(o.Expected.High), points(o.Again.Point), points(o.Came), points(o.WorstQueue))
	}
}

// points prints a part in hundredths.
func points(v float64) string {
	if math.IsInf(v, 0) || math.Abs(v) > 1e4 {
		return "no run"
	}
	return stats.Fixed(100*v, 1)
}
