package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"schedtune/internal/diagnose"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// terms are what the current file and the best found grant each queue.
func terms(s *study.Study, r *tune.Result) ([]diagnose.TermsChange, error) {
	tuned, _, err := s.Tuned(r.Shown().Settings)
	if err != nil {
		return nil, err
	}
	return diagnose.CompareTerms(s.Case.Doc, tuned, s.Case.Cluster, masterAsk(s.Case.Work))
}

// masterAsk is the size of most application masters in a workload; zero if no job
// says it.
func masterAsk(w *simcore.Workload) yarnconf.Resource {
	count := map[simcore.Vec]int{}
	var most simcore.Vec
	for i := range w.Jobs {
		ask := w.Jobs[i].AMAsk
		if count[ask]++; count[ask] > count[most] {
			most = ask
		}
	}
	return yarnconf.Resource{Memory: most[simcore.Memory], VCores: most[simcore.VCores]}
}

// termsRow is one figure of a queue before and after, as text.
type termsRow struct {
	Name          string
	before, after int64
	memory        bool
}

func termsRows(c *diagnose.TermsChange) []termsRow {
	rows := []termsRow{{"guaranteed", c.Before.Guaranteed, c.After.Guaranteed, true},
		{"maximum", c.Before.Maximum, c.After.Maximum, true}}
	if c.Leaf {
		rows = append(rows, termsRow{"a single user", c.Before.LoneUser, c.After.LoneUser, true},
			termsRow{"applications at a time", c.Before.Running, c.After.Running, false})
	}
	return rows
}

// Less reports whether the queue has less afterwards.
func (r termsRow) Less() bool { return r.after < r.before }

// Text is "28311 → 3491 MiB", with the change of what has changed.
func (r termsRow) Text() string {
	if !r.memory {
		return text.Arrow(countText(r.before), countText(r.after))
	}
	unit, scale := " MiB", 1.0
	if min(r.before, r.after) >= 10240 {
		unit, scale = " GiB", 1024
	}
	number := func(v int64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(v)/scale), ".0") + unit }
	return text.Arrow(number(r.before), number(r.after))
}

// countText is a number of applications; what no limit bounds is a word.
func countText(n int64) string {
	if n >= math.MaxInt32 {
		return "any number"
	}
	return fmt.Sprint(n)
}

// falls lists what a queue has less of afterwards, "" if nothing.
func falls(c *diagnose.TermsChange) string {
	var out []string
	for _, r := range termsRows(c) {
		if r.Less() {
			out = append(out, r.Name+" "+r.Text())
		}
	}
	if c.Leaf && c.After.Accepted < c.Before.Accepted {
		out = append(out, "applications accepted "+text.Arrow(countText(c.Before.Accepted), countText(c.After.Accepted)))
	}
	return strings.Join(out, ", ")
}

// termsShown bounds the rows of the terminal; summary.json and the report hold
// all.
const termsShown = 12

// PrintTerms prints the limits of the queues whose limits change.
func PrintTerms(w io.Writer, terms []diagnose.TermsChange) {
	rows := changedTerms(terms)
	if len(rows) == 0 {
		return
	}
	tw := text.New(w)
	fmt.Fprintln(tw, "\nlimits by queue\tguaranteed\tmaximum\ta single user\tapplications")
	for i := range rows[:min(len(rows), termsShown)] {
		fmt.Fprint(tw, rows[i].Queue)
		for _, r := range termsRows(&rows[i]) {
			fmt.Fprint(tw, "\t"+r.Text())
		}
		fmt.Fprintln(tw)
	}
	tw.Flush()
	if more := len(rows) - termsShown; more > 0 {
		fmt.Fprintf(w, "and %d queues more in --json\n", more)
	}
	if same := unchangedText(terms); same != "" {
		fmt.Fprintln(w, same)
	}
}

// unchangedText counts the queues whose limits stay, "" if none do; parents are queues here too.
func unchangedText(terms []diagnose.TermsChange) string {
	same := len(terms) - len(changedTerms(terms))
	if same == 0 {
		return ""
	}
	return fmt.Sprintf("limits unchanged: %d of %s, parents included", same, text.Count(len(terms), "queue"))
}

// changedTerms are the queues whose terms move.
func changedTerms(terms []diagnose.TermsChange) []diagnose.TermsChange {
	return slices.DeleteFunc(slices.Clone(terms), func(c diagnose.TermsChange) bool { return c.Same() })
}
