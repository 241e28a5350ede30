package diagnose

import (
	"cmp"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// causes.txt has what is common to the causes of a kind, one KIND FLAGS: TEXT a line; {} hold what
// fields fills in. KIND/CASE is another text of a kind. Flags: settled, nothing of the scheduler's
// holds the application and no setting is behind it; cluster, it has no queue; capacity, an application
// may meet it since its leaf is guaranteed nothing; passes, it ends by itself, without a container of
// another ending first; space, it ends when containers of others do, or with time; held, others hold what
// is limited; nowhere, no other limit counts.
//
//go:embed causes.txt
var causesText string

// sentences are the texts by kind, flags those of kinds.
var sentences, flags = func() (said, flags map[string]string) {
	said, flags = map[string]string{}, map[string]string{}
	for line := range strings.Lines(causesText) {
		head, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		kind, list, _ := strings.Cut(head, " ")
		said[kind], flags[kind] = text, list
	}
	return said, flags
}()

func is(kind, flag string) bool { return strings.Contains(flags[kind], flag) }

// Settled reports whether a kind of cause is one that no setting is behind: nothing of
// the scheduler's holds the application.
func Settled(kind string) bool { return is(kind, "settled") }

// passes reports whether a cause ends by itself, without a container of another ending first.
func passes(kind string) bool { return is(kind, "passes") }

// ofSpace reports whether a cause ends when containers of others do, or with time.
func ofSpace(kind string) bool { return is(kind, "space") }

// Text says a cause in one sentence with its figures.
func (c *Cause) Text() string {
	said, known := sentences[c.Kind]
	switch {
	case !known:
		return strings.ReplaceAll(c.Kind, "-", " ")
	case c.Kind == KindOrder && c.BlockerPriority > c.Priority:
		said = sentences[KindOrder+"/priority"]
	case c.Kind == KindNoNodes && c.Partition == "":
		said = sentences[KindNoNodes+"/none"]
	case c.Kind == KindNoRoom && !c.Binding:
		said = sentences[KindNoRoom+"/left"]
	case c.Kind == KindNoRoom && c.Limit.Memory == 0:
		said = sentences[KindNoRoom+"/unknown"]
	}
	if said = c.fields().Replace(said); c.Bare != "" && c.Reason != "" {
		said += "; " + c.Reason
	}
	return said
}

// fields are what sentences name.
func (c *Cause) fields() *strings.Replacer {
	in, labelled := "", ""
	if c.Partition != "" {
		in, labelled = " on nodes labelled "+c.Partition, " labelled "+c.Partition
	}
	over, why, refuses := "", "", ""
	if c.Binding {
		refuses = ", no more are accepted"
	}
	if c.Reason != "" {
		why = "; " + c.Reason
	}
	if c.Used.Memory > c.Limit.Memory || c.Cores && c.Used.VCores > c.Limit.VCores {
		over = ", which the last container may exceed"
	}
	number := strconv.Itoa
	return strings.NewReplacer("{queue}", c.Queue, "{user}", c.User, "{blocker}", c.Blocker, "{reason}", c.Reason,
		"{partition}", c.Partition, "{over}", over, "{in}", in, "{labelled}", labelled,
		"{used}", c.size(c.Used), "{limit}", c.size(c.Limit), "{asked}", c.size(c.Asked), "{free}", c.size(c.Free), "{size}",
		c.size(c.MarkedSize),
		"{count}", number(c.Count), "{applications}", text.Count(c.Count, "application"), "{most}", number(c.Most),
		"{nodes}", number(c.Nodes), "{of}", number(c.Of), "{marked}", number(c.Marked), "{containers}", text.Count(c.Marked, "container"),
		"{theirs}", fmt.Sprint(c.BlockerPriority), "{own}", fmt.Sprint(c.Priority), "{seconds}",
		fmt.Sprint((c.KillIn+999)/1000),
		"{reserved}", c.part(c.Reserved, "of it reserved"), "{kept}", c.part(c.Kept, "of it on reserved nodes"),
		"{node}", cmp.Or(c.Node, "a node"), "{why}", why,
		"{away}", c.away(), "{refuses}", refuses)
}

// amount renders a size, with cores where the scheduler looks at them.
func amount(r yarnconf.Resource, cores bool) string {
	if cores {
		return fmt.Sprintf("%d MiB and %s", r.Memory, plural(r.VCores, "vcore"))
	}
	return fmt.Sprintf("%d MiB", r.Memory)
}

// size renders a resource by what the scheduler looks at.
func (c *Cause) size(r yarn.Resource) string { return amount(yarnconf.Resource(r), c.Cores) }

// part names a part of a quantity; nothing where it is zero.
func (c *Cause) part(r yarn.Resource, what string) string {
	if r == (yarn.Resource{}) {
		return ""
	}
	return " (" + c.size(r) + " " + what + ")"
}

// StageText says how far an application has come.
func StageText(st *capacity.Standing) string {
	switch s := st.Stage; {
	case s == capacity.HeldBack:
		return "ACCEPTED, not admitted to its queue"
	case s == capacity.Waiting:
		return "ACCEPTED, its application master is not allowed to start"
	case s == capacity.Over:
		return "over"
	case !st.HasMaster:
		return "ACCEPTED, its application master waits for a container"
	case st.Launching:
		return "ACCEPTED, its application master is being started"
	}
	return "RUNNING"
}

// away lists nodes that would have space and give none.
func (c *Cause) away() string {
	s := ""
	if c.Draining > 0 {
		s += fmt.Sprintf("; nodes being decommissioned: %d", c.Draining)
	}
	if c.Gone > 0 {
		s += fmt.Sprintf("; nodes lost or unhealthy: %d", c.Gone)
	}
	return s
}
