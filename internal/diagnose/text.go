package diagnose

import (
	"fmt"
	"strconv"
	"strings"

	"schedtune/yarnconf"
)

// Text writes the answer for people, within 100 columns but for long names.
func (a *LimitsAnswer) Text() string {
	var b strings.Builder
	for _, p := range a.Placed {
		b.WriteString(stepText(p) + "\n")
	}
	on := plural(int64(a.Nodes), "node")
	switch {
	case a.Label != "":
		on += " with label " + a.Label
	case len(a.Partitions) > 0:
		on += " without a label"
	}
	fmt.Fprintf(&b, "queue %s, user %s, on %s with %d MiB and %s\n", a.Queue, a.User, on, a.Total.Memory, plural(a.Total.VCores, "vcore"))
	if a.Made {
		b.WriteString("the queue is made on first use" + templateText(a.Template) + "\n")
	}
	fmt.Fprintf(&b, "guaranteed %d MiB, at most %d MiB; containers of %d MiB, application masters of %d MiB\n", a.Guaranteed.Memory, a.Most.Memory, a.Container.Memory, a.AM.Memory)
	if a.Weight != 1 {
		fmt.Fprintf(&b, "user weight %g: this user's limits are %g times those of others\n", a.Weight, a.Weight)
	}
	if l := a.Load; l != nil {
		fmt.Fprintf(&b, "trace: %s of %s in the queue, at most %d at a time; %d of this user, at most %d at a time\n", plural(int64(l.Jobs), "application"), plural(int64(l.Users), "user"), l.Peak, l.UserJobs, l.UserPeak)
	}
	table(&b, "\nlimits on growth, tightest first", "containers", a.Growth)
	table(&b, "\nlimits on running applications, tightest first", "applications", a.Running)
	a.partitions(&b)
	a.accepted(&b)
	a.idle(&b)
	a.change(&b)
	if len(a.Findings) > 0 {
		b.WriteString("\nalso:\n")
		for _, f := range a.Findings {
			b.WriteString("  " + f + "\n")
		}
	}
	return b.String()
}

func templateText(settings []yarnconf.Change) string {
	if len(settings) == 0 {
		return ""
	}
	var list []string
	for _, ch := range settings {
		list = append(list, ch.Key+" "+ch.Value)
	}
	return " with " + strings.Join(list, ", ")
}

// partitions is the table of what the queue has of each node label.
func (a *LimitsAnswer) partitions(b *strings.Builder) {
	if len(a.Partitions) == 0 {
		return
	}
	fmt.Fprintf(b, "\nnodes by label, MiB\n  %-24s %6s %12s %12s %12s %12s %12s\n", "label", "nodes", "in all", "guaranteed", "at most", "a lone user", "masters")
	for _, p := range a.Partitions {
		name := p.Label
		if name == "" {
			name = "(none)"
		} else if !p.Exclusive {
			name += " (shared)"
		}
		if !p.Access {
			fmt.Fprintf(b, "  %-24s %6d %12d %12s\n", name, p.Nodes, p.Total.Memory, "no access")
			continue
		}
		fmt.Fprintf(b, "  %-24s %6d %12d %12d %12d %12d %12d\n", name, p.Nodes, p.Total.Memory, p.Guaranteed.Memory, p.Most.Memory, p.LoneUser.Memory, p.Masters.Memory)
	}
}

func table(b *strings.Builder, title, unit string, ls []Limit) {
	what := 38
	for _, l := range ls {
		what = max(what, len(l.What))
	}
	fmt.Fprintf(b, "%s\n  %-*s %12s %9s %7s  %s\n", title, what, "limit", unit, "MiB", "cluster", "from")
	for _, l := range ls {
		mib, of := "", ""
		if l.Resource != (yarnconf.Resource{}) {
			mib, of = strconv.FormatInt(l.Resource.Memory, 10), percent(l.Share)
		}
		fmt.Fprintf(b, "  %-*s %12s %9s %7s  %s\n", what, l.What, count(l.Count), mib, of, l.origin())
	}
}

func (l Limit) origin() string {
	s := explainShort(l.Key) + " = " + l.Value
	if l.Line > 0 {
		return fmt.Sprintf("%s (line %d)", s, l.Line)
	}
	if l.Key == "nodes" {
		return s
	}
	return s + " (default)"
}

