package timeofday

import (
	"fmt"
	"io"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// Print writes the report.
func (r *Report) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n%d whole days in %s, %d of them held out; %d search runs\n", r.Verdict, r.Days, r.Zone,
		r.HeldOut, r.Runs)
	tw := text.New(w)
	r.printRhythm(tw)
	fmt.Fprintf(tw, "\nconfiguration, mean over held-out days\t%s\tlimits\tjobs lost\n", r.Objective)
	for i := range r.Files {
		f := &r.Files[i]
		kept := "met"
		if !f.Keeps {
			kept = "exceeded"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", f.Name, text.Amount(f.Value(r.Objective), simcore.MetricOf(r.Objective).Unit),
			kept, text.Plain(f.Lost))
	}
	if len(r.Against) > 0 {
		fmt.Fprintf(tw, "\ngain of two configurations over\tgain\t%.0f %% interval\tinterval over days only\n",
			100*r.Against[0].Level)
		for i := range r.Against {
			g := &r.Against[i]
			interval := text.Signed(100*g.Low, 1) + " to " + text.Signed(100*g.High, 1)
			if g.Unknown {
				interval = "unknown"
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s to %s\n", g.Over, text.SignedPercent(g.Mean), interval,
				text.Signed(100*g.DaysLow, 1), text.Signed(100*g.DaysHigh, 1))
		}
	}
	r.printChanges(tw)
	if err := tw.Flush(); err != nil {
		return err
	}
	for i := range r.Limits {
		l := &r.Limits[i]
		if !l.Kept {
			fmt.Fprintf(w, "\nlimit not met on average of the held-out days: %s, exceeded by %s", l.Text,
				text.SignedPercent(l.Beyond))
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "\nnote: %s", n)
	}
	if len(r.Notes) > 0 {
		fmt.Fprintln(w)
	}
	return nil
}

// printRhythm writes the tests and the profile by hours, in eight parts of the day.
func (r *Report) printRhythm(tw io.Writer) {
	fmt.Fprintf(tw, "\ndemand by queue, relative to its mean, from\t00\t03\t06\t09\t12\t15\t18\t21\tsame phase every "+
		"day\tp\n")
	for i := range r.Rhythm.Queues {
		q := &r.Rhythm.Queues[i]
		fmt.Fprintf(tw, "%s", q.Queue)
		for h := 0; h < 24; h += 3 {
			fmt.Fprintf(tw, "\t%.1f", (q.Profile[h]+q.Profile[h+1]+q.Profile[h+2])/3)
		}
		fmt.Fprintf(tw, "\t%.0f %%\t%.2g\n", 100*q.Coherence, q.P)
	}
	fmt.Fprintf(tw, "weekends differ from workdays: p = %.2g\n", r.Rhythm.Weekend)
	for _, s := range r.Switches {
		which := "first"
		if s.File == 1 {
			which = "second"
		}
		fmt.Fprintf(tw, "the %s configuration becomes active at %s\n", which, strings.TrimSpace(s.Days+" "+s.Time))
	}
}

func (r *Report) printChanges(tw io.Writer) {
	if len(r.Changes) == 0 {
		return
	}
	fmt.Fprint(tw, "\nchange\tcurrent")
	if len(r.Changes[0].Values) == 2 {
		for _, s := range r.Switches {
			fmt.Fprintf(tw, "\tfrom %s", strings.TrimSpace(s.Days+" "+s.Time))
		}
	} else {
		fmt.Fprint(tw, "\tsingle")
	}
	fmt.Fprintln(tw)
	for _, c := range r.Changes {
		fmt.Fprintf(tw, "%s\t%s", strings.TrimPrefix(c.Property, yarnconf.Prefix), text.Or(c.Present, "not set"))
		if len(c.Values) == 2 {
			for _, s := range r.Switches {
				fmt.Fprintf(tw, "\t%s", text.Or(c.Values[s.File], "not set"))
			}
		} else {
			fmt.Fprintf(tw, "\t%s", text.Or(c.Values[0], "not set"))
		}
		fmt.Fprintln(tw)
	}
}
