package report

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
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
func shortFailure(why string) string {
	head := text.Begin(why, failureWidth)
	if at := strings.LastIndexByte(head, ' '); head != why && at > 0 {
		return strings.TrimRight(head[:at], " ,;:") + "…"
	}
	return head
}

// failures are the shortened reasons in full, each once.
func failures(steps []study.Step) (out []string) {
	seen := map[string]bool{}
	for i := range steps {
		if why := steps[i].Failed; why != shortFailure(why) && !seen[why] {
			seen[why] = true
			out = append(out, text.Wrap(text.Count(steps[i].Nodes, "node")+": "+why, columns))
		}
	}
	return out
}

// PrintScheduler writes the outcome for a scheduler's parameters as a table.
func PrintScheduler(w io.Writer, s *study.SchedulerSummary) {
	r := s.Result
	fmt.Fprintf(w, "%s\n\n%s: %s on %s; %d runs of %d configurations, %s, seed %d\ncurrent      %s\n",
		text.Wrap(upperFirst(Verdict(r))+".", columns), s.Workload, text.Count(s.Jobs, "job"), text.Count(s.Nodes, "node"),
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

// printStability writes the table of studies with other seeds.
func printStability(w io.Writer, st *study.Stability) {
	fmt.Fprintf(w, "\nstability: %s\n", stabilityText(st))
	if len(st.Changes) == 0 {
		return
	}
	tw := text.New(w)
	fmt.Fprintln(tw, "change\tgain lost without it (90 % CI)\tkept in\tvalues")
	for _, c := range st.Changes {
		name := c.Setting
		if !c.Here {
			name = "(" + name + ")" // not in this study's file
		}
		fmt.Fprintf(tw, "%s\t%s\t%d of %d\t%s\n", name, stableText(&c), c.Kept, st.Studies, valuesText(c))
	}
	tw.Flush()
}

// stabilityText tells how many of the studies recommend a change, and the range of their gains.
func stabilityText(st *study.Stability) string {
	interrupted := ""
	if st.Studies < st.Wanted {
		interrupted = fmt.Sprintf(" of %d (interrupted)", st.Wanted)
	}
	return fmt.Sprintf("%d%s studies with other seeds and workloads, of which %d recommend a change; expected gains "+
		"from %s to "+
		"%s %%", st.Studies, interrupted, st.Recommended, text.Fixed(100*slices.Min(st.Gains), 1),
		text.Fixed(100*slices.Max(st.Gains), 1))
}

// valuesText are the values that the studies recommend, repeated ones once.
func valuesText(c study.StabilityChange) string {
	return strings.Join(slices.Compact(slices.Clone(c.Values)), ", ")
}

// stableText is what becomes of the gain without a change, over the studies that
// keep it.
func stableText(c *study.StabilityChange) string {
	switch {
	case c.Mean != nil:
		return lostText(c.Mean, c.Low, c.High)
	case len(c.Lost) == 1:
		return lostText(&c.Lost[0], nil, nil)
	}
	return "-"
}

// printFront writes the Pareto front.
func (sum *Summary) printFront(w io.Writer) {
	if len(sum.Front) < 2 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", text.Wrap(fmt.Sprintf("Pareto front of %s: %d configurations, none better than another in all "+
		"objectives; * is the compromise, which the confirmation measured. Means of the front's own runs. summary.json has "+
		"the settings of each (front[].settings)", strings.Join(sum.Objectives, " and "), len(sum.Front)), columns))
	tw := text.New(w)
	fmt.Fprintf(tw, "\t%s\n", strings.Join(sum.Objectives, "\t"))
	row := func(mark string, c *Configuration) {
		fmt.Fprint(tw, mark)
		for _, o := range sum.Objectives {
			v, _ := metric(c.Metrics, o)
			fmt.Fprintf(tw, "\t%s", text.Amount(v, simcore.MetricOf(o).Unit))
		}
		fmt.Fprintln(tw)
	}
	if sum.FrontPresent != nil {
		row("current", sum.FrontPresent)
	}
	for i := range sum.Front {
		mark := ""
		if sum.confirmedPoint(i) {
			mark = "*"
		}
		row(mark, &sum.Front[i])
	}
	tw.Flush()
}

// confirmedPoint reports whether a point of the front is the one that was confirmed.
func (sum *Summary) confirmedPoint(i int) bool { return sum.Knee != nil && *sum.Knee == i }
