package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/cli"
	"schedtune/internal/text"
	"schedtune/tune"
)

// Print writes the outcome as a table of at most 100 columns.
func (sum *Summary) Print(w io.Writer) {
	p := func(format string, a ...any) { fmt.Fprintf(w, format+"\n", a...) }
	in := sum.Inputs
	sum.printReproduction(w)
	p("%s", cli.Wrap(sum.Verdict, 98))
	p("")
	windows := ""
	if sum.Study.Windows > 1 {
		windows = fmt.Sprintf(", a run is one of %d time windows", sum.Study.Windows)
	}
	p("%s, %s on %s (%d GiB)%s; %d runs of %d configurations, %s, seed %d",
		text.Count(in.Jobs, "job"), text.Count(in.Tasks, "task"), text.Count(in.Nodes, "node"), in.MemoryMiB/1024, windows,
		sum.Study.Runs, sum.Study.Trials, sum.Study.Sampler, sum.Study.Seed)
	if sum.unspent != "" {
		p("%s", cli.Wrap(sum.unspent, 98))
	}
	for _, line := range sum.promiseLines() {
		p("%s", line)
	}
	sum.printMetrics(w)
	sum.Finished.print(w)
	sum.printQueues(w)
	sum.printChanges(w)
	sum.printTerms(w)
	sum.printCosts(w)
	sum.printConstraints(w)
	if text := sum.liftedText(); text != "" {
		fmt.Fprintln(w, cli.Wrap(text, 98))
	}
	if sum.Stability != nil {
		printStability(w, sum.Stability)
	}
	sum.printFront(w)
	for _, b := range sum.Bounds {
		if b.Gap > 0 {
			p("optimality gap of %s: at most %.1f %% (lower bound %s)", b.Metric, 100*b.Gap, text.Figure(b.Bound))
		}
	}
	if sum.Study.FailedRuns > 0 {
		p("%s had no result, %s; the first: %s", text.Count(sum.Study.FailedRuns, "run"), sum.Study.failedOf(),
			sum.Study.FirstFailure)
	}
	for _, line := range sum.narrowingLines() {
		p("%s", cli.Wrap(line, 98))
	}
}

func (sum *Summary) printMetrics(w io.Writer) {
	after := sum.Best
	title := "tuned"
	if sum.Unproven != nil {
		after, title = *sum.Unproven, "best found"
	} else if len(sum.Changes) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%-28s %12s %12s %9s\n", sum.metricsTitle(), "present", title, "change")
	finished := sum.Finished
	fmt.Fprintf(w, "%-28s %12s %12s\n", fmt.Sprintf("jobs finished of %s", trimmed(finished.Jobs)),
		trimmed(finished.Present), trimmed(finished.Best))
	for _, m := range sum.Present.Metrics {
		v, ok := metric(after.Metrics, m.Name)
		if !ok || sum.limitOnly(m.Name) {
			continue
		}
		change := "-"
		if m.Mean != 0 {
			change = text.SignedPercent(v/m.Mean - 1)
		}
		fmt.Fprintf(w, "%-28s %12s %12s %9s\n", text.End(m.Name, 28), text.Figure(m.Mean), text.Figure(v), change)
	}
}

const onThisTrace = "mean on the recorded trace"

// metricsTitle says over what the table's means are.
func (sum *Summary) metricsTitle() string {
	if sum.apart() {
		return onThisTrace
	}
	if sum.Study.Confirmed == 0 {
		return "mean over runs of the search"
	}
	return "mean over unused seeds"
}

// limitOnly tells a group's metric that is there for a constraint, which has a
// line of its own.
func (sum *Summary) limitOnly(name string) bool {
	group := strings.HasPrefix(name, "queue.") || strings.HasPrefix(name, "user.") || strings.HasPrefix(name, "class.")
	return group && !slices.Contains(sum.Objectives, name)
}

// queuesShown bounds the table of queues; summary.json and the report hold all.
const queuesShown = 12

