package report

import (
	"fmt"
	"io"

	"schedtune/internal/study"
	"schedtune/internal/text"
)

// PrintScheduler writes the outcome for a scheduler's parameters as a table.
func PrintScheduler(w io.Writer, s *study.SchedulerSummary) {
	p := func(format string, a ...any) { fmt.Fprintf(w, format+"\n", a...) }
	r := s.Result
	p("%s\n", Verdict(r))
	p("%s: %s on %s; %d runs of %d configurations, %s, seed %d", s.Workload, text.Count(s.Jobs, "job"),
		text.Count(s.Nodes, "node"), r.Runs, r.Trials, r.Sampler, r.Seed)
	p("present      %s", s.Present)
	p("recommended  %s", s.Scheduler)
	if r.Decision.Recommended {
		steps := ablationSteps(r)
		var list []Change
		for _, c := range r.Changes {
			ch := Change{Setting: c.Name, From: c.From, To: c.To}
			ch.measured(steps[c.Name])
			list = append(list, ch)
		}
		printChangeTable(w, "parameter", list)
	}
}
