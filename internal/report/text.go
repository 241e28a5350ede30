package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// View is how much of a summary is printed.
type View struct {
	Verbose bool
	Out     string // folder of its files, "" = none were written
	readme  bool   // the folder's README.txt, which lists the files itself
}

// columns is the width of a screen.
const columns = 98

// Bounds of the tables on one screen; --verbose, summary.json and the report hold all.
const (
	changesShown = 8
	metricsShown = 5
	slowerShown  = 3
	limitsShown  = 3
	queuesShown  = 12
)

// Print writes the outcome: one screen of 40 lines and 100 columns, or with Verbose all of it.
func (sum *Summary) Print(w io.Writer, v View) {
	p := func(sentence string) {
		if sentence != "" {
			fmt.Fprintln(w, text.Wrap(sentence, columns))
		}
	}
	in := &sum.Inputs
	p(fmt.Sprintf("%s: %s, %s on %s (%.4g GiB)%s; %d runs of %d configurations, seed %d", in.Workload,
		text.Count(in.Jobs, "job"),
		text.Count(in.Tasks, "task"), text.Count(in.Nodes, "node"), gib(in.MemoryMiB), sum.windows(), sum.Study.Runs,
		sum.Study.Trials, sum.Study.Seed))
	for i, line := range sum.reproductionLines() {
		switch {
		case i == 0:
			p(line)
		case v.Verbose:
			fmt.Fprintln(w, line)
		}
	}
	fmt.Fprintln(w)
	p(upperFirst(sum.Verdict) + ".")
	if v.Verbose {
		for _, line := range sum.behind() {
			p(line)
		}
	}
	changes := sum.found().Changes
	shown := changes
	if !v.Verbose {
		shown = changes[:min(len(changes), changesShown)]
	}
	printChanges(w, shown, sum.Recommended)
	if more := len(changes) - len(shown); more > 0 {
		p(text.Count(more, "more change") + ": --verbose")
	}
	if v.Verbose {
		for i := range changes {
			if why := changes[i].Why; why != "" {
				p("why " + changes[i].Setting + ": " + why)
			}
		}
	}
	p(sum.sharesText())
	sum.printMetrics(w, v.Verbose)
	if v.Verbose {
		sum.details(w, p)
	}
	if sum.Stability != nil {
		printStability(w, sum.Stability)
	}
	sum.printSlower(w, p)
	for i, l := range sum.limits() {
		if v.Verbose || l.queues == 0 && i < limitsShown {
			p(sum.limitLine(&l))
		}
	}
	if !v.readme {
		sum.printFiles(w, p, v.Out)
	}
}

// windows tells that a run has a part of the jobs, where the trace is cut.
func (sum *Summary) windows() string {
	if sum.Study.Windows < 2 {
		return ""
	}
	return fmt.Sprintf("; each run simulates one of %d time windows", sum.Study.Windows)
}

// found is the best configuration found, without anything where there is none.
func (sum *Summary) found() *Found {
	if sum.BestFound == nil {
		return &Found{Configuration: sum.Present, Constraints: sum.Constraints}
	}
	return sum.BestFound
}

// details writes what only --verbose and the folder's README.txt have.
func (sum *Summary) details(w io.Writer, p func(string)) {
	for _, line := range sum.Finished.lines() {
		p(line)
	}
	sum.printQueues(w)
	PrintTerms(w, sum.Terms)
	for i, c := range sum.Costs {
		if i == 0 {
			fmt.Fprintln(w, "\nwhat gets worse")
		}
		p("  " + c.Text)
	}
	p(sum.liftedText())
	sum.printFront(w)
	for _, b := range sum.Bounds {
		if b.Gap > 0 {
			p(fmt.Sprintf("optimality gap of %s: at most %.1f %% (lower bound %s)", b.Metric, 100*b.Gap,
				text.Amount(b.Bound, simcore.MetricOf(b.Metric).Unit)))
		}
	}
	if sum.Study.FailedRuns > 0 {
		p(fmt.Sprintf("%s had no result, %s; the first: %s", text.Count(sum.Study.FailedRuns, "run"), sum.Study.failedOf(),
			sum.Study.FirstFailure))
	}
}

// foundTitle is what a column of the best found is called.
func (sum *Summary) foundTitle() string {
	if sum.Recommended {
		return "recommended"
	}
	return "best found"
}

