package diagnose

import (
	"fmt"
	"io"
	"math"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore"
)

// PendingDocument is the document of tune why.
type PendingDocument struct {
	Schema      string           `json:"schema"`
	Application string           `json:"application"`
	User        string           `json:"user"`
	Queue       string           `json:"queue"`
	Source      string           `json:"source"` // simulation, cluster or folder
	At          *float64         `json:"at_s"`
	State       string           `json:"state"`
	Causes      []causeJSON      `json:"causes"`
	Changes     []StartingChange `json:"changes"`
	Then        string           `json:"then,omitempty"` // the limit that blocks it with the changes
	Node        *nodeJSON        `json:"node"`
	Passes      bool             `json:"passes"` // the cause is transient
	Tried       bool             `json:"tried"`
	Next        *NextContainer   `json:"next_container"` // null: not known
	Notes       []string         `json:"notes"`
}

type causeJSON struct {
	Cause     string `json:"cause"`
	Binding   bool   `json:"binding"`
	Text      string `json:"text"`
	Queue     string `json:"queue,omitempty"`
	User      string `json:"user,omitempty"`
	Partition string `json:"partition,omitempty"`
	Blocker   string `json:"blocker,omitempty"`
	Property  string `json:"property,omitempty"`
	Limit     int64  `json:"limit_mib,omitempty"`
	Used      int64  `json:"used_mib,omitempty"`
	Asked     int64  `json:"asked_mib,omitempty"`
	Free      int64  `json:"free_mib,omitempty"`
	Count     *int   `json:"count"`
	Most      *int   `json:"limit_count"`
	Nodes     int    `json:"nodes,omitempty"`
	Of        int    `json:"of_nodes,omitempty"`
	Draining  int    `json:"decommissioning_nodes,omitempty"`
	Gone      int    `json:"lost_nodes,omitempty"`
	Marked    int    `json:"marked_containers,omitempty"`
}

type StartingChange struct {
	Property string `json:"property"`
	Present  string `json:"present"`
	Value    string `json:"value"`
	Needs    string `json:"needs,omitempty"`
}

type nodeJSON struct {
	Partition string `json:"partition"`
	Memory    int64  `json:"memory_mib"`
	VCores    int64  `json:"vcores"`
}

// NextContainer is when the next container comes: seconds since the start of the run, for a
// pulled folder from the moment of the pull.
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
	quantile := func(p float64) *float64 { return Seconds(rep.Next[int(math.Round(p*float64(len(rep.Next)-1)))]) }
	n.Median, n.Low, n.High, n.With = quantile(0.5), quantile(0.05), quantile(0.95), Seconds(rep.With)
	return n
}

// Document returns the document of tune why.
func (a *PendingAnswer) Document() *PendingDocument {
	st := &a.Standing
	out := &PendingDocument{Schema: text.SchemaWhy, Application: st.Name, User: st.User, Queue: st.Queue,
		State:  StageText(st),
		Causes: []causeJSON{}, Changes: []StartingChange{}, Passes: a.Passes, Tried: a.Tried, Notes: []string{}}
	for i := range a.Causes {
		c := &a.Causes[i]
		j := causeJSON{Cause: c.Kind, Binding: c.Binding, Text: c.Text(), Queue: c.Queue, User: c.User,
			Partition: c.Partition, Blocker: c.Blocker, Property: c.Property,
			Limit: c.Limit.Memory, Used: c.Used.Memory, Asked: c.Asked.Memory, Free: c.Free.Memory, Nodes: c.Nodes, Of: c.Of,
			Draining: c.Draining, Gone: c.Gone, Marked: c.Marked}
		if c.Counts {
			j.Count, j.Most = &c.Count, &c.Most
		}
		out.Causes = append(out.Causes, j)
	}
	for _, c := range a.Changes {
		out.Changes = append(out.Changes, StartingChange{c.Key, c.Present, c.Value, c.Restart})
	}
	if a.Then != nil {
		out.Then = a.Then.Text()
	}
	if n := a.Node; n != nil {
		out.Node = &nodeJSON{n.Partition, n.Size.Memory, n.Size.VCores}
	}
	return out
}

// Print writes the answer.
func (o *PendingDocument) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s in %s", o.Application, o.User, o.Queue)
	if o.At != nil {
		fmt.Fprintf(&b, " at %s", text.Clock(o.At))
	}
	fmt.Fprintf(&b, ": %s\n", o.State)
	binding := 0
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
			fmt.Fprintf(&b, "  %d. %s\n", binding, c.Text)
		} else {
			fmt.Fprintf(&b, "  - %s\n", c.Text)
		}
	}
	o.changes(&b)
	o.next(&b)
	for _, n := range o.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (o *PendingDocument) changes(b *strings.Builder) {
	switch {
	case len(o.Changes) > 0:
		how := "computed from these figures, not simulated"
		if o.Tried {
			how = "tested on a copy of the scheduler"
		}
		what := "that would start it"
		if o.Then != "" {
			what = "that lifts the limits"
		}
		fmt.Fprintf(b, "\nSmallest change %s (%s):\n", what, how)
		for _, c := range o.Changes {
			fmt.Fprintf(b, "  %s: %s instead of %s", c.Property, c.Value, c.Present)
			if c.Needs != "" {
				fmt.Fprintf(b, " [%s]", c.Needs)
			}
			b.WriteByte('\n')
		}
		if o.Then != "" {
			fmt.Fprintf(b, "  After this change it is still pending: %s.\n", o.Then)
		}
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
	if n.With != nil {
		fmt.Fprintf(b, "With the change it gets it at %s.\n", text.Clock(n.With))
	}
}

// Seconds returns a time in seconds, nil for simcore.Never.
func Seconds(t simcore.Time) *float64 {
	if t == simcore.Never {
		return nil
	}
	v := t.Seconds()
	return &v
}
