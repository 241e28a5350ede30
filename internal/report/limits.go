package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/report/html"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// limit is a constraint as it is shown: one that is kept for several queues stands for all of these.
type limit struct {
	tune.ConstraintResult
	queues int // 0 = of one constraint
}

// limits are the constraints of the best found; those that hold for every queue and are kept are
// one, kept surely if all of them are.
func (sum *Summary) limits() (out []limit) {
	at := map[string]int{}
	for _, c := range sum.found().Constraints {
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
	slices.SortStableFunc(out, func(a, b limit) int { return cmp.Compare(kept(a), kept(b)) })
	return out
}

// kept is 1 for a limit that is kept, and 0 for one that is not, which is shown first.
func kept(l limit) int {
	if l.Kept {
		return 1
	}
	return 0
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

// limitLine tells whether a limit is kept.
func (sum *Summary) limitLine(l *limit) string {
	if l.queues > 0 {
		on := ""
		if sum.apart() {
			on = " on average over similar workloads"
		}
		return fmt.Sprintf("%s: kept for %s%s (--protect off removes it)", l.Text, text.Count(l.queues, "queue"), on)
	}
	unit := simcore.MetricOf(l.Metric).Unit
	state, of := "kept", ""
	switch {
	case !l.Kept:
		state = "NOT kept"
		now, ok := metric(sum.Present.Metrics, l.Metric)
		if l.Factor != 0 { // on the workloads of the limit
			now, ok = l.Limit/l.Factor, true
		}
		if ok {
			state += ", now " + text.Amount(now, unit)
		}
	case !l.Sure:
		state = "met on average, not at 90 % confidence"
	}
	if strings.Contains(l.Text, "present") { // the number behind a relative limit
		of = " = " + text.Amount(l.Limit, unit)
	}
	low, high := text.Pair(l.Value.Low, l.Value.High, unit)
	return fmt.Sprintf("limit %s%s: %s (%s, interval %s)", l.Text, of, state, text.Amount(l.Value.Mean, unit),
		strings.Replace(text.Arrow(low, high), " → ", " to ", 1))
}

// reportLimits shows the limits; of those that are kept for all queues the table by queue has the figures.
func reportLimits(d *html.Data, sum *Summary) {
	for _, l := range sum.limits() {
		if l.queues > 0 {
			d.Kept = append(d.Kept, sum.limitLine(&l)+".")
			continue
		}
		d.Constraints = append(d.Constraints, l.ConstraintResult)
	}
}
