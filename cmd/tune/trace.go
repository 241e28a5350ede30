package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
	"schedtune/internal/report"
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

// infoJSON is the document of tune trace info.
type infoJSON struct {
	Schema string `json:"schema"`
	*trace.Info
	Simulated *accuracy.TraceCheck `json:"simulated"` // with --simulate
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
				check, err = cli.Interruptible(c.Context(), func() (*accuracy.TraceCheck, error) {
					return accuracy.CheckTrace(c.Context(), t)
				})
				if err != nil {
					return err
				}
			}
			if e.JSON {
				return e.WriteJSON(infoJSON{text.SchemaTraceInfo, t.Info(), check})
			}
			if err := report.PrintTrace(e.Stdout, t.Info()); err != nil || check == nil {
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