// printQueues says who gains and who pays: mean completion by queue.
func (sum *Summary) printQueues(w io.Writer) {
	var rows []GroupRow
	for _, g := range sum.Groups {
		if g.Dimension == "queue" {
			rows = append(rows, g)
		}
	}
	if len(rows) < 2 || len(sum.Changes) == 0 {
		return
	}
	if slices.ContainsFunc(rows, func(g GroupRow) bool { return g.Drawn != nil }) {
		printDrawnQueues(w, rows)
	} else {
		title := "mean completion by queue"
		if sum.metricsTitle() == onThisTrace {
			title = "mean completion, recorded trace"
		}
		fmt.Fprintf(w, "\n%-36s %10s %10s %9s %8s\n", title, "present", "tuned", "change", "jobs")
		for _, g := range rows[:min(queuesShown, len(rows))] {
			fmt.Fprintf(w, "%-36s %10s %10s %9s %8s\n", text.End(g.Name, 36), g.Before.completionText(),
				g.After.completionText(), g.changeText(), g.jobsText())
		}
	}
	if more := len(rows) - queuesShown; more > 0 {
		fmt.Fprintf(w, "and %d queues more in --json\n", more)
	}
	if slower := slowerQueues(rows); len(slower) > 0 && !sum.limitsQueues() {
		fmt.Fprintf(w, "slower: %s; --protect 5 finds what spares them\n", strings.Join(slower, ", "))
	}
}

// printDrawnQueues has the figures on similar workloads, which limits are judged on, with
// the interval of what one such workload will show; the trace itself stands beside it.
func printDrawnQueues(w io.Writer, rows []GroupRow) {
	const form = "%-22s %9s %9s %9s %22s %8s %13s\n"
	fmt.Fprintf(w, "\nmean completion by queue, on similar workloads\n"+form, "", "present", "tuned", "change",
		"90 % interval", "jobs", "recorded")
	for _, g := range rows[:min(queuesShown, len(rows))] {
		before, after, change, ends := g.Before.completionText(), g.After.completionText(), "-", "-"
		if g.Drawn != nil && g.Drawn.Before > 0 {
			before, after = text.Figure(g.Drawn.Before), text.Figure(g.Drawn.After)
			change = text.SignedPercent(g.Drawn.After/g.Drawn.Before - 1)
		}
		if text := g.Drawn.interval(); text != "" {
			ends = text
		}
		fmt.Fprintf(w, form, text.End(g.Name, 22), before, after, change, ends, g.jobsText(), g.changeText())
	}
}

// changeText is the change of the mean completion in the runs of the first window.
func (g *GroupRow) changeText() string {
	if g.Before.MeanCompletion > 0 && g.After.Jobs > 0 {
		return text.SignedPercent(g.After.MeanCompletion/g.Before.MeanCompletion - 1)
	}
	return "-"
}

// completionText is the mean completion time, a dash if no job finishes.
func (f *GroupFigure) completionText() string {
	if f.Jobs == 0 {
		return "-"
	}
	return text.Figure(f.MeanCompletion)
}

// jobsText is the number of jobs behind a row: what finishes, where that is not
// all of them.
func (g *GroupRow) jobsText() string {
	switch all := float64(g.Jobs); {
	case g.Before.Jobs == all && g.After.Jobs == all:
		return strconv.Itoa(g.Jobs)
	case g.Before.Jobs == g.After.Jobs:
		return fmt.Sprintf("%s of %d", trimmed(g.After.Jobs), g.Jobs)
	}
	return fmt.Sprintf("%s→%s of %d", trimmed(g.Before.Jobs), trimmed(g.After.Jobs), g.Jobs)
}

// limitsQueues reports that a constraint holds for all queues, so that what
// becomes of them has a line of its own.
func (sum *Summary) limitsQueues() bool {
	return slices.ContainsFunc(sum.Constraints, func(c tune.ConstraintResult) bool {
		return strings.HasSuffix(c.Metric, ".mean-completion") && strings.Contains(c.Text, "present")
	})
}

// slowerQueues names those whose mean completion grows by more than a
// twentieth.
func slowerQueues(rows []GroupRow) []string {
	var names []string
	for _, g := range rows {
		if g.After.MeanCompletion > 1.05*g.Before.MeanCompletion {
			names = append(names, g.Name)
		}
	}
	return names
}

func metric(ms []tune.Metric, name string) (float64, bool) {
	for _, m := range ms {
		if m.Name == name {
			return m.Mean, true
		}
	}
	return 0, false
}

