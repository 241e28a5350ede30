package diagnose

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/template"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
)

// PendingDocument is the document of tune why.
type PendingDocument struct {
	Schema      string         `json:"schema"`
	Application string         `json:"application"`
	User        string         `json:"user"`
	Queue       string         `json:"queue"`
	Source      string         `json:"source"` // simulation, cluster or folder
	At          *float64       `json:"at_s"`
	State       string         `json:"state"`
	Causes      []causeJSON    `json:"causes"`
	Changes     []Step         `json:"changes"`
	Then        string         `json:"then,omitempty"` // the limit that blocks it with the changes
	Node        *NewNode       `json:"node"`
	Passes      bool           `json:"passes"` // the cause is transient
	Tried       bool           `json:"tried"`
	Next        *NextContainer `json:"next_container"` // null: not known
	Notes       []string       `json:"notes"`
	HeldBy      []holderJSON   `json:"held_by,omitempty"` // who has what it waits for, the largest first
	Completion  *float64       `json:"completion_s,omitempty"`
	Stalled     *float64       `json:"stalled_s,omitempty"` // from when on nothing can progress
	Preempted   int            `json:"preempted_containers,omitempty"`
	PreemptedIn int            `json:"preempted_in_all,omitempty"` // in the whole run
	Room        float64        `json:"room_in_s,omitempty"`        // when preemption has made room, with the changes
	Options     []optionJSON   `json:"options,omitempty"`
	Short       string         `json:"-"` // guarantee of the queue that is not used
}

type holderJSON struct {
	Application string `json:"application"`
	User        string `json:"user"`
	Queue       string `json:"queue"`
	Priority    int32  `json:"priority"`
	Containers  int    `json:"containers"`
	Used        int64  `json:"used_mib"`
	Cores       int64  `json:"used_vcores,omitempty"` // where the scheduler looks at cores
	Reserved    int64  `json:"reserved_mib,omitempty"`
	Pending     int64  `json:"pending_mib,omitempty"`
	QueueUsed   int64  `json:"queue_used_mib"`
	Guaranteed  int64  `json:"queue_guaranteed_mib"`
}

// optionJSON is a change that was tried in the simulated run.
type optionJSON struct {
	*Option
	Next       *float64 `json:"next_container_s"`
	Completion *float64 `json:"completion_s"`
	Others     float64  `json:"others_later_s"` // on average
	Slowed     string   `json:"slowed_most,omitempty"`
	SlowedBy   float64  `json:"slowed_by_s,omitempty"`
}

type causeJSON struct {
	*Cause
	Text  string `json:"text"`
	Limit int64  `json:"limit_mib,omitempty"`
	Used  int64  `json:"used_mib,omitempty"`
	Asked int64  `json:"asked_mib,omitempty"`
	Free  int64  `json:"free_mib,omitempty"`
	Count *int   `json:"count"`
	Most  *int   `json:"limit_count"`
}

// NextContainer is when the next container comes: seconds since the start of the run, of a
// cluster from the moment of the download.
type NextContainer struct {
	Median *float64 `json:"median_s"` // null: in no run
	Low    *float64 `json:"low_s"`    // 5 %
	High   *float64 `json:"high_s"`   // 95 %; null: in some runs never
	Runs   int      `json:"runs"`     // in which the application stood as in the first
	With   *float64 `json:"with_changes_s"`
}

// When returns when the application gets its next container.
func (rep *Report) When() *NextContainer {
	n := &NextContainer{Runs: len(rep.Next)}
	quantile := func(p float64) *float64 { return rep.seconds(rep.Next[int(math.Round(p*float64(len(rep.Next)-1)))]) }
	n.Median, n.Low, n.High, n.With = quantile(0.5), quantile(0.05), quantile(0.95), nil
	if len(rep.Options) > 0 {
		n.With = rep.seconds(rep.Options[0].Next)
	}
	return n
}

// Document returns the document of tune why.
func (a *PendingAnswer) Document() *PendingDocument {
	st := &a.Standing
	out := &PendingDocument{Schema: text.SchemaWhy, Application: st.Name, User: st.User, Queue: st.Queue,
		State:  StageText(st),
		Causes: []causeJSON{}, Changes: []Step{}, Passes: a.Passes, Tried: true, Node: a.Node, Notes: []string{}}
	for i := range a.Causes {
		c := &a.Causes[i]
		j := causeJSON{Cause: c, Text: c.Text(), Limit: c.Limit.Memory, Used: c.Used.Memory, Asked: c.Asked.Memory,
			Free: c.Free.Memory}
		if c.Counts {
			j.Count, j.Most = &c.Count, &c.Most
		}
		out.Causes = append(out.Causes, j)
	}
	out.Changes = append(out.Changes, a.Changes...)
	out.Room = float64(a.In) / 1000
	out.holders(a)
	if a.Then != nil {
		out.Then = a.Then.Text()
	}
	return out
}

// mostHolders bounds the holders that are listed.
const mostHolders = 5

