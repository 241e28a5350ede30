package report

import (
	"fmt"
	"io"

	"schedtune/internal/cli"
	"schedtune/internal/study"
	"schedtune/internal/text"
)

// PrintScheduler writes the outcome for a scheduler's parameters as a table.
func PrintScheduler(w io.Writer, s *study.SchedulerSummary) {
	r := s.Result
	fmt.Fprintf(w, "%s\n\n%s: %s on %s; %d runs of %d configurations, %s, seed %d\ncurrent      %s\n",
		cli.Wrap(upperFirst(Verdict(r))+".", columns), s.Workload, text.Count(s.Jobs, "job"), text.Count(s.Nodes, "node"),
		r.Runs, r.Trials, r.Sampler, r.Seed, s.Present)
	switch {
	case r.Decision.Recommended:
		fmt.Fprintf(w, "recommended  %s\n", s.Scheduler)
	case r.Found != nil:
		fmt.Fprintf(w, "best found   %s\n", s.Scheduler)
	}
	steps := ablationSteps(r)
	var list []Change
	for _, c := range r.Changes {
		ch := Change{Setting: c.Name, From: c.From, To: c.To}
		ch.measured(steps[c.Name])
		list = append(list, ch)
	}
	printChanges(w, list, r.Decision.Recommended)
}
