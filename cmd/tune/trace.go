package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
	"schedtune/internal/text"
	"schedtune/trace"
)

func newTraceCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:  "trace",
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTraceInfoCmd(e), newTraceUsageCmd(e))
	return c
}

func newTraceInfoCmd(e *env) *cobra.Command {
	var read readFlags
	var tracks string
	var simulated bool
	c := &cobra.Command{
		Use:  "info FILE...",
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkTracks(tracks); err != nil {
				return err
			}
			t, err := cli.Interruptible(c.Context(), func() (*trace.Trace, error) { return read.open(e, args) })
			if err == nil && tracks != "" {
				err = historyTracks(tracks, t)
			}
			if err != nil {
				return err
			}
			var check *accuracy.TraceCheck
			if simulated {
				check, err = cli.Interruptible(c.Context(), func() (*accuracy.TraceCheck, error) { return accuracy.CheckTrace(c.Context(), t) })
				if err != nil {
					return err
				}
			}
			if e.JSON {
				return e.WriteJSON(struct {
					Schema string `json:"schema"`
					*trace.Info
					Simulated *accuracy.TraceCheck `json:"simulated,omitempty"`
				}{"schedtune/trace-info/v2", t.Info(), check})
			}
			if err := printInfo(e.Stdout, t.Info()); err != nil || check == nil {
				return err
			}
			fmt.Fprintln(e.Stdout)
			return check.Print(e.Stdout)
		},
	}
	read.add(c)
	cli.Group(c.Flags(), "Output", func(fs *pflag.FlagSet) {
		fs.BoolVar(&simulated, "simulate", false, "compare recorded completion times with a simulation by the trace alone")
		tracksFlag(fs, &tracks, "recorded queues, applications and containers")
	})
	return c
}

// printInfo writes the summary for people.
func printInfo(w io.Writer, in *trace.Info) error {
	tw := text.New(w)
	line := func(format string, args ...any) { fmt.Fprintf(tw, format+"\n", args...) }
	line("trace\t%s (%s)", in.Name, in.Format)
	line("jobs\t%d (%s)", in.Jobs, counts(in.Results))
	line("tasks\t%s", taskLine(&in.Tasks))
	line("duration\t%s from the first submission to the last record", duration(float64(in.SpanMS)/1000))
	if in.Nodes > 0 {
		line("nodes\t%d", in.Nodes)
	}
	if in.Spark != nil {
		sparkLines(line, in.Spark)
	}
	groups(tw, "queue", in.Queues)
	groups(tw, "user", in.Users)
	if err := tw.Flush(); err != nil {
		return err
	}
	printLoad(w, in)
	if in.Spark != nil {
		printSpark(w, in.Spark)
	}
	if len(in.Notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, n := range in.Notes {
		fmt.Fprintf(w, "%s\n", n)
	}
	if len(in.Use) > 0 {
		fmt.Fprintln(w, "\nin a simulation:")
	}
	for _, n := range in.Use {
		fmt.Fprintf(w, "%s\n", n)
	}
	if in.Problem != "" {
		fmt.Fprintf(w, "\ncannot be simulated: %s\n", in.Problem)
	}
	return nil
}

func counts(list []trace.Count) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, fmt.Sprintf("%d %s", c.Jobs, c.Name))
	}
	return strings.Join(parts, ", ")
}

func taskLine(c *trace.TaskCounts) string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{c.Maps, "maps"}, {c.Reduces, "reduces"}, {c.Spark, "tasks of Spark stages"}, {c.Containers, "containers of unknown purpose"}, {c.Masters, "application masters"},
		{c.Derived, "derived, not recorded individually"}, {c.Other, "others"}, {c.Attempts, "attempts"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return strings.Join(parts, ", ")
}

// mostGroups is the largest number of queues or users in a table.
const mostGroups = 12

func groups(w io.Writer, what string, list []trace.GroupInfo) {
	fmt.Fprintf(w, "\n%s\tjobs\ttasks\ttask time\tshare\n", what)
	for i, g := range list {
		if i == mostGroups {
			fmt.Fprintf(w, "… %d more\n", len(list)-i)
			break
		}
		name := g.Name
		if name == "" {
			name = "(none)"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%.1f %%\n", name, g.Jobs, g.Tasks, duration(g.TaskSeconds), g.Share*100)
	}
}

// printLoad draws arrivals and running tasks as bars of text.
func printLoad(w io.Writer, in *trace.Info) {
	if len(in.Load) == 0 || in.SpanMS == 0 {
		return
	}
	top, what := 0.0, "running tasks, mean"
	of := func(p *trace.LoadPoint) float64 { return p.Running }
	if in.PeakDemand == 0 {
		what = "task-seconds submitted"
		of = func(p *trace.LoadPoint) float64 { return p.Work }
	}
	for i := range in.Load {
		top = max(top, of(&in.Load[i]))
	}
	fmt.Fprintf(w, "\nload over time, every %s\n%10s %6s  %s\n", duration(float64(in.BucketMS)/1000), "from", "jobs", what)
	for i := range in.Load {
		p := &in.Load[i]
		bar := 0
		if top > 0 {
			bar = int(of(p)/top*50 + 0.5)
		}
		fmt.Fprintf(w, "%10s %6d  %-50s %s\n", duration(float64(p.FromMS)/1000), p.Jobs, strings.Repeat("#", bar), number(of(p)))
	}
}
