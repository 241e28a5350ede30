package diagnose

import (
	"fmt"
	"io"
	"strings"

	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// Limits and options that are shown; the JSON has all.
const (
	shownLimits  = 3
	shownOptions = 3
)

// Print writes the answer for people: what holds the application, who has the space, what
// would change that and what it brings.
func (o *PendingDocument) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s in %s", o.Application, o.User, o.Queue)
	if o.At != nil {
		fmt.Fprintf(&b, " at %s", text.Clock(o.At))
	}
	fmt.Fprintf(&b, ": %s\n", o.State)
	if o.PreemptedIn > 0 {
		fmt.Fprintf(&b, "preempted: %s so far, %d in the whole run\n", text.Count(o.Preempted, "container"), o.PreemptedIn)
	}
	if o.Stalled != nil {
		when := "The run has stalled by then"
		if o.At == nil || *o.Stalled > *o.At {
			when = "The run stalls at " + text.Clock(o.Stalled)
		}
		fmt.Fprintf(&b, "%s: no job can progress, and this one never completes.\n", when)
	}
	o.limits(&b)
	o.held(&b)
	o.changes(&b)
	o.next(&b)
	for _, n := range o.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// limits lists what is reached, then what is next.
func (o *PendingDocument) limits(b *strings.Builder) {
	binding, rest := 0, 0
	for i, c := range o.Causes {
		switch {
		case i == 0:
			b.WriteString("\nBlocking limits, in order:\n")
			if !c.Binding {
				b.WriteString("  none: no limit is reached; a container may be allocated at the next node heartbeat\n\nLimits, " +
					"by remaining headroom:\n")
			}
		case !c.Binding && o.Causes[i-1].Binding:
			b.WriteString("\nOther limits, by remaining headroom:\n")
		}
		if c.Binding {
			binding++
			fmt.Fprintf(b, "  %d. %s\n", binding, c.Text)
		} else if rest++; rest <= shownLimits {
			fmt.Fprintf(b, "  - %s\n", c.Text)
		}
	}
}

// held lists who has the space.
func (o *PendingDocument) held(b *strings.Builder) {
	if len(o.HeldBy) == 0 {
		return
	}
	b.WriteString("\nHeld by:\n")
	for i, h := range o.HeldBy {
		fmt.Fprintf(b, "  %s of %s in %s: %d MiB in %s", h.Application, h.User, h.Queue, h.Used,
			text.Count(h.Containers, "container"))
		if h.Reserved > 0 {
			fmt.Fprintf(b, ", %d MiB reserved", h.Reserved)
		}
		if h.Priority != 0 {
			fmt.Fprintf(b, ", priority %d", h.Priority)
		}
		if h.Pending > 0 {
			fmt.Fprintf(b, ", asks for %d MiB more", h.Pending)
		}
		b.WriteByte('\n')
		if more := h.QueueUsed - h.Guaranteed; more > 0 && (i+1 == len(o.HeldBy) || o.HeldBy[i+1].Queue != h.Queue) {
			fmt.Fprintf(b, "  %s uses %d MiB, %d MiB above its guarantee\n", h.Queue, h.QueueUsed, more)
		}
	}
	if o.short != "" {
		fmt.Fprintf(b, "  %s\n", o.short)
	}
}

// changed names changes: prefix-free keys, values, and what they take beyond a refresh.
func changed(b *strings.Builder, changes []Step) {
	for i, c := range changes {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "  %s: %s instead of %s", strings.TrimPrefix(c.Key, yarnconf.Prefix), c.Value, c.Present)
		if !strings.HasPrefix(c.Key, yarnconf.Prefix) {
			b.WriteString(" (yarn-site.xml)")
		}
		if c.Restart != "" {
			fmt.Fprintf(b, " [%s]", c.Restart)
		}
	}
	b.WriteByte('\n')
}