func (a *LimitsAnswer) accepted(b *strings.Builder) {
	l, ad := a.Running[0], a.Admission[0]
	b.WriteString("\nWhy is my application ACCEPTED and not running?\n")
	if a.Stopped || ad.Count == 0 {
		why := "the queue is STOPPED"
		if !a.Stopped {
			why = ad.origin()
			if !strings.HasPrefix(explainShort(ad.Key), a.Queue+".") || ad.Line == 0 {
				why = "its part of maximum-applications, by its capacity, is 0"
			}
		}
		fmt.Fprintf(b, "  It is not even accepted: the queue refuses every submission (%s).\n", why)
		return
	}
	if a.TooLarge {
		fmt.Fprintf(b, "  No node can hold an application master of %d MiB and %s: it waits for ever.\n", a.AM.Memory, plural(a.AM.VCores, "vcore"))
		return
	}
	if l.Count == Unlimited {
		b.WriteString("  No limit on running applications binds; it waits for a node with room for its master.\n")
		return
	}
	run := "run"
	if l.Count == 1 {
		run = "runs"
	}
	fmt.Fprintf(b, "  %s %s at a time: %s (%s).\n", plural(l.Count, "application"), run, l.What, l.origin())
	if l.Resource != (yarnconf.Resource{}) {
		fmt.Fprintf(b, "  Masters of %d MiB each share %d MiB; the next one waits until one ends.\n", a.AM.Memory, l.Resource.Memory)
	}
	if a.Load != nil && int64(a.Load.UserPeak) > l.Count {
		fmt.Fprintf(b, "  The trace has up to %d applications of this user at a time: up to %d wait.\n", a.Load.UserPeak, int64(a.Load.UserPeak)-l.Count)
	}
	fmt.Fprintf(b, "  Beyond %s, running and waiting, a submission is refused (%s).\n", plural(ad.Count, "application"), ad.What)
}

func (a *LimitsAnswer) idle(b *strings.Builder) {
	l := a.Growth[0]
	b.WriteString("\nWhy can't it use the idle cluster?\n")
	if l.Key == "nodes" {
		fmt.Fprintf(b, "  It can: nothing but the cluster's size (%s) bounds a lone user.\n", plural(l.Count, "container"))
	} else {
		fmt.Fprintf(b, "  Alone in the queue, the user stops at %s, %d MiB, %s of the cluster:\n  %s (%s).\n",
			plural(l.Count, "container"), l.Resource.Memory, percent(l.Share), l.What, l.origin())
	}
	for _, s := range a.Sharing[1:] {
		if s.Limit == a.Sharing[0].Limit {
			fmt.Fprintf(b, "  With %d active users in the queue that stays so: %s.\n", s.Users, a.order())
			continue
		}
		fmt.Fprintf(b, "  With %d active users in the queue, each stops at %d MiB, %s of the cluster.\n", s.Users, s.Limit.Memory, percent(s.Of))
	}
	if a.Asynchronous {
		return // no limit per heartbeat
	}
	fmt.Fprintf(b, "  Containers without locality come at most %d per node and heartbeat: %g a second at one heartbeat\n  a second.\n", a.Rate.OffSwitchPerBeat, a.Rate.PerSecond)
}

// order says who is served first among the applications of the queue.
func (a *LimitsAnswer) order() string {
	if a.Order == yarnconf.Fair {
		return "the application that holds least is served first"
	}
	return "the earlier application is served first"
}

func (a *LimitsAnswer) change(b *strings.Builder) {
	b.WriteString("\nWhat would change that?\n")
	if len(a.Advice) == 0 {
		b.WriteString("  No single setting of the queue: see the limits above.\n")
	}
	for _, ad := range a.Advice {
		b.WriteString("  " + ad.sentence() + ".\n")
	}
}

func explainShort(key string) string { return strings.TrimPrefix(key, yarnconf.Prefix) }

func percent(f float64) string { return strconv.FormatFloat(f*100, 'f', 1, 64) + " %" }

func count(n int64) string {
	if n == Unlimited {
		return "no limit"
	}
	return strconv.FormatInt(n, 10)
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return count(n) + " " + word + "s"
}
