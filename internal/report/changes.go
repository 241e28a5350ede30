package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/diagnose"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// printChanges writes changes with the part of the gain that each carries, what is lost without it
// and on how many workloads that rests.
func printChanges(w io.Writer, changes []Change, recommended bool) {
	if len(changes) == 0 {
		return
	}
	title := "recommended change"
	if !recommended {
		title = "change of the best found"
	}
	names := make([]string, len(changes))
	for i := range changes {
		names[i] = changes[i].Setting
	}
	rows := [][]string{{"\n" + title, "from", "to", "share", "gain lost without it", "slower without"}}
	least, most := 0, 0
	figures := changeFigures(changes)[1:]
	for i, name := range text.Ends(names, 42) {
		c := &changes[i]
		if n := c.Workloads; n > 0 {
			least, most = min(cmp.Or(least, n), n), max(most, n)
		}
		row := append([]string{name, c.From, c.To}, figures[i][:3]...)
		if rows = append(rows, row); len(c.From) > 8 || len(c.To) > 8 { // absolute resources need a line of their own
			row[1], row[2] = "", ""
			rows = append(rows, []string{fmt.Sprintf("  from %s to %s", c.From, c.To)})
		}
	}
	printRows(w, rows)
	workloads := text.Count(most, "workload")
	if least < most {
		workloads = fmt.Sprintf("%d to %s", least, workloads)
	}
	share := ""
	if known(rows, 3) {
		share = "share of the gain; "
	}
	if most > 0 {
		fmt.Fprintf(w, "%seach 90 %% interval comes from %s\n", share, workloads)
	}
}

// changeFigures is what was measured of changes as a table, its header first. Changes that move together have
// their figures in the first of them.
func changeFigures(changes []Change) [][]string {
	rows := [][]string{{"Share of the gain", "Gain lost without it (90\u00a0% CI)", "Slower without", "Workloads"}}
	for i := range changes {
		c, row := &changes[i], []string{"", together, "", ""}
		if leads(changes, i) {
			row = []string{"-", c.withoutText(), c.slowerText(), ""}
			if c.Share != nil {
				row[0] = text.Fixed(100**c.Share, 0) + " %"
			}
			if c.Workloads > 0 {
				row[3] = strconv.Itoa(c.Workloads)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// together stands for the figure of a change that moves with one above it.
const together = "with the above"

// known reports whether a column of a table, its header first, has a figure.
func known(rows [][]string, column int) bool {
	return slices.ContainsFunc(rows[1:], func(r []string) bool {
		return column < len(r) && !slices.Contains([]string{"", "-", together}, r[column])
	})
}

// printRows writes a table, the header first, without the columns of which nothing is known.
func printRows(w io.Writer, rows [][]string) {
	tw := text.New(w)
	for _, row := range rows {
		var cells []string
		for i, cell := range row {
			if i == 0 || known(rows, i) {
				cells = append(cells, cell)
			}
		}
		fmt.Fprintln(tw, strings.Join(cells, "\t"))
	}
	tw.Flush()
}

// slowerText is the queue whose jobs get most slower without a change, and by how much.
func (c *Change) slowerText() string {
	if c.Slower == nil {
		return ""
	}
	return strings.TrimPrefix(c.Serves, "root.") + " " + percent(*c.Slower)
}

// sharesText tells why it is not known what each change brings, what would tell it, and
// what else there is; "" where it is known.
func (sum *Summary) sharesText() string {
	changes := sum.found().Changes
	has := func(known func(Change) bool) bool { return slices.ContainsFunc(changes, known) }
	if len(changes) == 0 || has(func(c Change) bool { return c.Share != nil }) {
		return ""
	}
	if len(sum.Front) > 0 {
		return "what each change brings is measured for one objective only"
	}
	switch {
	case !has(func(c Change) bool { return c.Without != nil }):
		return "what each change brings was not measured, for too few runs were left; a larger --budget measures it"
	case has(func(c Change) bool { return len(c.Limits) > 0 || c.Loses }):
		return "the share of the gain of each change was not measured: on the rollback to the current settings a " +
			"configuration has no result"
	}
	return "" // what is lost without each change is there
}

// withoutText says what becomes of the gain if this change alone is left out.
func (c *Change) withoutText() string {
	switch {
	case c.Loses:
		return "loses jobs"
	case len(c.Limits) > 0:
		return "breaks a limit"
	case c.Without == nil:
		return "-"
	}
	return lostText(c.Without, c.LostLow, c.LostHigh)
}

// lostText is the part of the gain that goes, with its interval where there is one.
func lostText(lost, low, high *float64) string {
	txt := text.Fixed(100**lost, 0) + " %"
	if low == nil || high == nil {
		return txt
	}
	return fmt.Sprintf("%s (%s to %s)", txt, text.Fixed(100**low, 0), text.Fixed(100**high, 0))
}

// percent is a signed part in whole percents.
func percent(part float64) string { return text.Signed(100*part, 0) + " %" }

// leads reports whether a change is the first of those that move together: the
// figures of all of them stand beside it.
func leads(changes []Change, i int) bool {
	unit := unitOf(changes[i])
	return !slices.ContainsFunc(changes[:i], func(c Change) bool { return unitOf(c) == unit })
}

// unitOf names what moves together: a queue's capacity moves with its
// siblings', anything else alone.
func unitOf(c Change) string {
	q, is := strings.CutSuffix(c.Setting, ".capacity")
	if !is {
		return c.Setting
	}
	of := "shares of "
	if queue, label, ok := strings.Cut(q, ".accessible-node-labels."); ok {
		q, of = queue, "shares of node label "+label+" below "
	}
	return of + q[:max(strings.LastIndexByte(q, '.'), 0)]
}

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
