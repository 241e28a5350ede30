package evidence

import (
	"fmt"
	"io"

	"schedtune/internal/stats"
	"schedtune/internal/study"
	"schedtune/tune"
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
		steps := map[string]tune.AblationStep{}
		for _, a := range r.Ablation {
			steps[a.Change] = a
		}
		p("\n%-42s %8s %8s %11s %25s", "parameter", "from", "to", "of the gain", "if left out (90 %)")
		for _, c := range r.Changes {
			ch := Change{Setting: c.Name, Limits: steps[c.Name].Limits, Without: steps[c.Name].Alone, Loses: steps[c.Name].Loses}
			if iv := steps[c.Name].Interval; iv != nil {
				ch.LostLow, ch.LostHigh = &iv.Low, &iv.High
			}
			share := "-"
			if l := steps[c.Name].Loss; l != nil {
				share = stats.Fixed(100**l, 0) + " %"
			}
			p("%-42s %8s %8s %11s %25s", c.Name, c.From, c.To, share, ch.withoutText())
		}
	}
}