// shownConstraints are judged on the configuration whose figures stand beside the
// present ones.
func (sum *Summary) shownConstraints() []tune.ConstraintResult {
	if sum.Unproven != nil {
		return sum.UnprovenConstraints
	}
	return sum.Constraints
}

// limit is a constraint as it is shown: one that is kept for several queues stands for all of these.
type limit struct {
	tune.ConstraintResult
	queues int // 0 = of one constraint
}

// limits are the constraints of what is shown; those that hold for every queue and are kept are
// one, kept surely if all of them are.
func (sum *Summary) limits() (out []limit) {
	at := map[string]int{}
	for _, c := range sum.shownConstraints() {
		says := forQueues(c)
		i, seen := at[says]
		switch {
		case says == "" || !c.Kept:
			out = append(out, limit{ConstraintResult: c})
		case seen:
			out[i].queues++
			out[i].Sure = out[i].Sure && c.Sure
		default:
			at[says] = len(out)
			c.Text = says
			out = append(out, limit{c, 1})
		}
	}
	return out
}

func (sum *Summary) printConstraints(w io.Writer) {
	for _, l := range sum.limits() {
		if l.queues == 0 {
			sum.printConstraint(w, l.ConstraintResult)
			continue
		}
		on := ""
		if len(sum.Gain) > 0 && sum.Gain[0].Again != nil {
			on = " on average over similar workloads"
		}
		fmt.Fprintf(w, "%s: kept for %s%s (--protect off removes it)\n", l.Text, text.Count(l.queues, "queue"), on)
	}
}

// forQueues is what a limit relative to the present says of any queue, "" for
// other limits.
func forQueues(c tune.ConstraintResult) string {
	if !strings.HasPrefix(c.Metric, "queue.") || !strings.Contains(c.Text, "present") {
		return ""
	}
	i := strings.IndexAny(c.Text, "<>")
	return "queue.*" + c.Metric[strings.LastIndexByte(c.Metric, '.'):] + " " + c.Text[max(i, 0):]
}

func (sum *Summary) printConstraint(w io.Writer, c tune.ConstraintResult) {
	state := "kept"
	switch {
	case !c.Kept:
		state = "NOT kept"
		if now, ok := metric(sum.Present.Metrics, c.Metric); ok {
			state += ", now " + text.Figure(now)
		}
	case !c.Sure:
		state = "met on average, not at 90 % confidence"
	}
	fmt.Fprintf(w, "constraint %s%s: %s (%s, interval %s to %s)\n", c.Text, limitText(c), state,
		text.Figure(c.Value.Mean), text.Figure(c.Value.Low), text.Figure(c.Value.High))
}

// limitText gives the number behind a limit relative to the present.
func limitText(c tune.ConstraintResult) string {
	if !strings.Contains(c.Text, "present") {
		return ""
	}
	return " = " + text.Figure(c.Limit)
}

func (sum *Summary) printFront(w io.Writer) {
	if len(sum.Front) < 2 {
		return
	}
	star := "the compromise, which the confirmation measured"
	if sum.ChosenLate {
		star = "what took the compromise's place"
	}
	txt := fmt.Sprintf("Pareto front of %s: %d configurations, none better than another in all objectives; * is %s. "+
		"Means of the front's own runs. "+
		"summary.json has the settings of each (front[].settings)", strings.Join(sum.Objectives, " and "), len(sum.Front),
		star)
	fmt.Fprintf(w, "\n%s\n%7s", cli.Wrap(txt, 98), "")
	for _, o := range sum.Objectives {
		fmt.Fprintf(w, " %12s", o)
	}
	row := func(mark string, c *Configuration) {
		fmt.Fprintf(w, "\n%7s", mark)
		for _, o := range sum.Objectives {
			v, _ := metric(c.Metrics, o)
			fmt.Fprintf(w, " %*s", max(12, len(o)), text.Figure(v))
		}
	}
	if sum.FrontPresent != nil {
		row("present", sum.FrontPresent)
	}
	for i := range sum.Front {
		mark := ""
		if sum.confirmedPoint(i) {
			mark = "*"
		}
		row(mark, &sum.Front[i])
	}
	fmt.Fprintln(w)
}

// confirmedPoint reports whether a point of the front is the one that was confirmed.
func (sum *Summary) confirmedPoint(i int) bool { return sum.Knee != nil && *sum.Knee == i }
