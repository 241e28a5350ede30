package report

import (
	"fmt"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// limit is a constraint as it is shown: one that is kept for several queues stands for all of these.
type limit struct {
	tune.ConstraintResult
	queues int // 0 = of one constraint
}

// ForAll reports whether the limit is kept for all queues: the table by queue has its figures.
func (l limit) ForAll() bool { return l.queues > 0 }

// limits are the constraints of the best found, the broken ones first; those that hold for every queue and
// are kept are one, kept surely if all of them are.
func (sum *Summary) limits() []limit {
	var broken, kept []limit
	at := map[string]int{}
	for _, c := range sum.found().Constraints {
		says := forQueues(c)
		i, seen := at[says]
		switch {
		case !c.Kept:
			broken = append(broken, limit{ConstraintResult: c})
		case says == "":
			kept = append(kept, limit{ConstraintResult: c})
		case seen:
			kept[i].queues++
			kept[i].Sure = kept[i].Sure && c.Sure
		default:
			at[says] = len(kept)
			c.Text = says
			kept = append(kept, limit{c, 1})
		}
	}
	return append(broken, kept...)
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
	if l.ForAll() {
		on := ""
		if sum.apart() {
			on = " on average over similar workloads"
		}
		return fmt.Sprintf("%s: kept for %s%s (--protect off removes it)", l.Text, text.CountAs(l.queues, "queue with jobs",
			"queues with jobs"), on)
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
