package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// whyFlags are the options of tune why.
type whyFlags struct {
	liveFlags
	inputs scenario.Files
	pulled string
	at     string
	seed   uint64
	runs   int
}

func newWhyCmd(e *env) *cobra.Command {
	var f whyFlags
	c := &cobra.Command{
		Use:  "why APPLICATION",
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return ending(c.Context(), func() error { return runWhy(c.Context(), e, args[0], &f) })
		},
	}
	fs := c.Flags()
	inputFlags(fs, &f.inputs)
	cli.Group(fs, "Run", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.at, "at", "", "simulated `TIME` such as 90s, 1h5m or 3600 in seconds (default 5 s after the recorded submission)")
		replicationsFlag(fs, &f.runs, 10, 1, "simulated runs to predict the start")
		cli.Seed(fs, &f.seed, "the simulated run")
	})
	f.liveFlags.flags(fs)
	cli.Group(fs, "Cluster", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.pulled, "pull", "", "`DIR` written by tune pull, instead of --rm")
	})
	return c
}

// whyJSON is the document of tune why.
type whyJSON struct {
	Schema      string         `json:"schema"`
	Application string         `json:"application"`
	User        string         `json:"user"`
	Queue       string         `json:"queue"`
	Source      string         `json:"source"` // simulation, cluster or folder
	At          *float64       `json:"at_s,omitempty"`
	State       string         `json:"state"`
	Causes      []causeJSON    `json:"causes"`
	Changes     []startingJSON `json:"changes"`
	Then        string         `json:"then,omitempty"` // what it waits for with the changes
	Node        *nodeJSON      `json:"node,omitempty"`
	Passes      bool           `json:"passes"` // what holds it ends by itself
	Tried       bool           `json:"tried"`
	Next        *nextJSON      `json:"next_container"` // null: not known
	Notes       []string       `json:"notes"`
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
	Count     *int   `json:"count,omitempty"`
	Most      *int   `json:"limit_count,omitempty"`
	Nodes     int    `json:"nodes,omitempty"`
	Of        int    `json:"of_nodes,omitempty"`
	Draining  int    `json:"decommissioning_nodes,omitempty"`
	Gone      int    `json:"lost_nodes,omitempty"`
	Marked    int    `json:"marked_containers,omitempty"`
}

