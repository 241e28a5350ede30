package accuracy

import (
	"fmt"
	"strings"

	"schedtune/internal/text"
)

// mostRows bounds the tables for people; JSON has everything.
const doctorMostRows = 40

// Text writes the report for people.
func (r *ClusterReport) Text() string {
	var b strings.Builder
	r.textEvaluation(&b)
	if r.Replay != nil {
		r.Replay.text(&b)
	}
	list(&b, "not examined", r.Missing)
	list(&b, "not explained", r.Unexplained)
	b.WriteString("\n" + r.Verdict + "\n")
	return b.String()
}

func (r *ClusterReport) textEvaluation(b *strings.Builder) {
	if r.Evaluation == nil {
		return
	}
	e := r.Evaluation
	if len(e.Diffs) == 0 {
		fmt.Fprintf(b, "configuration: all %d figures of %d queues are what the scheduler reports\n", e.Figures, e.Queues)
		return
	}
	fmt.Fprintf(b, "configuration: %d of %d figures differ\n  %-30s %-28s %18s %18s\n", len(e.Diffs), e.Figures, "queue",
		"figure", "from the file", "live")
	for i, d := range e.Diffs {
		if i == doctorMostRows {
			fmt.Fprintf(b, "  and %d more\n", len(e.Diffs)-i)
			break
		}
		fmt.Fprintf(b, "  %-30s %-28s %18s %18s\n", d.Queue, d.What, d.Ours, d.Theirs)
	}
}

func (r *Replay) text(b *strings.Builder) {
	fmt.Fprintf(b, "\nreplay of %d jobs, %d replications, calibration: %s\n", r.Jobs, r.Replications, r.Calibration)
	fmt.Fprintf(b, "  %-34s %10s %10s %21s %8s\n", "", "observed", "predicted", "5 to 95 %", "error")
	row := func(name string, f ClusterFigure) {
		fmt.Fprintf(b, "  %-34s %8.1f s %8.1f s %9.1f to %7.1f s %7s%%\n", text.Begin(name, 34), f.Observed, f.Predicted,
			f.Low, f.High, text.Fixed(f.Error*100, 1))
	}
	row("makespan", r.Makespan)
	row("mean completion time", r.MeanCompletion)
	if r.MeanWait != (ClusterFigure{}) { // known of some job
		row("mean waiting time", r.MeanWait)
	}
	for i, j := range r.PerJob {
		if i == doctorMostRows {
			fmt.Fprintf(b, "  and %d more jobs\n", len(r.PerJob)-i)
			break
		}
		row(j.Queue+" "+label(j), j.Completion)
	}
	fmt.Fprintf(b, "  the observed makespan lies at the %.0f %% quantile of the replications\n", r.Makespan.Rank*100)
	if len(r.Queues) == 0 {
		return
	}
	fmt.Fprintf(b, "\n  %-34s %10s %10s %21s\n", "memory held, of the cluster", "observed", "predicted",
		"apart, on average")
	for _, q := range r.Queues {
		fmt.Fprintf(b, "  %-34s %8.1f %% %8.1f %% %19.1f %%\n", text.Begin(q.Queue, 34), q.Observed*100, q.Predicted*100,
			q.Apart*100)
	}
}

func label(j JobCheck) string {
	if j.Name != "" {
		return j.Name
	}
	return j.Job
}

func list(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n" + title + ":\n")
	for _, l := range lines {
		b.WriteString("  " + l + "\n")
	}
}
