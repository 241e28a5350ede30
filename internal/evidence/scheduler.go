package evidence

import (
	"fmt"
	"io"

	"schedtune/internal/study"
)

// PrintScheduler writes the outcome for a scheduler's parameters as a table.
func PrintScheduler(w io.Writer, s *study.SchedulerSummary) {
	p := func(format string, a ...any) { fmt.Fprintf(w, format+"\n", a...) }
	r := s.Result
	p("%s\n", Verdict(r))
	p("%s: %d jobs on %d nodes; %d runs of %d configurations, %s, seed %d", s.Workload, s.Jobs, s.Nodes, r.Runs, r.Trials, r.Sampler, r.Seed)
	p("present      %s", s.Present)
	p("recommended  %s", s.Scheduler)
	if len(r.Changes) > 0 && r.Unproven == nil {
		p("\n%-24s %12s %12s", "parameter", "from", "to")
		for _, c := range r.Changes {
			p("%-24s %12s %12s", c.Name, c.From, c.To)
		}
	}
}