type startingJSON struct {
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

// nextJSON is when the next container comes: seconds since the start of the run, for a
// pulled folder from the moment of the pull.
type nextJSON struct {
	Median *float64 `json:"median_s"` // null: in no run
	Low    *float64 `json:"low_s"`    // 5 %
	High   *float64 `json:"high_s"`   // 95 %; null: in some runs never
	Runs   int      `json:"runs"`     // in which the application stood as in the first
	With   *float64 `json:"with_changes_s"`
}

func runWhy(ctx context.Context, e *env, app string, f *whyFlags) error {
	given := 0
	for _, on := range []bool{f.rm != "", f.pulled != "", f.inputs.Config != "" || f.inputs.Cluster != "" || len(f.inputs.Traces) > 0 || f.inputs.Embedded} {
		if on {
			given++
		}
	}
	if given > 1 {
		return cli.Usagef("%d sources: must be one of --rm, --pull, or --config, --cluster and --trace (or --embedded)", given)
	}
	var out *whyJSON
	var err error
	if f.rm != "" || f.pulled != "" {
		out, err = f.cluster(ctx, app)
	} else {
		out, err = f.simulated(ctx, e, app)
	}
	if err != nil {
		return err
	}
	if e.JSON {
		return e.WriteJSON(out)
	}
	return printWhy(e.Stdout, out)
}

// simulated answers from a simulation.
func (f *whyFlags) simulated(ctx context.Context, e *env, app string) (*whyJSON, error) {
	r, err := simulate.Load(f.inputs, "", simulate.Options{Jitter: simulate.Replications()})
	if err != nil {
		return nil, err
	}
	e.Warnings(r.Warnings)
	if f.inputs.Config == "" { // with --config the answer has the notes
		e.Notes(r.Notes...)
	}
	at, err := f.instant(r, app)
	if err != nil {
		return nil, err
	}
	rep, err := diagnose.AskSimulated(ctx, r, diagnose.Query{Job: app, At: at, Seed: f.seed, Runs: f.runs})
	if err != nil {
		return nil, err
	}
	out := whyOut(rep.Answer)
	s := rep.At.Seconds()
	out.Source, out.At, out.Application = "simulation", &s, app
	if rep.Submitted > rep.At {
		out.State = "rejected at submission"
	}
	out.Notes = append(out.Notes, r.Notes...)
	if k := out.Causes[0].Cause; len(rep.Next) > 0 && (!diagnose.Settled(k) || k == diagnose.KindNone) {
		out.Next = nextOf(rep)
	}
	return out, nil
}

// instant returns the time of --at.
func (f *whyFlags) instant(r *simulate.Runner, app string) (simcore.Time, error) {
	if f.at == "" {
		for i := range r.Work.Jobs {
			if j := &r.Work.Jobs[i]; j.ID == app {
				return j.Submit + 5*simcore.Second, nil
			}
		}
		return 0, nil
	}
	if v, err := strconv.ParseFloat(f.at, 64); err == nil && v >= 0 && v < 1e9 {
		return simcore.Time(v * float64(simcore.Second)), nil
	}
	d, err := time.ParseDuration(f.at)
	if err != nil || d < 0 {
		return 0, cli.Usagef("--at %q: must be a time since the start of the simulation, such as 90s, 1h5m or 3600", f.at)
	}
	return simcore.Time(d.Microseconds()), nil
}

func nextOf(rep *diagnose.Report) *nextJSON {
	n := &nextJSON{Runs: len(rep.Next)}
	quantile := func(p float64) *float64 { return secondsOf(rep.Next[int(math.Round(p*float64(len(rep.Next)-1)))]) }
	n.Median, n.Low, n.High, n.With = quantile(0.5), quantile(0.05), quantile(0.95), secondsOf(rep.With)
	return n
}

// cluster answers from a running or a downloaded cluster.
func (f *whyFlags) cluster(ctx context.Context, app string) (*whyJSON, error) {
	var src *diagnose.Source
	var err error
	source := "folder"
	if f.rm != "" {
		rm, e := f.resourceManager()
		if e != nil {
			return nil, e
		}
		source = "cluster"
		src, err = diagnose.Read(ctx, rm, app)
	} else {
		src, err = diagnose.Open(f.pulled)
	}
	if err != nil {
		return nil, err
	}
	st, notes, err := src.Standing(app)
	if err != nil {
		return nil, err
	}
	a := &diagnose.PendingAnswer{Standing: *st, Causes: diagnose.Sourced(src.Config, diagnose.Causes(st, func(yarn.AppID) string { return "" }))}
	if src.Config != nil {
		a.Changes = diagnose.Estimate(src.Config, st, a.Causes)
	}
	out := whyOut(a)
	out.Source, out.Application = source, app
	if f.pulled != "" && !st.HasMaster && st.Stage != capacity.Over {
		notes = append(notes, f.fromPull(ctx, out, a, app)...)
	}
	out.Notes = append(out.Notes, notes...)
	return out, nil
}

// whyOut converts an answer to the document.
func whyOut(a *diagnose.PendingAnswer) *whyJSON {
	st := &a.Standing
	out := &whyJSON{Schema: "schedtune/why/v1", Application: st.Name, User: st.User, Queue: st.Queue, State: diagnose.StageText(st),
		Causes: []causeJSON{}, Changes: []startingJSON{}, Passes: a.Passes, Tried: a.Tried, Notes: []string{}}
	for i := range a.Causes {
		c := &a.Causes[i]
		j := causeJSON{Cause: c.Kind, Binding: c.Binding, Text: c.Text(), Queue: c.Queue, User: c.User, Partition: c.Partition, Blocker: c.Blocker, Property: c.Property,
			Limit: c.Limit.Memory, Used: c.Used.Memory, Asked: c.Asked.Memory, Free: c.Free.Memory, Nodes: c.Nodes, Of: c.Of,
			Draining: c.Draining, Gone: c.Gone, Marked: c.Marked}
		if c.Counts {
			j.Count, j.Most = &c.Count, &c.Most
		}
		out.Causes = append(out.Causes, j)
	}
	for _, c := range a.Changes {
		out.Changes = append(out.Changes, startingJSON{c.Key, c.Present, c.Value, c.Restart})
	}
	if a.Then != nil {
		out.Then = a.Then.Text()
	}
	if n := a.Node; n != nil {
		out.Node = &nodeJSON{n.Partition, n.Size.Memory, n.Size.VCores}
	}
	return out
}

func printWhy(w io.Writer, o *whyJSON) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s in %s", o.Application, o.User, o.Queue)
	if o.At != nil {
		fmt.Fprintf(&b, " at %s", clock(*o.At))
	}
	fmt.Fprintf(&b, ": %s\n", o.State)
	binding := 0
	for i, c := range o.Causes {
		switch {
		case i == 0:
			b.WriteString("\nBlocking limits, in order:\n")
			if !c.Binding {
				b.WriteString("  none: no limit is reached; a container may be allocated at the next node heartbeat\n\nLimits, by remaining headroom:\n")
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

func (o *whyJSON) changes(b *strings.Builder) {
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
		fmt.Fprintf(b, "\nNo configuration change helps; another node%s with %d MiB and %s would.\n", in, o.Node.Memory, diagnose.Cores(o.Node.VCores))
	case len(o.Causes) > 0 && o.Causes[0].Binding && !diagnose.Settled(o.Causes[0].Cause):
		b.WriteString("\nNo configuration change is known that would start it.\n")
	}
}

func (o *whyJSON) next(b *strings.Builder) {
	n := o.Next
	if n == nil {
		return
	}
	if o.Source != "simulation" {
		fmt.Fprintf(b, "\nWithout a change it starts in %s (90 %% interval %s to %s; %d runs from the time of the download).\n", clockOr(n.Median), clockOr(n.Low), clockOr(n.High), n.Runs)
		if n.With != nil {
			fmt.Fprintf(b, "With the change it starts in %s.\n", clock(*n.With))
		}
		return
	}
	switch {
	case n.Median == nil:
		fmt.Fprintf(b, "\nWithout a change it gets no further container in most of %d runs.\n", n.Runs)
	case n.High == nil:
		fmt.Fprintf(b, "\nWithout a change it gets its next container at %s, in some of %d runs never.\n", clock(*n.Median), n.Runs)
	case n.Runs < 2:
		fmt.Fprintf(b, "\nWithout a change it gets its next container at %s (one run).\n", clock(*n.Median))
	default:
		fmt.Fprintf(b, "\nWithout a change it gets its next container at %s (5 to 95 %% of %d runs: %s to %s).\n", clock(*n.Median), n.Runs, clock(*n.Low), clock(*n.High))
	}
	if n.With != nil {
		fmt.Fprintf(b, "With the change it gets it at %s.\n", clock(*n.With))
	}
}

// clock formats seconds as a time: to 10 ms below ten seconds, to 100 ms below a minute,
// else to the second.
func clock(s float64) string {
	unit := time.Second
	switch {
	case s < 10:
		unit = 10 * time.Millisecond
	case s < 60:
		unit = 100 * time.Millisecond
	}
	return time.Duration(s * float64(time.Second)).Round(unit).String()
}

// clockOr formats a time, nil as never.
func clockOr(s *float64) string {
	if s == nil {
		return "never"
	}
	return clock(*s)
}