func (o *PendingDocument) changes(b *strings.Builder) {
	switch {
	case len(o.Options) > 0 && (o.Options[0].Helps || o.Options[0].Starts):
		what := "that helps"
		if o.Options[0].Starts {
			what = "that starts it earlier"
		}
		fmt.Fprintf(b, "\nChange %s (simulated from %s on):\n", what, text.Clock(o.At))
		for i, x := range o.Options[:min(len(o.Options), shownOptions)] {
			if i == 1 {
				b.WriteString("Or:\n")
			}
			changed(b, x.Changes)
			o.option(b, &x)
		}
	case len(o.Changes) > 0:
		how := "computed from these figures, not simulated"
		if o.Tried {
			how = "tested on a copy of the scheduler"
		}
		what := "that would start it"
		switch {
		case o.Then != "":
			what = "that lifts the limits"
		case len(o.Options) > 0:
			what = "that allocates a container"
		}
		fmt.Fprintf(b, "\nSmallest change %s (%s):\n", what, how)
		changed(b, o.Changes)
		if o.Then != "" {
			fmt.Fprintf(b, "  After this change it is still pending: %s.\n", o.Then)
		}
		if o.Room > 0 {
			fmt.Fprintf(b, "  Preemption then makes room in about %.0f s.\n", o.Room)
		}
		if len(o.Options) > 0 {
			o.option(b, &o.Options[0])
			b.WriteString("  It does no more than that: the application completes no earlier to speak of.\n")
		}
	case o.Passes && o.Room > 0:
		fmt.Fprintf(b, "\nPreemption makes room in about %.0f s; no configuration change would shorten it.\n", o.Room)
	case o.Passes:
		b.WriteString("\nTransient; no configuration change would shorten it.\n")
	case o.Node != nil:
		in := ""
		if o.Node.Partition != "" {
			in = " labelled " + o.Node.Partition
		}
		fmt.Fprintf(b, "\nNo configuration change helps; another node%s with %d MiB and %s would.\n", in, o.Node.Memory,
			Cores(o.Node.VCores))
	case len(o.Causes) > 0 && o.Causes[0].Binding && !Settled(o.Causes[0].Cause):
		b.WriteString("\nNo configuration change is known that would start it.\n")
	}
}

// option says what a change brings, and the price.
func (o *PendingDocument) option(b *strings.Builder, x *optionJSON) {
	never := func(s *float64) string {
		if s == nil {
			return "never"
		}
		return text.Clock(s)
	}
	b.WriteString("    ")
	if o.Next != nil {
		fmt.Fprintf(b, "next container at %s, ", never(x.Next))
	}
	if x.Starts && o.Next != nil {
		fmt.Fprintf(b, "%s instead of %d at %s,\n    ", text.Count(x.Held, "container"), x.Without, never(o.Next.Median))
	}
	fmt.Fprintf(b, "complete at %s instead of %s", never(x.Completion), never(o.Completion))
	switch {
	case x.Slowed == "" && x.Others > -0.5:
		b.WriteString("; no other application is slowed\n")
	case x.Slowed == "":
		fmt.Fprintf(b, "; others %.0f s earlier on average\n", -x.Others)
	case x.Others >= 0:
		fmt.Fprintf(b, ";\n    others %.0f s later on average, %s by %.0f s\n", x.Others, x.Slowed, x.SlowedBy)
	default:
		fmt.Fprintf(b, ";\n    others %.0f s earlier on average, %s later by %.0f s\n", -x.Others, x.Slowed, x.SlowedBy)
	}
}

func (o *PendingDocument) next(b *strings.Builder) {
	n := o.Next
	if n == nil {
		return
	}
	if o.Source != "simulation" {
		fmt.Fprintf(b, "\nWithout a change it starts in %s (90 %% interval %s to %s; %d runs from the time of the "+
			"download).\n", text.Clock(n.Median), text.Clock(n.Low), text.Clock(n.High), n.Runs)
		if n.With != nil {
			fmt.Fprintf(b, "With the change it starts in %s.\n", text.Clock(n.With))
		}
		return
	}
	switch {
	case n.Median == nil:
		fmt.Fprintf(b, "\nWithout a change it gets no further container in most of %d runs.\n", n.Runs)
	case n.High == nil:
		fmt.Fprintf(b, "\nWithout a change it gets its next container at %s, in some of %d runs never.\n",
			text.Clock(n.Median), n.Runs)
	case n.Runs < 2:
		fmt.Fprintf(b, "\nWithout a change it gets its next container at %s (one run).\n", text.Clock(n.Median))
	default:
		fmt.Fprintf(b, "\nWithout a change it gets its next container at %s (5 to 95 %% of %d runs: %s to %s).\n",
			text.Clock(n.Median), n.Runs, text.Clock(n.Low), text.Clock(n.High))
	}
}