// printMetrics writes the objectives and the main metrics, or all of them.
func (sum *Summary) printMetrics(w io.Writer, all bool) {
	after := sum.BestFound
	if after == nil {
		return
	}
	tw := text.New(w)
	fmt.Fprintf(tw, "\n%s\tcurrent\t%s\tchange\n", sum.metricsTitle(), sum.foundTitle())
	if f := &sum.Finished; all || f.Present != f.Jobs || f.Best != f.Jobs {
		fmt.Fprintf(tw, "jobs finished of %s\t%s\t%s\n", trimmed(f.Jobs), trimmed(f.Present), trimmed(f.Best))
	}
	names := slices.Concat(sum.Objectives, []string{"makespan", "mean-completion", "p95-completion", "mean-wait",
		"utilisation"})
	for i := range sum.Present.Metrics {
		if name := sum.Present.Metrics[i].Name; all && !sum.limitOnly(name) {
			names = append(names, name)
		}
	}
	seen := map[string]bool{}
	for _, name := range names {
		b, had := metric(sum.Present.Metrics, name)
		a, has := metric(after.Metrics, name)
		if seen[name] || !had || !has || !all && len(seen) == max(metricsShown, len(sum.Objectives)) {
			continue
		}
		seen[name] = true
		before, now := text.Pair(b, a, simcore.MetricOf(name).Unit)
		change := "-"
		if b != 0 {
			change = text.SignedPercent(a/b - 1)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", name, before, now, change)
	}
	tw.Flush()
}

// metricsTitle tells over what the table's means are.
func (sum *Summary) metricsTitle() string {
	if sum.apart() && len(sum.Present.Metrics) > 0 {
		return fmt.Sprintf("recorded trace (mean of %s)", text.Count(sum.Present.Metrics[0].N, "run"))
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

// printSlower names the queues that get slower, by their mean completion.
func (sum *Summary) printSlower(w io.Writer, p func(string)) {
	if sum.BestFound == nil {
		return
	}
	fmt.Fprintln(w)
	slower := slices.DeleteFunc(slices.Clone(sum.Costs), func(c Cost) bool { return c.Kind != "queue" })
	if len(slower) == 0 {
		p(fmt.Sprintf("queues that get slower: none by more than %.0f %%", 100*costFrom))
		return
	}
	slices.SortStableFunc(slower, func(a, b Cost) int { return cmp.Compare(b.Worse, a.Worse) })
	var list []string
	for i, c := range slower {
		if i == slowerShown {
			list = append(list, fmt.Sprintf("%d more (--verbose)", len(slower)-i))
			break
		}
		list = append(list, strings.TrimPrefix(c.Text, "queue "))
	}
	p("queues that get slower: " + strings.Join(list, "; "))
}

// printQueues writes the mean completion by queue: on similar workloads, which limits are judged on, with
// the interval of what one such workload will show, and beside it on the recorded trace.
func (sum *Summary) printQueues(w io.Writer) {
	rows := sum.groupsOf("queue")
	if len(rows) < 2 || sum.BestFound == nil {
		return
	}
	similar := anyDrawn(rows)
	of := ""
	if similar {
		of = " on similar workloads; last column: change on the recorded trace"
	}
	fmt.Fprintf(w, "\nmean completion by queue%s\n", of)
	table := [][]string{{"queue", "current", sum.foundTitle(), "change", "90 % interval", "jobs", "recorded"}}
	for _, g := range rows[:min(queuesShown, len(rows))] {
		b, a := g.completions()
		before, after, change := "-", "-", "-"
		if b > 0 {
			before, after = text.Pair(b, a, "s")
			change = text.SignedPercent(a/b - 1)
		}
		row := []string{g.Name, before, after, change, cmp.Or(g.Drawn.interval(), "-"), g.jobsText(), ""}
		if similar {
			row[6] = g.changeText()
		}
		table = append(table, row)
	}
	printRows(w, table)
	if more := len(rows) - queuesShown; more > 0 {
		fmt.Fprintf(w, "and %d queues more in --json\n", more)
	}
}

// changeText is the change of the mean completion in the runs of the first window.
func (g *GroupRow) changeText() string {
	if g.Before.MeanCompletion > 0 && g.After.Jobs > 0 {
		return text.SignedPercent(g.After.MeanCompletion/g.Before.MeanCompletion - 1)
	}
	return "-"
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

func metric(ms []tune.Metric, name string) (float64, bool) {
	for _, m := range ms {
		if m.Name == name {
			return m.Mean, true
		}
	}
	return 0, false
}

// printFiles tells where the files are, how to apply the change and how to roll back.
func (sum *Summary) printFiles(w io.Writer, p func(string), out string) {
	fmt.Fprintln(w)
	switch {
	case out == "":
		p("no files were written; --out DIR writes the tuned file, its rollback and the report")
		return
	case sum.interrupted():
		p(fmt.Sprintf("wrote %s with the current configuration and the best so far (%s), not confirmed; the same command "+
			"resumes the study", out, FileFound))
		return
	}
	p(fmt.Sprintf("wrote %s; report: %s", out, filepath.Join(out, FileReport)))
	if !sum.Recommended {
		if sum.BestFound != nil {
			p("best configuration found: " + filepath.Join(out, FileFound))
		}
		return
	}
	for _, back := range []bool{false, true} {
		fmt.Fprintln(w, map[bool]string{false: "to apply:", true: "to roll back:"}[back])
		for _, s := range sum.steps(out, back) {
			fmt.Fprintln(w, "  "+cmp.Or(s.Command, s.Text))
		}
	}
}