// holders lists who has what the application waits for: in the queue whose limit is
// reached, or of all nodes.
func (o *PendingDocument) holders(a *PendingAnswer) {
	st := &a.Standing
	if len(a.Causes) == 0 || !a.Causes[0].Binding || !is(a.Causes[0].Kind, "held") && !ofSpace(a.Causes[0].Kind) {
		return
	}
	c := &a.Causes[0]
	var list []capacity.Holding
	for _, h := range st.Holders {
		inside := c.Kind != KindQueueMaximum || strings.HasPrefix(h.Queue+".", c.Queue+".")
		inside = inside && (c.Kind != KindMastersQueue || h.Queue == st.Queue)
		own := c.Kind != KindUserLimit && c.Kind != KindMastersUser || h.User == st.User && h.Queue == st.Queue
		if h.App != st.App && inside && own {
			list = append(list, h)
		}
	}
	held := func(h *capacity.Holding) int64 { return h.Used.Memory + h.Reserved.Memory }
	slices.SortStableFunc(list, func(a, b capacity.Holding) int { return cmp.Compare(held(&b), held(&a)) })
	for _, h := range list[:min(len(list), mostHolders)] {
		cores := h.Used.VCores
		if !st.Dominant {
			cores = 0
		}
		o.HeldBy = append(o.HeldBy, holderJSON{h.Name, h.User, h.Queue, h.Priority, h.Containers, h.Used.Memory, cores,
			h.Reserved.Memory, h.Pending.Memory, h.QueueUsed.Memory, h.QueueShare.Memory})
	}
	if l := st.Levels; len(l) > 0 && st.Stage == capacity.Active && l[0].Used.Memory < l[0].Guaranteed.Memory && (!st.Dominant ||
		l[0].Used.VCores < l[0].Guaranteed.VCores) {
		o.Short = fmt.Sprintf("%s uses %s of the %s guaranteed to it", st.Queue, c.size(l[0].Used), c.size(l[0].Guaranteed))
	}
}

// Document returns the document of tune why in a simulation.
func (rep *Report) Document(jobs []simcore.Job) *PendingDocument {
	out := rep.Answer.Document()
	out.Source, out.At, out.Completion = "simulation", rep.seconds(rep.At), rep.seconds(rep.End)
	out.Preempted, out.PreemptedIn = rep.Preempted[0], rep.Preempted[1]
	if rep.Stalled != nil {
		out.Stalled = rep.seconds(rep.Stalled.At)
	}
	if k := out.Causes[0].Kind; len(rep.Next) > 0 && (!Settled(k) || k == KindNone) {
		out.Next = rep.When()
	}
	if len(out.Causes) > 0 && out.Causes[0].Binding {
		out.Notes = append(out.Notes, rep.Idle...)
	}
	out.Notes = append(out.Notes, rep.Notes...)
	if rep.Submitted > rep.At {
		out.State = "rejected at submission"
	}
	for i := range rep.Options {
		o := &rep.Options[i]
		j := optionJSON{Option: o, Next: rep.seconds(o.Next), Completion: rep.seconds(o.End), Others: o.Others.Seconds()}
		if o.SlowedBy > 0 {
			j.Slowed, j.SlowedBy = jobs[o.Slowed].ID, o.SlowedBy.Seconds()
		}
		out.Options = append(out.Options, j)
	}
	return out
}

// seconds returns an instant in seconds from the report's zero, nil for simcore.Never.
func (rep *Report) seconds(t simcore.Time) *float64 {
	if t == simcore.Never {
		return nil
	}
	return Seconds(t - rep.zero)
}

// Seconds returns a time in seconds, nil for simcore.Never.
func Seconds(t simcore.Time) *float64 {
	if t == simcore.Never {
		return nil
	}
	v := t.Seconds()
	return &v
}

//go:embed why.tmpl
var whyText string

// optionText is an option with what it is compared with.
type optionText struct {
	*PendingDocument
	X optionJSON
}

var whyTemplate = text.Table(whyText, template.FuncMap{
	"cores": plural[int64], "short": explainShort, "price": optionJSON.price,
	"inc":    func(i int) int { return i + 1 },
	"option": func(o *PendingDocument, x optionJSON) optionText { return optionText{o, x} },
	"later":  func(t, at *float64) bool { return at == nil || *t > *at },
	"helps": func(o *PendingDocument) bool {
		return len(o.Options) > 0 && (o.Options[0].Helps || o.Options[0].Starts)
	},
	"when": (*PendingDocument).when,
	"binding": func(all []causeJSON, binding bool) (out []causeJSON) {
		for _, c := range all {
			if c.Binding == binding {
				out = append(out, c)
			}
		}
		return out
	},
	// above is what a queue uses beyond its guarantee, told once, after its last holder.
	"above": func(list []holderJSON, i int) int64 {
		if i+1 < len(list) && list[i+1].Queue == list[i].Queue {
			return 0
		}
		return max(list[i].QueueUsed-list[i].Guaranteed, 0)
	},
	"unsettled": func(o *PendingDocument) bool {
		return len(o.Causes) > 0 && o.Causes[0].Binding && !Settled(o.Causes[0].Kind)
	},
})

// Print writes the answer for people: what holds the application, who has the space, what
// would change that and what it brings.
func (o *PendingDocument) Print(w io.Writer) error { return printPage(w, whyTemplate, o) }

// when is an instant of the run, or how long after the download of a cluster it is.
func (o *PendingDocument) when(t *float64) string {
	if t == nil {
		return text.Clock(t)
	}
	if o.At == nil {
		return "in " + text.Clock(t)
	}
	return "at " + text.Clock(t)
}

// price says what a change costs the others.
func (x optionJSON) price() string {
	switch {
	case x.Slowed == "" && x.Others > -0.5:
		return "; no other application is slowed"
	case x.Slowed == "":
		return "; others " + text.Duration(-x.Others) + " earlier on average"
	case x.Others >= 0:
		return fmt.Sprintf(";\n    others %s later on average, %s by %s", text.Duration(x.Others), x.Slowed,
			text.Duration(x.SlowedBy))
	}
	return fmt.Sprintf(";\n    others %s earlier on average, %s later by %s", text.Duration(-x.Others), x.Slowed,
		text.Duration(x.SlowedBy))
}
