package report

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"schedtune/internal/cli"
	"schedtune/internal/study"
	"schedtune/internal/text"
)

//go:embed size.tmpl
var sizePage string

var sizeTemplate = text.Table(sizePage, template.FuncMap{
	"present": func(r *study.Report) *study.Step { return &study.Step{Nodes: r.Present, Cost: r.PresentCost} },
	"line": func(r *study.Report, s *study.Step) any {
		return map[string]any{"Step": s, "Interrupted": r.Interrupted}
	},
	"priced": func(s *study.Step) string {
		if s.Cost == 0 {
			return text.Count(s.Nodes, "node")
		}
		return fmt.Sprintf("%s, %s an hour", text.Count(s.Nodes, "node"), text.Plain(s.Cost))
	},
	"sure": func(s *study.Step) bool {
		return !slices.ContainsFunc(s.Limits, func(l study.Limit) bool { return !l.Sure })
	},
	"tightest": func(s study.Step) *study.Limit {
		var worst *study.Limit
		for i := range s.Limits {
			if worst == nil || s.Limits[i].Beyond > worst.Beyond {
				worst = &s.Limits[i]
			}
		}
		return worst
	},
	"short":    shortFailure,
	"failures": failures,
})

// PrintSize writes the result of tune size.
func PrintSize(w io.Writer, r *study.Report) error { return text.PrintTable(w, sizeTemplate, r) }

// failureWidth is the longest reason in the table; below it is printed in full.
const failureWidth = 60

// shortFailure shortens the reason of a failure to the width of a cell, by whole words.
func shortFailure(text string) string {
	runes := []rune(text)
	if len(runes) <= failureWidth {
		return text
	}
	head := string(runes[:failureWidth-1])
	if at := strings.LastIndexByte(head, ' '); at > failureWidth/2 {
		head = head[:at]
	}
	return strings.TrimRight(head, " ,;:") + "…"
}

// failures are the shortened reasons in full, each once.
func failures(steps []study.Step) (out []string) {
	seen := map[string]bool{}
	for i := range steps {
		if why := steps[i].Failed; why != shortFailure(why) && !seen[why] {
			seen[why] = true
			out = append(out, cli.Wrap(text.Count(steps[i].Nodes, "node")+": "+why, columns))
		}
	}
	return out
}

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
