package accuracy

import (
	"fmt"
	"io"
	"math"
	"strings"

	"schedtune/internal/text"
)

const verifyMostRows = 10

// Print writes the report for people: the advice first.
func (r *ChangeReport) Print(w io.Writer) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	p("%s", r.Headline())
	if r.Gain != nil {
		p("\n%-12s %s: %s", "came", r.Objective, r.Gain.text())
	}
	if r.Promised != nil {
		p("%s", strings.TrimSpace(fmt.Sprintf("%-12s %s: %s %s", "promised", r.Objective, r.Promised.text(),
			heldText(r.Held))))
	}
	p("\n%-44s %12s %12s", "", "before", "after")
	row := func(name, format string, a, b any) {
		p("%-44s %12s %12s", name, fmt.Sprintf(format, a), fmt.Sprintf(format, b))
	}
	row("jobs", "%d", r.Before.Jobs, r.After.Jobs)
	row("jobs compared", "%d", r.Before.Compared, r.After.Compared)
	row("jobs failed, killed or refused", "%d", r.Before.Lost, r.After.Lost)
	row("hours", "%.1f", r.Before.Hours, r.After.Hours)
	row("jobs per hour", "%.1f", r.Before.PerHour, r.After.PerHour)
	row("task-seconds per hour", "%.0f", r.Before.Work, r.After.Work)
	of := func(s *Side, v float64) string { // nothing is known of a period without jobs
		if s.Compared == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", v)
	}
	row(r.Objective+", recorded", "%s", of(&r.Before, r.Before.Recorded), of(&r.After, r.After.Recorded))
	row(r.Objective+", simulated under the old file", "%s", of(&r.Before, r.Before.Simulated),
		of(&r.After, r.After.Simulated))
	p("%-44s %12s %12s", r.Objective+", simulated under the new file", "", of(&r.After, r.After.New))
	if m := r.Match; m.Classes > 0 {
		p("%-44s %12.1f %12.1f", fmt.Sprintf("mean completion of alike jobs (%d classes), s", m.Classes), m.Was, m.Now)
	}
	p("\nTo meet the period before, the simulation multiplies task times by %.3f; it does so in both periods.", r.Factor)
	r.printQueues(p)
	if r.After.Compared == 0 {
		return
	}
	p("\nsimulator: the period after under the new file %28s %10s %8s %14s", "recorded", "simulated", "error",
		"error before")
	for i, d := range r.Wrong {
		if i == verifyMostRows {
			p("  and %d more", len(r.Wrong)-i)
			break
		}
		was := "-"
		if d.Before != nil {
			was = text.SignedPercent(*d.Before)
		}
		p("  %-58s %14.1f %10.1f %8s %14s", d.What, d.Recorded, d.Simulated, text.SignedPercent(d.Error), was)
	}
}

// Headline is the advice with its reason in one line.
func (r *ChangeReport) Headline() string {
	s := string(r.Advice)
	if r.WaitHours != nil {
		s += fmt.Sprintf(": %s more hours tell", strings.TrimSuffix(fmt.Sprintf("%.1f", *r.WaitHours), ".0"))
	}
	return s + ": " + r.Reason
}

func (g *Gain) text() string {
	a, b := -100*g.Low, -100*g.High
	return fmt.Sprintf("%s (%.0f %% interval %s to %s)", text.SignedPercent(-g.Mean), 100*g.Level,
		endText(math.Min(a, b)), endText(math.Max(a, b)))
}

// endText is the end of an interval in percent; beyond known it tells no more than
// its direction.
func endText(v float64) string {
	const known = 1000
	switch {
	case v >= known:
		return fmt.Sprintf("+%d or more", known)
	case v <= -known:
		return fmt.Sprintf("%d or less", -known)
	}
	return text.Signed(v, 1)
}

func (p *Promise) text() string {
	return (&Gain{Mean: p.Gain, Low: p.Low, High: p.High, Level: p.Level}).text()
}

func heldText(held *bool) string {
	switch {
	case held == nil:
		return ""
	case *held:
		return "(the intervals overlap)"
	}
	return "(the intervals do not overlap)"
}

func (r *ChangeReport) printQueues(p func(string, ...any)) {
	if len(r.Queues) < 2 {
		return
	}
	p("\n%-32s %8s %8s  %s", "mean completion by queue", "before", "after", "what came")
	for i, q := range r.Queues {
		if i == verifyMostRows {
			p("  and %d more", len(r.Queues)-i)
			return
		}
		text := "too little data"
		if q.Gain != nil {
			text = q.Gain.text()
		}
		if q.Worse {
			text += ", worse"
		}
		p("  %-30s %8d %8d  %s", q.Queue, q.Before, q.After, text)
		if q.Promised != nil {
			apart := ""
			if q.Held != nil && !*q.Held {
				apart = " " + heldText(q.Held)
			}
			p("%50s  promised: %s%s", "", q.Promised.text(), apart)
		}
	}
}
